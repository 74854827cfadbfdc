"""Patterns of links: by hand, against igraph, and under renaming."""

from itertools import pairwise, permutations, product
from random import Random

import igraph
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.communities import patterns
from weft.communities.patterns import NAMED_PATTERNS, LinkPattern
from weft.core.errors import BadParameter
from weft.graph.webgraph import WebGraph
from weft.groups import Groups

Links = list[tuple[str, str]]
webs = st.lists(st.sampled_from(list(permutations("abcdefg", 2))), min_size=1, max_size=25)
RINGS = [
    ("a", "b"),
    ("b", "c"),
    ("c", "a"),
    ("c", "d"),
    ("d", "b"),
    ("x", "y"),
    ("y", "z"),
    ("z", "x"),
]


def pages(found: Groups) -> list[str]:
    return ["".join(sorted(found.base.page_names(community.members))) for community in found]


def matched(found: Groups) -> set[str]:
    """Every match by the names of its pages."""
    rows = [row for community in found for row in community.evidence["matches"]]
    return {"".join(sorted(found.base.page_names(row))) for row in rows}


def test_rings_that_share_two_pages_are_one_community() -> None:
    found = patterns(RINGS, pattern="ring")
    assert pages(found) == ["abcd", "xyz"]
    assert [community.facts["matches"] for community in found] == [2, 1]
    assert found.facts == {"pattern": "ring", "matches": 3, "communities": 2}


def test_rings_that_share_one_page_are_two() -> None:
    found = patterns([*RINGS[:3], ("c", "e"), ("e", "f"), ("f", "c")], pattern="ring")
    assert pages(found) == ["abc", "cef"]


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        ("mutual", {"abc", "abd"}),
        ("ring", set()),
        ("clique", set()),
        ("a>b b>a", {"ab"}),
        ("c>a, c>b", {"abc", "abd"}),
        ("b>a c>a d>a", {"abcd", "abce", "abde", "acde"}),
    ],
)
def test_matches_by_hand(pattern: str, wanted: set[str]) -> None:
    links = [("a", "b"), ("b", "a"), ("c", "a"), ("c", "b"), ("d", "a"), ("d", "b"), ("e", "a")]
    assert matched(patterns(links, pattern=pattern)) == wanted


def test_a_core_of_three_fans_and_three_centres() -> None:
    links = list(product("abc", "xyz"))
    found = patterns(links, pattern="core")
    assert (pages(found), found.facts["matches"]) == (["abcxyz"], 1)
    assert not len(patterns(links[:-1], pattern="core"))


@given(webs, st.sampled_from([*NAMED_PATTERNS, "a>b b>c", "a>b b>c c>d d>a", "a>b a>c c>b"]))
def test_matches_are_those_of_igraph(links: Links, pattern: str) -> None:
    graph, parsed = WebGraph.from_links(links), LinkPattern.parse(pattern)
    rows = graph.outlinks
    whole = igraph.Graph(
        n=len(graph),
        edges=list(zip(rows.row_ids().tolist(), rows.ids.tolist(), strict=True)),
        directed=True,
    )
    small = igraph.Graph(
        n=len(parsed.nodes), edges=np.argwhere(parsed.adjacency).tolist(), directed=True
    )
    expected = {frozenset(each) for each in whole.get_subisomorphisms_lad(small)}
    found = patterns(graph, pattern=pattern)
    matches = {frozenset(row.tolist()) for each in found for row in each.evidence["matches"]}
    assert matches == expected
    assert found.facts["matches"] == len(expected)


@given(webs, st.randoms())
def test_names_and_order_do_not_matter(links: Links, random: Random) -> None:
    renamed = dict(zip("abcdefg", random.sample("abcdefg", 7), strict=True))
    again = [(renamed[s], renamed[t]) for s, t in random.sample(links, len(links))]
    first, second = patterns(links, pattern="mutual"), patterns(again, pattern="mutual")
    assert sorted(pages(second)) == sorted(
        "".join(sorted(map(renamed.__getitem__, own))) for own in pages(first)
    )


def test_links_inside_a_site_do_not_count() -> None:
    own = [f"http://a.org/{k}" for k in range(3)]
    other = [f"http://{k}.com/" for k in range(3)]
    links = [pair for ring in (own, other) for pair in pairwise([*ring, ring[0]])]
    found = patterns(links, pattern="ring")
    assert [found.base.page_names(community.members) for community in found] == [other]
    assert found.notes == ("inside one site: 3 links left out",)
    assert len(patterns(links, pattern="ring", site="page")) == 2
    alone = patterns([*links[:3], links[3], (own[0], other[0])], pattern="ring")
    assert alone.notes[-1] == "no match: site=page also counts links inside a site"


def test_what_was_not_tried_is_noted() -> None:
    star = [("hub", f"p{k:02}") for k in range(40)]
    found = patterns(star, pattern="star", max_tries=100)
    assert len(found[0]) == 41
    assert found.notes == ("matches may be missing: 1 page with more than 100 to try",)
    assert patterns(star, pattern="star", max_tries=100_000).facts["matches"] == 40 * 39 * 38 // 6


def test_the_first_communities_are_shown() -> None:
    rings = [(f"{a}{k}", f"{b}{k}") for k in range(5) for a, b in ("ab", "bc", "ca")]
    found = patterns(rings, pattern="ring", max_communities=2)
    assert len(found) == 2
    assert found.notes == ("5 communities found, the first 2 shown",)


@pytest.mark.parametrize(
    "text", ["", "cats", "a>a", "a>b c>d", "a>b b>c c>d d>e e>f f>g", "a>b, b-c"]
)
def test_what_is_no_pattern_is_refused(text: str) -> None:
    with pytest.raises(BadParameter, match="pattern") as caught:
        patterns(RINGS, pattern=text)
    assert "a>b b>c c>a" in caught.value.hint


def test_nothing_matches_nothing() -> None:
    assert not len(patterns([]))
    assert not len(patterns([("a", "b")]))
