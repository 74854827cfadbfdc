"""Segments: what is written is read back, and damage is reported."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from weft.core.errors import DamagedFile
from weft.gather.page import EdgeBatch, Link, Page
from weft.store import segment as segments
from weft.store.manifest import SEGMENT_TABLES, CommittedFile, Segment
from weft.store.segment import pages_to_tables

PAGES = [
    Page("http://b.com/", title="B", text="bee", links=(Link("http://a.com/", "to a"),)),
    Page("http://a.com/", title="A", canonical="http://b.com/", main=(0, 1)),
    Page("http://c.com/", kind="redirect", redirect="http://b.com/", reason="HTTP 302"),
    Page("http://d.com/", links=(Link("http://b.com/", "b"), Link("http://b.com/", "b"))),
]


def written(folder: Path, *batches: list[Page]) -> Segment:
    parts = [pages_to_tables(batch, range(len(batch))) for batch in batches]
    return segments.write_page_segment(
        folder, "000001", [p for p, _ in parts], [q for _, q in parts]
    )


def edges(*links: tuple[str, str], nodes: tuple[tuple[str, str], ...] = ()) -> EdgeBatch:
    columns = [list(column) for column in zip(*links, strict=True)] or [[], []]
    n = len(links)
    table = pa.table(
        {
            "source": pa.array(columns[0], pa.string()),
            "target": pa.array(columns[1], pa.string()),
            "weight": pa.array([1.0] * n, pa.float32()),
            "anchor": pa.array([""] * n, pa.string()),
        }
    )
    named = {
        "name": pa.array([name for name, _ in nodes], pa.string()),
        "title": pa.array([title for _, title in nodes], pa.string()),
    }
    return EdgeBatch("digest", pa.table(named), table)


def test_batches_join_into_one_segment(tmp_path: Path) -> None:
    made = written(tmp_path, PAGES[:2], PAGES[2:])
    assert (made.pages, made.links) == (4, 3)
    pages, links = segments.read_page_segment(tmp_path / "000001", made)
    assert pages["url"].to_pylist() == [page.url for page in PAGES]
    assert pages["canonical"].to_pylist() == ["", "http://b.com/", "", ""]
    assert pages["redirect"].to_pylist() == ["", "", "http://b.com/", ""]
    assert [(row["page"], row["target"], row["anchor"]) for row in links.to_pylist()] == [
        (0, "http://a.com/", "to a"), (3, "http://b.com/", "b"), (3, "http://b.com/", "b"),
    ]  # fmt: skip


def test_urls_are_kept_once_in_the_order_of_keys(tmp_path: Path) -> None:
    written(tmp_path, PAGES)
    urls = segments.read_table(tmp_path / "000001", "urls.parquet")
    assert urls["url"].to_pylist() == [f"http://{name}.com/" for name in "abcd"]
    assert urls["key"].to_pylist() == sorted(urls["key"].to_pylist())


def test_removed_rows_do_not_come_back(tmp_path: Path) -> None:
    made = written(tmp_path, PAGES)
    np.save(tmp_path / "000001" / "removed.npy", np.array([0, 2], np.int32))
    pages, links = segments.read_page_segment(
        tmp_path / "000001", Segment("000001", 4, 3, removed="removed.npy")
    )
    assert pages["url"].to_pylist() == ["http://a.com/", "http://d.com/"]
    assert links["page"].to_pylist() == [1, 1]
    assert made.removed == ""


def test_rows_are_read_in_the_order_asked_for(tmp_path: Path) -> None:
    many = [Page(f"http://a.com/{k}", title=str(k)) for k in range(600)]
    written(tmp_path, many)
    for rows in ([599, 0, 300, 300], [255, 256], []):
        table = segments.read_page_rows(tmp_path / "000001", rows, ["title", "nothing"])
        assert table["title"].to_pylist() == [str(row) for row in rows]


def test_a_graph_lists_every_name(tmp_path: Path) -> None:
    given = edges(("b", "a"), ("a", "c"), nodes=(("a", "Alpha"), ("alone", "")))
    made = segments.write_graph_segment(tmp_path, "000001", 2, given)
    assert (made.pages, made.links, made.input_digest, made.part) == (4, 2, "digest", 2)
    again = segments.read_graph_segment(tmp_path / "000001", made)
    assert dict(zip(*(again.nodes[c].to_pylist() for c in ("name", "title")), strict=True)) == {
        "a": "Alpha", "alone": "", "b": "", "c": "",
    }  # fmt: skip
    rows = again.links.to_pylist()
    assert {(row["source"], row["target"]) for row in rows} == {("b", "a"), ("a", "c")}


def test_names_stay_as_they_were_given(tmp_path: Path) -> None:
    given = edges(("http://A.com:80/index.html", "http://b.com/#x"))
    segments.write_graph_segment(tmp_path, "000001", 0, given)
    urls = segments.read_table(tmp_path / "000001", "urls.parquet", ["url"])["url"].to_pylist()
    assert urls == ["http://A.com:80/index.html", "http://b.com/#x"]


def test_a_graph_of_nothing_is_a_segment(tmp_path: Path) -> None:
    made = segments.write_graph_segment(tmp_path, "000001", 0, edges())
    assert (made.pages, made.links) == (0, 0)


def test_a_segment_is_complete_or_absent(tmp_path: Path) -> None:
    (tmp_path / ".000001").mkdir(parents=True)
    (tmp_path / ".000001" / "half").touch()
    made = written(tmp_path, PAGES)
    assert sorted(path.name for path in tmp_path.rglob("*.*")) == sorted(SEGMENT_TABLES)
    for name, file in made.files.items():
        assert file == CommittedFile.from_path(tmp_path / "000001" / name)


@pytest.mark.parametrize("table", SEGMENT_TABLES)
def test_a_truncated_table_is_damage(tmp_path: Path, table: str) -> None:
    written(tmp_path, PAGES)
    path = tmp_path / "000001" / table
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(DamagedFile, match=table):
        segments.read_table(tmp_path / "000001", table)


def test_flipped_text_is_damage(tmp_path: Path) -> None:
    written(tmp_path, [Page("http://a.com/", text="word " * 1000)])
    path = tmp_path / "000001" / "pages.parquet"
    raw = bytearray(path.read_bytes())
    detected = 0
    for at in range(4, len(raw) // 2, 37):
        raw[at] ^= 0x40
        path.write_bytes(raw)
        raw[at] ^= 0x40
        try:
            segments.read_table(tmp_path / "000001", "pages.parquet", ["text"])
        except DamagedFile:
            detected += 1
    assert detected > 0
