"""Trawling: communities of overlapping cores, with what was left out told."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.communities import trawling
from weft.communities.community import Communities, Community
from weft.graph.webgraph import WebGraph

Links = list[tuple[str, str]]
TWO: Links = [
    *((fan, centre) for fan in "abcd" for centre in "uvw"),
    *((fan, centre) for fan in "efg" for centre in "xyz"),
]
PLAIN: dict[str, Any] = {"site": "page", "sites": 0, "mirrors": "keep"}
webs = st.lists(
    st.tuples(st.sampled_from("abcdef"), st.sampled_from("stuvwx")), min_size=12, max_size=36
)


def named(found: Communities, community: Community) -> str:
    return "".join(sorted(found.base.pages[page] for page in community.members.tolist()))


def test_two_cores_are_two_communities() -> None:
    found = trawling(TWO, **PLAIN)
    assert [named(found, each) for each in found] == ["abcduvw", "efgxyz"]
    first = found[0]
    assert (first.inside, first.leaving, first.arriving, first.strength) == (12, 0, 0, 4.0)
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
    assert len(trawling(links, fans=2, **PLAIN)) == 2
    assert len(trawling(links, fans=2, centres=2, **PLAIN)) == 2


def test_most_and_expand() -> None:
    links = [*TWO, ("m", "u"), ("m", "v")]
    found = trawling(links, **PLAIN)
    assert named(found, found[0]) == "abcdmuvw"
    bare = trawling(links, expand=0, **PLAIN)
    assert named(bare, bare[0]) == "abcduvw"
    one = trawling(links, most=1, **PLAIN)
    assert len(one) == 1
    assert one.facts["communities"] == 2
    assert one.notes == ("2 communities found: the first 1 are told",)


@pytest.mark.parametrize("expand", [0, 10])
def test_centres_lead_as_authorities_and_fans_as_hubs(expand: int) -> None:
    found = trawling(TWO, expand=expand, **PLAIN)
    pages = found.base.pages
    assert {pages[page] for page in found[0].centres()} == set("uvw")
    assert {pages[page] for page in found[0].hubs()} == set("abcd")


def test_what_is_left_out_is_told() -> None:
    links = [(f"http://f{f}.org/", f"http://c{c}.com/") for f in range(4) for c in range(7)]
    links += [("http://f0.org/", "http://f0.org/own"), ("http://x.net/", "http://c0.com/")]
    found = trawling(links)
    assert found.notes == (
        "left out, inside one site: 1 link",
        "left out, linking to fewer than 6 sites: 1 page with 1 link",
        "left out, mirrors of another fan: 3 pages with 21 links",
        "no core: fewer fans or centres, or sites=3, ask for less",
    )
    crowd = [(f"http://x{k}.net/", "http://c0.com/") for k in range(60)]
    told = trawling([*links, *crowd], mirrors="keep", nepotism="keep", limit=1000).notes
    assert told[1].startswith("left out, too popular to be a centre: 1 page with 6")


def test_cut_short_is_told() -> None:
    wide = [(f"f{f}", f"c{c}") for f in range(4) for c in range(60)]
    found = trawling(wide, mirrors="keep", limit=1000)
    assert found.notes[0].startswith("each page counts as a site of its own")
    assert "cut short" in found.notes[1]
    assert len(found) == 1
    assert len(found[0]) == 64


@given(webs)
def test_members_are_the_pages_of_cores(links: Links) -> None:
    """Every member of a community that was not grown is in a core that speaks for it."""
    found = trawling(links, fans=2, centres=2, expand=0, **PLAIN)
    graph = WebGraph.from_links(links)
    pairs = {(graph.number(s), graph.number(t)) for s, t in links}
    for community in found:
        rows = community.evidence["cores"].tolist()
        members = set(community.members.tolist())
        fans = {f for f in range(len(graph)) for row in rows if {(f, c) for c in row} <= pairs}
        assert members == fans | {centre for row in rows for centre in row}
        assert set(community.evidence["fans"].tolist()) == fans


@given(webs)
def test_numbering_does_not_matter(links: Links) -> None:
    one, two = (trawling(each, fans=2, centres=2, **PLAIN) for each in (links, links[::-1]))
    assert sorted(named(one, c) for c in one) == sorted(named(two, c) for c in two)


def test_the_result_can_be_told_as_json() -> None:
    found = trawling(TWO, **PLAIN)
    assert json.loads(json.dumps(dict(found.facts)))["communities"] == 2
    assert found.to_table()["pages"].to_pylist() == [7, 6]
