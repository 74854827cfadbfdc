"""A toy web of two topics, with titles and anchors."""

from collections.abc import Callable, Mapping

import numpy as np
import pyarrow as pa
import pytest

from weft.engine import CLOSED
from weft.graph.baseset import ANCHORS, BaseSet
from weft.graph.webgraph import WebGraph
from weft.topics import Topic, Topics

Links = Mapping[tuple[str, str], str]
Make = Callable[..., Topics]


def two_topics(
    links: Links, titles: Mapping[str, str], groups: list[str], query: str = ""
) -> Topics:
    """Topics of pages named by letters; hubs score by their links, authorities likewise."""
    graph = WebGraph.from_links(list(links))
    rows = [
        (graph.number(source), graph.number(target), words, "", "")
        for (source, target), words in links.items()
    ]
    table = pa.table(list(map(list, zip(*rows, strict=True))), schema=ANCHORS) if rows else None
    base = BaseSet.whole(
        graph,
        query=query,
        read_anchors=lambda: ANCHORS.empty_table() if table is None else table,
        read_titles=lambda: [titles.get(page, "") for page in graph.pages] if titles else (),
    )
    made = []
    for group in groups:
        members = np.sort(graph.numbers(group.split()))
        inside = [pair for pair in links if set(pair) <= set(group.split())]
        score = [
            np.array([float(sum(pair[end] == graph.pages[m] for pair in inside)) for m in members])
            for end in (1, 0)
        ]
        made.append(Topic(members, score[0], score[1], float(len(members))))
    return Topics("toy", base, tuple(made), CLOSED)


@pytest.fixture
def make() -> Make:
    """`make(links, titles, groups, query)`: topics of a toy web."""
    return two_topics


@pytest.fixture
def cats_and_cars() -> Topics:
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
