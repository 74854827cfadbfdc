"""Agreement of two partitions of the same pages: NMI, ARI and purity."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from weft.core.arrays import Floats, Offsets
from weft.core.errors import BadParameter
from weft.graph.webgraph import WebGraph
from weft.groups.groups import Groups
from weft.groups.membership import name_variants

NO_LABEL = -1


@dataclass(frozen=True, slots=True)
class PartitionAgreement:
    """Agreement of two partitions on the pages that both assign to a group.

    `nmi` is the mutual information divided by the mean of both entropies, `ari`
    the Rand index adjusted for chance: one if the partitions agree, about zero
    if they agree by chance. `purity` is the share of pages in the majority
    class of their group; it is high for many small groups, whatever they are.
    """

    nmi: float
    ari: float
    purity: float
    compared_pages: int
    total_pages: int

    def to_table(self) -> pa.Table:
        """One row per measure."""
        names = ("nmi", "ari", "purity")
        return pa.table({"measure": list(names), "value": [getattr(self, name) for name in names]})

    def __str__(self) -> str:
        measures = f"NMI {self.nmi:.3f}, ARI {self.ari:.3f}, purity {self.purity:.3f}"
        return f"{measures} on {self.compared_pages:,} of {self.total_pages:,} pages"


def compare_partitions(first: Any, second: Any) -> PartitionAgreement:
    """Compare two partitions, each given as communities or as one label per page (-1: none).

    Examples
    --------
    >>> str(compare_partitions([0, 0, 1, 1], [5, 5, 7, 7]))
    'NMI 1.000, ARI 1.000, purity 1.000 on 4 of 4 pages'
    """
    labels = [np.asarray(p.group_of_page if isinstance(p, Groups) else p) for p in (first, second)]
    if len(labels[0]) != len(labels[1]):
        raise ValueError(f"{len(labels[0]):,} labels do not fit {len(labels[1]):,}")
    both = (labels[0] != NO_LABEL) & (labels[1] != NO_LABEL)
    codes = [np.unique(own[both], return_inverse=True)[1] for own in labels]
    cells, rows, columns = contingency_table(codes[0], codes[1])
    n = int(both.sum())
    # purity: the largest cell of each group of the first partition
    majority = np.zeros(int(codes[0].max(initial=-1)) + 1, np.int64)
    np.maximum.at(majority, rows.group_of_cell, cells)
    return PartitionAgreement(
        normalized_mutual_information(cells, rows, columns),
        adjusted_rand_index(cells, rows, columns),
        float(majority.sum() / n) if n else 1.0,
        n,
        len(both),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Marginals:
    """One side of a contingency table: the group sizes, and the group of each non-empty cell."""

    sizes: Offsets
    group_of_cell: Offsets


def contingency_table(first: Offsets, second: Offsets) -> tuple[Offsets, Marginals, Marginals]:
    """Count the pages that each group of one partition shares with each of the other.

    Only non-empty cells are listed, row by row.
    """
    width = int(second.max(initial=-1)) + 1
    key, cells = np.unique(first.astype(np.int64) * width + second, return_counts=True)
    width = max(width, 1)
    return (
        cells,
        Marginals(np.bincount(first), key // width),
        Marginals(np.bincount(second), key % width),
    )


def normalized_mutual_information(cells: Offsets, rows: Marginals, columns: Marginals) -> float:
    """Mutual information of two partitions over the mean of their entropies: 2 I / (H1 + H2)."""
    n = cells.sum()
    if not n:
        return 1.0
    mean_entropy = (_entropy(rows.sizes / n) + _entropy(columns.sizes / n)) / 2
    # I = sum of p(x, y) log(p(x, y) / (p(x) p(y)))
    joint = cells / n
    independent = rows.sizes[rows.group_of_cell] * columns.sizes[columns.group_of_cell] / (n * n)
    information = float((joint * np.log(joint / independent)).sum())
    return min(max(information / mean_entropy, 0.0), 1.0) if mean_entropy > 0 else 1.0


def adjusted_rand_index(cells: Offsets, rows: Marginals, columns: Marginals) -> float:
    """The Rand index adjusted for chance: (index - expected) / (maximum - expected).

    The index counts the pairs of pages that are together in both partitions.
    """
    index, first, second = (
        _count_pairs_within_groups(sizes) for sizes in (cells, rows.sizes, columns.sizes)
    )
    n = float(cells.sum())
    all_pairs = n * (n - 1) / 2
    expected = first * second / all_pairs if all_pairs else 0.0
    maximum = (first + second) / 2
    return (index - expected) / (maximum - expected) if maximum != expected else 1.0


def _entropy(shares: Floats) -> float:
    return float(-(shares * np.log(shares)).sum())


def _count_pairs_within_groups(sizes: Offsets) -> float:
    return float((sizes * (sizes - 1.0) / 2).sum())


def encode_labels(graph: WebGraph, label_of_page: Mapping[str, str]) -> Offsets:
    """Encode text labels as one number per page of a graph; -1 for pages without a label."""
    numbers = {label: k for k, label in enumerate(sorted(set(label_of_page.values())))}
    codes = (numbers.get(label_of_page.get(page, ""), NO_LABEL) for page in graph.pages)
    return np.fromiter(codes, np.int64, len(graph))


def read_labels(path: Path) -> dict[str, str]:
    """Read the label of each page from a CSV or TSV file of two columns."""
    lines = path.read_text("utf-8-sig").splitlines()
    tabs = bool(lines) and "\t" in lines[0]
    rows = [row for row in csv.reader(lines, delimiter="\t" if tabs else ",") if row]
    for number, row in enumerate(rows, start=1):
        if len(row) < 2:
            raise BadParameter(
                f"{path}: row {number} has no label", hint="write a page and its label in each row"
            )
    return {row[0].strip(): row[1].strip() for row in rows}


def compare_with_labels(communities: Groups, labels: Mapping[str, str]) -> PartitionAgreement:
    """The agreement of communities with given labels of their pages: NMI, ARI and purity."""
    known = match_labels_to_pages(communities.base.graph, labels)
    if not known:
        raise BadParameter(
            "none of the labelled pages is in the graph",
            hint="write pages as `weft links` shows them",
        )
    return compare_partitions(communities, encode_labels(communities.base.graph, known))


def match_labels_to_pages(graph: WebGraph, labels: Mapping[str, str]) -> dict[str, str]:
    """Labels by the names that pages have in a graph; the scheme of a URL may be omitted."""
    names = set(graph.pages)
    matched: dict[str, str] = {}
    for page, label in labels.items():
        name = next((form for form in name_variants(page) if form in names), None)
        if name is not None:
            matched[name] = label
    return matched
