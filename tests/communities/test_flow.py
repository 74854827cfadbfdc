"""Flow communities: worked values, the definition, and notes on trivial cuts."""

import json
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.communities import flow, focused_flow, trawling
from weft.core.arrays import CSR
from weft.core.errors import UnknownName
from weft.graph.baseset.baseset import LINKED_FROM, ROOT, BaseSet
from weft.graph.webgraph import LazyCSR, WebGraph
from weft.groups import LinkCounts
from weft.groups.groups import Groups

VALUES = Path(__file__).parents[1] / "data" / "mining-values.json"
Links = list[tuple[str, str]]
webs = st.lists(
    st.tuples(st.sampled_from("abcdefgh"), st.sampled_from("abcdefgh")), min_size=1, max_size=30
)


def clique(pages: str) -> Links:
    return list(combinations(pages, 2))


TWO = [*clique("abcde"), ("e", "v"), *clique("vwxyz")]


def named(found: Groups) -> str:
    return "".join(sorted(found.base.pages[page] for page in found[0].members.tolist()))


@pytest.fixture(scope="module")
def spec() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(VALUES.read_text())["flow_community"]
    return found


@pytest.mark.parametrize("k", [1, 2, 3, 6, 7])
def test_worked_values(k: int, spec: dict[str, Any]) -> None:
    links = [tuple(edge) for edge in spec["edges"]]
    found = flow(links, seeds=spec["seeds"], k=k)
    wanted = spec["results"][f"k={k}"]
    assert named(found) == "".join(wanted["community"])
    assert found.facts["flow"] == wanted["max_flow"]
    if k < 7:
        inside = {page: [0, 0] for page in wanted["community"]}
        for one, two in [*links, *(link[::-1] for link in links)]:
            if one in inside:
                inside[one][two not in inside] += 1
        assert inside == spec["inside_vs_outside"]


def test_two_cliques_are_cut_at_the_bridge() -> None:
    found = flow(TWO, seeds=["a", "b"])
    assert named(found) == "abcde"
    pairs = [[found.base.pages[p] for p in link] for link in found[0].evidence["cut"].tolist()]
    assert pairs == [["e", "v"]]
    assert found[0].links == LinkCounts(10, 1, 0)
    assert (found.facts["k"], found.facts["flow"], found.facts["neighbours cut"]) == (2, 5, 1)
    other = flow(TWO, seeds=["y", "z"])
    assert named(other) == "vwxyz"
    assert other[0].evidence["cut"].tolist() == found[0].evidence["cut"].tolist()


def test_seeds_of_two_cliques_take_in_both() -> None:
    assert named(flow(TWO, seeds=["a", "z"])) == "abcdevwxyz"


@given(webs, st.integers(1, 4))
def test_seeds_are_in_and_the_flow_is_the_cost_of_the_cut(links: Links, k: int) -> None:
    seeds = sorted({page for link in links for page in link})[:2]
    found = flow(links, seeds=seeds, k=k)
    members = set(named(found))
    assert set(seeds) <= members
    parted = {frozenset(link) for link in links if len(set(link) & members) == len(set(link)) - 1}
    parted = {pair for pair in parted if len(pair) == 2}
    assert found.facts["flow"] == len(members) - len(seeds) + k * len(parted)
    assert found.facts["neighbours cut"] == len(parted)


@given(webs, st.integers(1, 6))
def test_the_scan_is_nested_and_names_the_same_sizes(links: Links, k: int) -> None:
    seed = [links[0][0]]
    sizes = dict(flow(links, seeds=seed, scan=6).facts["pages by k"])
    assert sorted(sizes.values()) == list(sizes.values())
    alone = flow(links, seeds=seed, k=k)
    assert len(alone[0]) == sizes[k]
    larger = flow(links, seeds=seed, k=k + 1)
    assert set(named(alone)) <= set(named(larger))


def test_the_default_k_is_the_number_of_seeds() -> None:
    seeds = ["a", "b", "c"]
    assert flow(TWO, seeds=seeds).facts["k"] == 3
    assert named(flow(TWO, seeds=seeds)) == named(flow(TWO, seeds=seeds, k=3))


def test_too_small_and_too_large_are_noted() -> None:
    assert flow(TWO, seeds=["a"]).notes[0].startswith("the seeds alone")
    assert flow(TWO, seeds=["a", "b"], k=20).notes[0].startswith("all 10 pages connected with")
    assert flow(TWO, seeds=["a", "b"]).notes == ()


def test_the_most_stable_size_is_noted() -> None:
    notes = flow(TWO, seeds=["a", "b"], scan=10).notes
    assert notes == (
        "pages by k: 5 for 1 to 5, 10 for 6 to 10",
        "most stable size: 5 pages for k from 1 to 5",
    )
    assert flow(TWO, seeds=["a", "b"], scan=3).notes == (
        "pages by k: 5 for 1 to 3",
        "most stable size: 5 pages for k from 1 to 3",
    )


def test_a_host_as_seed_means_its_pages() -> None:
    links = [(f"http://{s}.org/", f"http://{t}.org/") for s, t in TWO]
    by_host = flow(links, seeds=["a.org", "b.org"])
    assert by_host[0].evidence["seeds"].tolist() == [0, 1]


def test_lazy_rows() -> None:
    graph = WebGraph.from_links(TWO)
    lazy = [LazyCSR(lambda rows=rows: rows) for rows in (graph.outlinks, graph.inlinks)]  # type: ignore[misc]
    large = replace(graph, outlinks=cast(CSR, lazy[0]), inlinks=cast(CSR, lazy[1]))
    assert named(flow(large, seeds=["a", "b"])) == "abcde"
    assert named(focused_flow(large, seeds=["a", "b"])) == "abcde"
    assert len(trawling(large, min_fans=2, centres=2, min_sites=0, mirrors="keep")) == 2


def test_an_unknown_seed_is_an_error() -> None:
    with pytest.raises(UnknownName):
        flow(TWO, seeds=["nowhere"])


def test_without_seeds_there_is_none() -> None:
    found = flow(TWO)
    assert len(found) == 0
    assert found.notes == ("no seeds: name the pages to find the community of",)


def test_with_a_query_the_best_authorities_that_were_found_are_seeds() -> None:
    graph = WebGraph.from_links([*TWO, *((fan, page) for fan in "pqrs" for page in "de")])
    base = BaseSet.from_graph(graph, query="five")
    roots = np.isin(np.arange(len(graph)), graph.page_numbers("ade"))
    asked = replace(base, origin=np.where(roots, ROOT, LINKED_FROM).astype(np.int32))
    found = flow(asked)
    assert sorted(graph.pages[page] for page in found[0].evidence["seeds"]) == ["d", "e"]
    assert found.notes[0].startswith("no seeds given, best authorities")
