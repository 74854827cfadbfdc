"""A-H-A clustering: worked clusters, what it guarantees on any web, and HITS inside."""

from collections import Counter
from itertools import permutations, product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.arrays import CSR
from weft.demo import DemoTruth, truth_path
from weft.gather.url import host
from weft.graph.baseset.baseset import BaseSet
from weft.graph.baseset.expand import build_query_base_set
from weft.graph.baseset.stoplist import exclude_pages
from weft.graph.webgraph import WebGraph
from weft.rank import hits
from weft.topics import atd
from weft.topics import hits as one_topic
from weft.topics.atd import AhaCluster, extract_aha_clusters
from weft.workspace.workspace import Workspace

Links = list[tuple[str, str]]
PLANTED = [
    *product(range(5), range(10, 14)),
    *product(range(5, 9), range(14, 17)),
    (4, 14),
    (9, 13),
]
PORTALS = {"portal", "advertiser"}
webs = st.lists(st.sampled_from(list(permutations("abcdefgh", 2))), min_size=1, max_size=30)


def planted() -> WebGraph:
    source, target = np.array(PLANTED).T
    return WebGraph.from_arrays([f"http://{i}.example/" for i in range(17)], source, target)


def clusters(graph: WebGraph, support: int = 1) -> list[AhaCluster]:
    return list(extract_aha_clusters(graph.outlinks, graph.inlinks, support))


def as_spec(found: list[AhaCluster]) -> list[dict[str, Any]]:
    return [
        {
            "O": c.start_page,
            "C": c.main_authority,
            "H": list(c.hubs),
            "A": list(c.other_authorities),
            "size": len(c),
            "kept": True,
        }
        for c in found
    ]


def test_worked_clusters(spec: Any, spec_values: dict[str, Any]) -> None:
    graph, _ = spec("G3_own10")
    assert as_spec(clusters(graph)) == spec_values["aha_G3_min2"]


@pytest.mark.parametrize(("support", "key"), [(1, "clusters"), (2, "clusters_min_support2")])
def test_one_stray_link_and_the_support_that_stops_it(
    spec_values: dict[str, Any], support: int, key: str
) -> None:
    wanted = spec_values["aha_planted"][key]
    assert as_spec(clusters(planted(), support)) == wanted
    topics = atd(planted(), min_size=2, min_support=support)
    assert [len(topic) for topic in topics] == [c["size"] for c in wanted]


def test_small_clusters_are_set_aside_together() -> None:
    found = atd(planted(), min_size=7)
    assert [len(topic) for topic in found] == [11]
    assert [topic.reason for topic in found.set_aside] == ["6 pages in 1 cluster of fewer than 7"]
    assert found.set_aside[0].members.tolist() == [5, 6, 7, 8, 15, 16]
    assert found.set_aside[0].authority.tolist() == [0, 0, 0, 0, 4, 4]
    assert found.set_aside[0].hub.tolist() == [2, 2, 2, 2, 0, 0]


def test_by_default_a_topic_has_twenty_pages() -> None:
    stars = [(f"{star}{k}", star) for star, size in (("x", 19), ("y", 18)) for k in range(size)]
    found = atd(stars)
    assert [topic.facts["main authority"] for topic in found] == ["x"]


def test_ties_keep_the_order_of_pages() -> None:
    """Three pages with two links each, to pages with as many links: the first is taken."""
    graph = WebGraph.from_arrays(9, [0, 0, 3, 3, 6, 6], [1, 2, 4, 5, 7, 8])
    assert [(c.start_page, c.main_authority) for c in clusters(graph)] == [(0, 1), (3, 4), (6, 7)]


def test_degrees_are_counted_again_after_each_cluster() -> None:
    """Page 1 has most links after 0, but loses three of four to the first cluster."""
    links = [
        *((0, t) for t in range(10, 15)),
        *((1, t) for t in (11, 12, 13, 20)),
        (2, 21),
        (2, 22),
    ]
    source, target = np.array([*links, (3, 10)]).T
    found = clusters(WebGraph.from_arrays(23, source, target))
    assert [c.start_page for c in found] == [0, 2, 1]
    assert [sorted(c.sorted_pages.tolist()) for c in found[1:]] == [[2, 21, 22], [1, 20]]


def test_larger_topics_come_first_then_the_denser() -> None:
    chain = [("a1", "a2"), ("a1", "a3"), ("a1", "a4"), ("a1", "a5")]
    dense = [*product(("b1", "b2"), ("b3", "b4", "b5"))]
    large = [("c1", f"d{k}") for k in range(6)]
    found = atd([*chain, *dense, *large], min_size=2)
    assert [topic.facts["start page"] for topic in found] == ["c1", "b1", "a1"]
    assert [topic.strength for topic in found] == [7, 5, 5]


def test_scores_are_those_of_hits_inside_the_cluster() -> None:
    found = atd(planted(), min_size=2)[0]
    pages = set(found.members.tolist())
    inside = [(str(s), str(t)) for s, t in PLANTED if {s, t} <= pages]
    ranking = hits(WebGraph.from_links(inside))
    for role in ("authority", "hub"):
        wanted = dict(zip(ranking.pages, ranking.scores[role].tolist(), strict=True))
        for page in pages:
            assert found.score(role, page) == pytest.approx(wanted[str(page)], abs=1e-8)
    assert found.facts["singular value"] == pytest.approx(ranking.details["singular value"])


def test_max_iter_and_tol_are_read() -> None:
    assert not atd(planted(), min_size=2, max_iter=1).trace.converged
    rough, fine = (atd(planted(), min_size=2, tol=t).trace for t in (0.1, 1e-10))
    assert rough.iterations < fine.iterations


def residual(links: Links, gone: set[str]) -> Links:
    return [(s, t) for s, t in links if s not in gone and t not in gone]


@given(webs, st.integers(1, 3))
def test_every_cluster_follows_the_definition(links: Links, support: int) -> None:
    """Disjoint clusters, each led by pages of most links among those left, until none is left."""
    graph = WebGraph.from_links(links)
    gone: set[str] = set()
    for c in clusters(graph, support):
        rest = set(residual(links, gone))
        opening, centre = graph.pages[c.start_page], graph.pages[c.main_authority]
        assert (opening, centre) in rest
        out = {page: sum(s == page for s, _ in rest) for page in graph.pages}
        into = {page: sum(t == page for _, t in rest) for page in graph.pages}
        assert out[opening] == max(out.values())
        assert into[centre] == max(into[t] for s, t in rest if s == opening)
        hubs = {graph.pages[k] for k in c.hubs}
        assert hubs == {s for s, t in rest if t == centre}
        support_of = {page: sum((h, page) in rest for h in hubs) for page in graph.pages}
        added = {page for page, n in support_of.items() if n >= support} - hubs - {centre}
        assert {graph.pages[k] for k in c.other_authorities} == added
        members = {graph.pages[k] for k in c.sorted_pages}
        assert not members & gone
        assert len(members) == len(c) >= 2
        gone |= members
    assert not residual(links, gone)


@given(webs, st.randoms())
def test_the_order_of_links_does_not_matter(links: Links, random: Random) -> None:
    pages = sorted({page for link in links for page in link})
    ends = np.array([(pages.index(s), pages.index(t)) for s, t in links], np.int32)
    mixed = ends[random.sample(range(len(ends)), len(ends))]
    one, two = (WebGraph.from_arrays(pages, e[:, 0], e[:, 1]) for e in (ends, mixed))
    assert as_spec(clusters(one)) == as_spec(clusters(two))


def test_no_links_no_clusters() -> None:
    nothing = CSR(np.zeros(1, np.int64), np.zeros(0, np.int32))
    assert list(extract_aha_clusters(nothing, nothing)) == []
    assert len(atd(BaseSet.from_any([("a", "a")]))) == 0


def test_jaguar_has_several_senses(demo: Workspace, demo_warc: Path) -> None:
    """Without portals, as in the paper: topics of three senses and more, where HITS has one."""
    facts = {fact.url: fact for fact in DemoTruth.read_gzip_jsonl(truth_path(demo_warc)).rows()}
    stops = sorted({host(url) for url, fact in facts.items() if fact.role in PORTALS})
    base, _ = exclude_pages(build_query_base_set(demo.collection, "jaguar"), stops)
    leads = []
    for topic in atd(base, min_size=8):
        best = [base.pages[page] for page in topic.authorities(8)]
        senses = Counter(facts[url].sense for url in best if url in facts)
        leads += [sense for sense, count in senses.items() if count >= 6]
    assert len(set(leads)) >= 3
    assert len(one_topic(base)) == 1
