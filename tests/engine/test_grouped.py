"""Links between groups of pages, beside a plain product of matrices."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from weft.engine.grouped import between

PAGES, GROUPS = 7, 4
ends = st.integers(0, PAGES - 1)


@given(
    st.dictionaries(st.tuples(ends, ends), st.integers(1, 9), max_size=30),
    st.lists(st.integers(0, GROUPS - 1), min_size=PAGES, max_size=PAGES),
    st.booleans(),
)
def test_sums_are_those_of_the_product(
    links: dict[tuple[int, int], int],
    home: list[int],
    heavy: bool,  # noqa: FBT001
) -> None:
    table = np.zeros((PAGES, PAGES))
    for (source, target), weight in links.items():
        table[source, target] = weight if heavy else 1
    rows = csr_array(table)
    weights = rows.data.astype(np.float32) if heavy else np.zeros(0, np.float32)
    starts, ids = rows.indptr.astype(np.int64), rows.indices.astype(np.int32)
    found = between(starts, ids, weights, np.array(home, np.int32), GROUPS)
    which = np.eye(GROUPS)[home]
    expected = which.T @ table @ which
    np.fill_diagonal(expected, 0)
    begins, targets, sums = found
    assert begins.tolist() == csr_array(expected).indptr.tolist(), "each target once"
    assert (csr_array((sums, targets, begins), shape=expected.shape).toarray() == expected).all()


def test_no_pages_have_no_links() -> None:
    nothing = np.zeros(0, np.int32)
    begins, targets, sums = between(
        np.zeros(1, np.int64), nothing, np.zeros(0, np.float32), nothing, 0
    )
    assert [begins.tolist(), len(targets), len(sums)] == [[0], 0, 0]
