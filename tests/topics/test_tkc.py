"""Whose pages a topic's are: sites, how mixed they are, and links that are returned."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.graph.baseset import BaseSet
from weft.graph.webgraph import WebGraph
from weft.topics.tkc import Knit, knit, with_sites
from weft.topics.topic import Topic

NONE = np.zeros(0, np.int32)


def base_of(*hosts: str, links: Any = ()) -> BaseSet:
    pages = [f"http://{host}/{k}" for k, host in enumerate(hosts)]
    ends = np.array(links, np.int32).reshape(-1, 2).T
    return BaseSet.whole(WebGraph.from_arrays(pages, ends[0], ends[1]))


def whole(base: BaseSet) -> Knit:
    return knit(base, np.arange(len(base), dtype=np.int32))


def test_equal_sites_count_each() -> None:
    found = whole(base_of("a.com", "www.a.com", "b.com", "c.com", "b.com", "c.com"))
    assert (found.sites, found.top) == (3, "a.com")
    assert found.top_share == pytest.approx(1 / 3)
    assert found.effective == pytest.approx(3)
    assert found.reason == ""


@pytest.mark.parametrize(
    ("hosts", "reason"),
    [
        (["a.com"] * 3 + ["b.com", "c.com"], "60% of the pages are of a.com"),
        (["a.com"] * 3 + ["b.com"] * 3, "no more mixed than 2.0 equal sites"),
        ([f"{k % 4}.com" for k in range(24)], "4 sites have all 24 pages"),
        ([f"{k % 5}.com" for k in range(24)], ""),
        (["a.com"] * 4, ""),
    ],
)
def test_why_pages_are_tightly_knit(hosts: list[str], reason: str) -> None:
    assert whole(base_of(*hosts)).reason == reason


def test_links_that_are_returned() -> None:
    links = [(0, 1), (1, 0), (1, 2), (2, 3), (3, 2)]
    base = base_of(*(f"{k}.com" for k in range(4)), links=links)
    assert whole(base).mutual == pytest.approx(4 / 5)
    assert knit(base, np.array([0, 1, 2], np.int32)).mutual == pytest.approx(2 / 3)
    assert knit(base, np.array([0, 3], np.int32)).mutual == 0


def test_names_without_hosts_are_their_own_sites() -> None:
    base = BaseSet.of([("Bede", "Alcuin"), ("Cuthbert", "Alcuin")])
    assert whole(base).sites == 3


def test_no_pages() -> None:
    assert whole(BaseSet.of([])) == Knit(0, 0, "", 0.0, 0.0, 0.0)


def test_topics_are_told_their_sites() -> None:
    base = base_of(*["a.com"] * 5, *(f"{k}.org" for k in range(15)))
    ones = np.ones(5)
    company = Topic(np.arange(5, dtype=np.int32), ones, ones, 1.0, facts={"note": "kept"})
    mixed = Topic(np.arange(4, 9, dtype=np.int32), ones, ones, 1.0)
    first, second = with_sites(base, [company, mixed])
    assert first.facts["note"] == "kept"
    assert first.facts["tightly knit"] == "100% of the pages are of a.com"
    assert (first.facts["sites"], first.facts["effective sites"]) == (1, pytest.approx(1))
    assert second.facts["tightly knit"] == ""
    assert second.facts["top share"] == pytest.approx(0.2)


def test_on_the_pages_of_one_site_nothing_is_said() -> None:
    base = base_of(*["a.com"] * 9)
    ones = np.ones(5)
    [topic] = with_sites(base, [Topic(np.arange(5, dtype=np.int32), ones, ones, 1.0)])
    assert topic.facts["tightly knit"] == ""
    assert topic.facts["top share"] == 1


@given(st.lists(st.sampled_from(["a.com", "b.org", "c.net", "d.edu"]), min_size=1, max_size=30))
def test_no_more_mixed_than_there_are_sites(hosts: list[str]) -> None:
    found, counts = whole(base_of(*hosts)), Counter(hosts)
    assert found.sites == len(counts)
    assert found.top_share == max(counts.values()) / len(hosts)
    assert 1 / found.top_share - 1e-9 <= found.effective <= found.sites + 1e-9
