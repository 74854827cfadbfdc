"""Scores as sums over links: what each link contributes to the score of a page."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np
import pyarrow as pa

from weft.core.arrays import CSR, Floats
from weft.core.text import pluralise


@dataclass(frozen=True, slots=True, eq=False)
class ScoreBreakdown:
    """The score of one page, split by neighbour and other sources; the amounts add up to it."""

    page: str
    score: float
    neighbours: Sequence[str]
    amounts: Floats
    other_sources: Mapping[str, float]

    def to_table(self) -> pa.Table:
        """One row per neighbour or other source, largest amount first."""
        return self.group_by(lambda name: [name]).drop_columns(["pages"])

    def group_by(self, groups_of: Callable[[str], Sequence[str]]) -> pa.Table:
        """One row per group of neighbours or other source, largest amount first.

        `groups_of` gives one or more groups for each neighbour, whose amount is
        split equally among them. The column `pages` counts the neighbours in a
        group; other sources are in parentheses.
        """
        amounts: defaultdict[str, float] = defaultdict(float)
        pages: Counter[str] = Counter()
        for name, amount in zip(self.neighbours, self.amounts.tolist(), strict=True):
            groups = groups_of(name)
            pages.update(set(groups))
            for group in groups:
                amounts[group] += amount / len(groups)
        rows = [(group, pages[group], amount) for group, amount in amounts.items()]
        rows += [(f"({source})", 0, amount) for source, amount in self.other_sources.items()]
        rows.sort(key=lambda row: (-row[2], row[0]))
        share = [amount / self.score if self.score else 0.0 for *_, amount in rows]
        return pa.table(
            {
                "from": pa.array([group for group, *_ in rows], pa.string()),
                "pages": pa.array([count for _, count, _ in rows], pa.int64()),
                "amount": pa.array([amount for *_, amount in rows], pa.float64()),
                "share": pa.array(share, pa.float64()),
            }
        )

    def __repr__(self) -> str:
        links = pluralise(len(self.neighbours), "link")
        return f"<ScoreBreakdown of {self.page}: {self.score:.4g} from {links}>"


class LazyContributions(Mapping[str, "Contributions"]):
    """The contributions to several scores, computed when one of them is first read."""

    def __init__(
        self, compute: Callable[[], Mapping[str, "Contributions"]], score_names: Iterable[str]
    ) -> None:
        self.compute, self.score_names = cache(compute), tuple(score_names)

    def __getitem__(self, name: str) -> "Contributions":
        return self.compute()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.score_names)

    def __len__(self) -> int:
        return len(self.score_names)


@dataclass(frozen=True, slots=True, eq=False)
class Contributions:
    """A score as a sum over links: `values[i] * weight(i, j) * scale[j]`, plus other sources.

    `links` are the links that count, in rows by the page j that is scored:
    `inlinks` for an authority, `outlinks` for a hub. `values` has an entry per
    page i at the other end, or with `per_link` one per link in the order of
    `links.ids`. Link weights count only if `weighted`.
    """

    links: CSR
    values: Floats
    scale: Floats | None = None
    weighted: bool = False
    per_link: bool = False
    other_sources: Mapping[str, Floats] = field(default_factory=dict)

    def for_page(self, page_id: int, pages: Sequence[str], score: float) -> ScoreBreakdown:
        """Split the score of one page."""
        row = slice(int(self.links.starts[page_id]), int(self.links.starts[page_id + 1]))
        ids = np.array(self.links.ids[row])
        amounts = self.values[row] if self.per_link else self.values[ids]
        if self.weighted and self.links.weights is not None:
            amounts = amounts * self.links.weights[row]
        if self.scale is not None:
            amounts = amounts * self.scale[page_id]
        others = {source: float(values[page_id]) for source, values in self.other_sources.items()}
        names = [pages[int(i)] for i in ids]
        return ScoreBreakdown(pages[page_id], score, names, np.asarray(amounts, float), others)

    def multiply(self, factor: float) -> "Contributions":
        """The contributions to the score times `factor`."""
        others = {source: amount * factor for source, amount in self.other_sources.items()}
        return replace(self, values=self.values * factor, other_sources=others)
