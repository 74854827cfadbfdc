"""How rows are split into pieces; products are tested in test_backends.py."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from weft.engine.backends.numba_rows import WORK_PIECES, build_csr_operator
from weft.engine.operator import Adjacency
from weft.graph.webgraph import build_csr, transpose


@given(st.lists(st.integers(0, 40), min_size=1, max_size=60))
def test_pieces_cover_every_row_once(degrees: list[int]) -> None:
    """For any distribution of links, no piece has much more work than its share."""
    n = len(degrees)
    source = np.repeat(np.arange(n), degrees).astype(np.int32)
    target = np.concatenate([np.arange(k) + n for k in degrees]).astype(np.int32)
    rows = build_csr(source, target, None, n + 40)
    operator = build_csr_operator(
        Adjacency(rows, transpose(rows, n + 40), None, n + 40), weighted=False
    )
    bounds = operator.by_source[0].tolist()
    assert (bounds[0], bounds[-1]) == (0, n + 40)
    assert bounds == sorted(bounds)
    share = (n + 40 + len(rows.ids)) / WORK_PIECES
    work = np.append(np.diff(rows.starts) + 1, 0)
    assert all(work[a : max(a, b - 1)].sum() <= share + 1 for a, b in pairwise(bounds))
