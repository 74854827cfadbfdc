"""Blocks by words: cosines by hand, which blocks count, and what that changes."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.gather.page import Link, Page
from weft.graph.baseset.baseset import BLOCK_SCHEMA, LINKED_FROM, ROOT, BaseSet
from weft.graph.baseset.expand import build_query_base_set
from weft.graph.webgraph import WebGraph
from weft.groups import Groups
from weft.topics import dom_hits
from weft.topics.dom_hits import (
    BlockLinks,
    link_term_weights,
    link_topic_cosines,
    links_in_relevant_blocks,
)
from weft.topics.dom_tree import DomForest
from weft.workspace.workspace import Workspace

Keep = Callable[..., Workspace]
Row = tuple[str, str, str, str]
CARS, LOANS = "vintage racing cars", "cheap loans today"
LISTS: list[Row] = [
    (f"hub{k}", target, "body/ul[1]", CARS) for k in range(4) for target in ("a", "b", "c")
]
ADS: list[Row] = [
    (f"hub{k}", target, "body/p[2]", LOANS) for k in range(4) for target in ("a", "x", "y")
]


def base_of(rows: list[Row], texts: dict[str, str], roots: str) -> BaseSet:
    """A base set of links with their blocks and anchors, and the texts of some pages."""
    graph = WebGraph.from_links([(source, target) for source, target, _, _ in rows])
    ends = [[graph.page_number(row[end]) for row in rows] for end in (0, 1)]
    path = pa.array([row[2] for row in rows]).dictionary_encode()
    anchor, nowhere = [row[3] for row in rows], [-1] * len(rows)
    table = pa.table([*ends, anchor, nowhere, path], schema=BLOCK_SCHEMA)
    origin = np.full(len(graph), LINKED_FROM, np.int32)
    origin[graph.page_numbers(roots.split())] = ROOT
    base = BaseSet.from_graph(
        graph, read_texts=lambda: [texts.get(page, "") for page in graph.pages]
    )
    return replace(base, origin=origin, read_blocks=lambda: table)


def authorities(found: Groups) -> list[list[str]]:
    return [sorted(found.base.page_names(topic.authorities())) for topic in found]


@pytest.fixture
def web() -> BaseSet:
    texts = {"a": f"{CARS} club", "b": f"{CARS} museum", "x": LOANS, "y": LOANS}
    return base_of([*LISTS, *ADS], texts, "a b")


def test_the_cosine_of_an_anchor_and_the_pages_found() -> None:
    """Weights ln 2 of *tea*, *wine*: the topic is (1, 1), anchors (1, 1), (1, 0) and nothing."""
    rows = [
        ("h", "a", "", "tea wine"),
        ("h", "b", "", "tea"),
        ("h", "c", "", "milk"),
        ("h", "d", "", ""),
    ]
    rows += [("i", "a", "", "milk wine"), ("i", "b", "", "milk")]
    texts = {"a": "tea wine", "b": "tea wine", "c": "milk", "d": "milk"}
    found = link_topic_cosines(base_of(rows, texts, "a b"), base_of(rows, texts, "a b").blocks)
    weights = link_term_weights(base_of(rows, texts, "a b"), base_of(rows, texts, "a b").blocks)
    assert found[1] == pytest.approx(0.5**0.5)
    assert found[2:4].tolist() == [0, 0]
    assert found[0] > found[4] > found[5] == 0
    assert len(weights) == len(rows)


def test_a_block_is_judged_by_the_mean_of_its_links() -> None:
    """A block of two close links and one without words stays together; the other is left out."""
    forest = DomForest.from_paths(
        np.zeros(6, np.int32),
        np.array([0, 0, 0, 1, 1, 1], np.int32),
        ["body/ul[1]", "body/p[2]"],
    )
    cosines = np.array([0.9, 0.0, 0.9, 0.0, 0.01, 0.0])
    assert links_in_relevant_blocks(forest, cosines, "kl_u0").tolist() == [True] * 3 + [False] * 3
    assert links_in_relevant_blocks(forest, cosines, "link").tolist() == [True] * 3 + [False] * 3
    assert links_in_relevant_blocks(forest, cosines, "page").all()


def test_advertisements_that_name_a_page_found_bring_nothing_else(web: BaseSet) -> None:
    assert authorities(dom_hits(web, min_size=2))[0] == ["a", "b", "c", "x", "y"]
    found = dom_hits(web, min_size=2, text=True)
    assert authorities(found) == [["a", "b", "c"]]
    assert found[0].facts["links ignored by words"] == len(ADS)
    assert [hub.path for hub in found[0].micro_hubs] == ["body/ul[1]"] * 4


def test_without_words_every_block_counts(web: BaseSet) -> None:
    silent = replace(web, read_texts=lambda: [""] * len(web))
    found, plain = dom_hits(silent, min_size=2, text=True), dom_hits(silent, min_size=2)
    assert authorities(found) == authorities(plain)
    assert found[0].note == "no words known: every block counts"
    assert not dom_hits([], text=True).groups


@given(st.lists(st.floats(0, 1), min_size=6, max_size=6), st.floats(0.01, 100))
def test_the_scale_of_cosines_does_not_matter(cosines: list[float], scale: float) -> None:
    forest = DomForest.from_paths(
        np.array([0, 0, 0, 0, 1, 1], np.int32), np.array([0, 0, 1, 1, 0, 1], np.int32), ["u", "v"]
    )
    rounded = np.array(cosines).round(3)
    one, two = (links_in_relevant_blocks(forest, rounded * by, "kl_u0") for by in (1.0, scale))
    assert one.tolist() == two.tolist()
    assert one.any()


def test_the_text_beside_a_link_counts(keep: Keep) -> None:
    """Anchors say nothing; the paragraphs around them do."""
    hubs = []
    for k in range(4):
        text = f"{CARS} and jaguar here\n{LOANS} now here"
        first, second = text.index("here"), text.rindex("here")
        links = (
            Link("http://a.com/", "here", position=first, path="body/p[1]"),
            Link("http://b.com/", "here", position=first, path="body/p[1]"),
            Link("http://a.com/", "here", position=second, path="body/p[2]"),
            Link("http://b.com/", "here", position=second, path="body/p[2]"),
            Link("http://x.com/", "here", position=second, path="body/p[2]"),
        )
        hubs.append(Page(f"http://hub{k}.com/", text=text, links=links))
    cars = [Page(f"http://{n}.com/", text=f"a jaguar among {CARS} {n}") for n in "ab"]
    other = [Page(f"http://{n}.com/", text=f"{LOANS} {n}") for n in "xy"]
    base = build_query_base_set(keep(*hubs, *cars, *other).collection, "among", mirrors="keep")
    leaves = BlockLinks.from_base_set(base).filter_by_text("kl_u0")
    live = leaves.table.filter(pa.array(leaves.is_active))
    assert set(live["path"].to_pylist()) == {"body/p[1]"}
    assert len(live) == 2 * len(hubs)
