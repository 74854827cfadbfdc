"""Why links are suggested, and what they might say."""

import numpy as np
import pyarrow as pa
import pytest

from weft.graph.baseset import ANCHORS, BaseSet
from weft.graph.webgraph import WebGraph
from weft.suggest.around import Around
from weft.suggest.likeness import Witness
from weft.suggest.reasons import anchors_for, reasons, telling
from weft.suggest.scores import Question

LINKS = [("x", "z"), ("z", "y"), ("p", "z"), ("p", "y"), ("q", "z"), ("q", "y"), ("r", "y")]
SAID = {("x", "z"): "to z", ("z", "y"): "Yarn", ("p", "y"): "Yarn", ("q", "y"): "the y page"}
SAID |= {("r", "y"): "here"}


def talking(titles: dict[str, str] | None = None) -> Around:
    graph = WebGraph.from_links(LINKS)
    ends = {pair: tuple(map(graph.number, pair)) for pair in SAID}
    columns = {
        "source": [ends[pair][0] for pair in SAID],
        "target": [ends[pair][1] for pair in SAID],
        "anchor": list(SAID.values()),
        "before": [""] * len(SAID),
        "after": [""] * len(SAID),
    }
    table = pa.table(columns, schema=ANCHORS)
    named = [(titles or {}).get(page, "") for page in graph.pages]
    return Around(BaseSet.whole(graph, read_anchors=lambda: table, read_titles=lambda: named))


def test_who_lies_between_and_who_links_alike() -> None:
    around = talking()
    number = around.graph.number
    [found] = reasons(Question(around, number("x")), np.array([number("y")], np.int32))
    assert (found.between, found.peers) == (1, 2)
    assert found.told == (
        "1 page that it links to links there (z); "
        "2 pages with links like its own link there (p and q)"
    )
    assert found.witnesses == (
        Witness("between", "z", "to z", "Yarn"),
        Witness("peer", "p", "", "Yarn"),
        Witness("peer", "q", "", "the y page"),
    )


def test_the_other_way_round_the_witnesses_are_the_same() -> None:
    around = talking()
    x, y = around.graph.number("x"), around.graph.number("y")
    [to] = reasons(Question(around, x), np.array([y], np.int32))
    [from_] = reasons(Question(around, y, "from"), np.array([x], np.int32))
    assert to.witnesses == from_.witnesses
    assert from_.told.startswith("1 page that it links to links here (z); 2 pages with")


def test_without_witnesses_longer_ways_must_do() -> None:
    around = Around.of([("a", "b"), ("b", "c"), ("c", "d")])
    [found] = reasons(Question(around, 0), np.array([3], np.int32))
    assert found.told == "only longer ways lead there"


def test_many_are_named_by_some() -> None:
    links = [("x", f"z{k}") for k in range(4)] + [(f"z{k}", "y") for k in range(4)]
    around = Around.of(links)
    number = around.graph.number
    [found] = reasons(Question(around, number("x")), np.array([number("y")], np.int32))
    assert found.told == "4 pages that it links to link there, such as z0 and z1"


def test_the_commonest_words_that_tell_are_proposed() -> None:
    around = talking({"x": "Ex", "y": "not asked"})
    some = np.array([around.graph.number(page) for page in "yxp"], np.int32)
    assert anchors_for(around, some) == [("Yarn", "links"), ("Ex", "title"), ("", "")]


@pytest.mark.parametrize("anchor", ["Next", "click here", "More...", "»", "[1]", "2", ""])
def test_anchors_that_say_nothing(anchor: str) -> None:
    assert not telling(anchor)
