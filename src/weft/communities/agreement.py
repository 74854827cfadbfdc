"""How far two divisions of the same pages agree."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from weft.communities.community import Communities
from weft.core.arrays import Floats, Offsets
from weft.graph.webgraph import WebGraph

NONE = -1


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two divisions agree on the pages that both put somewhere.

    `nmi` is the mutual information over the mean of both entropies, `ari` the
    Rand index adjusted for chance: one where they agree, about zero where
    they do so by chance. `purity` is the share of pages that are of the class
    that most pages of their group are of; many small groups are pure for
    nothing. `pages` are those compared, of `of` in all.
    """

    nmi: float
    ari: float
    purity: float
    pages: int
    of: int

    def to_table(self) -> pa.Table:
        """One row per measure."""
        names = ("nmi", "ari", "purity")
        return pa.table({"measure": list(names), "value": [getattr(self, name) for name in names]})

    def __str__(self) -> str:
        shares = f"NMI {self.nmi:.3f}, ARI {self.ari:.3f}, purity {self.purity:.3f}"
        return f"{shares} on {self.pages:,} of {self.of:,} pages"


def agreement(one: Any, other: Any) -> Agreement:
    """Compare two divisions: communities, or a label for each page, -1 for none.

    Examples
    --------
    >>> str(agreement([0, 0, 1, 1], [5, 5, 7, 7]))
    'NMI 1.000, ARI 1.000, purity 1.000 on 4 of 4 pages'
    """
    labels = [np.asarray(d.labels if isinstance(d, Communities) else d) for d in (one, other)]
    if len(labels[0]) != len(labels[1]):
        raise ValueError(f"{len(labels[0]):,} labels do not fit {len(labels[1]):,}")
    both = (labels[0] != NONE) & (labels[1] != NONE)
    codes = [np.unique(each[both], return_inverse=True)[1] for each in labels]
    cells, rows, columns = contingency(codes[0], codes[1])
    n = int(both.sum())
    most = np.zeros(int(codes[0].max(initial=-1)) + 1, np.int64)
    np.maximum.at(most, rows.place, cells)
    pure = float(most.sum() / n) if n else 1.0
    return Agreement(
        information(cells, rows, columns), rand(cells, rows, columns), pure, n, len(both)
    )


@dataclass(frozen=True, slots=True, eq=False)
class Margin:
    """The sizes of the groups of one division, and to which of them each cell belongs."""

    sizes: Offsets
    place: Offsets


def contingency(one: Offsets, other: Offsets) -> tuple[Offsets, Margin, Margin]:
    """How many pages each group of one division shares with each of the other."""
    width = int(other.max(initial=-1)) + 1
    key, cells = np.unique(one.astype(np.int64) * width + other, return_counts=True)
    width = max(width, 1)
    return (
        cells,
        Margin(np.bincount(one), key // width),
        Margin(np.bincount(other), key % width),
    )


def information(cells: Offsets, rows: Margin, columns: Margin) -> float:
    """The mutual information of two divisions over the mean of their entropies."""
    n = cells.sum()
    if not n:
        return 1.0
    mean = (_entropy(rows.sizes / n) + _entropy(columns.sizes / n)) / 2
    chance = rows.sizes[rows.place] * columns.sizes[columns.place] / (n * n)
    shared = float((cells / n * np.log(cells / n / chance)).sum())
    return min(max(shared / mean, 0.0), 1.0) if mean > 0 else 1.0


def rand(cells: Offsets, rows: Margin, columns: Margin) -> float:
    """The Rand index of two divisions, adjusted for chance."""
    together, one, other = (_pairs(sizes) for sizes in (cells, rows.sizes, columns.sizes))
    n = float(cells.sum())
    every = n * (n - 1) / 2
    chance = one * other / every if every else 0.0
    most = (one + other) / 2
    return (together - chance) / (most - chance) if most != chance else 1.0


def _entropy(shares: Floats) -> float:
    return float(-(shares * np.log(shares)).sum())


def _pairs(sizes: Offsets) -> float:
    return float((sizes * (sizes - 1.0) / 2).sum())


def labels_of(graph: WebGraph, given: Mapping[str, str]) -> Offsets:
    """Given labels as numbers of the pages of a graph, -1 where a page has none."""
    numbers = {label: k for k, label in enumerate(sorted(set(given.values())))}
    found = (numbers.get(given.get(page, ""), NONE) for page in graph.pages)
    return np.fromiter(found, np.int64, len(graph))
