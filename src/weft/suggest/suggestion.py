"""What methods that find missing links return."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from weft.core.markup import card
from weft.core.tabular import Tabular
from weft.core.wording import address, count
from weft.suggest.likeness import Witness

ROWS = pa.schema(
    {
        "way": pa.string(),
        "page": pa.string(),
        "title": pa.string(),
        "kind": pa.string(),
        "score": pa.float64(),
        "anchor": pa.string(),
        "reason": pa.string(),
    }
)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A link that is missing: to a page, or from one.

    `scores` are those of every method that was asked. Of the witnesses those
    of the pattern `between` lie on a way of two clicks, and `peer`s link as
    the one page does and link to the other; `between` and `peers` count all
    of them. `words` are some that both pages say. `anchor` is what the link
    might say, and `anchor_from` whence that is known: from the `links` of
    others, or the `title`.
    """

    page: str
    title: str
    kind: str
    way: str
    score: float
    scores: dict[str, float]
    between: int
    peers: int
    reason: str
    witnesses: tuple[Witness, ...]
    words: tuple[str, ...]
    anchor: str
    anchor_from: str


@dataclass(frozen=True, slots=True, eq=False)
class Suggestions(Tabular):
    """Links that a page should have, `to` others and `from` others, each best first."""

    method: str
    page: str
    to: tuple[Suggestion, ...] = ()
    from_: tuple[Suggestion, ...] = ()
    notes: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def to_table(self) -> pa.Table:
        """One row per link, those to other pages first: way, page, score, anchor and reason."""
        found = (*self.to, *self.from_)
        rows = [{name: getattr(one, name) for name in ROWS.names} | one.scores for one in found]
        methods = found[0].scores if found else ()
        schema = pa.schema([*ROWS, *((name, pa.float64()) for name in methods)])
        return pa.Table.from_pylist(rows, schema=schema)

    def __len__(self) -> int:
        return len(self.to) + len(self.from_)

    def __repr__(self) -> str:
        if not self.page:
            return f"<{self.method}: of no page>"
        ways = f"{len(self.to)} to other pages, {len(self.from_)} from others"
        missing = count(len(self), "missing link")
        return f"<{missing} of {address(self.page)} by {self.method}: {ways}>"

    def _repr_html_(self) -> str:
        rows = [(one.way, one.page, one.anchor, one.reason) for one in (*self.to, *self.from_)]
        return card(repr(self).strip("<>"), ["way", "page", "anchor", "reason"], rows)
