"""Graphs of numbers, whose links stay integers: the same collection as through names."""

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from weft.core.arrays import CSR
from weft.gather.edges import edge_lists, text_rows
from weft.graph import sorted_links
from weft.store import numbered_graph
from weft.store import segment as segments
from weft.workspace import ingest
from weft.workspace.workspace import Workspace

Links = list[tuple[int, int]]
NEVER = 1 << 60


@pytest.fixture(autouse=True)
def small_buckets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many buckets, blocks and batches in small graphs."""
    for module in (numbered_graph, sorted_links):
        monkeypatch.setattr(module, "LINKS_PER_BUCKET", 50)
    monkeypatch.setattr(sorted_links, "BATCH_LINKS", 64)
    monkeypatch.setattr(numbered_graph, "NAMES_PER_BLOCK", 32)
    monkeypatch.setattr(text_rows, "MAX_BLOCK_ROWS", 100)
    monkeypatch.setattr(text_rows, "READ_BYTES", 256)
    monkeypatch.setattr(edge_lists, "MIN_NUMBERED_BYTES", 0)


def random_links(count: int = 700, pages: int = 150, seed: int = 0) -> Links:
    """Links of which some are parallel, and some lead from a page to itself."""
    random = Random(seed)
    return [(random.randrange(pages), int(pages * random.random() ** 3)) for _ in range(count)]


def write_links(path: Path, links: Links, delimiter: str = "\t") -> Path:
    path.write_text("".join(f"{source}{delimiter}{target}\n" for source, target in links))
    return path


def add(folder: Path, *inputs: Path, **options: Any) -> Workspace:
    workspace = Workspace(folder)
    workspace.add(*inputs, **options)
    return workspace


def rows(csr: CSR) -> tuple[list[int], list[int], list[float] | None]:
    weights = None if csr.weights is None else csr.weights.tolist()
    return csr.starts.tolist(), csr.ids.tolist(), weights


def portrait(workspace: Workspace) -> dict[str, Any]:
    """All that a collection says of a graph."""
    graph = workspace.graph()
    assert workspace.doctor(deep=True) == []
    return {
        "pages": list(graph.pages),
        "out": rows(graph.outlinks),
        "in": rows(graph.inlinks),
        "counts": workspace.counts,
        "self": np.load(
            workspace.collection.checked_snapshot_path("graph") / "self_link_ids.npy"
        ).tolist(),
        "hosts": list(workspace.graph(level="host").pages),
    }


@pytest.fixture
def by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Workspace]:
    """Add inputs with a name for each end of a link."""

    def add_names(*inputs: Path, **options: Any) -> Workspace:
        with monkeypatch.context() as patch:
            patch.setattr(edge_lists, "MIN_NUMBERED_BYTES", NEVER)
            return add(tmp_path / "names.weft", *inputs, **options)

    return add_names


@pytest.mark.parametrize("delimiter", ["\t", " ", ","])
def test_numbers_give_the_collection_that_names_give(
    delimiter: str, tmp_path: Path, by_name: Callable[..., Workspace]
) -> None:
    path = write_links(tmp_path / "links.txt", random_links(), delimiter)
    numbered = add(tmp_path / "numbers.weft", path)
    (segment,) = numbered.collection.manifest.segments
    folder = numbered.collection.checked_segment_folder(segment)
    assert not segments.has_link_column(folder, "anchor")  # stored as numbers
    assert portrait(numbered) == portrait(by_name(path))
    assert numbered.graph().outlinks.weights is not None


def test_unweighted_links_store_no_weights(tmp_path: Path) -> None:
    workspace = add(tmp_path / "c.weft", write_links(tmp_path / "l.txt", [(0, 1), (1, 2), (0, 2)]))
    folder = workspace.collection.checked_snapshot_path("graph")
    assert workspace.graph().outlinks.weights is None
    assert not [*folder.glob("*weights*")] or {path.name for path in folder.glob("*weights*")} == {
        "self_link_weights.npy",
        "nofollow_weights.npy",
    }


def test_pages_are_in_the_order_of_their_names(tmp_path: Path) -> None:
    path = write_links(tmp_path / "links.txt", [(2, 100), (10, 1), (1, 21)])
    assert list(add(tmp_path / "c.weft", path).graph().pages) == ["1", "10", "100", "2", "21"]


def test_large_and_sparse_numbers(
    tmp_path: Path, by_name: Callable[..., Workspace], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(numbered_graph, "DENSE_NUMBERS", 100)
    links = [(a * a * 10**12 + a, b * 37) for a, b in random_links(300)]
    path = write_links(tmp_path / "links.txt", links)
    assert portrait(add(tmp_path / "c.weft", path)) == portrait(by_name(path))


def test_a_block_with_other_names_goes_the_general_way(
    tmp_path: Path, by_name: Callable[..., Workspace]
) -> None:
    path = write_links(tmp_path / "links.txt", random_links())
    lines = path.read_text().splitlines()
    lines[350] = "Bede\t7"
    lines[420] = "7"
    path.write_text("\n".join(lines))
    numbered = add(tmp_path / "c.weft", path, kind="snap")
    assert len(numbered.collection.manifest.segments) == 2
    assert "Bede" in list(numbered.graph().pages)
    assert portrait(numbered) == portrait(by_name(path, kind="snap"))
    problems = [entry["problems"] for entry in numbered.collection.manifest.history]
    assert [[(row["count"], row["places"]) for row in rows] for rows in problems] == [
        [(1, [f"{path}:421"])]
    ]


def test_parquet_of_numbers(tmp_path: Path, by_name: Callable[..., Workspace]) -> None:
    source, target = map(list, zip(*random_links(), strict=True))
    path = tmp_path / "links.parquet"
    pq.write_table(pa.table({"source": source, "target": pa.array(target, pa.int32())}), path)
    numbered = add(tmp_path / "c.weft", path)
    assert portrait(numbered) == portrait(by_name(path))
    result = numbered.add(path)
    assert (result.new, result.known) == (0, 700)


def test_adding_again_changes_nothing(tmp_path: Path) -> None:
    path = write_links(tmp_path / "links.txt", random_links())
    workspace = add(tmp_path / "c.weft", path)
    before, snapshot = portrait(workspace), workspace.collection.manifest.snapshot
    result = workspace.add(path)
    assert (result.new, result.known) == (0, 700)
    assert (portrait(workspace), workspace.collection.manifest.snapshot) == (before, snapshot)


def test_two_graphs_with_common_links(tmp_path: Path, by_name: Callable[..., Workspace]) -> None:
    paths = [
        write_links(tmp_path / f"{seed}.txt", random_links(400, seed=seed)) for seed in range(2)
    ]
    assert portrait(add(tmp_path / "c.weft", *paths)) == portrait(by_name(*paths))


def test_removal_and_compaction(tmp_path: Path, by_name: Callable[..., Workspace]) -> None:
    path = write_links(tmp_path / "links.txt", random_links())
    numbered, named = add(tmp_path / "c.weft", path), by_name(path)
    for workspace in (numbered, named):
        workspace.remove(patterns=["*7*"])
    assert portrait(numbered) == portrait(named)
    for workspace in (numbered, named):
        workspace.compact()
    assert portrait(numbered) == portrait(named)


def test_an_interrupted_add_is_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_links(tmp_path / "links.txt", random_links())
    whole = portrait(add(tmp_path / "whole.weft", path))

    def fail(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    for module, name in ((numbered_graph, "_sort_bucket"), (ingest, "write_graph")):
        folder = tmp_path / f"{name}.weft"
        with monkeypatch.context() as patch:
            patch.setattr(module, name, fail)
            with pytest.raises(KeyboardInterrupt):
                add(folder, path)
        assert not [*folder.glob("segments/.*/*.bucket")]
        assert portrait(add(folder, path)) == whole


@pytest.mark.parametrize("threads", ["1", "3"])
def test_the_number_of_threads_changes_no_byte(
    threads: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_links(tmp_path / "links.txt", random_links())
    digest = add(tmp_path / "c.weft", path).collection.digest
    monkeypatch.setenv("WEFT_THREADS", threads)
    assert add(tmp_path / "d.weft", path).collection.digest == digest
