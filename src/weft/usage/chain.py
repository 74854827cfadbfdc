"""First-order Markov chains on the pages that visitors went through."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from weft.core.arrays import CSR, Floats, Ids, link_positions
from weft.engine import safe_power
from weft.graph.webgraph import link_weights, row_sums


@dataclass(frozen=True, slots=True, eq=False)
class MarkovChain:
    """A chain whose states are pages: row i of `rows` has the probabilities of the next state.

    `pages` are the pages of the states, ascending. A state that no click leaves
    has an empty row; all others sum to one.
    """

    pages: Ids
    rows: CSR
    probabilities: Floats

    @classmethod
    def from_counts(cls, counts: CSR) -> Self:
        """From the clicks between all pages of a graph; pages without clicks are no states.

        Examples
        --------
        >>> counts = CSR(np.array([0, 0, 2, 2]), np.array([0, 2], np.int32), np.array([3.0, 1.0]))
        >>> chain = MarkovChain.from_counts(counts)
        >>> chain.step(np.array([0.0, 1.0, 0.0]))
        array([0.75, 0.  , 0.25])
        """
        source = counts.row_ids()
        pages = np.union1d(source, counts.ids).astype(np.int32)
        starts = np.append(counts.starts[pages], counts.starts[-1]).astype(np.int64)
        rows = CSR(starts, np.searchsorted(pages, counts.ids).astype(np.int32))
        share = safe_power(row_sums(counts, weighted=True), -1.0)
        return cls(pages, rows, link_weights(counts) * share[source])

    def __len__(self) -> int:
        return len(self.pages)

    def states(self, path: Ids) -> Ids:
        """The state of each page of a path, -1 for a page that is none."""
        if not len(self):
            return np.full(len(path), -1, np.int32)
        place = np.minimum(np.searchsorted(self.pages, path), len(self) - 1)
        return np.where(self.pages[place] == path, place, -1).astype(np.int32)

    def step(self, distribution: Floats) -> Floats:
        """The distribution after one more click; what is at states without clicks is lost."""
        at, state = link_positions(self.rows, np.flatnonzero(distribution).astype(np.int32))
        flow = distribution[state] * self.probabilities[at]
        return np.bincount(self.rows.ids[at], flow, len(self)).astype(np.float64)

    def weigh_history(self, latest_first: Sequence[int], weights: Sequence[float]) -> Floats:
        """The sum over m of weights[m - 1] times what follows the m-th last state m clicks later.

        s = a_1 e_1 A + a_2 e_2 A^2 + …, by Horner's rule: ((a_2 e_2) A + a_1 e_1) A.
        A state of -1 adds nothing. The result sums to one, or to zero if
        nothing follows.
        """
        result = np.zeros(len(self))
        for state, weight in reversed(list(zip(latest_first, weights, strict=False))):
            if state >= 0:
                result[state] += weight
            result = self.step(result)
        total = result.sum()
        return result / total if total else result
