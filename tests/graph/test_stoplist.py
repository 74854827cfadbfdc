"""Stop-lists: what a pattern means, and what is left of a graph."""

from collections.abc import Callable

import pyarrow as pa
import pytest

from weft.core.errors import BadParameter
from weft.gather.page import Link, Page
from weft.graph.baseset import BaseSet
from weft.graph.expand import whole
from weft.graph.stoplist import matching, without
from weft.graph.webgraph import WebGraph
from weft.run.workspace import Workspace

URLS = [
    "http://ads.example/",
    "https://www.ads.example:8080/x",
    "http://badads.example/",
    "http://a.org/print/1.html",
    "http://a.org/ads.example",
    "ads.example",
]


@pytest.mark.parametrize(
    ("pattern", "meant"),
    [
        ("ads.example", [0, 1, 5]),
        ("ADS.Example", [0, 1, 5]),
        ("www.ads.example", [1]),
        ("*/print/*", [3]),
        ("a.org/*", [3, 4]),
        ("http://a.org/print/?.html", [3]),
        ("a.org/print", []),
        ("org", [3, 4]),
        ("a+b.org", []),
    ],
)
def test_what_a_pattern_means(pattern: str, meant: list[int]) -> None:
    found = matching(pa.array(URLS), pattern)
    assert [k for k, yes in enumerate(found) if yes] == meant


def test_an_empty_pattern_is_refused() -> None:
    with pytest.raises(BadParameter):
        matching(pa.array(URLS), " ")


def test_pages_go_with_their_links_and_are_told() -> None:
    graph = WebGraph.from_links([("a.org", "ads.com"), ("a.org", "b.org"), ("ads.com", "b.org")])
    left, told = without(graph, ["ads.com", "nothing.net"])
    assert isinstance(left, WebGraph)
    assert list(left.pages) == ["a.org", "b.org"]
    assert left.link_count == 1
    assert [(t.reason, t.pages) for t in told] == [
        ("without ads.com", 1),
        ("without nothing.net", 0),
    ]
    assert sum(t.links for t in told) == 2


def test_no_patterns_change_nothing() -> None:
    graph = WebGraph.from_links([("a", "b")])
    assert without(graph, []) == (graph, ())


def test_a_base_set_keeps_the_words_of_what_is_left(keep: Callable[..., Workspace]) -> None:
    workspace = keep(
        Page("http://a.com/", title="A", text="first", links=(Link("http://b.com/", "to b"),)),
        Page("http://ads.com/", title="Ad", text="buy", links=(Link("http://b.com/", "win"),)),
        Page("http://b.com/", title="B", text="third", links=(Link("http://a.com/", "back"),)),
    )
    left, _ = without(whole(workspace.collection), ["ads.com"])
    assert isinstance(left, BaseSet)
    assert list(left.pages) == ["http://a.com/", "http://b.com/"]
    assert list(left.texts) == ["first", "third"]
    said = {(r["source"], r["target"]): r["anchor"] for r in left.anchors.to_pylist()}
    assert said == {(0, 1): "to b", (1, 0): "back"}
    assert left.dropped[-1].pages == 1
