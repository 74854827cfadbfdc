"""Bipartite components by SciPy; products are tested in test_backends.py."""

import numpy as np

from weft.core.arrays import CSR
from weft.engine.backends.scipy import bipartite_components


def test_components_by_hand() -> None:
    """Pages 0 and 1 share an authority; 3 links to 0, which no other page does."""
    found = bipartite_components(CSR(np.array([0, 1, 2, 2, 3]), np.array([2, 2, 0], np.int32)), 4)
    assert found.count == 2
    assert found.hub_labels.tolist() == [0, 0, -1, 1]
    assert found.authority_labels.tolist() == [1, -1, 0, -1]
