"""Bipartite components are numbered by first hub, whatever their labels were."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from weft.kernels.bipartite_components import number_by_first_hub, sum_by_component


def test_by_hand() -> None:
    """Pages 0 to 2: hubs are 1 and 2, authorities 0 and 1; page 1 points to 0, and 2 to 1."""
    labels = np.array([4, 7, 5, 7, 5, 9], np.int32)
    found = number_by_first_hub(labels, np.array([False, True, True, True, True, False]))
    assert found.count == 2
    assert found.hub_labels.tolist() == [-1, 0, 1]
    assert found.authority_labels.tolist() == [0, 1, -1]


@given(st.permutations(range(6)))
def test_old_labels_do_not_matter(names: list[int]) -> None:
    parts = np.array([0, 1, 0, 2, 2, 1, 0, 5])
    present = np.array([True, True, True, False, False, True, True, False])
    found = number_by_first_hub(np.array(names, np.int32)[parts], present)
    assert found.hub_labels.tolist() == [0, 1, 0, -1]
    assert found.authority_labels.tolist() == [-1, 1, 0, -1]
    assert found.count == 2


def test_no_links_no_components() -> None:
    found = number_by_first_hub(np.zeros(4, np.int32), np.zeros(4, bool))
    assert found.count == 0
    assert found.hub_labels.tolist() == found.authority_labels.tolist() == [-1, -1]


def test_sums_leave_out_pages_of_no_component() -> None:
    labels = np.array([1, -1, 0, 1], np.int32)
    assert sum_by_component(np.array([1.0, 50.0, 3.0, 4.0]), labels, 3).tolist() == [3, 5, 0]
