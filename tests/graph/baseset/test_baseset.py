"""`BaseSet`: from any input, origins of pages, term weights, anchors."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from weft.core.errors import BadParameter
from weft.gather.page import Link, Page
from weft.graph.baseset.baseset import AbsentPage, BaseSet
from weft.graph.baseset.expand import build_query_base_set
from weft.graph.baseset.stoplist import exclude_pages
from weft.graph.views import Dropped
from weft.graph.webgraph import WebGraph
from weft.workspace.workspace import Workspace

Keep = Callable[..., Workspace]


def page(url: str, text: str = "nothing", *targets: str) -> Page:
    links = tuple(Link(f"http://{t}", f"to {t}", "see", "there") for t in targets)
    return Page(f"http://{url}", text=text, links=links)


CHAIN = (
    page("root.com/", "a jaguar", "out.com/", "www.root.com/own"),
    page("in.com/", "nothing", "root.com/", "beside.com/"),
    page("far.com/", "nothing", "in.com/"),
    page("out.com/", "nothing", "further.com/"),
)


def test_the_origin_of_each_page(keep: Keep) -> None:
    base = build_query_base_set(keep(*CHAIN).collection, "jaguar")
    assert (
        str(base.origin_of("http://root.com/")) == "http://root.com/: found by the search, rank 1"
    )
    assert str(base.origin_of("http://out.com/")) == "http://out.com/: linked from http://root.com/"
    assert str(base.origin_of("http://in.com/")) == "http://in.com/: links to http://root.com/"
    with pytest.raises(BadParameter, match="not in the base set"):
        base.origin_of("http://far.com/")


def test_the_table_begins_with_the_roots(keep: Keep) -> None:
    rows = build_query_base_set(keep(*CHAIN).collection, "jaguar").to_table().to_pylist()
    assert [row["origin"] for row in rows] == ["root", "linked from", "linked from", "links to"]
    assert [row["rank"] for row in rows] == [1, None, None, None]
    assert rows[0]["text_score"] > 0
    assert rows[1]["text_score"] == 0


def test_from_a_plain_graph() -> None:
    base = BaseSet.from_any([("a", "x"), ("b", "x")])
    assert BaseSet.from_any(base) is base
    assert isinstance(base.graph, WebGraph)
    assert list(base.texts) == []
    assert len(base.anchors) == 0
    assert base.roots.tolist() == [0, 1, 2]
    assert str(base.origin_of("x")) == "x: given"


def test_notes() -> None:
    graph = WebGraph.from_links([("a", "x"), ("b", "x")])
    base = BaseSet.from_graph(graph)
    assert base.notes() == ("all 3 pages",)
    filtered = replace(
        base,
        dropped=(Dropped("same host", 0, 1), Dropped("noise", 2, 1_000), Dropped("a note", 0, 0)),
        absent={"y": AbsentPage("it mirrors", "x"), "z": AbsentPage("noise")},
    )
    assert filtered.notes() == (
        "all 5 pages → 3 pages",
        "same host: 1 link left out",
        "noise: 2 pages and 1,000 links left out",
        "a note: nothing left out",
    )


def test_an_absent_page_has_a_reason() -> None:
    base = BaseSet.from_graph(WebGraph.from_links([("a", "x")]))
    filtered = replace(base, absent={"y": AbsentPage("it mirrors", "x"), "z": AbsentPage("noise")})
    with pytest.raises(BadParameter, match="'y' is not in the base set: it mirrors x"):
        filtered.origin_of("y")
    with pytest.raises(BadParameter, match="'z' is not in the base set: noise"):
        filtered.origin_of("z")


def test_term_weights_of_a_collection_and_of_a_part(keep: Keep) -> None:
    pages = [
        Page(f"http://{k}.com/", text=f"jaguar {word}", links=(Link("http://x.com/"),))
        for k, word in enumerate(["forest", "forest", "engine", "engine", "other"])
    ]
    base = build_query_base_set(keep(*pages).collection, "jaguar")
    assert len(base.term_weights) == len(base)
    assert set(base.term_weights.stems.to_pylist()) == {"forest", "engine"}
    part, _ = exclude_pages(base, ["0.com", "2.com", "3.com"])
    assert isinstance(part, BaseSet)
    assert len(part.term_weights) == len(base) - 3
    assert part.term_weights.stems.to_pylist() == ["forest"]


def test_term_weights_without_a_collection() -> None:
    graph = WebGraph.from_links([("a", "b"), ("b", "c")])
    assert len(BaseSet.from_graph(graph).term_weights.stems) == 0
    with_texts = BaseSet.from_graph(graph, read_texts=lambda: ["one two", "two", ""])
    assert len(with_texts.term_weights) == 3


def test_anchor_texts_are_read_by_pair_or_from_the_table(keep: Keep) -> None:
    links = [Link("http://b.com/", word) for word in ("bee", "sea", "bee")]
    pages = [Page("http://a.com/", text="jaguar", links=(*links, Link("http://c.com/", "far")))]
    base = build_query_base_set(
        keep(*pages, Page("http://b.com/", links=(Link("http://c.com/", "on"),))).collection,
        "jaguar",
    )
    a, b, c = (base.graph.page_number(f"http://{name}.com/") for name in "abc")
    for source in (base, replace(base, read_anchor_texts=None)):
        offsets, texts = source.anchor_texts(np.array([a, b, a, c]), np.array([b, c, c, a]))
        assert offsets.tolist() == [0, 3, 4, 5, 5]
        assert texts.to_pylist() == ["bee", "sea", "bee", "on", "far"]
    part, _ = exclude_pages(base, ["a.com"])
    assert isinstance(part, BaseSet)
    assert part.anchor_texts(np.array([0]), np.array([1]))[1].to_pylist() == ["on"]
