"""Induced subgraphs, against a cut of a dense matrix."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from weft.kernels.csr import induced_subgraph

PAGES = 7
ends = st.integers(0, PAGES - 1)


@given(
    st.dictionaries(st.tuples(ends, ends), st.integers(1, 9), max_size=30),
    st.lists(st.booleans(), min_size=PAGES, max_size=PAGES),
    st.booleans(),
)
def test_rows_are_those_of_the_cut_matrix(
    links: dict[tuple[int, int], int],
    kept: list[bool],
    heavy: bool,  # noqa: FBT001
) -> None:
    table = np.zeros((PAGES, PAGES), np.float32)
    for (source, target), weight in links.items():
        table[source, target] = weight
    rows, cut = csr_array(table), csr_array(table[np.ix_(kept, kept)])
    number = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
    weights = rows.data if heavy else np.zeros(0, np.float32)
    starts, ids = rows.indptr.astype(np.int64), rows.indices.astype(np.int32)
    begins, others, left = induced_subgraph(starts, ids, weights, number, sum(kept))
    assert [begins.tolist(), others.tolist()] == [cut.indptr.tolist(), cut.indices.tolist()]
    assert left.tolist() == (cut.data.tolist() if heavy else [])
