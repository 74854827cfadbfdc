"""DOM-HITS: the worked example, its limits, and pages that serve several topics."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.gather.page import Link, Page
from weft.graph.baseset.baseset import BLOCK_SCHEMA, LINKED_FROM, ROOT, BaseSet
from weft.graph.webgraph import WebGraph
from weft.groups import Groups
from weft.rank import hits as ranked
from weft.topics import dom_hits
from weft.topics.dom_hits import BlockLinks, micro_hub_hits
from weft.workspace.workspace import Workspace

Keep = Callable[..., Workspace]
Blocks = Mapping[str, Mapping[str, str]]
VALUES = Path(__file__).parents[1] / "data" / "ranking-values.json"
WORKED = {
    "H1": {"body/ul[1]": "A B C", "body/p[2]": "X Y"},
    "H2": {"body/ul[1]": "A B D", "body/p[2]": "Z Y"},
    "H3": {"body": "A C"},
    "H4": {"body": "X W"},
}
webs = st.lists(st.sampled_from(list(permutations("abcdef", 2))), min_size=1, max_size=20)


def base_of(pages: Blocks, roots: str) -> BaseSet:
    """A base set of pages with blocks, by the pages that each block links to."""
    rows = [
        (page, target, path)
        for page, blocks in pages.items()
        for path, targets in blocks.items()
        for target in targets.split()
    ]
    graph = WebGraph.from_links([(page, target) for page, target, _ in rows])
    source, target = ([graph.page_number(row[end]) for row in rows] for end in (0, 1))
    table = pa.table(
        {
            "source": pa.array(source, pa.int32()),
            "target": pa.array(target, pa.int32()),
            "anchor": pa.array([row[1] for row in rows], pa.large_string()),
            "position": pa.array([-1] * len(rows), pa.int32()),
            "path": pa.array([row[2] for row in rows]).dictionary_encode(),
        },
        schema=BLOCK_SCHEMA,
    )
    origin = np.full(len(graph), LINKED_FROM, np.int32)
    origin[graph.page_numbers(roots.split())] = ROOT
    return replace(BaseSet.from_graph(graph), origin=origin, read_blocks=lambda: table)


def authority(found: Groups) -> dict[str, float]:
    """Of the first topic, the pages that score something."""
    [topic, *_] = found
    return {found.base.pages[p]: topic.score("authority", p) for p in topic.authorities(100)}


def worked(**options: Any) -> Groups:
    base = base_of(WORKED, "A B C D")
    return dom_hits(base, **{"min_size": 2, "tol": 1e-13, "max_iter": 1000, **options})


def expected(name: str) -> dict[str, float]:
    values = json.loads(VALUES.read_text())["dom_hits_example"]["results"][name]["authority"]
    return {page: score for page, score in values.items() if score}


def mixed_web(*, apart: bool) -> dict[str, dict[str, str]]:
    """Twenty hubs of cars, ten of cats, and two of both, in two lists or in one."""
    pages = {f"car-hub{k}": {"body/ul[1]": "a b c d"[: 5 + 2 * (k % 2)]} for k in range(20)}
    pages |= {f"cat-hub{k}": {"body/ul[1]": "e f g h"[: 5 + 2 * (k % 2)]} for k in range(10)}
    lists = {"body/ul[1]": "a b c d", "body/ul[2]": "e f g h"}
    one = {"body/ul[1]": "a b c d e f g h"}
    return pages | {f"both{k}": lists if apart else one for k in range(2)}


def test_the_worked_example() -> None:
    found = worked(min_size=2)
    assert authority(found) == pytest.approx(expected("mdl"), abs=1e-9)


def test_its_micro_hubs() -> None:
    """The lists of good pages are cut from the advertisements, which bring nothing."""
    hubs = worked()[0].micro_hubs
    assert [(hub.page, hub.path, " ".join(hub.targets)) for hub in hubs] == [
        ("H1", "body/ul[1]", "A B C"),
        ("H2", "body/ul[1]", "A B D"),
        ("H3", "body", "A C"),
    ]
    scores = authority(worked())
    assert hubs[0].score == pytest.approx(scores["A"] + scores["B"] + scores["C"])
    assert hubs[0].anchors == ("A", "B", "C")
    assert "<a href" not in hubs[0].fragment


def test_whole_pages_are_hits() -> None:
    """Not cut at all, links to advertisers count: Y is level with B."""
    values = expected("root")
    found = authority(worked(cut="page"))
    for page, score in found.items():
        assert score == pytest.approx(values[page], abs=1e-9)
    assert found["Y"] == pytest.approx(found["B"])


def test_single_links_reinforce_nothing() -> None:
    """The first round counts links to root pages; later ones let the most linked win."""
    values = expected("leaf")
    found = authority(worked(cut="link", max_iter=1))
    assert {page: found[page] for page in found} == pytest.approx(
        {page: values[page] for page in found}, abs=1e-9
    )
    later = worked(cut="link", max_iter=200)
    assert [1.0] in [topic.authority[topic.authority > 0].tolist() for topic in later]


def test_the_other_divergence_drifts() -> None:
    assert "Y" in expected("mdl_other_KL_direction")
    assert authority(worked()).keys() == set("ABCD")
    assert authority(worked(cut="kl_0u"))["A"] < authority(worked())["A"]


@given(webs)
def test_uncut_pages_are_hits(links: list[tuple[str, str]]) -> None:
    graph = WebGraph.from_links(links)
    ranking, leaves = (
        ranked(graph, max_iter=5000),
        BlockLinks.from_base_set(BaseSet.from_any(graph)),
    )
    found = micro_hub_hits(
        leaves.forest, leaves.target, leaves.start_authority, "page", 1e-12, 5000
    )
    if ranking.certainty.unique:
        scores = ranking.scores["authority"]
        assert found.authority == pytest.approx(scores / scores.sum(), abs=1e-6)


def test_a_page_of_two_lists_serves_two_topics() -> None:
    found = dom_hits(base_of(mixed_web(apart=True), "a b e f"), min_size=5)
    pages = found.base.pages
    senses = [{pages[p] for p in topic.authorities()} for topic in found]
    assert sorted(map(sorted, senses)) == [list("abcd"), list("efgh")]
    for topic in found:
        assert {"both0", "both1"} <= {pages[p] for p in topic.hubs(100)}


def test_a_page_of_one_list_serves_one() -> None:
    """What the page does not keep apart, its blocks cannot tell apart."""
    found = dom_hits(base_of(mixed_web(apart=False), "a b e f"), min_size=5)
    pages = found.base.pages
    hubs = [{pages[p] for p in topic.hubs(100)} for topic in found]
    assert sum("both0" in own for own in hubs) == 1


def test_pages_outside_the_root_set_come_in_beside_some_that_are_in_it() -> None:
    pages = {"h": {"p": "q r s t"}} | {f"g{k}": {"p": "u v w"} for k in range(20)}
    found = dom_hits(base_of(pages, "q r s"), min_size=2)
    assert {found.base.pages[p] for topic in found for p in topic.members} == set("hqrst")


def test_no_page_that_was_found_is_linked_to() -> None:
    found = dom_hits(base_of({"h": {"p": "x y"}}, "h"), min_size=2)
    assert len(found) == 0
    assert found.trace.converged


def test_topic_drift_is_set_aside() -> None:
    """Once the topic is taken out, banners that ten pages share are all that holds together."""
    pages = {f"h{k}": {"body/ul[1]": "r s t", "body/p[2]": "x y z"} for k in range(10)}
    pages["stray"] = {"body": "q x"}
    found = dom_hits(base_of(pages, "r s t q"), min_size=5)
    assert [sorted(found.base.pages[p] for p in topic.authorities()) for topic in found] == [
        ["r", "s", "t"]
    ]
    assert found[0].facts["links to pages found"] == found[0].facts["links"] == 30
    drifted = [topic for topic in found.set_aside if "topic drift" in topic.reason]
    assert [topic.reason for topic in drifted] == [
        "topic drift: 0 of 30 links lead to pages that were found"
    ]


def test_small_topics_are_set_aside() -> None:
    found = dom_hits(base_of(WORKED, "A B C D"), min_size=8)
    assert len(found) == 0
    assert found.set_aside[0].reason == "7 pages, fewer than 8"
    assert "micro-hubs" not in found.set_aside[0].facts


def test_options_are_read() -> None:
    base = base_of(mixed_web(apart=True), "a b e f")
    assert len(dom_hits(base, max_topics=1, min_size=5)) == 1
    assert not dom_hits(base, max_iter=1, min_size=5).trace.converged
    rough, fine = (dom_hits(base, tol=t, min_size=5).trace.iterations for t in (0.1, 1e-8))
    assert rough < fine


def test_the_best_ten_micro_hubs_are_kept() -> None:
    pages = {f"h{k:02}": {"body/ul[1]": "a b" if k < 12 else "a"} for k in range(15)}
    [topic] = dom_hits(base_of(pages, "a b"), min_size=2, max_topics=1)
    assert [hub.page for hub in topic.micro_hubs] == [f"h{k:02}" for k in range(10)]


def test_in_edge_lists_each_page_is_one_block() -> None:
    [topic] = dom_hits([("a", "x"), ("b", "x"), ("b", "y")], min_size=2)
    assert topic.note == "no blocks known: each page counts as one"
    assert [hub.path for hub in topic.micro_hubs] == ["", ""]
    assert "note" not in worked()[0].facts


def test_a_link_that_stands_twice_counts_twice() -> None:
    once, twice = (
        authority(dom_hits(base_of({"h": {"p": targets}}, "x y"), min_size=2))
        for targets in ("x y", "x x y")
    )
    assert once == pytest.approx({"x": 0.5, "y": 0.5})
    assert twice == pytest.approx({"x": 2 / 3, "y": 1 / 3})


def test_from_a_collection(keep: Keep) -> None:
    """Through all layers, with the words around the links, whatever else the page holds."""
    ends = {"cars": range(6), "cats": range(6)}
    text = "jaguar\nthe cars\nand <b>the cats\n"
    pages = [
        Page(
            f"http://hub{k}.org/",
            title=f"Links {k}",
            text=text,
            language="en",
            links=tuple(
                Link(
                    f"http://{name}{n}.com/",
                    f"the {name}",
                    position=text.index(f"the {name}"),
                    path=f"body/ul[{place}]",
                )
                for place, name in enumerate(ends, start=1)
                for n in ends[name]
                if n != k % 6 and ((k < 11) == (name == "cars") or k == 10)
            ),
        )
        for k in range(16)
    ]
    found = [Page(f"http://{name}{n}.com/", text="jaguar") for name in ends for n in ends[name]]
    workspace = keep(*pages, *found)
    topics = workspace.topics("jaguar", "dom-hits", min_size=5)
    paths = [{hub.path for hub in topic.micro_hubs} for topic in topics]
    assert sorted(map(sorted, paths)) == [["body/ul[1]"], ["body/ul[2]"]]
    shown = [hub for topic in topics for hub in topic.micro_hubs if "hub10." in hub.page]
    assert len(shown) == 2
    assert any("and &lt;b&gt;" in hub.fragment for hub in shown)
    again = workspace.topics("jaguar", "dom-hits", min_size=5)
    assert [t.micro_hubs for t in again] == [t.micro_hubs for t in topics]


def test_the_demo_web(demo: Workspace) -> None:
    """Its lists and its banners are blocks of their own, and no micro-hub holds both."""
    topics = demo.topics("jaguar", "dom-hits", min_size=5)
    hubs = [hub for topic in topics for hub in topic.micro_hubs]
    assert len(hubs) > 10
    assert all(hub.path.startswith("body") for hub in hubs)
    assert {"<ul>", "<ol>", "<dl>"} & {hub.fragment[:4] for hub in hubs}
    assert all(hub.fragment.count("<a ") == len(hub.targets) for hub in hubs)


def test_no_links_no_topics() -> None:
    for links in ([], [("a", "a")]):
        found = dom_hits(links, min_size=2)
        assert (len(found), found.set_aside) == (0, ())
        assert found.trace.converged
