"""The base set as a noun: of anything with links, and how each page came in."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from weft.core.errors import BadParameter
from weft.gather.page import Link, Page
from weft.graph.baseset import Absent, BaseSet
from weft.graph.expand import expand
from weft.graph.stoplist import without
from weft.graph.views import Dropped
from weft.graph.webgraph import WebGraph
from weft.run.workspace import Workspace

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


def test_it_says_how_each_page_came_in(keep: Keep) -> None:
    base = expand(keep(*CHAIN).collection, "jaguar")
    assert str(base.why("http://root.com/")) == "http://root.com/: found by the search, place 1"
    assert str(base.why("http://out.com/")) == "http://out.com/: linked from http://root.com/"
    assert str(base.why("http://in.com/")) == "http://in.com/: links to http://root.com/"
    with pytest.raises(BadParameter, match="not in the base set"):
        base.why("http://far.com/")


def test_the_table_begins_with_the_roots(keep: Keep) -> None:
    rows = expand(keep(*CHAIN).collection, "jaguar").to_table().to_pylist()
    assert [row["origin"] for row in rows] == ["root", "linked from", "linked from", "links to"]
    assert [row["rank"] for row in rows] == [1, None, None, None]
    assert rows[0]["text_score"] > 0
    assert rows[1]["text_score"] == 0


def test_of_a_plain_graph() -> None:
    base = BaseSet.of([("a", "x"), ("b", "x")])
    assert BaseSet.of(base) is base
    assert isinstance(base.graph, WebGraph)
    assert list(base.texts) == []
    assert len(base.anchors) == 0
    assert base.roots.tolist() == [0, 1, 2]
    assert str(base.why("x")) == "x: given"


def test_the_story_of_a_base_set() -> None:
    graph = WebGraph.from_links([("a", "x"), ("b", "x")])
    base = BaseSet.whole(graph)
    assert base.story() == ("all 3 pages",)
    told = replace(
        base,
        dropped=(Dropped("same host", 0, 1), Dropped("noise", 2, 1_000), Dropped("a remark", 0, 0)),
        absent={"y": Absent("it mirrors", "x"), "z": Absent("noise")},
    )
    assert told.story() == (
        "all 5 pages → 3 pages",
        "same host: 1 link left out",
        "noise: 2 pages and 1,000 links left out",
        "a remark: nothing left out",
    )


def test_a_page_that_was_sent_away_says_why() -> None:
    base = BaseSet.whole(WebGraph.from_links([("a", "x")]))
    told = replace(base, absent={"y": Absent("it mirrors", "x"), "z": Absent("noise")})
    with pytest.raises(BadParameter, match="'y' is not in the base set: it mirrors x"):
        told.why("y")
    with pytest.raises(BadParameter, match="'z' is not in the base set: noise"):
        told.why("z")


def test_telling_words_of_a_collection_and_of_a_part(keep: Keep) -> None:
    pages = [
        Page(f"http://{k}.com/", text=f"jaguar {word}", links=(Link("http://x.com/"),))
        for k, word in enumerate(["forest", "forest", "engine", "engine", "other"])
    ]
    base = expand(keep(*pages).collection, "jaguar")
    assert len(base.words) == len(base)
    assert set(base.words.stems.to_pylist()) == {"forest", "engine"}
    part, _ = without(base, ["0.com", "2.com", "3.com"])
    assert isinstance(part, BaseSet)
    assert len(part.words) == len(base) - 3
    assert part.words.stems.to_pylist() == ["forest"]


def test_telling_words_without_a_collection() -> None:
    graph = WebGraph.from_links([("a", "b"), ("b", "c")])
    assert len(BaseSet.whole(graph).words.stems) == 0
    spoken = BaseSet.whole(graph, read_texts=lambda: ["one two", "two", ""])
    assert len(spoken.words) == 3


def test_what_links_say_is_read_by_pairs_or_from_all(keep: Keep) -> None:
    links = [Link("http://b.com/", word) for word in ("bee", "sea", "bee")]
    pages = [Page("http://a.com/", text="jaguar", links=(*links, Link("http://c.com/", "far")))]
    base = expand(
        keep(*pages, Page("http://b.com/", links=(Link("http://c.com/", "on"),))).collection,
        "jaguar",
    )
    a, b, c = (base.graph.number(f"http://{name}.com/") for name in "abc")
    for asked in (base, replace(base, read_said=None)):
        ends, words = asked.said(np.array([a, b, a, c]), np.array([b, c, c, a]))
        assert ends.tolist() == [0, 3, 4, 5, 5]
        assert words.to_pylist() == ["bee", "sea", "bee", "on", "far"]
    part, _ = without(base, ["a.com"])
    assert isinstance(part, BaseSet)
    assert part.said(np.array([0]), np.array([1]))[1].to_pylist() == ["on"]
