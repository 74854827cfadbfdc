"""What every method of this folder returns."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from weft.core.errors import UnknownName
from weft.core.markup import card
from weft.core.tabular import Tabular


class Tables(Mapping[str, pa.Table]):
    """Tables by their names; one that is given as a function is made when it is first looked at."""

    def __init__(self, **tables: pa.Table | Callable[[], pa.Table]) -> None:
        self.tables = tables

    def __getitem__(self, name: str) -> pa.Table:
        if callable(self.tables[name]):
            self.tables[name] = self.tables[name]()
        return self.tables[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.tables)

    def __len__(self) -> int:
        return len(self.tables)


@dataclass(frozen=True, slots=True, eq=False)
class Shape(Tabular):
    """A graph described: facts, the tables behind them, and what must be said beside them.

    `facts` are single values, the most telling first. The first of `tables` is
    the main one; the others hold what a plot is drawn from. `notes` are
    sentences: what was sampled, capped or not found, and what follows from it.
    """

    method: str
    facts: Mapping[str, Any]
    tables: Mapping[str, pa.Table]
    notes: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def to_table(self, name: str = "") -> pa.Table:
        """The main table, or another by its name."""
        chosen = name or next(iter(self.tables))
        if chosen not in self.tables:
            raise UnknownName("table", chosen, self.tables)
        return self.tables[chosen]

    def __getitem__(self, fact: str) -> Any:
        if fact not in self.facts:
            raise UnknownName("fact", fact, self.facts)
        return self.facts[fact]

    def __repr__(self) -> str:
        first = ", ".join(f"{name} {said(value)}" for name, value in list(self.facts.items())[:4])
        return f"<{self.method}: {first}>"

    def _repr_html_(self) -> str:
        rows = [(name, said(value)) for name, value in self.facts.items()]
        return card(self.method, ["fact", ""], [*rows, *(("note", told) for told in self.notes)])


def said(value: Any) -> str:
    """A fact in words."""
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "not known"}[value]
    if isinstance(value, float):
        return f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
