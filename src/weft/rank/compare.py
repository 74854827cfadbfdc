"""Compare rankings of the same pages: pairwise agreement, and where they disagree."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Annotated, Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from weft.core.arrays import Floats, Ids, argsort_descending, round_significant, top_k_indices
from weft.core.errors import BadParameter
from weft.core.json import JsonObject, to_json_value
from weft.core.params import Top
from weft.core.register import validate_call
from weft.core.tables import Tabular
from weft.core.text import pluralise
from weft.graph.selection import Level
from weft.graph.webgraph import ArrowNames, to_name_array
from weft.rank.judgements import Evaluations, Judgements, evaluate
from weft.rank.rank_correlation import (
    PairCounts,
    RankBiasedOverlap,
    TopKOverlap,
    count_concordant_rank_pairs,
    geometric_distance,
    rank_biased_overlap,
    top_k_overlap,
)
from weft.rank.ranking import Ranking


@dataclass(frozen=True, slots=True)
class RankingAgreement:
    """Measures of agreement between two rankings."""

    first: str
    second: str
    pair_counts: PairCounts
    overlap: TopKOverlap
    rbo: RankBiasedOverlap
    geometric_distance: float

    @property
    def row(self) -> dict[str, Any]:
        """The measures by column name."""
        return {
            "first": self.first,
            "second": self.second,
            "tau_b": self.pair_counts.tau_b,
            "weak_distance": self.pair_counts.kendall_distance(0),
            "strict_distance": self.pair_counts.kendall_distance(1),
            "top": self.overlap.k,
            "overlap": self.overlap.share,
            "jaccard": self.overlap.jaccard,
            "cut_tie": self.overlap.cut_tie,
            "rbo": self.rbo.extrapolated,
            "rbo_min": self.rbo.lower_bound,
            "geometric": self.geometric_distance,
        }


@dataclass(frozen=True, slots=True, eq=False)
class Comparison(Tabular):
    """Rankings side by side, on the pages that all of them have.

    `ranks` are the places of each page by ranking, from 1. Pages with equal
    scores share the best of their places, and `tie_sizes` counts how many
    share it. `left_out` counts the pages of each ranking that are not in all
    others, `unconverged` names the rankings that did not converge, and
    `evaluations` compare each with relevance judgements, if given.
    """

    pages: Sequence[str]
    ranks: Mapping[str, Ids]
    tie_sizes: Mapping[str, Ids]
    agreements: tuple[RankingAgreement, ...]
    left_out: Mapping[str, int]
    unconverged: tuple[str, ...] = ()
    level: Level = "page"
    evaluations: Evaluations | None = None
    query: str = ""

    def to_table(self) -> pa.Table:
        """One row per pair of rankings, with every measure."""
        return pa.Table.from_pylist(
            [agreement.row for agreement in self.agreements], schema=AGREEMENT_SCHEMA
        )

    def tau_matrix(self) -> pa.Table:
        """Kendall's tau-b of each ranking with each other."""
        cells = {name: dict.fromkeys(self.ranks, 1.0) for name in self.ranks}
        for agreement in self.agreements:
            first, second = agreement.first, agreement.second
            cells[first][second] = cells[second][first] = agreement.pair_counts.tau_b
        rows = [{"method": name, **row} for name, row in cells.items()]
        return pa.Table.from_pylist(rows)

    def to_document(self, top: int = 10) -> JsonObject:
        """The one JSON of it: all measures, and the `top` pages with the largest differences.

        `matrix` holds Kendall's tau-b in the order of `methods`.
        """
        methods = list(self.ranks)
        disagreements = self.disagreements(top)
        rows = disagreements.to_pylist()
        page_ids = pc.index_in(disagreements["page"], to_name_array(self.pages))
        document = {
            "methods": methods,
            "level": self.level,
            "query": self.query,
            "pages": len(self.pages),
            "left_out": self.left_out,
            "not_converged": self.unconverged,
            "matrix": [[row[name] for name in methods] for row in self.tau_matrix().to_pylist()],
            "pairs": [agreement.row for agreement in self.agreements],
            "disagreements": [
                {
                    "url": row["page"],
                    "log2_ratio": row["log2_ratio"],
                    "places": {name: row[name] for name in methods},
                    "tied_pages": {name: self.tie_sizes[name][page_id] for name in methods},
                }
                for row, page_id in zip(rows, page_ids.to_pylist(), strict=True)
            ],
        }
        if self.evaluations is not None:
            document["judgements"] = self.evaluations.to_table().to_pylist()
        return cast("JsonObject", to_json_value(document))

    @validate_call
    def disagreements(self, k: Top = 10) -> pa.Table:
        """The pages on which the rankings disagree most, with their places.

        `log2_ratio` is the logarithm to base 2 of a page's worst place over its
        best: from 1 to 8 counts as much as from 100 to 800. Ties count by the
        middle of the places they share.
        """
        middle = [ranks + (self.tie_sizes[name] - 1) / 2 for name, ranks in self.ranks.items()]
        places = np.column_stack(middle)
        ratio = np.log2(places.max(axis=1) / places.min(axis=1)) if len(places) else np.zeros(0)
        order = top_k_indices(ratio, k)
        return pa.table(
            {
                "page": to_name_array(self.pages).take(pa.array(order)),
                "log2_ratio": pa.array(ratio[order]),
                **{name: pa.array(ranks[order]) for name, ranks in self.ranks.items()},
            }
        )

    def __repr__(self) -> str:
        size = pluralise(len(self.pages), self.level)
        defined = [pair for pair in self.agreements if not np.isnan(pair.pair_counts.tau_b)]
        if not defined:
            return f"<Comparison of {', '.join(self.ranks)} on {size}>"
        lowest = min(defined, key=lambda pair: pair.pair_counts.tau_b)
        return (
            f"<Comparison of {len(self.ranks)} rankings on {size}; lowest agreement "
            f"{lowest.first} and {lowest.second}, tau-b {lowest.pair_counts.tau_b:.2f}>"
        )


AGREEMENT_SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in ("first", "second")),
        *((name, pa.float64()) for name in ("tau_b", "weak_distance", "strict_distance")),
        ("top", pa.int64()),
        *((name, pa.float64()) for name in ("overlap", "jaccard")),
        ("cut_tie", pa.bool_()),
        *((name, pa.float64()) for name in ("rbo", "rbo_min", "geometric")),
    ]
)


Persistence = Annotated[
    float, Field(gt=0, lt=1, description="persistence p of rank-biased overlap")
]


@validate_call
def compare(
    rankings: Iterable[Ranking],
    *,
    by: str = "",
    top: Top = 10,
    p: Persistence = 0.9,
    judgements: Judgements | None = None,
) -> Comparison:
    """Measure the agreement of rankings pair by pair, and find where they differ.

    Only pages in all rankings are compared, by scores rounded to 12 digits.
    `by` names a score, for the rankings that have it; the others are compared
    by their first. The geometric distance is that of scores scaled to sum one.
    The second ranking by the same method is called "hits 2". With `judgements`
    each ranking is also evaluated, on all of its rated pages.

    Examples
    --------
    >>> from weft.rank import indegree, pagerank
    >>> links = [("a", "x"), ("b", "x"), ("b", "y")]
    >>> compare([indegree(links), pagerank(links)]).tau_matrix().to_pylist()[0]
    {'method': 'indegree', 'indegree': 1.0, 'pagerank': 1.0}
    """
    named = _name_rankings(rankings)
    if not named:
        raise BadParameter("no rankings to compare", hint="give at least two")
    pages, scores, left_out = _align_scores(named, by)
    orders = {name: argsort_descending(values) for name, values in scores.items()}
    dense_ranks = {name: _dense_ranks(values, orders[name]) for name, values in scores.items()}
    normalized = {name: _normalize_to_sum_one(values) for name, values in scores.items()}
    agreements = []
    for first, second in combinations(named, 2):
        overlap = top_k_overlap(orders[first], orders[second], top)
        cut_tie = any(
            _is_tie_at_cutoff(scores[name], orders[name], top) for name in (first, second)
        )
        agreements.append(
            RankingAgreement(
                first,
                second,
                count_concordant_rank_pairs(dense_ranks[first], dense_ranks[second]),
                replace(overlap, cut_tie=cut_tie),
                rank_biased_overlap(orders[first], orders[second], p),
                geometric_distance(normalized[first], normalized[second]),
            )
        )
    ranks, tie_sizes = {}, {}
    for name, values in dense_ranks.items():
        ranks[name], tie_sizes[name] = _competition_ranks(values)
    return Comparison(
        pages,
        ranks,
        tie_sizes,
        tuple(agreements),
        left_out,
        tuple(name for name, ranking in named.items() if not ranking.trace.converged),
        next(iter(named.values())).level,
        _evaluate_rankings(named, judgements, by, top) if judgements else None,
        next(iter(named.values())).provenance.get("query", ""),
    )


def _evaluate_rankings(
    rankings: Mapping[str, Ranking], judgements: Judgements, by: str, top: int
) -> Evaluations:
    evaluations = (
        replace(evaluate(ranking, judgements, by=by, k=top), method=name)
        for name, ranking in rankings.items()
    )
    return Evaluations(judgements, tuple(evaluations))


def _dense_ranks(scores: Floats, order: Ids) -> Ids:
    """How many distinct scores are above that of each page ("1223" ranking, from 0)."""
    descending = scores[order]
    ranks = np.zeros(len(order), np.int32)
    ranks[order[1:]] = np.cumsum(descending[1:] != descending[:-1])
    return ranks


def _competition_ranks(dense_ranks: Ids) -> tuple[Ids, Ids]:
    """Places from 1 where ties share the best ("1224" ranking), and the size of each tie."""
    sizes = np.bincount(dense_ranks).astype(np.int32)
    first = np.cumsum(sizes, dtype=np.int32) - sizes + 1
    return first[dense_ranks], sizes[dense_ranks]


def _name_rankings(rankings: Iterable[Ranking]) -> dict[str, Ranking]:
    """Rankings by method; the second by the same method gets a number."""
    counts: Counter[str] = Counter()
    named = {}
    for ranking in rankings:
        counts[ranking.method] += 1
        number = f" {counts[ranking.method]}" if counts[ranking.method] > 1 else ""
        named[f"{ranking.method}{number}"] = ranking
    return named


def _align_scores(
    rankings: Mapping[str, Ranking], by: str
) -> tuple[Sequence[str], dict[str, Floats], dict[str, int]]:
    """The pages common to all rankings, the rounded scores of these, and how many are left out."""
    first, *others = rankings.values()
    scores = {
        name: round_significant(ranking.score(by if by in ranking.scores else ""))
        for name, ranking in rankings.items()
    }
    if all(other.pages is first.pages for other in others):
        return first.pages, scores, dict.fromkeys(rankings, 0)
    common = to_name_array(first.pages).cast(pa.large_string())
    for other in others:
        present = pc.is_in(common, to_name_array(other.pages).cast(pa.large_string()))
        common = common.filter(present)
    for name, ranking in rankings.items():
        page_ids = pc.index_in(common, to_name_array(ranking.pages).cast(pa.large_string()))
        scores[name] = scores[name][page_ids.to_numpy(zero_copy_only=False)]
    left_out = {name: len(ranking) - len(common) for name, ranking in rankings.items()}
    return ArrowNames(common), scores, left_out


def _is_tie_at_cutoff(scores: Floats, order: Ids, k: int) -> bool:
    return k < len(order) and bool(scores[order[k - 1]] == scores[order[k]])


def _normalize_to_sum_one(scores: Floats) -> Floats:
    total = scores.sum()
    return scores / total if np.isfinite(total) and total else scores
