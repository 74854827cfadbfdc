"""Adding: what is new is kept, what is known is left alone."""

import gzip
import json
import resource
import time
import zipfile
from collections.abc import Callable, Iterator
from itertools import permutations
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.errors import UnknownName, WeftError
from weft.core.progress import listener
from weft.gather.formats import read_revisits
from weft.gather.html import ParseOptions
from weft.gather.page import Page, Problems, RawPage
from weft.gather.revisits import RevisitIndex
from weft.gather.url import UrlPolicy
from weft.gather.warc import read_warc
from weft.store.manifest import Manifest
from weft.workspace import ingest
from weft.workspace.ingest import MIN_FREE_ADDRESS_BYTES, NewPageStream, check_address_space_limit
from weft.workspace.workspace import Workspace

Portrait = Callable[..., str]
Lines = Callable[..., Path]


def html_lines(warc: Path, into: Path) -> Path:
    """The pages of the demo web as JSON lines, with the same moments and bytes."""
    with into.open("w") as file:
        for record in read_warc(warc, "", ParseOptions(), Problems(), RevisitIndex()):
            row = {"url": record.url, "html": record.body.decode(), "time": record.time}  # type: ignore[union-attr]
            if record.body:  # type: ignore[union-attr]
                file.write(f"{json.dumps(row)}\n")
    return into


def test_the_same_file_twice_changes_nothing(demo_warc: Path, tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "c.weft")
    first = workspace.add(demo_warc, workers=1)
    manifest = Manifest.read(workspace.folder)
    second = workspace.add(demo_warc, demo_warc, workers=1)
    assert (second.new, second.known) == (0, 2 * (first.new + first.known))
    assert Manifest.read(workspace.folder) == manifest


HOSTILE = [
    f'<div title="{"x" * 9_000}" {" ".join(f"a{k}=1" for k in range(24))}>',
    f'<meta http-equiv=refresh content="{" " * 60_000}x">',
    "<base " * 10_000 + ">",
    "<meta charset=" * 4_000 + ">",
    f"<p a='{'<!--' * 15_000}'>",
    f"<img src='data:image/png;base64,{'A' * 16_000}' alt=p>",
    f"<p>{'&noti;&#xE000' * 5_000}",
    "<title>" * 9_000 + "</title>",
]


def test_hostile_pages_are_added_in_little_cpu_time(tmp_path: Path) -> None:
    """Each is below 64 kB, so that it is parsed in this process; some took minutes once."""
    (tmp_path / "pages").mkdir()
    for k, hostile in enumerate(HOSTILE):
        page = tmp_path / "pages" / f"{k}.html"
        page.write_text(f"{hostile}<p>go to <a href='http://h/{k}'>page {k}</a>")
    start = time.process_time()
    workspace = Workspace(tmp_path / "c.weft")
    added = workspace.add(tmp_path / "pages", base_url="http://g/", workers=1)
    assert time.process_time() - start < 15
    assert (added.new, added.has_damage) == (len(HOSTILE), False)
    for k in range(len(HOSTILE)):
        [link] = workspace.links(f"http://h/{k}").to_pylist()
        assert link["anchor"] == f"page {k}"


def test_what_was_done_prints_as_one_line(tmp_path: Path) -> None:
    (tmp_path / "links.csv").write_text("source,target,weight\na,b,1\nb,c,none\n")
    (tmp_path / "page.jsonl").write_text('{"url": "http://a.com/"}\n' * 2)
    workspace = Workspace(tmp_path / "c.weft")
    start = f"<Added to {workspace.folder}: "
    added = repr(workspace.add(tmp_path / "links.csv"))
    assert added == f"{start}1 new, 1 skipped or damaged>"
    assert repr(workspace.add(tmp_path / "page.jsonl")) == f"{start}1 new, 1 known already>"


def test_links_that_are_known_are_not_new(tmp_path: Path) -> None:
    workspace, graph = Workspace(tmp_path / "c.weft"), tmp_path / "links.csv"
    graph.write_text("source,target\na,b\nb,c\n")
    first, second = (workspace.add(graph) for _ in range(2))
    assert (first.new, first.known) == (2, 0)
    assert (second.new, second.known) == (0, 2)
    assert workspace.counts["links"] == 2


def test_the_history_counts_pages_of_a_graph_not_links(tmp_path: Path) -> None:
    edges = edge_list(
        tmp_path / "e.csv", ("a", "b", 1), ("a", "c", 1), ("b", "c", 1), ("c", "a", 1)
    )
    workspace = Workspace(tmp_path / "c.weft")
    workspace.add(edges)
    [note] = workspace.refresh().history
    assert note["pages"] == workspace.counts["listed"] == 3


def test_a_file_named_twice_is_added_once(demo_warc: Path, demo: Workspace, tmp_path: Path) -> None:
    added = Workspace(tmp_path / "c.weft").add(demo_warc, demo_warc, workers=1)
    assert added.new == demo.counts["captures"]


def test_the_same_pages_by_another_way_are_known(
    demo_warc: Path, demo: Workspace, portrait: Portrait, tmp_path: Path
) -> None:
    wacz = tmp_path / "demo.wacz"
    with zipfile.ZipFile(wacz, "w") as archive:
        archive.write(demo_warc, "archive/demo.warc.gz")
        archive.writestr("datapackage.json", "{}")
    plain = tmp_path / "demo.warc"
    plain.write_bytes(gzip.decompress(demo_warc.read_bytes()))
    lines = html_lines(demo_warc, tmp_path / "demo.jsonl")
    workspace = Workspace(tmp_path / "c.weft")
    workspace.add(demo_warc, workers=1)
    for other in (wacz, plain, lines):
        again = workspace.add(other, workers=1)
        assert again.new == 0
        assert again.known > 0
    assert portrait(workspace) == portrait(demo)


def test_any_number_of_workers_gives_the_same(
    demo_warc: Path, demo: Workspace, portrait: Portrait, tmp_path: Path
) -> None:
    workspace = Workspace(tmp_path / "c.weft")
    workspace.add(demo_warc, workers=2)
    assert portrait(workspace) == portrait(demo)


def test_the_order_of_inputs_does_not_matter(
    demo_warc: Path, demo: Workspace, portrait: Portrait, tmp_path: Path
) -> None:
    raw = demo_warc.read_bytes()
    members = [b"\x1f\x8b\x08" + part for part in raw.split(b"\x1f\x8b\x08")[1:]]
    Random(3).shuffle(members)
    workspace = Workspace(tmp_path / "c.weft")
    for k in range(4):
        part = tmp_path / f"{k}.warc.gz"
        part.write_bytes(b"".join(members[k::4]))
        workspace.add(part, workers=1)
    assert len(Manifest.read(workspace.folder).segments) == 4
    assert portrait(workspace) == portrait(demo)


def warc_record(kind: str, url: str, digest: str, body: str = "", year: int = 2020) -> bytes:
    block = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{body}"
    head = (
        f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\n"
        f"WARC-Date: {year}-01-01T00:00:00Z\r\nWARC-Payload-Digest: {digest}\r\n"
        f"Content-Type: application/http\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return gzip.compress(f"{head}{block}\r\n\r\n".encode(), mtime=0)


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    """Three archives of one crawl, whose revisits refer to one another's captures."""
    folder = tmp_path / "crawl"
    folder.mkdir()
    one, two = (
        ("sha1:ONE", "<title>One</title><a href=next.html>to the next jaguar</a>"),
        ("sha1:TWO", "<title>Two</title>more on jaguars"),
    )
    archives = {
        "a.warc.gz": [
            warc_record("revisit", "http://h.com/d/a.html", one[0], year=2021),
            warc_record("response", "http://h.com/b.html", *two),
            warc_record("revisit", "http://h.com/c.html", one[0], year=2021),
        ],
        "b.warc.gz": [
            warc_record("revisit", "http://h.com/e.html", two[0], year=2022),
            warc_record("revisit", "http://h.com/b.html", two[0], year=2022),
            warc_record("revisit", "http://h.com/lost.html", "sha1:LOST", year=2022),
        ],
        "z.warc.gz": [warc_record("response", "http://h.com/c.html", *one)],
    }
    for name, records in archives.items():
        (folder / name).write_bytes(b"".join(records))
    return folder


def test_revisits_are_read_from_any_input_in_any_order(
    crawl: Path, portrait: Portrait, tmp_path: Path
) -> None:
    wacz, pattern, files = tmp_path / "all.wacz", crawl / "*.gz", sorted(crawl.iterdir())
    with zipfile.ZipFile(wacz, "w") as archive:
        for path in files:
            archive.write(path, f"archive/{path.name}")
    seen = set()
    for k, inputs in enumerate([*permutations(files), [crawl], [pattern], [wacz]]):
        workspace = Workspace(tmp_path / f"{k}.weft")
        added = workspace.add(*inputs, workers=1)
        assert (added.new, added.known, added.has_damage) == (4, 0, False)
        assert added.problems.counts == {
            "revisits of unchanged pages": 2,
            "revisits whose original is missing": 1,
        }
        manifest = Manifest.read(workspace.folder)
        again = workspace.add(*inputs, workers=1)
        assert (again.new, again.known) == (0, 4)
        assert Manifest.read(workspace.folder) == manifest
        seen.add(portrait(workspace))
    assert len(seen) == 1
    found = workspace.links("http://h.com/d/a.html", "out").to_pylist()
    assert [row["url"] for row in found] == ["http://h.com/d/next.html"]


def test_an_original_that_comes_later_brings_what_was_found_again(
    crawl: Path, portrait: Portrait, tmp_path: Path
) -> None:
    whole, parts = Workspace(tmp_path / "whole.weft"), Workspace(tmp_path / "parts.weft")
    whole.add(crawl, workers=1)
    first = parts.add(crawl / "a.warc.gz", workers=1)
    assert first.problems.counts == {"revisits whose original is missing": 2}
    assert parts.add(crawl, workers=1).new == 3
    assert portrait(parts) == portrait(whole)


def test_an_add_that_is_cut_short_among_revisits_is_finished(
    crawl: Path, portrait: Portrait, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, cut = Workspace(tmp_path / "whole.weft"), Workspace(tmp_path / "cut.weft")
    whole.add(crawl, workers=1)

    def leave(*given: Any) -> Iterator[RawPage]:
        yield next(read_revisits(*given))
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(ingest, "read_revisits", leave)
        with pytest.raises(KeyboardInterrupt):
            cut.add(crawl, workers=1)
    cut.add(crawl, workers=1)
    assert portrait(cut) == portrait(whole)


def test_a_collection_is_added_to_another(
    demo: Workspace, lines: Lines, portrait: Portrait, tmp_path: Path
) -> None:
    workspace = Workspace(tmp_path / "c.weft")
    workspace.add(demo.folder)
    assert portrait(workspace) == portrait(demo)
    assert workspace.add(demo.folder).new == 0
    more = Workspace(tmp_path / "more.weft")
    more.add(lines("more.jsonl", [{"url": "http://new.example/", "text": "jaguar"}]))
    assert workspace.add(more.folder, demo.folder).new == 1


def test_a_collection_of_other_rules_is_refused(lines: Lines, tmp_path: Path) -> None:
    rows = [{"url": "http://a.com/index.html", "text": "x"}]
    other = Workspace(tmp_path / "other.weft")
    other.add(lines("a.jsonl", rows), parse_options=ParseOptions(url_policy=UrlPolicy(index=False)))
    workspace = Workspace(tmp_path / "c.weft")
    workspace.add(lines("b.jsonl", [{"url": "http://b.com/", "text": "x"}]))
    with pytest.raises(WeftError, match="other URL rules"):
        workspace.add(other.folder)
    with pytest.raises(WeftError, match="other URL rules"):
        other.add(lines("a.jsonl", rows))


def edge_weights(workspace: Workspace) -> dict[tuple[str, str], float]:
    rows = workspace.refresh().graph().to_arrow().to_pylist()
    return {(row["source"], row["target"]): row["weight"] for row in rows}


def edge_list(path: Path, *rows: tuple[str, str, float]) -> Path:
    path.write_text("source,target,weight\n" + "".join(f"{s},{t},{w}\n" for s, t, w in rows))
    return path


def test_weights_add_up_within_an_input_and_not_between(tmp_path: Path) -> None:
    one = edge_list(
        tmp_path / "one.csv", ("a", "b", 1), ("a", "b", 2), ("a", "a", 9), ("b", "c", 1)
    )
    two = edge_list(tmp_path / "two.csv", ("a", "b", 2.5), ("b", "c", 4), ("c", "d", 1))
    expected = {("a", "b"): 3.0, ("b", "c"): 4.0, ("c", "d"): 1.0}
    for k, order in enumerate([(one, two), (two, one)]):
        workspace = Workspace(tmp_path / f"{k}.weft")
        for path in (*order, *order):
            workspace.add(path)
        assert edge_weights(workspace) == expected
        assert len(Manifest.read(workspace.folder).segments) == 2


def test_a_graph_and_pages_meet(lines: Lines, tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "c.weft")
    rows = [{"url": "http://a.com/", "text": "cat", "links": ["http://b.com/"]}]
    edges = edge_list(tmp_path / "e.csv", ("http://a.com/", "http://b.com/", 5))
    workspace.add(edges)
    workspace.add(lines("p.jsonl", rows))
    kinds = dict(
        zip(*(workspace.page_table()[c].to_pylist() for c in ("url", "kind")), strict=True)
    )
    assert kinds == {"http://a.com/": "captured", "http://b.com/": "listed"}
    assert edge_weights(workspace) == {("http://a.com/", "http://b.com/"): 5.0}


def test_empty_inputs_make_an_empty_collection(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "folder").mkdir()
    workspace = Workspace(tmp_path / "c.weft")
    added = workspace.add(tmp_path / "empty.jsonl", tmp_path / "folder")
    assert (added.new, len(workspace.collection), workspace.counts["links"]) == (0, 0, 0)
    assert len(workspace.search("anything")) == 0
    assert len(workspace.graph()) == 0


def test_pages_without_links_beside_pages_with(lines: Lines, tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "c.weft")
    workspace.add(lines("a.jsonl", [{"url": "http://a.com/", "text": "cat"}]))
    workspace.add(lines("b.jsonl", [{"url": "http://b.com/", "links": ["http://a.com/"]}]))
    workspace.add(lines("c.jsonl", [{"url": "http://c.com/"}]))
    assert edge_weights(workspace) == {("http://b.com/", "http://a.com/"): 1.0}


def test_problems_are_noted_also_where_nothing_is_new(lines: Lines, tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "c.weft")
    workspace.add(lines("a.jsonl", [{"url": "http://a.com/", "text": "cat"}]))
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"url": "http://a.com/", "text": "cat"}\n{"url": 7\n')
    for _ in range(2):
        assert workspace.add(broken).has_damage
    notes = workspace.refresh().history
    assert [note["problems"][0]["count"] for note in notes if note["problems"]] == [1]
    assert workspace.collection.manifest.snapshot == 1


def test_missing_inputs_are_errors(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "c.weft")
    with pytest.raises(WeftError, match="does not exist"):
        workspace.add(tmp_path / "none.warc")
    with pytest.raises(WeftError, match="nothing matches"):
        workspace.add(str(tmp_path / "*.warc"))
    with pytest.raises(UnknownName):
        workspace.add(tmp_path, kind="tapestry")
    assert not workspace.folder.exists()


@given(
    st.lists(st.integers(0, 2**64 - 1).map(lambda n: n % 50 * (2**58)), max_size=60),
    st.sets(st.integers(0, 49), max_size=10),
)
def test_known_captures_are_those_before(stream: list[int], held: set[int]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ingest, "MAX_RECENT_CAPTURES", 7)
        before = np.sort(np.array([n * 2**58 for n in held], np.uint64))
        intake = NewPageStream(before, ParseOptions(), Problems(), 0)
        seen = {n * 2**58 for n in held}
        for capture in stream:
            assert intake._is_known(capture) == (capture in seen)
            seen.add(capture)
        assert len(intake.recent_captures) < 7


def test_listeners_hear_of_pages(demo_warc: Path, tmp_path: Path) -> None:
    progress: dict[str, int] = {}
    token = listener.set(lambda label, done, _: progress.__setitem__(label, done))
    try:
        added = Workspace(tmp_path / "c.weft").add(demo_warc, workers=1)
    finally:
        listener.reset(token)
    assert progress["pages"] == added.new
    assert {"read", "links", "index"} <= set(progress)


def test_links_to_folders_are_pages(tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / "base-url.txt").write_text("http://a.com/")
    (site / "one.html").write_text("<html><title>One</title><a href=two.html>to two</a></html>")
    (site / "two.html").write_text("<html><title>Two</title>text</html>")
    workspace = Workspace(tmp_path / "c.weft")
    workspace.add(site)
    found = workspace.links("http://a.com/two.html", "in").to_pylist()
    assert [(row["url"], row["anchor"]) for row in found] == [("http://a.com/one.html", "to two")]
    assert Page("http://a.com/").kind == "captured"


@pytest.mark.parametrize(
    ("limit", "enough"),
    [(resource.RLIM_INFINITY, True), (1 << 50, True), (MIN_FREE_ADDRESS_BYTES, False), (0, False)],
)
def test_a_limit_is_enough_or_an_error(
    monkeypatch: pytest.MonkeyPatch, limit: int, *, enough: bool
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (limit, limit))
    if enough:
        check_address_space_limit()
        return
    with pytest.raises(WeftError, match="MB of address space"):
        check_address_space_limit()
