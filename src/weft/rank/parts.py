"""What each link brought to a score."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np
import pyarrow as pa

from weft.core.arrays import Floats, Rows


@dataclass(frozen=True, slots=True, eq=False)
class Why:
    """One page's score taken apart: by neighbour, and what came otherwise.

    The amounts and the rest add up to the score.
    """

    page: str
    score: float
    names: Sequence[str]
    amounts: Floats
    rest: Mapping[str, float]

    def to_table(self) -> pa.Table:
        """One row per neighbour or other reason, the largest amount first."""
        return self.grouped(lambda name: [name]).drop_columns(["pages"])

    def grouped(self, groups: Callable[[str], Sequence[str]]) -> pa.Table:
        """One row per group of neighbours or other reason, the largest amount first.

        `groups` names one group or more for each neighbour, who gives an equal
        part to each of them; `pages` is how many neighbours a group has.
        """
        amounts: defaultdict[str, float] = defaultdict(float)
        pages: Counter[str] = Counter()
        for name, amount in zip(self.names, self.amounts.tolist(), strict=True):
            named = groups(name)
            pages.update(set(named))
            for group in named:
                amounts[group] += amount / len(named)
        rows = [(group, pages[group], amount) for group, amount in amounts.items()]
        rows += [(f"({reason})", 0, amount) for reason, amount in self.rest.items()]
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
        return f"<Why {self.page} scores {self.score:.4g}: {len(self.names):,} links>"


class Later(Mapping[str, "Parts"]):
    """The parts of some scores, found when one is first asked for."""

    def __init__(self, find: Callable[[], Mapping[str, "Parts"]], names: Iterable[str]) -> None:
        self.find, self.known = cache(find), tuple(names)

    def __getitem__(self, name: str) -> "Parts":
        return self.find()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.known)

    def __len__(self) -> int:
        return len(self.known)


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """A score as a sum over links: `each[i] * weights[link i-j] * scale[j]`, plus the rest.

    `rows` are the links that count, by the page that is scored: `inlinks` for
    an authority, `outlinks` for a hub. `each` is what every page gives to
    those it is linked with, or with `by_link` what every link gives, in the
    order of `rows.ids`.
    """

    rows: Rows
    each: Floats
    scale: Floats | None = None
    weighted: bool = False
    by_link: bool = False
    rest: Mapping[str, Floats] = field(default_factory=dict)

    def of(self, number: int, pages: Sequence[str], score: float) -> Why:
        """The parts of one page's score."""
        inside = slice(int(self.rows.starts[number]), int(self.rows.starts[number + 1]))
        ids = np.array(self.rows.ids[inside])
        amounts = self.each[inside] if self.by_link else self.each[ids]
        if self.weighted and self.rows.weights is not None:
            amounts = amounts * self.rows.weights[inside]
        if self.scale is not None:
            amounts = amounts * self.scale[number]
        rest = {reason: float(values[number]) for reason, values in self.rest.items()}
        names = [pages[int(i)] for i in ids]
        return Why(pages[number], score, names, np.asarray(amounts, float), rest)
