"""Bipartite cores: worked values, brute force, and what each cleaning step drops."""

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.communities.bipartite_cores import CoreResult, filter_core_links, find_cores
from weft.graph.webgraph import WebGraph

VALUES = Path(__file__).parents[1] / "data" / "mining-values.json"
Found = list[tuple[list[str], list[str]]]
Links = list[tuple[str, str]]
webs = st.lists(
    st.tuples(st.integers(0, 11).map("f{}".format), st.integers(0, 11).map("c{}".format)),
    max_size=90,
)


@pytest.fixture(scope="module")
def values() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(VALUES.read_text())
    return found


def plain(graph: WebGraph, fans: int, centres: int) -> CoreResult:
    """Without cleaning."""
    return find_cores(
        graph, min_fans=fans, centres=centres, min_sites=0, max_inlinks=0, mirrors="keep"
    )


def listed(found: CoreResult) -> Found:
    rows = found.to_table().to_pylist()
    return sorted((sorted(row["centres"]), sorted(row["fans"])) for row in rows)


@pytest.mark.parametrize("fans", [2, 3])
@pytest.mark.parametrize("centres", [2, 3])
def test_worked_values(fans: int, centres: int, values: dict[str, Any]) -> None:
    spec = values["trawling"]
    found = plain(WebGraph.from_links(map(tuple, spec["edges"])), fans, centres)
    wanted = [(core["centres"], core["fans"]) for core in spec[f"core_{fans}_{centres}"]]
    assert listed(found) == wanted
    log = spec[f"log_{fans}_{centres}"]
    steps = {
        "iter_fan": "fans with too few links",
        "iter_centre": "centres with too few fans",
        "ie_fan": "fans of one core at most",
        "ie_centre": "centres of one set of fans",
        "ie_core": "sets found with those",
    }
    assert {name: found.counts[step] for name, step in steps.items()} == {
        name: log.get(name, 0) for name in steps
    }


def test_the_core_of_the_patterns(values: dict[str, Any]) -> None:
    spec = values["patterns"]
    found = plain(WebGraph.from_links(map(tuple, spec["edges"])), 2, 2)
    assert listed(found) == [(centres, fans) for fans, centres in spec["cores_2_2"]]


@given(webs, st.integers(2, 4), st.integers(2, 4))
def test_as_brute_force(links: Links, fans: int, centres: int) -> None:
    out: dict[str, set[str]] = {}
    for fan, centre in links:
        out.setdefault(fan, set()).add(centre)
    every = combinations(sorted({centre for _, centre in links}), centres)
    common = ((list(s), sorted(fan for fan in out if out[fan] >= set(s))) for s in every)
    wanted = sorted(core for core in common if len(core[1]) >= fans)
    assert listed(plain(WebGraph.from_links(links), fans, centres)) == wanted


def test_a_page_can_be_fan_and_centre() -> None:
    links = [(fan, centre) for fan in "ab" for centre in "cd"]
    both = [*links, *((fan, centre) for fan in "cd" for centre in "ab")]
    assert listed(plain(WebGraph.from_links(both), 2, 2)) == [
        (["a", "b"], ["c", "d"]),
        (["c", "d"], ["a", "b"]),
    ]


def core_of_sites(fans: int = 3, centres: int = 6) -> Links:
    return [(f"http://f{f}.org/", f"http://c{c}.com/") for f in range(fans) for c in range(centres)]


def test_links_inside_a_site_make_no_core_but_count_for_fans() -> None:
    own = [("http://c0.com/map", f"http://c{c}.com/") for c in range(2)]
    inside = [("http://www.c0.com/a", "http://c0.com/"), ("http://www.c0.com/b", "http://c0.com/")]
    graph = WebGraph.from_links([*core_of_sites(), *own, *inside])
    cleaned = filter_core_links(graph, "auto", 6, 50)
    assert [(dropped.reason, dropped.links) for dropped in cleaned.dropped[:1]] == [
        ("inside one site", 3)
    ]
    found = find_cores(graph, centres=2, min_sites=0, mirrors="keep")
    assert len(found) == 15
    first = found.to_table().to_pylist()[0]
    assert first["centres"] == ["http://c0.com/", "http://c1.com/"]
    assert "http://c0.com/map" in first["fans"]
    assert first["sites"] == 3


def test_a_fan_links_to_many_sites() -> None:
    graph = WebGraph.from_links(core_of_sites(centres=5))
    assert not len(find_cores(graph, mirrors="keep"))
    assert "fewer than 6 sites" in filter_core_links(graph, "auto", 6, 50).dropped[0].reason
    assert len(find_cores(graph, mirrors="keep", min_sites=5)) == 10


def test_popular_pages_are_no_centres() -> None:
    crowd = [(f"http://x{k}.net/", "http://c0.com/") for k in range(50)]
    graph = WebGraph.from_links([*core_of_sites(centres=7), *crowd])
    assert len(find_cores(graph, mirrors="keep")) == 20
    assert len(find_cores(graph, mirrors="keep", max_inlinks=53)) == 35
    assert len(find_cores(graph, mirrors="keep", max_inlinks=0)) == 35
    assert filter_core_links(graph, "auto", 6, 50).dropped[0].pages == 1


def test_mirrors_are_one_fan() -> None:
    graph = WebGraph.from_links(core_of_sites())
    assert len(find_cores(graph, mirrors="keep")) == 20
    found = find_cores(graph)
    assert not len(found)
    assert (found.links.dropped[-1].reason, found.links.dropped[-1].pages) == (
        "mirrors of another fan",
        2,
    )


def test_fans_of_one_site_are_nepotistic() -> None:
    links = [(f"http://one.org/{f}", f"http://c{c}.com/") for f in range(3) for c in range(6)]
    graph = WebGraph.from_links(links)
    assert find_cores(graph).nepotistic_count == 20
    assert not len(find_cores(graph))
    kept = find_cores(graph, nepotism="keep")
    assert len(kept) == 20
    assert set(kept.fan_site_counts.tolist()) == {1}


def test_where_hardly_any_link_leaves_a_domain_each_page_is_a_site() -> None:
    links = [(f"http://one.org/f{f}", f"http://one.org/c{c}") for f in range(3) for c in range(6)]
    graph = WebGraph.from_links(links)
    assert len(find_cores(graph, mirrors="keep")) == 20
    assert not len(find_cores(graph, mirrors="keep", site="domain"))
    assert len(find_cores(graph, mirrors="keep", site="page")) == 20
    leaving = WebGraph.from_links([*links, ("http://one.org/f0", "http://two.org/")])
    assert not len(find_cores(leaving, mirrors="keep"))


def test_max_sets_cuts_the_search_short() -> None:
    links = [(f"f{f}", f"c{c}") for f in range(4) for c in range(60)]
    graph = WebGraph.from_links(links)
    cut = find_cores(graph, mirrors="keep", max_sets=1000)
    assert cut.counts["centres cut short"] > 0
    assert 0 < len(cut) < len(find_cores(graph, mirrors="keep")) == 34_220


def test_no_page() -> None:
    graph = WebGraph.from_links([])
    assert listed(find_cores(graph)) == []
    assert find_cores(graph).centres.dtype == np.int32
