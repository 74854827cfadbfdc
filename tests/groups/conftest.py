"""Topics of toy webs with titles and anchor texts."""

from collections.abc import Callable, Mapping

import numpy as np
import pyarrow as pa
import pytest

from weft.engine import CLOSED_FORM
from weft.graph.baseset.baseset import ANCHOR_SCHEMA, BaseSet
from weft.graph.webgraph import WebGraph
from weft.groups import Group, Groups

Links = Mapping[tuple[str, str], str]
Make = Callable[..., Groups]


def two_topics(
    links: Links, titles: Mapping[str, str], groups: list[str], query: str = ""
) -> Groups:
    """Build topics from groups of page names; scores are degrees inside the group."""
    graph = WebGraph.from_links(list(links))
    rows = [
        (graph.page_number(source), graph.page_number(target), anchor, "", "")
        for (source, target), anchor in links.items()
    ]
    table = (
        pa.table(list(map(list, zip(*rows, strict=True))), schema=ANCHOR_SCHEMA) if rows else None
    )
    base = BaseSet.from_graph(
        graph,
        query=query,
        read_anchors=lambda: ANCHOR_SCHEMA.empty_table() if table is None else table,
        read_titles=lambda: [titles.get(page, "") for page in graph.pages] if titles else (),
    )
    topics = []
    for group in groups:
        members = np.sort(graph.page_numbers(group.split()))
        inside_links = [pair for pair in links if set(pair) <= set(group.split())]
        scores = [
            np.array(
                [float(sum(pair[end] == graph.pages[m] for pair in inside_links)) for m in members]
            )
            for end in (1, 0)
        ]
        topics.append(Group(members, scores[0], scores[1], float(len(members))))
    return Groups("topics", "toy", base, tuple(topics), CLOSED_FORM)


@pytest.fixture
def make() -> Make:
    """The function `make(links, titles, groups, query)`, which builds the topics of a toy web."""
    return two_topics


@pytest.fixture
def cats_and_cars() -> Groups:
    """Two hubs for two authorities each; `both` is a hub of both."""
    links = {
        ("h1", "car"): "Jaguar cars",
        ("h2", "car"): "classic cars",
        ("h1", "club"): "a club for cars",
        ("h3", "cat"): "big cats",
        ("h4", "cat"): "big cats of the world",
        ("h3", "zoo"): "the zoo",
        ("both", "car"): "cars",
        ("both", "cat"): "the big cats",
    }
    titles = {
        "h1": "Classic car links",
        "h2": "Jaguar links",
        "h3": "Untitled",
        "h4": "Jaguars and other big cats",
        "car": "Cars of Coventry",
        "zoo": "Zoo",
    }
    groups = ["h1 h2 car club both", "h3 h4 cat zoo both"]
    return two_topics(links, titles, groups, "jaguar")
