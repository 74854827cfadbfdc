"""Reasons for suggested links, and their anchor texts."""

import numpy as np
import pyarrow as pa
import pytest

from weft.graph.baseset.baseset import ANCHOR_SCHEMA, BaseSet
from weft.graph.webgraph import WebGraph
from weft.similar.context import WebContext
from weft.similar.link_scores import LinkQuery
from weft.similar.missing_links import (
    explain_suggestions,
    is_informative_anchor,
    suggest_anchor_texts,
)
from weft.similar.similarity import Witness

LINKS = [("x", "z"), ("z", "y"), ("p", "z"), ("p", "y"), ("q", "z"), ("q", "y"), ("r", "y")]
SAID = {("x", "z"): "to z", ("z", "y"): "Yarn", ("p", "y"): "Yarn", ("q", "y"): "the y page"}
SAID |= {("r", "y"): "here"}


def text_context(titles: dict[str, str] | None = None) -> WebContext:
    graph = WebGraph.from_links(LINKS)
    ends = {pair: tuple(map(graph.page_number, pair)) for pair in SAID}
    columns = {
        "source": [ends[pair][0] for pair in SAID],
        "target": [ends[pair][1] for pair in SAID],
        "anchor": list(SAID.values()),
        "before": [""] * len(SAID),
        "after": [""] * len(SAID),
    }
    table = pa.table(columns, schema=ANCHOR_SCHEMA)
    named = [(titles or {}).get(page, "") for page in graph.pages]
    return WebContext(
        BaseSet.from_graph(graph, read_anchors=lambda: table, read_titles=lambda: named)
    )


def test_intermediate_pages_and_peers() -> None:
    context = text_context()
    number = context.graph.page_number
    [found] = explain_suggestions(
        LinkQuery(context, number("x")), np.array([number("y")], np.int32)
    )
    assert (found.intermediate_count, found.peer_count) == (1, 2)
    assert found.sentence == (
        "1 page that it links to links there (z); "
        "2 pages with links like its own link there (p and q)"
    )
    assert found.witnesses == (
        Witness("intermediate", "z", "to z", "Yarn"),
        Witness("peer", "p", "", "Yarn"),
        Witness("peer", "q", "", "the y page"),
    )


def test_links_from_others_have_the_same_witnesses() -> None:
    context = text_context()
    x, y = context.graph.page_number("x"), context.graph.page_number("y")
    [to] = explain_suggestions(LinkQuery(context, x), np.array([y], np.int32))
    [from_] = explain_suggestions(LinkQuery(context, y, "from"), np.array([x], np.int32))
    assert to.witnesses == from_.witnesses
    assert from_.sentence.startswith("1 page that it links to links here (z); 2 pages with")


def test_without_witnesses() -> None:
    context = WebContext.from_any([("a", "b"), ("b", "c"), ("c", "d")])
    [found] = explain_suggestions(LinkQuery(context, 0), np.array([3], np.int32))
    assert found.sentence == "only longer paths lead there"


def test_many_witnesses_are_named_by_examples() -> None:
    links = [("x", f"z{k}") for k in range(4)] + [(f"z{k}", "y") for k in range(4)]
    context = WebContext.from_any(links)
    number = context.graph.page_number
    [found] = explain_suggestions(
        LinkQuery(context, number("x")), np.array([number("y")], np.int32)
    )
    assert found.sentence == "4 pages that it links to link there, such as z0 and z1"


def test_the_most_common_informative_anchor_is_proposed() -> None:
    context = text_context({"x": "Ex", "y": "not asked"})
    some = np.array([context.graph.page_number(page) for page in "yxp"], np.int32)
    assert suggest_anchor_texts(context, some) == [("Yarn", "links"), ("Ex", "title"), ("", "")]


@pytest.mark.parametrize("anchor", ["Next", "click here", "More...", "»", "[1]", "2", ""])
def test_uninformative_anchors(anchor: str) -> None:
    assert not is_informative_anchor(anchor)
