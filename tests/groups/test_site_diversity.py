"""Site diversity of topics: effective sites, and reciprocal links."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.graph.baseset.baseset import BaseSet
from weft.graph.webgraph import WebGraph
from weft.groups.group import Group, SiteDiversity, SiteLookup, add_site_diversity

NONE = np.zeros(0, np.int32)


def base_of(*hosts: str, links: Any = ()) -> BaseSet:
    pages = [f"http://{host}/{k}" for k, host in enumerate(hosts)]
    ends = np.array(links, np.int32).reshape(-1, 2).T
    return BaseSet.from_graph(WebGraph.from_arrays(pages, ends[0], ends[1]))


def diversity(base: BaseSet, *pages: int) -> SiteDiversity:
    members = np.array(pages, np.int32)
    return SiteLookup.for_pages(base, members).diversity(members)


def whole(base: BaseSet) -> SiteDiversity:
    return diversity(base, *range(len(base)))


def test_equal_sites_count_each() -> None:
    found = whole(base_of("a.com", "www.a.com", "b.com", "c.com", "b.com", "c.com"))
    assert (found.count, found.top) == (3, "a.com")
    assert found.top_share == pytest.approx(1 / 3)
    assert found.effective == pytest.approx(3)
    assert found.tightly_knit_reason(6) == ""


@pytest.mark.parametrize(
    ("hosts", "reason"),
    [
        (["a.com"] * 3 + ["b.com", "c.com"], "60% of the pages are on a.com"),
        (["a.com"] * 3 + ["b.com"] * 3, "as diverse as 2.0 equal sites"),
        ([f"{k % 4}.com" for k in range(24)], "all 24 pages are on 4 sites"),
        ([f"{k % 5}.com" for k in range(24)], ""),
        (["a.com"] * 4, ""),
    ],
)
def test_why_pages_are_tightly_knit(hosts: list[str], reason: str) -> None:
    assert whole(base_of(*hosts)).tightly_knit_reason(len(hosts)) == reason


def test_reciprocity() -> None:
    links = [(0, 1), (1, 0), (1, 2), (2, 3), (3, 2)]
    base = base_of(*(f"{k}.com" for k in range(4)), links=links)
    assert whole(base).reciprocity == pytest.approx(4 / 5)
    assert diversity(base, 0, 1, 2).reciprocity == pytest.approx(2 / 3)
    assert diversity(base, 0, 3).reciprocity == 0


def test_names_without_hosts_are_their_own_sites() -> None:
    base = BaseSet.from_any([("Bede", "Alcuin"), ("Cuthbert", "Alcuin")])
    assert whole(base).count == 3


def test_no_pages() -> None:
    assert whole(BaseSet.from_any([])) == SiteDiversity(0, "", 0.0, 0.0, 0.0)


def test_topics_get_facts_about_sites() -> None:
    base = base_of(*["a.com"] * 5, *(f"{k}.org" for k in range(15)))
    ones = np.ones(5)
    company = Group(np.arange(5, dtype=np.int32), ones, ones, 1.0, note="kept")
    mixed = Group(np.arange(4, 9, dtype=np.int32), ones, ones, 1.0)
    first, second = add_site_diversity(base, [company, mixed])
    assert first.sites
    assert second.sites
    assert first.note == "kept"
    assert first.sites.tightly_knit == "100% of the pages are on a.com"
    assert first.sites.count == 1
    assert first.sites.effective == pytest.approx(1)
    assert second.sites.tightly_knit == ""
    assert second.sites.top_share == pytest.approx(0.2)


def test_in_a_base_set_of_one_site_no_topic_is_tightly_knit() -> None:
    base = base_of(*["a.com"] * 9)
    ones = np.ones(5)
    [topic] = add_site_diversity(base, [Group(np.arange(5, dtype=np.int32), ones, ones, 1.0)])
    assert topic.sites
    assert topic.sites.tightly_knit == ""
    assert topic.sites.top_share == 1


@given(st.lists(st.sampled_from(["a.com", "b.org", "c.net", "d.edu"]), min_size=1, max_size=30))
def test_no_more_effective_than_sites(hosts: list[str]) -> None:
    found, counts = whole(base_of(*hosts)), Counter(hosts)
    assert found.count == len(counts)
    assert found.top_share == max(counts.values()) / len(hosts)
    assert 1 / found.top_share - 1e-9 <= found.effective <= found.count + 1e-9
