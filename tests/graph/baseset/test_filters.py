"""Link filters: which links do not count."""

from collections import Counter
from random import Random

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.arrays import Flags
from weft.gather.url import domain, host, site
from weft.graph.baseset.filters import (
    LinkArrays,
    count_linked_pages,
    excess_group_links,
    induced_link_arrays,
    internal_links,
    links_within_groups,
    sitewide_links,
)
from weft.graph.levels import encode_owners
from weft.graph.webgraph import WebGraph

Pairs = list[tuple[int, int]]
pairs = st.lists(
    st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(lambda p: p[0] != p[1]), unique=True
).map(sorted)
GROUP = np.array([0, 0, 0, 0, 0, 1, 1, 2, 2, 2], np.int32)
ANY = np.full(10, np.inf)


def links(given: Pairs) -> LinkArrays:
    ends = np.array(given, np.int32).reshape(-1, 2).T
    source, target = map(np.ascontiguousarray, ends)
    return LinkArrays(source, target, np.ones(len(given), np.float32))


def every(some: LinkArrays) -> Flags:
    return np.ones(len(some), bool)


@given(pairs, st.integers(1, 4))
def test_links_of_a_group_to_a_page_are_limited(given_: Pairs, limit: int) -> None:
    some = links(given_)
    gone = excess_group_links(some, every(some), GROUP, ANY, limit)
    kept = [pair for pair, out in zip(given_, gone, strict=True) if not out]
    across = [(GROUP[s], t) for s, t in kept if GROUP[s] != GROUP[t]]
    assert max(Counter(across).values(), default=0) <= limit
    wanted = Counter((GROUP[s], t) for s, t in given_ if GROUP[s] != GROUP[t])
    assert len(across) == sum(min(limit, count) for count in wanted.values())
    assert len(kept) - len(across) == int(links_within_groups(some, every(some), GROUP).sum())


def test_pages_with_a_rank_come_first_then_page_order() -> None:
    some = links([(k, 9) for k in range(5)])
    rank = np.array([np.inf, np.inf, np.inf, 2, 1, *[np.inf] * 5])
    gone = excess_group_links(some, every(some), GROUP, rank, 3)
    assert [s for s, out in zip(range(5), gone, strict=True) if not out] == [0, 3, 4]


@given(pairs, st.randoms())
def test_dropped_links_do_not_count_towards_the_limit(given_: Pairs, random: Random) -> None:
    some = links(given_)
    left = np.array([random.random() < 0.7 for _ in given_], bool)
    wanted = np.zeros(len(given_), bool)
    wanted[left] = excess_group_links(some[left], every(some[left]), GROUP, ANY, 2)
    assert excess_group_links(some, left, GROUP, ANY, 2).tolist() == wanted.tolist()
    internal, _ = internal_links(some, left, lambda _: GROUP, "domain")
    assert internal.tolist() == (left & links_within_groups(some, every(some), GROUP)).tolist()


def test_of_repeated_links_that_of_the_first_page_stays() -> None:
    some = links([(0, 9), (1, 9), (2, 9), (3, 8), (7, 0), (8, 0)])
    asked: list[list[bool]] = []

    def wide(_: LinkArrays, chosen: Flags) -> Flags:
        asked.append(chosen.tolist())
        found: Flags = chosen & (some.target == 9)
        return found

    rank = np.where(np.arange(10) == 1, 1, np.inf)
    gone = sitewide_links(some, GROUP, rank, wide)
    assert gone.tolist() == [True, False, True, False, False, False]
    assert asked == [[True, False, True, False, False, True]]


def test_without_repeated_links_no_site_is_counted() -> None:
    def wide(*_: object) -> Flags:
        raise AssertionError

    assert not sitewide_links(links([(0, 9), (1, 8), (5, 9)]), GROUP, ANY, wide).any()


def test_owners_are_numbered() -> None:
    names = ["http://a.b.com/", "http://c.b.com/x", "http://b.com/~me/", "http://b.com/~you/y"]
    numbers = {
        of: encode_owners(pa.array(names), of)[0].tolist() for of in ("domain", "host", "site")
    }
    assert numbers == {"domain": [0, 0, 0, 0], "host": [0, 1, 2, 2], "site": [0, 0, 1, 2]}
    assert encode_owners(pa.array(names), "site")[1] == ["b.com", "b.com/~me", "b.com/~you"]


@given(
    st.lists(
        st.from_regex(
            r"(https?://[a-z~]{1,3}(\.(com|co\.uk))?(:\d+)?)?([/?#][a~?]{0,3}){0,3}", fullmatch=True
        )
    )
)
def test_owners_are_those_of_each_url(names: list[str]) -> None:
    for of, alone in (("host", host), ("domain", domain), ("site", site)):
        numbers, known = encode_owners(pa.array(names, pa.string()), of)
        assert [known[k] for k in numbers.tolist()] == [alone(name) for name in names]


def test_internal_links_by_owner() -> None:
    some = links([(0, 1), (0, 5), (5, 6), (7, 0)])
    for between in ("host", "domain", "site"):
        internal, [dropped] = internal_links(some, every(some), lambda _: GROUP, between)
        assert internal.tolist() == [True, False, True, False]
        assert (dropped.reason, dropped.links) == (f"same {between}", 2)
    assert internal_links(some, every(some), lambda _: GROUP, "page")[1] == ()


CLOSE = [(s, t) for s in range(4) for t in range(4) if s != t]


@pytest.mark.parametrize(
    ("given_", "reason"),
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
def test_few_links_are_less_than_half_and_one_per_page(given_: Pairs, reason: str) -> None:
    some = links(sorted(given_))
    assert internal_links(some, every(some), lambda _: GROUP, "auto")[1][0].reason == reason


def test_linked_pages_are_counted() -> None:
    some = links([(0, 1), (0, 5), (5, 6), (7, 0)])
    assert count_linked_pages(some, every(some)) == 5
    assert count_linked_pages(some, np.array([True, False, False, False])) == 2


def test_links_become_a_graph_again() -> None:
    graph = WebGraph.from_links([("a", "b"), ("a", "b"), ("b", "c"), ("c", "a")])
    some = induced_link_arrays(graph.outlinks, np.arange(3, dtype=np.int32))
    again = some.to_graph(graph.names, graph.level)
    assert again.to_arrow().equals(graph.to_arrow())
    part = some[np.array([True, False, False])].to_graph(graph.names[:2], graph.level)
    assert part.to_arrow().to_pylist() == [{"source": "a", "target": "b", "weight": 2.0}]
