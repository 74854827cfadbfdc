"""Cores made one, and what HITS adds to them."""

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from weft.communities.cores import find_cores
from weft.communities.growing import groups, grown, merged
from weft.graph.webgraph import WebGraph

tables = st.lists(st.sets(st.integers(0, 9), min_size=3, max_size=3).map(sorted), max_size=12).map(
    lambda rows: np.array(rows, np.int32).reshape(-1, 3)
)


@given(tables)
def test_cores_that_share_two_of_three_centres_are_one(table: np.ndarray) -> None:
    home = list(range(len(table)))
    for one, two in combinations(range(len(table)), 2):
        if len(set(table[one]) & set(table[two])) >= 2:
            home = [home[one] if h == home[two] else h for h in home]
    found = merged(table)
    same = np.equal.outer(found, found)
    assert (same == np.equal.outer(home, home)).all()


def test_half_of_four_centres_is_enough() -> None:
    assert merged(np.array([[0, 1, 2, 3], [2, 3, 4, 5], [5, 6, 7, 8]])).tolist() == [0, 0, 1]


LINKS = [
    *((fan, centre) for fan in "abcd" for centre in "uvw"),
    *((fan, centre) for fan in "efg" for centre in "xyz"),
    *((fan, "n") for fan in "abd"),
    ("m", "u"),
    ("m", "v"),
]


def test_groups_stand_by_the_sites_of_their_fans() -> None:
    graph = WebGraph.from_links(LINKS)
    found = find_cores(graph, sites=0, mirrors="keep")
    made, many = groups(found, 10)
    assert many == 2
    assert [group.sites for group in made] == [4, 3]
    names = [["".join(graph.pages[p] for p in side) for side in (g.fans, g.centres)] for g in made]
    assert names == [["abcd", "uvwn"], ["efg", "xyz"]]
    assert [len(group.cores) for group in made] == [4, 1]
    assert len(groups(found, 1)[0]) == 1


def test_hits_adds_what_is_around() -> None:
    graph = WebGraph.from_links(LINKS)
    found = find_cores(graph, sites=0, mirrors="keep")
    made, _ = groups(found, 10)
    first = next(iter(grown(found, made, 10)))
    added = set(first.members.tolist()) - set(made[0].members.tolist())
    assert [graph.pages[page] for page in added] == ["m"]
    assert first.scores is not None
    hub = dict(zip(first.members.tolist(), first.scores[1], strict=True))
    assert hub[graph.number("a")] > hub[graph.number("c")] > hub[graph.number("m")] > 0
    few = next(iter(grown(found, made, 2)))
    assert few.members.tolist() == made[0].members.tolist()
