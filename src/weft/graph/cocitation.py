"""Co-citation, bibliographic coupling, and other similarities by paths of two links.

A pattern is a pair of steps: from a page to its witnesses, and from each
witness to partners of the page. In co-citation the witnesses are the pages that
link to the page, and the partners what else these link to.
"""

from typing import Literal, NamedTuple

import numpy as np

from weft.core.arrays import CSR, Floats, Ids, Offsets, csr_from_keys, pack_pairs
from weft.core.params import SimilarityMeasure, VoteUnit
from weft.graph.levels import encode_domains
from weft.graph.webgraph import WebGraph, transpose
from weft.kernels.two_step_paths import (
    PATH_MEASURES,
    PathMeasure,
    TwoStepPaths,
    path_similarity,
    sum_paths_through,
)

Pattern = Literal["co-citation", "coupling", "indirect", "indirect from"]
SYMMETRIC_PATTERNS: tuple[Pattern, ...] = ("co-citation", "coupling")
MAX_DEGREE = 1_000
MAX_WITNESS_LINKS = 2_000_000


class RelatedPages(NamedTuple):
    """The partners of a page, and their similarity to it.

    `pages` ascend; `shared` is the number of shared witnesses, or the sum of
    their weights. `skipped_witnesses` had too many links to be followed.
    """

    pages: Ids
    shared: Floats
    similarity: Floats
    skipped_witnesses: int


class PatternSteps(NamedTuple):
    """The two steps of a pattern, before witnesses are weighted.

    `path_counts` is the number of paths through each witness, and
    `possible_witnesses` the number of pages, or sites, that could be one.
    """

    first: CSR
    second: CSR
    source_degrees: Floats
    partner_degrees: Floats
    path_counts: Floats
    possible_witnesses: float


def pattern_steps(graph: WebGraph, pattern: Pattern, vote: VoteUnit = "page") -> PatternSteps:
    """The two steps of a pattern; with `vote="site"` the witnesses are sites instead of pages."""
    first, second = _pattern_rows(graph, pattern)
    possible_witnesses = float(max(len(graph) - 1, 1))
    source_degrees, partner_degrees = np.diff(first.starts), _partner_degrees(graph, pattern)
    if vote == "site":
        first, second, sites = neighbour_sites(first, graph)
        source_degrees = partner_degrees = np.diff(first.starts)
        possible_witnesses = float(max(sites, 1))
    # Paths through a witness: links that lead to it times links that lead on.
    onward = np.diff(second.starts).astype(np.float64)
    symmetric = pattern in SYMMETRIC_PATTERNS
    incoming = onward if symmetric else np.diff(_witness_inlinks(graph, pattern).starts)
    return PatternSteps(
        first,
        second,
        source_degrees.astype(np.float64),
        partner_degrees.astype(np.float64),
        onward * incoming,
        possible_witnesses,
    )


def weigh_witnesses(
    steps: PatternSteps, similarity: SimilarityMeasure = "cosine", max_degree: int = MAX_DEGREE
) -> TwoStepPaths:
    """Add a weight for each witness: 1, or 1 / out-degree for `out-normalised`.

    A witness with more than `max_degree` squared paths through it has weight 0:
    it relates everything to everything.
    """
    onward = np.diff(steps.second.starts).astype(np.float64)
    weights = np.ones(len(onward))
    if similarity == "out-normalised":
        np.divide(1.0, onward, out=weights, where=onward > 0)
    weights[(onward == 0) | (steps.path_counts > float(max_degree) ** 2)] = 0.0
    return TwoStepPaths(
        steps.first,
        steps.second,
        weights,
        steps.source_degrees,
        steps.partner_degrees,
        steps.possible_witnesses,
    )


def to_path_measure(similarity: SimilarityMeasure) -> PathMeasure:
    """The measure of the kernel: plain sums for `count` and `out-normalised`, else the same."""
    return "sum" if similarity == "count" or similarity == "out-normalised" else similarity  # noqa: PLR1714  for types


def _pattern_rows(graph: WebGraph, pattern: Pattern) -> tuple[CSR, CSR]:
    """The links of the first and of the second step."""
    inlinks, outlinks = graph.inlinks, graph.outlinks
    return {
        "co-citation": (inlinks, outlinks),
        "coupling": (outlinks, inlinks),
        "indirect": (outlinks, outlinks),
        "indirect from": (inlinks, inlinks),
    }[pattern]


def _witness_inlinks(graph: WebGraph, pattern: Pattern) -> CSR:
    """The links from a witness back to the pages that lead to it, for one-way patterns."""
    return graph.inlinks if pattern == "indirect" else graph.outlinks


def _partner_degrees(graph: WebGraph, pattern: Pattern) -> Offsets:
    """The number of possible witnesses of each page as a partner."""
    rows = graph.outlinks if pattern in ("coupling", "indirect from") else graph.inlinks
    return np.diff(rows.starts)


def neighbour_sites(rows: CSR, graph: WebGraph) -> tuple[CSR, CSR, int]:
    """The sites that each page has neighbours on, the transpose, and the number of sites."""
    n = len(graph)
    site, names = encode_domains(graph.names)
    key = np.unique(pack_pairs(rows.row_ids(), site[np.asarray(rows.ids)]))
    page_to_site = csr_from_keys(key, None, n)
    return page_to_site, transpose(page_to_site, n), len(names)


def find_related(paths: TwoStepPaths, page: int, similarity: SimilarityMeasure) -> RelatedPages:
    """The partners of a page, and their similarity to it.

    Where the witnesses have more than `MAX_WITNESS_LINKS` links in total, those
    with fewest links are followed, and the others skipped.
    """
    all_witnesses = paths.first_step.row(page)
    witnesses = all_witnesses[paths.witness_weights[all_witnesses] > 0]
    link_counts = _onward_link_counts(paths, witnesses)
    if link_counts.sum() > MAX_WITNESS_LINKS:
        order = np.lexsort((witnesses, link_counts))
        followed = order[np.cumsum(link_counts[order]) <= MAX_WITNESS_LINKS]
        witnesses = np.sort(witnesses[followed])
    sums = sum_paths_through(paths, page, witnesses)
    partners = np.flatnonzero(sums).astype(np.int32)
    similarities = path_similarity(
        PATH_MEASURES.index(to_path_measure(similarity)),
        sums[partners],
        paths.source_degrees[page],
        paths.target_degrees[partners],
        paths.possible_witnesses,
    )
    skipped = len(all_witnesses) - len(witnesses)
    return RelatedPages(partners, sums[partners], similarities, skipped)


def _onward_link_counts(paths: TwoStepPaths, witnesses: Ids) -> Offsets:
    starts = np.asarray(paths.second_step.starts)
    counts: Offsets = starts[witnesses + 1] - starts[witnesses]
    return counts


def common_witnesses(paths: TwoStepPaths, partner_rows: CSR, page: int, other: int) -> Ids:
    """The witnesses that two pages share, those with fewest links first.

    `partner_rows` are the links from a partner back to its witnesses: the first
    step itself where the pattern is symmetric.
    """
    both = np.intersect1d(paths.first_step.row(page), partner_rows.row(other), assume_unique=True)
    both = both[paths.witness_weights[both] > 0]
    return both[np.argsort(_onward_link_counts(paths, both), kind="stable")]


def top_k(scores: Floats, k: int) -> Offsets:
    """The positions of the k largest positive scores; ties, to twelve digits, keep their order."""
    positive = np.flatnonzero(scores > 0)
    if len(positive) > 4 * k:
        # Sort only what is not below the k-th largest, with some tolerance for ties.
        threshold = np.partition(scores[positive], len(positive) - k)[len(positive) - k]
        positive = positive[scores[positive] >= threshold * (1 - 1e-9)]
    largest = scores[positive].max(initial=0.0) or 1.0
    order = np.argsort(-(scores[positive] / largest).round(12), kind="stable")
    return positive[order[:k]]
