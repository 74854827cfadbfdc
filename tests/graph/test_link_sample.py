"""Samples of inlinks: limited, repeatable, and independent of other pages."""

from collections.abc import Callable
from typing import get_args

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from weft.core.arrays import Hashes
from weft.gather.page import Link, Page
from weft.graph.levels import load_graph
from weft.graph.link_facts import (
    _smallest_hashes,
    mix_hashes_with_seed,
    read_name_hashes,
    sample_inlinks,
)
from weft.graph.selection import Sampling
from weft.graph.webgraph import WebGraph
from weft.store.arrow_files import hash_names
from weft.workspace.workspace import Workspace

Keep = Callable[..., Workspace]
words = st.lists(st.text(max_size=12), max_size=20)


def hashed(names: pa.Array, seed: int) -> Hashes:
    return mix_hashes_with_seed(hash_names(names), seed)


@given(words, st.integers(0, 2**63))
def test_a_hash_depends_on_the_name_alone(names: list[str], seed: int) -> None:
    together = hashed(pa.array(names, pa.large_string()), seed).tolist()
    assert together == [hashed(pa.array([name]), seed)[0] for name in names]
    assert len(set(together)) == len(set(names))


def test_slices_and_many_blocks_hash_alike() -> None:
    names = pa.array([f"http://site{k % 7}.example/{k}" for k in range(5000)])
    every = hashed(names, 1)
    assert len(set(every.tolist())) == 5000
    assert (hashed(names.slice(2047, 100), 1) == every[2047:2147]).all()


def test_hashes_are_uniform_and_depend_on_the_seed() -> None:
    names = pa.array([f"http://a.example/{k}" for k in range(4000)])
    one, two = hashed(names, 0), hashed(names, 1)
    for bit in (0, 31, 63):
        ones = (one >> np.uint64(bit)) & np.uint64(1)
        assert 1800 < ones.sum() < 2200
    assert 1800 < (one < two).sum() < 2200


def star(fans: int, extra: list[tuple[str, str]]) -> WebGraph:
    return WebGraph.from_links([*((f"fan{k}", "root") for k in range(fans)), *extra])


def chosen(
    graph: WebGraph, page: str, most: int, seed: int = 0, sampling: Sampling = "shared"
) -> set[str]:
    ids, target, left = sample_inlinks(
        graph, graph.page_numbers([page]), most, seed, hash_names(graph.names), sampling
    )
    assert set(target.tolist()) <= {graph.page_number(page)}
    assert (
        len(ids) + len(left)
        == graph.inlinks.starts[graph.page_number(page) + 1]
        - (graph.inlinks.starts[graph.page_number(page)])
    )
    return {graph.pages[int(k)] for k in ids}


def test_the_sample_is_independent_of_other_pages() -> None:
    plain = star(40, [])
    other = star(40, [(f"new{k}", f"elsewhere{k % 3}") for k in range(100)])
    assert chosen(plain, "root", 7) == chosen(other, "root", 7)
    assert len(chosen(plain, "root", 7)) == 7
    assert chosen(plain, "root", 7) != chosen(plain, "root", 7, seed=5)


def test_a_random_sample_differs_by_page_a_shared_one_does_not() -> None:
    """Forty pages link to both: a shared sample takes the same ten, a random one does not."""
    both = WebGraph.from_links([(f"fan{k:02}", page) for k in range(40) for page in ("one", "two")])
    shared, drawn, first = (
        [chosen(both, page, 10, sampling=how) for page in ("one", "two")]
        for how in get_args(Sampling)
    )
    assert shared[0] == shared[1]
    assert drawn[0] != drawn[1]
    assert drawn[0] != chosen(both, "one", 10, seed=1, sampling="random")
    assert drawn[0] == chosen(star_of("one", 40), "one", 10, sampling="random")
    assert first == [{f"fan{k:02}" for k in range(10)}] * 2
    for how in get_args(Sampling):
        assert len(chosen(both, "one", 0, sampling=how)) == 0
        assert len(chosen(both, "one", 99, sampling=how)) == 40


def star_of(page: str, fans: int) -> WebGraph:
    return WebGraph.from_links([(f"fan{k:02}", page) for k in range(fans)])


def test_a_new_link_replaces_one_at_most() -> None:
    before = chosen(star(40, []), "root", 7)
    after = chosen(star(41, []), "root", 7)
    assert len(before & after) >= 6


def test_few_links_are_all_taken() -> None:
    graph = star(3, [("fan0", "quiet")])
    assert chosen(graph, "root", 3) == {"fan0", "fan1", "fan2"}
    assert chosen(graph, "fan0", 3) == set()
    assert chosen(graph, "root", 0) == set()


def test_pages_cited_together_stay_so() -> None:
    both = [(f"fan{k}", "twin") for k in range(40)]
    graph = star(40, both)
    assert chosen(graph, "root", 7) == chosen(graph, "twin", 7)


@given(st.lists(st.integers(0, 9), min_size=2, max_size=30), st.integers(0, 9))
def test_the_smallest_and_of_equals_the_first(values: list[int], most: int) -> None:
    most = min(most, len(values) - 1)
    found = _smallest_hashes(np.array(values, np.uint64), most)
    assert np.flatnonzero(found).tolist() == sorted(
        sorted(range(len(values)), key=lambda k: (values[k], k))[:most]
    )


def test_a_snapshot_has_the_hashes_of_its_pages(keep: Keep) -> None:
    links = tuple(Link(f"http://x{k}.com/") for k in range(3))
    pages = [Page(f"http://a{k}.com/", text="x", links=links) for k in range(20)]
    collection = keep(*pages).collection
    assert (
        read_name_hashes(collection).tolist()
        == hash_names(load_graph(collection).names).tolist()
        != []
    )
