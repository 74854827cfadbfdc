"""What methods that find pages like another return."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from weft.core.markup import card
from weft.core.tabular import Tabular
from weft.core.wording import address, count

SHOWN = 3


@dataclass(frozen=True, slots=True)
class Witness:
    """A page, or a site, that ties two others, and what the links say that do so.

    `anchor` is what the link between it and the page asked about says, `other`
    what the one between it and the page found says; empty where that is not known.
    """

    pattern: str
    page: str
    anchor: str = ""
    other: str = ""


@dataclass(frozen=True, slots=True)
class Likeness:
    """A page that is like another: how much by each pattern, and who says so.

    `shared` counts all witnesses of a pattern; of them the most telling are
    there, those with fewest links. `words` are some that both pages say.
    """

    page: str
    title: str
    kind: str
    score: float
    parts: Mapping[str, float]
    shared: Mapping[str, int]
    witnesses: tuple[Witness, ...] = ()
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Similar(Tabular):
    """The pages most like a page, best first; a score is the sum of its parts."""

    method: str
    page: str
    found: tuple[Likeness, ...]
    parts: tuple[str, ...]
    notes: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def to_table(self) -> pa.Table:
        """One row per page: its score, the parts of that, how many are shared, and some of them."""
        rows = [
            {
                "page": one.page,
                "title": one.title,
                "score": one.score,
                **{part: one.parts.get(part, 0.0) for part in self.parts},
                "shared": sum(one.shared.values()),
                "through": ", ".join(
                    [*(tie.page for tie in one.witnesses[:SHOWN]), *one.words[:SHOWN]]
                ),
            }
            for one in self.found
        ]
        return pa.Table.from_pylist(rows, schema=self._schema())

    def _schema(self) -> pa.Schema:
        numbers = [(part, pa.float64()) for part in ("score", *self.parts)]
        words = [(name, pa.string()) for name in ("page", "title")]
        return pa.schema([*words, *numbers, ("shared", pa.int64()), ("through", pa.string())])

    def __len__(self) -> int:
        return len(self.found)

    def __iter__(self) -> Iterator[Likeness]:
        return iter(self.found)

    def __repr__(self) -> str:
        if not self.page:
            return f"<{self.method}: of no page>"
        led = f", first {address(self.found[0].page)}" if self.found else ""
        return f"<{count(len(self), 'page')} like {address(self.page)} by {self.method}{led}>"

    def _repr_html_(self) -> str:
        rows = [(one.page, one.score, sum(one.shared.values())) for one in self.found]
        return card(repr(self).strip("<>"), ["page", "score", "shared"], rows)
