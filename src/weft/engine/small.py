"""The machine for small graphs: SciPy, with nothing to compile."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from weft.core.arrays import Floats, Rows
from weft.engine.choose import Links
from weft.engine.components import Components, numbered
from weft.engine.flow import Less, Passed, Sums, Visits, lessened, passed, replaced


@dataclass(frozen=True, slots=True, eq=False)
class SmallFlow:
    """Links as two sparse matrices, by target and by source."""

    n: int
    into: Any
    out: Any

    @property
    def links(self) -> int:
        """How many links there are."""
        return int(self.into.nnz)

    @property
    def together(self) -> bool:
        """Whether several values per page share a pass over the links."""
        return True

    def forward(self, x: Floats) -> Floats:
        """What arrives at each page."""
        arrived: Floats = self.into @ x
        return arrived

    def backward(self, x: Floats) -> Floats:
        """What each page leads to."""
        led: Floats = self.out @ x
        return led

    def forward_into(self, x: Floats, y: Floats, scale: float = 1.0) -> Sums:
        """Set `y` to what arrives at each page, scaled."""
        return replaced(y, scale * self.forward(x))

    def backward_into(self, x: Floats, y: Floats, scale: float = 1.0) -> Sums:
        """Set `y` to what each page leads to, scaled."""
        return replaced(y, scale * self.backward(x))

    def forward_less(self, x: Floats, y: Floats, less: Less) -> Sums:
        """Set `y` to what arrives at each page, less other vectors."""
        return lessened(y, self.forward(x), less)

    def pass_on(self, visits: Visits, *, roughly: bool = False) -> Passed:  # noqa: ARG002
        """One round of a walk."""
        return passed(self.forward(visits.sent), visits)

    def components(self) -> Components:
        """The components of the bipartite graph of hubs and authorities."""
        return of_rows(Rows(self.out.indptr, self.out.indices), self.n)


def make(links: Links, *, weighted: bool) -> SmallFlow:
    """Wrap the rows; nothing but the weights is copied."""
    ways = (links.inlinks, links.outlinks)
    return SmallFlow(links.n, *(_matrix(rows, links.n, weighted=weighted) for rows in ways))


def _matrix(rows: Rows, n: int, *, weighted: bool) -> Any:
    plain = not weighted or rows.weights is None
    values = np.ones(len(rows.ids)) if plain else np.asarray(rows.weights, np.float64)
    return csr_array((values, rows.ids, rows.starts), shape=(n, n))


def of_rows(outlinks: Rows, n: int) -> Components:
    """The components of hubs and authorities, from rows of links by source."""
    degrees = np.diff(outlinks.starts)
    hubs = np.repeat(np.arange(n, dtype=np.int64), degrees)
    cells = np.ones(len(hubs), np.int8), (hubs, np.asarray(outlinks.ids, np.int64) + n)
    _, labels = connected_components(coo_array(cells, shape=(2 * n, 2 * n)), directed=False)
    present = np.concatenate([degrees > 0, np.zeros(n, bool)])
    present[n + outlinks.ids] = True
    return numbered(labels, present)
