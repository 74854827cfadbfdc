"""HITS communities: the worked values, both ends, and what cannot be separated."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.webs import Links, webs

from weft.communities import hits
from weft.communities.hits import jaccard_similarity
from weft.groups import Groups


def scored(found: Groups, at: int, role: str = "authority") -> dict[str, float]:
    community = found[at]
    scores = getattr(community, role)
    pages = [found.base.pages[page] for page in community.members]
    return {page: score for page, score in zip(pages, scores, strict=True) if score > 0}


def test_worked_values(mining: Callable[[str], Any]) -> None:
    values = mining("hits_communities")
    found = hits([tuple(edge) for edge in values["edges"]], vectors=3, max_overlap=1.0)
    eigenvalues = [values[f"eig{k}"]["value"] for k in (1, 2, 3)]
    assert found.facts["eigenvalues"] == pytest.approx(eigenvalues, abs=1e-8)
    ends = {community.facts["pair"]: at for at, community in enumerate(found)}
    assert list(ends) == ["1", "2+", "2-", "3+", "3-"]
    assert scored(found, 0) == pytest.approx(values["eig1"]["authorities"], abs=1e-8)
    for pair in (2, 3):
        wanted = values[f"eig{pair}"]["authorities"]
        sides = {
            "+": {page: value for page, value in wanted.items() if value > 0},
            "-": {page: -value for page, value in wanted.items() if value < 0},
        }
        for side, pages in sides.items():
            assert scored(found, ends[f"{pair}{side}"]) == pytest.approx(pages, abs=1e-8)


def test_hubs_follow_the_signs_of_their_authorities(mining: Callable[[str], Any]) -> None:
    found = hits([tuple(edge) for edge in mining("hits_communities")["edges"]], vectors=2)
    assert set(scored(found, 1, "hub")) == {"g1", "g2"}
    assert {"h1", "h2", "h3"} >= set(scored(found, 2, "hub"))


def test_each_block_has_a_pair_of_its_own() -> None:
    blocks = [(a, b) for a in "abc" for b in "xyz"] + [(a, b) for a in "de" for b in "uv"]
    found = hits(blocks)
    assert [set(scored(found, k)) for k in range(2)] == [set("xyz"), set("uv")]
    assert [community.strength for community in found] == pytest.approx([9.0, 4.0])
    assert all(community.facts["separable"] for community in found)


def test_equal_blocks_are_not_separable() -> None:
    found = hits(
        [(a, b) for pair in (("ab", "xy"), ("cd", "uv")) for a in pair[0] for b in pair[1]]
    )
    assert len(found) == 1
    assert not found[0].facts["separable"]
    assert "1 community not separable: equal eigenvalues" in found.notes


def test_weak_and_overlapping_ends_are_dropped(mining: Callable[[str], Any]) -> None:
    links = [tuple(edge) for edge in mining("hits_communities")["edges"]]
    every = hits(links, vectors=5, weak=0, max_overlap=1.0)
    strong = hits(links, vectors=5, weak=0.5)
    assert len(strong) < len(every)
    assert any("weak" in note for note in strong.notes)
    assert len(hits(links, vectors=5, max_overlap=0.2)) < len(every)
    assert len(hits(links, max_size=1)[0]) == 2
    heavy = [(s, t, 5.0 if t == "b1" else 1.0) for s, t in links]
    assert hits(heavy, weighted=True).facts != hits(heavy).facts


@given(webs, st.randoms(use_true_random=False))
def test_numbering_does_not_matter(links: Links, random: Any) -> None:
    one, two = hits(links, vectors=2), hits(random.sample(links, len(links)), vectors=2)
    assert one.facts["eigenvalues"] == pytest.approx(two.facts["eigenvalues"], abs=1e-8)
    first = [scored(found, 0) for found in (one, two)]
    if one[0].facts["separable"]:
        assert first[0] == pytest.approx(first[1], abs=1e-6)


def test_jaccard_similarity() -> None:
    first, second = np.array([1, 2, 3]), np.array([2, 3, 4])
    assert jaccard_similarity(first, second) == pytest.approx(0.5)
    assert jaccard_similarity(first[:0], second[:0]) == 0
