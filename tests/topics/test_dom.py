"""Trees of blocks: what is a node, and where a page is cut."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.arrays import Floats
from weft.topics.dom import Cut, Forest, common

NAV_AND_LIST = ["body/nav[1]"] * 4 + ["body/ul[2]"] * 4 + [""] * 12
HUB = np.array([0.01, 0.02, 0.01, 0.015, 0.5, 0.45, 0.55, 0.6, *[0.05] * 12])
places = st.lists(
    st.tuples(st.integers(0, 3), st.lists(st.sampled_from("ab"), max_size=4).map("/".join)),
    min_size=1,
    max_size=20,
)
scores = st.lists(st.sampled_from([0.0, 1e-6, 0.1, 0.5, 1.0]), min_size=20, max_size=20)


def plant(links: list[tuple[int, str]]) -> Forest:
    paths = sorted({path for _, path in links})
    page = np.array([page for page, _ in links], np.int32)
    return Forest.plant(page, np.array([paths.index(path) for _, path in links], np.int32), paths)


def parts(forest: Forest, hub: Floats, cut: Cut = "kl_u0") -> list[int]:
    """For each link which part it is cut off with, parts numbered as they come."""
    nodes = forest.segment(forest.sums(hub), cut).tolist()
    return [list(dict.fromkeys(nodes)).index(node) for node in nodes]


def two_lists() -> Forest:
    """The tree of the specification's example, and twelve pages of one link."""
    return plant(list(zip([0] * 8 + list(range(1, 13)), NAV_AND_LIST, strict=True)))


def test_blocks_that_hold_one_thing_are_no_nodes() -> None:
    """Of body/div/ul with two items, and a paragraph, there are two blocks: body and ul."""
    forest = plant([(0, "body/div[1]/ul[1]/li[1]"), (0, "body/div[1]/ul[1]/li[2]"), (0, "body/p")])
    assert forest.parent.tolist() == [4, 4, 3, -1, 3]
    assert forest.count.tolist() == [1, 1, 1, 3, 2]


def test_pages_do_not_share_blocks() -> None:
    forest = plant([(0, "body/ul[1]"), (0, "body/ul[1]"), (1, "body/ul[1]"), (1, "body/ul[1]")])
    assert forest.parent.tolist() == [4, 4, 5, 5, -1, -1]


def test_a_lone_link_is_its_page() -> None:
    assert plant([(0, "body/ul[1]/li[1]")]).parent.tolist() == [-1]


def test_a_link_stands_beside_the_blocks_of_its_block() -> None:
    forest = plant([(0, "body"), (0, "body/p[2]"), (0, "body/p[2]")])
    assert forest.parent.tolist() == [3, 4, 4, -1, 3]


def test_no_links_no_trees() -> None:
    forest = plant([])
    assert len(forest.sums(np.zeros(0))) == 0
    assert len(two_lists().only(np.zeros(20, bool)).parent) == 0


def test_costs_are_those_of_the_specification() -> None:
    forest = two_lists()
    body, nav, links = 20, 21, 22
    cost = forest.costs(forest.sums(HUB))
    assert cost[body] == pytest.approx(-2.2083351676, abs=1e-9)
    assert cost[nav] + cost[links] == pytest.approx(-8.8467792953, abs=1e-9)
    assert cost[:4].sum() == pytest.approx(-7.5299852766, abs=1e-9)
    assert cost[4:8].sum() == pytest.approx(7.3157497506, abs=1e-9)
    other = forest.costs(forest.sums(HUB), "kl_0u")
    assert other[body] == pytest.approx(-2.3111736227, abs=1e-9)
    assert other[nav] + other[links] == pytest.approx(-4.4101749238, abs=1e-9)


def test_navigation_and_list_are_cut_apart() -> None:
    assert parts(two_lists(), HUB)[:8] == [0] * 4 + [1] * 4


def test_the_limits_of_cutting() -> None:
    assert parts(two_lists(), HUB, "page")[:8] == [0] * 8
    assert parts(two_lists(), HUB, "link")[:8] == list(range(8))


def test_the_number_of_links_can_be_the_price() -> None:
    """Four even links cost 0.5 ln 4 as one block and nothing as four: bic cuts them all."""
    even = plant([(0, "body/ul[1]")] * 4)
    assert parts(even, np.full(4, 0.25), "bic") == [0, 1, 2, 3]
    assert parts(even, np.full(4, 0.25), "kl_u0") == [0, 0, 0, 0]


def test_cold_links_are_cut_off_in_one_direction_only() -> None:
    """Three links to good pages beside two to none: the other divergence keeps them together."""
    page = [(0, "body/ul[1]")] * 3 + [(0, "body/p[2]")] * 2
    hub = np.array([0.3, 0.3, 0.3, 0.0, 0.0])
    assert parts(plant(page), hub) == [0, 0, 0, 1, 1]
    assert parts(plant(page), hub, "kl_0u") == [0, 0, 0, 0, 0]


@given(places, scores, st.sampled_from([1e-6, 0.3, 1000.0]))
def test_scale_does_not_matter(
    links: list[tuple[int, str]], hub: list[float], scale: float
) -> None:
    values = np.array(hub[: len(links)]) + 1e-3
    forest = plant(links)
    for cut in ("kl_u0", "kl_0u", "bic"):
        assert parts(forest, values, cut) == parts(forest, scale * values, cut)


@given(places, scores)
def test_parts_are_whole_blocks_of_one_page(links: list[tuple[int, str]], hub: list[float]) -> None:
    forest, values = plant(links), np.array(hub[: len(links)]) + 1e-6
    node = forest.segment(forest.sums(values))
    assert (forest.count[node] == np.bincount(node)[node]).all()
    for one in set(node.tolist()):
        assert len({links[k][0] for k in np.flatnonzero(node == one)}) == 1


@given(places, scores)
def test_sums_are_those_of_the_links_below(links: list[tuple[int, str]], hub: list[float]) -> None:
    forest, values = plant(links), np.array(hub[: len(links)])
    tops = forest.parent < 0
    assert forest.sums(values)[tops].sum() == pytest.approx(values.sum())
    assert forest.count[tops].sum() == len(links)
    for level, deeper in pairwise(forest.levels):
        assert set(deeper.blocks.tolist()) <= set(level.nodes.tolist())


@given(places, st.lists(st.booleans(), min_size=20, max_size=20), scores)
def test_some_links_alone(links: list[tuple[int, str]], kept: list[bool], hub: list[float]) -> None:
    """Trees of which links were taken out are cut as those of the other links alone."""
    live = np.array([True, *kept[1 : len(links)]])
    values = np.array(hub[: len(links)])[live] + 1e-3
    alone = plant([link for link, stays in zip(links, live, strict=True) if stays])
    assert parts(plant(links).only(live), values) == parts(alone, values)


def test_the_block_around_paths() -> None:
    assert common(["body/ul[1]/li[1]", "body/ul[1]/li[2]", "body/ul[1]"]) == "body/ul[1]"
    assert common(["body/ul[1]", "body/ul[10]"]) == "body"
    assert common(["body/p[1]"]) == "body/p[1]"
    assert common(["", "body"]) == ""
