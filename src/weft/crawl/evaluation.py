"""How well a crawl did: harvest rate, target recall, cosine, overlap; curves over many crawls."""

from collections.abc import Collection as Container
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa

from weft.core.arrays import Floats
from weft.core.errors import BadParameter
from weft.core.tables import Tabular
from weft.crawl.terms import count_terms
from weft.gather.url import host
from weft.rank.rank_correlation import count_concordant_pairs

CHECKPOINTS = (250, 500, 1000, 2000)


def harvest_curve(relevance: Sequence[float] | Floats, window: int = 0) -> Floats:
    """The mean relevance of the first n pages, for each n; or of the last `window` of them.

    Examples
    --------
    >>> harvest_curve([1, 1, 0, 1]).round(2).tolist()
    [1.0, 1.0, 0.67, 0.75]
    >>> harvest_curve([1, 1, 0, 1], window=2).tolist()
    [1.0, 1.0, 0.5, 0.5]
    """
    sums = np.append(0.0, np.cumsum(relevance))
    ends = np.arange(1, len(sums))
    starts = np.maximum(ends - window, 0) if window else np.zeros_like(ends)
    rates: Floats = (sums[ends] - sums[starts]) / (ends - starts)
    return rates


def recall_curve(urls: Sequence[str], targets: Container[str]) -> Floats:
    """The share of hidden targets among the first n pages, for each n."""
    found = np.cumsum([url in targets for url in urls])
    shares: Floats = found / max(len(targets), 1)
    return shares


def average_cosine(topic: Sequence[int], crawls: Sequence[Sequence[Sequence[int]]]) -> Floats:
    """The mean cosine between the topic and the pages of each crawl.

    Texts are given as term numbers. IDF is over the pages of all crawls together,
    so that crawls are comparable.
    """
    pages = [np.asarray(terms, np.int32) for crawl in crawls for terms in crawl]
    size = 1 + max((int(t.max(initial=0)) for t in [*pages, np.asarray(topic)]), default=0)
    frequency = np.zeros(size)
    for terms in pages:
        frequency[np.unique(terms)] += 1
    idf = np.log((1 + len(pages)) / (1 + frequency)) + 1
    words, counts = count_terms(np.asarray(topic, np.int32))
    query = np.zeros(size)
    query[words] = counts * idf[words]
    query /= np.linalg.norm(query) or 1.0
    cosines = []
    for terms in pages:
        words, counts = count_terms(terms)
        weights = counts * idf[words]
        cosines.append(float(weights @ query[words] / (np.linalg.norm(weights) or 1.0)))
    bounds = np.append(0, np.cumsum([len(crawl) for crawl in crawls]))
    return np.array([np.mean(cosines[a:b]) if b > a else 0.0 for a, b in pairwise(bounds)])


def order_correlation(urls: Sequence[str], scores: Mapping[str, float]) -> float:
    """Kendall's tau-b between the order of a crawl and that of an independent retrieval.

    `scores` has the retrieval score of each page, such as BM25 for the topic's
    words; pages that were not retrieved are tied at zero. NaN if all are tied.

    Examples
    --------
    >>> order_correlation(["a", "b", "c"], {"a": 2.0, "b": 3.0, "c": 1.0})
    0.3333333333333333
    """
    retrieval = np.array([scores.get(url, 0.0) for url in urls])
    return count_concordant_pairs(-np.arange(float(len(urls))), retrieval).tau_b


@dataclass(frozen=True, slots=True)
class Overlap:
    """What two crawls of one topic have in common, as shares of the smaller one."""

    urls: float
    servers: float


def crawl_overlap(first: Sequence[str], second: Sequence[str]) -> Overlap:
    """The overlap of two crawls, which began from disjoint seeds, in URLs and in servers.

    Examples
    --------
    >>> crawl_overlap(["http://a.org/1", "http://a.org/2"], ["http://a.org/2", "http://b.org/"])
    Overlap(urls=0.5, servers=1.0)
    """
    servers = [{host(url) for url in urls} for urls in (first, second)]
    return Overlap(_shared(set(first), set(second)), _shared(*servers))


def _shared(first: set[str], second: set[str]) -> float:
    smaller = min(len(first), len(second))
    return len(first & second) / smaller if smaller else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class CrawlComparison(Tabular):
    """Curves of several strategies over the same cases: one row per case, a column per page.

    Curves that end early keep their last value. `baseline` is the strategy that the
    others are compared with, case by case.
    """

    measure: str
    curves: Mapping[str, Floats]
    baseline: str = ""

    @classmethod
    def from_curves(
        cls, measure: str, curves: Mapping[str, Sequence[Floats]], pages: int, baseline: str = ""
    ) -> "CrawlComparison":
        """Align curves to a number of pages."""
        sizes = {len(cases) for cases in curves.values()}
        if len(sizes) > 1:
            raise BadParameter("every strategy needs a curve for every case")
        return cls(
            measure,
            {name: np.stack([_extend(c, pages) for c in cases]) for name, cases in curves.items()},
            baseline,
        )

    def mean(self, strategy: str) -> Floats:
        """The mean curve of a strategy."""
        means: Floats = self.curves[strategy].mean(axis=0)
        return means

    def standard_error(self, strategy: str) -> Floats:
        """The standard error of the mean over the cases."""
        return _standard_error(self.curves[strategy])

    def to_table(self, checkpoints: Sequence[int] = CHECKPOINTS) -> pa.Table:
        """One row per strategy and checkpoint: mean, standard error, paired difference.

        `ahead` counts the cases in which the strategy is ahead of the baseline.
        """
        rows = []
        for name, curves in self.curves.items():
            for pages in (n for n in checkpoints if n <= curves.shape[1]):
                values = curves[:, pages - 1]
                row = {
                    "strategy": name,
                    "pages": pages,
                    self.measure: float(values.mean()),
                    "standard_error": float(_standard_error(values[:, None])[0]),
                }
                if self.baseline:
                    gain = values - self.curves[self.baseline][:, pages - 1]
                    row["difference"] = float(gain.mean())
                    row["difference_error"] = float(_standard_error(gain[:, None])[0])
                    row["ahead"] = int((gain > 0).sum())
                rows.append(row)
        return pa.Table.from_pylist(rows)

    def __repr__(self) -> str:
        cases = len(next(iter(self.curves.values()), ()))
        return f"<CrawlComparison of {len(self.curves):,} strategies on {cases:,} cases>"


def _extend(curve: Floats, pages: int) -> Floats:
    """A curve of a given length; one that ends early keeps its last value."""
    last = curve[-1] if len(curve) else 0.0
    return np.append(curve[:pages], np.full(max(pages - len(curve), 0), last))


def _standard_error(values: Floats) -> Floats:
    if len(values) < 2:
        return np.zeros(values.shape[1])
    errors: Floats = values.std(axis=0, ddof=1) / np.sqrt(len(values))
    return errors
