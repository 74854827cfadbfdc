"""How rows are cut into pieces; sums over them are tested in test_machines.py."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from weft.engine.choose import Links
from weft.engine.rows import PIECES, make
from weft.graph.webgraph import compress, reverse


@given(st.lists(st.integers(0, 40), min_size=1, max_size=60))
def test_pieces_cover_every_row_once(degrees: list[int]) -> None:
    """However the links are spread; no piece has much more work than its share."""
    n = len(degrees)
    source = np.repeat(np.arange(n), degrees).astype(np.int32)
    target = np.concatenate([np.arange(k) + n for k in degrees]).astype(np.int32)
    rows = compress(source, target, None, n + 40)
    made = make(Links(rows, reverse(rows, n + 40), None, n + 40), weighted=False)
    bounds = made.out[0].tolist()
    assert (bounds[0], bounds[-1]) == (0, n + 40)
    assert bounds == sorted(bounds)
    share = (n + 40 + len(rows.ids)) / PIECES
    work = np.append(np.diff(rows.starts) + 1, 0)
    assert all(work[a : max(a, b - 1)].sum() <= share + 1 for a, b in pairwise(bounds))
