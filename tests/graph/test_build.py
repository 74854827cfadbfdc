"""Building a graph: the same links on disk, whatever the buckets."""

import json
from collections import Counter
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.graph import build
from weft.graph.webgraph import WebGraph
from weft.store import arrow_files
from weft.workspace.workspace import Workspace

Links = list[tuple[str, str]]
NAMES = [f"http://{host}.example/{page}" for host in "ab" for page in "xyz"]
webs = st.lists(st.sampled_from(list(product(NAMES, repeat=2))), max_size=40)


def build_from(folder: Path, pages: dict[str, list[str]]) -> WebGraph:
    rows = [json.dumps({"url": url, "text": "t", "links": links}) for url, links in pages.items()]
    (folder / "pages.jsonl").write_text("\n".join(rows))
    workspace = Workspace(folder / "c.weft")
    workspace.add(folder / "pages.jsonl")
    return workspace.graph()


def links_of(graph: WebGraph) -> dict[tuple[str, str], float]:
    table = graph.to_arrow().to_pydict()
    return dict(
        zip(zip(table["source"], table["target"], strict=True), table["weight"], strict=True)
    )


@pytest.mark.parametrize("bucket", [1, 3, 1 << 20])
@settings(max_examples=10)
@given(web=webs)
def test_every_link_is_there_once_with_its_weight(bucket: int, web: Links) -> None:
    pages: dict[str, list[str]] = {}
    for source, target in web:
        pages.setdefault(source, []).append(target)
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "LINKS_PER_BUCKET", bucket)
        patch.setattr(arrow_files, "RANGE_BYTES", 64 * bucket)
        graph = build_from(Path(folder), pages)
        wanted = Counter((s, t) for s, t in web if s != t)
        assert links_of(graph) == wanted
        back = WebGraph(graph.pages, graph.inlinks, graph.outlinks)
        assert links_of(back) == {(t, s): w for (s, t), w in wanted.items()}
        for rows in (graph.outlinks, graph.inlinks):
            for a, b in zip(rows.starts[:-1], rows.starts[1:], strict=True):
                assert np.all(np.diff(rows.ids[a:b]) > 0)


def test_weights_are_summed_within_an_input_and_the_largest_sum_counts(tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("source,target,weight\na,b,2\na,b,1\na,c,1\n")
    (tmp_path / "two.csv").write_text("source,target,weight\na,b,2.5\nb,c,1\n")
    workspace = Workspace(tmp_path / "c.weft")
    workspace.add(tmp_path / "one.csv", tmp_path / "two.csv")
    wanted = {("a", "b"): 3.0, ("a", "c"): 1.0, ("b", "c"): 1.0}
    assert links_of(workspace.graph()) == wanted
    workspace.add(tmp_path / "one.csv")
    assert links_of(workspace.graph()) == wanted


@pytest.mark.parametrize("bucket", [1, 1 << 20])
def test_weights_are_as_wide_as_they_must_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bucket: int
) -> None:
    monkeypatch.setattr(build, "LINKS_PER_BUCKET", bucket)
    some = [("a", "b", 0.5), ("b", "c", 2.0), ("c", "d", 3.0), ("d", "a", 4.0), ("a", "a", 0.25)]
    for name, more, kind in (
        ("single", [], np.float32),
        ("double", [("d", "c", 0.1), ("c", "c", 0.3)], np.float64),
        ("sum", [("d", "c", 2.0**24), ("d", "c", 1.0)], np.float64),
    ):
        rows = [f"{s},{t},{weight!r}" for s, t, weight in [*some, *more]]
        (tmp_path / f"{name}.csv").write_text("\n".join(["source,target,weight", *rows]))
        workspace = Workspace(tmp_path / f"{name}.weft")
        workspace.add(tmp_path / f"{name}.csv")
        graph = workspace.graph()
        wanted = {(s, t): w for s, t, w in [*some, *more] if s != t}
        wanted |= {("d", "c"): 2.0**24 + 1} if name == "sum" else {}
        assert links_of(graph) == wanted
        for rows_ in (graph.outlinks, graph.inlinks):
            assert rows_.weights is not None
            assert rows_.weights.dtype == kind
        assert not list(tmp_path.rglob("*.float32"))


def test_no_buckets_are_left_behind(tmp_path: Path) -> None:
    build_from(tmp_path, {NAMES[0]: NAMES[1:]})
    assert not list(tmp_path.rglob("*.bucket"))


def test_arrays_are_mapped_not_read(tmp_path: Path) -> None:
    graph = build_from(tmp_path, {NAMES[0]: NAMES[1:]})
    assert isinstance(graph.outlinks.ids.base, np.memmap)
    assert graph.outlinks.weights is None
