"""Regions of a drawing: circles that do not overlap, around their nodes."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from weft.kernels.layout import region_layout


@given(
    st.lists(st.integers(0, 7), min_size=1, max_size=60),
    st.lists(st.tuples(st.integers(0, 59), st.integers(0, 59)), max_size=80),
    st.sampled_from([0.5, 1.0, 2.4]),
)
def test_nodes_lie_in_circles_that_do_not_overlap(
    groups: list[int], links: list[tuple[int, int]], aspect: float
) -> None:
    region = np.unique(np.array(groups), return_inverse=True)[1].astype(np.int32)
    ends = np.array([(a % len(region), b % len(region)) for a, b in links], np.int32).reshape(-1, 2)
    nodes, circles = region_layout(region, ends[:, 0], ends[:, 1], aspect)
    centres, radii = circles[:, :2], circles[:, 2]
    assert (np.abs(centres) + radii[:, None] <= 1 + 1e-3).all()
    distance = np.sqrt(((nodes - centres[region]) ** 2).sum(axis=1))
    assert (distance <= radii[region] + 1e-3).all()
    between = np.sqrt(((centres[:, None] - centres) ** 2).sum(axis=2))
    gap = between - radii[:, None] - radii
    np.fill_diagonal(gap, 1.0)
    assert gap.min() > -1e-3
    again, _ = region_layout(region, ends[:, 0], ends[:, 1], aspect)
    assert (again == nodes).all()


def test_a_wide_frame_is_filled_in_width() -> None:
    region = np.repeat(np.arange(12), 10).astype(np.int32)
    none = np.zeros(0, np.int32)
    for aspect in (0.5, 2.4):
        _, circles = region_layout(region, none, none, aspect)
        width, height = (
            (circles[:, side] + circles[:, 2]).max() - (circles[:, side] - circles[:, 2]).min()
            for side in (0, 1)
        )
        assert (width > 1.5 * height) == (aspect > 1)


@given(st.integers(4, 60), st.lists(st.tuples(st.integers(0, 59), st.integers(0, 59))))
def test_nodes_of_a_region_keep_apart(n: int, links: list[tuple[int, int]]) -> None:
    """Unlinked nodes too, which the forces do not move."""
    ends = np.array([(a % n, b % n) for a, b in links], np.int32).reshape(-1, 2)
    nodes, circles = region_layout(np.zeros(n, np.int32), ends[:, 0], ends[:, 1])
    distance = np.sqrt(((nodes[:, None] - nodes) ** 2).sum(axis=2))
    np.fill_diagonal(distance, np.inf)
    assert distance.min() > 0.6 * circles[0, 2] / n**0.5
