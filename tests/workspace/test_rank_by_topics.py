"""A ranking by topics that is given none goes by those of the collection."""

from collections.abc import Callable

import numpy as np
import pytest

from weft.core.errors import WeftError
from weft.engine.fixed_point import CLOSED_FORM
from weft.gather.page import Link, Page
from weft.graph.baseset.baseset import BaseSet
from weft.graph.webgraph import WebGraph
from weft.groups import Group, Groups
from weft.workspace.analyse import pages_by_topic
from weft.workspace.workspace import Workspace

Keep = Callable[..., Workspace]
GROUPS = (("cars", "engine", 20), ("cats", "jungle", 18))
TWO = [
    Page(
        f"http://{group}{k}.org/",
        title=f"{word} links",
        text=f"jaguar {word} {word}{k}",
        language="en",
        links=tuple(Link(f"http://{group}{n}.com/", f"{word} page") for n in range(4)),
    )
    for group, word, hubs in GROUPS
    for k in range(hubs)
]
PAIRS = [("a", "x"), ("b", "x"), ("c", "y"), ("d", "y"), ("e", "z")]


def topics(*members: str, label: str = "") -> Groups:
    base = BaseSet.from_graph(WebGraph.from_links(PAIRS))
    ids = [np.array(sorted(map(base.graph.page_number, pages)), np.int32) for pages in members]
    found = [Group(own, np.ones(len(own)), np.ones(len(own)), 1.0, (label,)) for own in ids]
    return Groups("topics", "atd", base, tuple(found), CLOSED_FORM)


def test_the_topics_of_the_collection(keep: Keep) -> None:
    workspace = keep(*TWO)
    ranking = workspace.rank("topic-pagerank")
    used = ranking.details["topics"]
    assert used == {"Engine": 20, "Jungle": 18}, "pages that were captured"
    assert len(ranking) == 46
    assert len(workspace.topics()) == len(used)
    assert not ranking.options["topics"]
    assert list(ranking.details["weights"]) == list(used)


def test_they_count_as_if_they_were_given(keep: Keep) -> None:
    workspace = keep(*TWO)
    pairs = [f"{t.title}={workspace.topics().base.pages[i]}" for t in workspace.topics()
             for i in t.members]  # fmt: skip
    own, given = workspace.rank("topic-pagerank"), workspace.rank("topic-pagerank", topics=pairs)
    np.testing.assert_array_equal(own.scores["score"], given.scores["score"])
    assert list(given.details["topics"].values()) == list(own.details["topics"].values())
    assert given.options["topics"] == pairs


def test_a_query_weighs_them(keep: Keep) -> None:
    weights = keep(*TWO).rank("topic-pagerank", query="engine OR jaguar").details["weights"]
    by_word = {name.split()[0]: weight for name, weight in weights.items()}
    assert by_word["Engine"] > 0.9 > by_word["Jungle"] > 0


def test_other_analyses_need_no_topics_either(keep: Keep) -> None:
    workspace = keep(*TWO)
    why = workspace.why("http://cats0.com/", "topic-pagerank").breakdown
    assert why.amounts.sum() + sum(why.other_sources.values()) == pytest.approx(why.score)
    compared = workspace.compare_methods("pagerank", "topic-pagerank")
    assert compared.tau_matrix().num_rows == 2
    assert workspace.stability("topic-pagerank", trials=2).method == "topic-pagerank"
    assert workspace.rank("topic-pagerank", level="host").details["topics"]


def test_no_topics_are_an_error_with_a_hint(keep: Keep) -> None:
    with pytest.raises(WeftError, match="no topics in this collection") as error:
        keep(Page("http://a.org/", text="jaguar")).rank("topic-pagerank")
    assert "pagerank" in error.value.hint
    lonely = keep(*TWO, Page("http://z.org/", text="zebra"), name="lonely")
    with pytest.raises(WeftError, match="no topics in what 'zebra' finds"):
        lonely.rank("topic-pagerank", query="zebra")


def test_nothing_to_rank_needs_no_topics(keep: Keep) -> None:
    assert len(keep(*TWO).rank("topic-pagerank", query="xyzzyx")) == 0


def test_equal_names_get_numbers() -> None:
    found = topics("ax", "by", "cde", label="x=y")
    assert pages_by_topic(found, found.base) == {
        "x y": ["c", "d", "e"],
        "x y (2)": ["a", "x"],
        "x y (3)": ["b", "y"],
    }
    nameless = topics("ax")
    assert pages_by_topic(nameless, nameless.base) == {"topic 1": ["a", "x"]}


def test_only_pages_that_are_ranked_and_only_the_largest() -> None:
    found = topics("abx", "cd", "ey")
    few = BaseSet.from_graph(WebGraph.from_links([("c", "y"), ("d", "y"), ("a", "y")]))
    assert pages_by_topic(found, few) == {"topic 2": ["c", "d"], "topic 1": ["a"], "topic 3": ["y"]}
    assert pages_by_topic(found, few, max_topics=1) == {"topic 2": ["c", "d"]}
    none = BaseSet.from_graph(WebGraph.from_links([("p", "q")]))
    assert pages_by_topic(found, none) == {}
