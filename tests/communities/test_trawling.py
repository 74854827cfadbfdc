"""Trawling: communities of overlapping cores, with notes on what was left out."""

import json
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.communities import trawling
from weft.communities.bipartite_cores import find_cores
from weft.communities.trawling import expand_groups_by_hits, group_cores, label_overlapping_sets
from weft.graph.webgraph import WebGraph
from weft.groups import Group, Groups, LinkCounts

Links = list[tuple[str, str]]
TWO: Links = [
    *((fan, centre) for fan in "abcd" for centre in "uvw"),
    *((fan, centre) for fan in "efg" for centre in "xyz"),
]
PLAIN: dict[str, Any] = {"site": "page", "min_sites": 0, "mirrors": "keep"}
webs = st.lists(
    st.tuples(st.sampled_from("abcdef"), st.sampled_from("stuvwx")), min_size=12, max_size=36
)


def named(found: Groups, community: Group) -> str:
    return "".join(sorted(found.base.pages[page] for page in community.members.tolist()))


def test_two_cores_are_two_communities() -> None:
    found = trawling(TWO, **PLAIN)
    assert [named(found, community) for community in found] == ["abcduvw", "efgxyz"]
    first = found[0]
    assert (first.links, first.strength) == (LinkCounts(12, 0, 0), 4.0)
    assert first.facts == {
        "cores": 1,
        "fans": 4,
        "centres": 3,
        "sites of fans": 4,
        "pages added": 0,
    }
    assert [found.base.pages[p] for p in first.evidence["cores"][0]] == list("uvw")
    assert found.facts["cores"] == 2
    assert found.notes == ()


def test_fewer_fans_make_a_core_where_asked() -> None:
    links = [link for link in TWO if link[0] not in "cdg"]
    assert not len(trawling(links, **PLAIN))
    assert len(trawling(links, min_fans=2, **PLAIN)) == 2
    assert len(trawling(links, min_fans=2, centres=2, **PLAIN)) == 2


def test_max_communities_and_expand() -> None:
    links = [*TWO, ("m", "u"), ("m", "v")]
    found = trawling(links, **PLAIN)
    assert named(found, found[0]) == "abcdmuvw"
    bare = trawling(links, expand=0, **PLAIN)
    assert named(bare, bare[0]) == "abcduvw"
    one = trawling(links, max_communities=1, **PLAIN)
    assert len(one) == 1
    assert one.facts["communities"] == 2
    assert one.notes == ("2 communities found, the first 1 shown",)


@pytest.mark.parametrize("expand", [0, 10])
def test_centres_lead_as_authorities_and_fans_as_hubs(expand: int) -> None:
    found = trawling(TWO, expand=expand, **PLAIN)
    pages = found.base.pages
    assert {pages[page] for page in found[0].authorities()} == set("uvw")
    assert {pages[page] for page in found[0].hubs()} == set("abcd")


def test_notes_on_dropped_links() -> None:
    links = [(f"http://f{f}.org/", f"http://c{c}.com/") for f in range(4) for c in range(7)]
    links += [("http://f0.org/", "http://f0.org/own"), ("http://x.net/", "http://c0.com/")]
    found = trawling(links)
    assert found.notes == (
        "inside one site: 1 link left out",
        "linking to fewer than 6 sites: 1 page and 1 link left out",
        "mirrors of another fan: 3 pages and 21 links left out",
        "no core found: lower min_fans, centres or min_sites",
    )
    crowd = [(f"http://x{k}.net/", "http://c0.com/") for k in range(60)]
    notes = trawling([*links, *crowd], mirrors="keep", nepotism="keep", max_sets=1000).notes
    assert notes[1].startswith("too popular to be a centre: 1 page and 6")


def test_a_search_cut_short_is_noted() -> None:
    wide = [(f"f{f}", f"c{c}") for f in range(4) for c in range(60)]
    found = trawling(wide, mirrors="keep", max_sets=1000)
    assert found.notes[0].startswith("each page counts as a site")
    assert "cut short" in found.notes[1]
    assert len(found) == 1
    assert len(found[0]) == 64


@given(webs)
def test_members_are_the_pages_of_cores(links: Links) -> None:
    """Without expansion every member is in a core of the evidence."""
    found = trawling(links, min_fans=2, centres=2, expand=0, **PLAIN)
    graph = WebGraph.from_links(links)
    pairs = {(graph.page_number(s), graph.page_number(t)) for s, t in links}
    for community in found:
        rows = community.evidence["cores"].tolist()
        members = set(community.members.tolist())
        fans = {f for f in range(len(graph)) for row in rows if {(f, c) for c in row} <= pairs}
        assert members == fans | {centre for row in rows for centre in row}
        assert set(community.evidence["fans"].tolist()) == fans


@given(webs)
def test_numbering_does_not_matter(links: Links) -> None:
    first, second = (
        trawling(given, min_fans=2, centres=2, **PLAIN) for given in (links, links[::-1])
    )
    assert sorted(named(first, c) for c in first) == sorted(named(second, c) for c in second)


def test_facts_are_json() -> None:
    found = trawling(TWO, **PLAIN)
    assert json.loads(json.dumps(dict(found.facts)))["communities"] == 2
    assert found.to_table()["pages"].to_pylist() == [7, 6]


tables = st.lists(st.sets(st.integers(0, 9), min_size=3, max_size=3).map(sorted), max_size=12).map(
    lambda rows: np.array(rows, np.int32).reshape(-1, 3)
)


@given(tables)
def test_cores_that_share_two_of_three_centres_are_one(table: np.ndarray) -> None:
    home = list(range(len(table)))
    for one, two in combinations(range(len(table)), 2):
        if len(set(table[one]) & set(table[two])) >= 2:
            home = [home[one] if h == home[two] else h for h in home]
    found = label_overlapping_sets(table)
    same = np.equal.outer(found, found)
    assert (same == np.equal.outer(home, home)).all()


def test_half_of_four_centres_is_enough() -> None:
    assert label_overlapping_sets(
        np.array([[0, 1, 2, 3], [2, 3, 4, 5], [5, 6, 7, 8]])
    ).tolist() == [0, 0, 1]


LINKS = [
    *((fan, centre) for fan in "abcd" for centre in "uvw"),
    *((fan, centre) for fan in "efg" for centre in "xyz"),
    *((fan, "n") for fan in "abd"),
    ("m", "u"),
    ("m", "v"),
]


def test_groups_are_ordered_by_the_sites_of_their_fans() -> None:
    graph = WebGraph.from_links(LINKS)
    found = find_cores(graph, min_sites=0, mirrors="keep")
    groups, total = group_cores(found, 10)
    assert total == 2
    assert [group.fan_site_count for group in groups] == [4, 3]
    names = [
        ["".join(graph.pages[p] for p in side) for side in (g.fans, g.centres)] for g in groups
    ]
    assert names == [["abcd", "uvwn"], ["efg", "xyz"]]
    assert [len(group.core_ids) for group in groups] == [4, 1]
    assert len(group_cores(found, 1)[0]) == 1


def test_hits_adds_what_is_around() -> None:
    graph = WebGraph.from_links(LINKS)
    found = find_cores(graph, min_sites=0, mirrors="keep")
    groups, _ = group_cores(found, 10)
    first = next(iter(expand_groups_by_hits(found, groups, 10)))
    added = set(first.members.tolist()) - set(groups[0].members.tolist())
    assert [graph.pages[page] for page in added] == ["m"]
    assert first.scores is not None
    hub = dict(zip(first.members.tolist(), first.scores[1], strict=True))
    assert (
        hub[graph.page_number("a")] > hub[graph.page_number("c")] > hub[graph.page_number("m")] > 0
    )
    few = next(iter(expand_groups_by_hits(found, groups, 2)))
    assert few.members.tolist() == groups[0].members.tolist()
