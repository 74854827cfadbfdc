"""Filters of links: which ones do not count."""

from collections import Counter
from random import Random

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.arrays import Flags
from weft.gather.url import domain, host, site
from weft.graph.filters import (
    Links,
    boilerplate,
    crowded,
    inside,
    linked,
    links_of,
    own_links,
    owners,
)
from weft.graph.webgraph import WebGraph

Pairs = list[tuple[int, int]]
pairs = st.lists(
    st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(lambda p: p[0] != p[1]), unique=True
).map(sorted)
GROUP = np.array([0, 0, 0, 0, 0, 1, 1, 2, 2, 2], np.int32)
ANY = np.full(10, np.inf)


def links(given: Pairs) -> Links:
    ends = np.array(given, np.int32).reshape(-1, 2).T
    source, target = map(np.ascontiguousarray, ends)
    return Links(source, target, np.ones(len(given), np.float32))


def every(some: Links) -> Flags:
    return np.ones(len(some), bool)


@given(pairs, st.integers(1, 4))
def test_no_crowd_is_left(given_: Pairs, most: int) -> None:
    some = links(given_)
    gone = crowded(some, every(some), GROUP, ANY, most)
    kept = [pair for pair, out in zip(given_, gone, strict=True) if not out]
    across = [(GROUP[s], t) for s, t in kept if GROUP[s] != GROUP[t]]
    assert max(Counter(across).values(), default=0) <= most
    wanted = Counter((GROUP[s], t) for s, t in given_ if GROUP[s] != GROUP[t])
    assert len(across) == sum(min(most, count) for count in wanted.values())
    assert len(kept) - len(across) == int(inside(some, every(some), GROUP).sum())


def test_of_a_crowd_the_first_found_come_first_then_the_first_pages() -> None:
    some = links([(k, 9) for k in range(5)])
    place = np.array([np.inf, np.inf, np.inf, 2, 1, *[np.inf] * 5])
    gone = crowded(some, every(some), GROUP, place, 3)
    assert [s for s, out in zip(range(5), gone, strict=True) if not out] == [0, 3, 4]


@given(pairs, st.randoms())
def test_links_that_are_gone_crowd_nobody(given_: Pairs, random: Random) -> None:
    some = links(given_)
    left = np.array([random.random() < 0.7 for _ in given_], bool)
    wanted = np.zeros(len(given_), bool)
    wanted[left] = crowded(some[left], every(some[left]), GROUP, ANY, 2)
    assert crowded(some, left, GROUP, ANY, 2).tolist() == wanted.tolist()
    own, _ = own_links(some, left, lambda _: GROUP, "domain")
    assert own.tolist() == (left & inside(some, every(some), GROUP)).tolist()


def test_of_the_links_of_a_menu_the_first_page_s_stays() -> None:
    some = links([(0, 9), (1, 9), (2, 9), (3, 8), (7, 0), (8, 0)])
    asked: list[list[bool]] = []

    def wide(_: Links, chosen: Flags) -> Flags:
        asked.append(chosen.tolist())
        found: Flags = chosen & (some.target == 9)
        return found

    place = np.where(np.arange(10) == 1, 1, np.inf)
    gone = boilerplate(some, GROUP, place, wide)
    assert gone.tolist() == [True, False, True, False, False, False]
    assert asked == [[True, False, True, False, False, True]]


def test_without_repeated_links_no_site_is_counted() -> None:
    def wide(*_: object) -> Flags:
        raise AssertionError

    assert not boilerplate(links([(0, 9), (1, 8), (5, 9)]), GROUP, ANY, wide).any()


def test_owners_are_numbered() -> None:
    names = ["http://a.b.com/", "http://c.b.com/x", "http://b.com/~me/", "http://b.com/~you/y"]
    numbers = {of: owners(pa.array(names), of)[0].tolist() for of in ("domain", "host", "site")}
    assert numbers == {"domain": [0, 0, 0, 0], "host": [0, 1, 2, 2], "site": [0, 0, 1, 2]}
    assert owners(pa.array(names), "site")[1] == ["b.com", "b.com/~me", "b.com/~you"]


@given(
    st.lists(
        st.from_regex(
            r"(https?://[a-z~]{1,3}(\.(com|co\.uk))?(:\d+)?)?([/?#][a~?]{0,3}){0,3}", fullmatch=True
        )
    )
)
def test_owners_are_those_of_each_page_by_itself(names: list[str]) -> None:
    for of, alone in (("host", host), ("domain", domain), ("site", site)):
        numbers, known = owners(pa.array(names, pa.string()), of)
        assert [known[k] for k in numbers.tolist()] == [alone(name) for name in names]


def test_links_of_no_owner_to_itself() -> None:
    some = links([(0, 1), (0, 5), (5, 6), (7, 0)])
    for between in ("host", "domain", "site"):
        own, [told] = own_links(some, every(some), lambda _: GROUP, between)
        assert own.tolist() == [True, False, True, False]
        assert (told.reason, told.links) == (f"same {between}", 2)
    assert own_links(some, every(some), lambda _: GROUP, "page")[1] == ()


CLOSE = [(s, t) for s in range(4) for t in range(4) if s != t]


@pytest.mark.parametrize(
    ("given_", "told"),
    [
        (
            [*CLOSE, (0, 9), (1, 9), (2, 9), (3, 9)],
            "inside a site, as few links lead to another domain or host",
        ),
        ([*CLOSE, (0, 9), (1, 9), (2, 9), (3, 9), (9, 0)], "same domain"),
        ([(0, 1), (2, 3), (4, 9)], "inside a site, as few links lead to another domain or host"),
        ([(0, 1), (3, 9), (4, 9)], "same domain"),
        ([], "same domain"),
    ],
    ids=["four for five pages", "five for five pages", "one of three", "two of three", "none"],
)
def test_few_links_are_less_than_half_and_than_one_for_each_page(given_: Pairs, told: str) -> None:
    some = links(sorted(given_))
    assert own_links(some, every(some), lambda _: GROUP, "auto")[1][0].reason == told


def test_pages_that_links_are_from_or_to() -> None:
    some = links([(0, 1), (0, 5), (5, 6), (7, 0)])
    assert linked(some, every(some)) == 5
    assert linked(some, np.array([True, False, False, False])) == 2


def test_links_become_a_graph_again() -> None:
    graph = WebGraph.from_links([("a", "b"), ("a", "b"), ("b", "c"), ("c", "a")])
    some = links_of(graph.outlinks, np.arange(3, dtype=np.int32))
    again = some.graph(graph.names, graph.level)
    assert again.to_arrow().equals(graph.to_arrow())
    part = some[np.array([True, False, False])].graph(graph.names[:2], graph.level)
    assert part.to_arrow().to_pylist() == [{"source": "a", "target": "b", "weight": 2.0}]
