"""The need of a visitor, inferred from the path that was taken (IUNIS)."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Annotated, Any

import numpy as np
import pyarrow as pa
from pydantic import Field

from weft.core.arrays import Floats, Ids
from weft.core.params import ViewedPath
from weft.core.register import Dimensions, method
from weft.core.text import pluralise
from weft.usage.scent import NO_PAGES, ScentData
from weft.usage.usage import Usage

Top = Annotated[int, Field(ge=1, le=10_000, description="how many terms")]
SubtractMean = Annotated[bool, Field(description="subtract the mean of all pages from the terms")]
CueWeights = defaultdict[str, float]
TERM_SCHEMA = pa.schema(
    {"term": pa.string(), "weight": pa.float64(), "pages of the path": pa.int32()}
)
CUE_SCHEMA = pa.schema(
    {
        "term": pa.string(),
        "difference": pa.float64(),
        "taken": pa.float64(),
        "not taken": pa.float64(),
    }
)


@method(
    "usage",
    "need",
    cites="chi2001",
    dimensions=Dimensions(
        model="vector space",
        metric="information scent",
        algorithm="spreading activation",
        scope="multiple pages",
        applications=("personalisation", "adaptive web sites"),
        data="links, content and usage",
    ),
)
def need(
    data: ScentData,
    *,
    path: ViewedPath = NO_PAGES,
    top: Top = 20,
    subtract_mean: SubtractMean = True,
) -> Usage:
    """Infer what a visitor looks for from a path (IUNIS).

    The term weights of the pages of the path are added up, the k-th page
    counting k times, less as many times the mean page, so that the words of the
    whole site do not win. The second table has the words of the links: the cues
    of those that were taken, less the mean of those on the same pages that were
    not taken.

    Examples
    --------
    >>> links = [("a", "b", "python tutorial"), ("a", "c", "cooking recipes")]
    >>> need(links, path=["a", "b"]).to_table("cues")["term"].to_pylist()
    ['python', 'tutorial']
    """
    pages = data.graph.page_numbers(path)
    notes = [] if path else ["no path was given"]
    totals, counts = _sum_term_weights(data, pages)
    if subtract_mean and len(pages):
        share = _position_weights(len(pages)).sum() / max(len(data.graph), 1)
        matrix = data.term_weights.matrix
        means = np.bincount(
            matrix.ids, np.asarray(data.term_weights.weights, float), len(data.term_weights.stems)
        )
        totals = totals - share * means
    order = np.argsort(-totals.round(12), kind="stable")[:top]
    order = order[(totals[order] > 0) & (counts[order] > 0)]
    stems: list[str] = data.term_weights.stems.take(pa.array(order)).to_pylist()
    taken, not_taken, unknown = compare_cues(data, pages)
    if unknown:
        notes.append(f"{pluralise(unknown, 'click')} of the path without a link")
    if path and not len(order):
        notes.append("the pages of the path have no known text")
    forms = _word_forms(data, pages)
    terms = {
        "term": [_show(stem, forms) for stem in stems],
        "weight": totals[order],
        "pages of the path": pa.array(counts[order], pa.int32()),
    }
    cues = _cue_rows(taken, not_taken, forms)
    facts: dict[str, Any] = {
        "need": ", ".join(terms["term"][:5]) or None,
        "by links": ", ".join(row["term"] for row in cues[:5]) or None,
        "pages": len(pages),
        "clicks on links": max(len(pages) - 1, 0) - unknown,
    }
    tables = {
        "terms": pa.table(terms, TERM_SCHEMA),
        "cues": pa.Table.from_pylist(cues[:top], schema=CUE_SCHEMA),
    }
    return Usage("need", facts, tables, tuple(notes))


def _position_weights(length: int) -> Floats:
    """The k-th page of a path counts k times."""
    return np.arange(1, length + 1, dtype=np.float64)


def _sum_term_weights(data: ScentData, pages: Ids) -> tuple[Floats, Ids]:
    """W · a: the weighted sum of the terms of the path, and how many of its pages have each."""
    terms = data.term_weights
    totals, counts = np.zeros(len(terms.stems)), np.zeros(len(terms.stems), np.int32)
    starts = np.asarray(terms.matrix.starts)
    for page, weight in zip(pages.tolist(), _position_weights(len(pages)), strict=True):
        inside = slice(int(starts[page]), int(starts[page + 1]))
        ids = np.asarray(terms.matrix.ids[inside])
        totals[ids] += weight * np.asarray(terms.weights[inside], np.float64)
        counts[ids] += 1
    return totals, counts


def compare_cues(data: ScentData, pages: Ids) -> tuple[CueWeights, CueWeights, int]:
    """Sum the cues of the links taken, and of the others on the same pages.

    Of those not taken, the mean over each page. Also the number of clicks
    without a link.
    """
    taken, not_taken, unknown = CueWeights(float), CueWeights(float), 0
    rows = data.graph.outlinks
    for page, following in pairwise(pages.tolist()):
        links = np.arange(int(rows.starts[page]), int(rows.starts[page + 1]))
        is_taken = np.asarray(rows.ids[links]) == following
        if not is_taken.any():
            unknown += 1
            continue
        for stem, weight in _weigh_cues(data, links[is_taken]).items():
            taken[stem] += weight
        for stem, weight in _weigh_cues(data, links[~is_taken]).items():
            not_taken[stem] += weight
    return taken, not_taken, unknown


def _weigh_cues(data: ScentData, links: Any) -> Mapping[str, float]:
    """The mean over some links of (1 + ln tf) · idf of each stem in their cues."""
    if not len(links):
        return {}
    counts, stems = data.cues.stems_of(links)
    weights = (1 + np.log(np.asarray(counts.weights))) * data.read_idf(stems)[counts.ids]
    means = np.bincount(counts.ids, weights, len(stems)) / len(links)
    return dict(zip(stems, means.tolist(), strict=True))


def _cue_rows(
    taken: Mapping[str, float], not_taken: Mapping[str, float], forms: Mapping[str, str]
) -> list[dict[str, Any]]:
    differences = {stem: weight - not_taken.get(stem, 0.0) for stem, weight in taken.items()}
    positive = [stem for stem, difference in differences.items() if difference > 0]
    return [
        {
            "term": _show(stem, forms),
            "difference": differences[stem],
            "taken": taken[stem],
            "not taken": not_taken.get(stem, 0.0),
        }
        for stem in sorted(positive, key=lambda stem: (-round(differences[stem], 12), stem))
    ]


def _word_forms(data: ScentData, pages: Sequence[int] | Ids) -> dict[str, str]:
    """The most common form of each stem on the pages of the path, the last page first."""
    forms = dict[str, str]()
    if data.read_word_forms is not None:
        for page in dict.fromkeys(reversed([int(page) for page in pages])):
            forms = {**data.read_word_forms(page), **forms}
    return forms


def _show(stem: str, forms: Mapping[str, str]) -> str:
    return forms.get(stem) or stem.rpartition("/")[2]
