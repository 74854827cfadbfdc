"""Results that are facts, the tables behind them, and notes."""

from collections.abc import Callable, ItemsView, Iterator, KeysView, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from weft.core.errors import UnknownName
from weft.core.html import titled_table
from weft.core.json import JsonObject, to_json_value
from weft.core.tables import Tabular

MAX_REPR_FACTS = 4
MAX_DOCUMENT_ROWS = 10_000


@dataclass(frozen=True, slots=True, eq=False)
class FactSheet(Tabular):
    """Facts, the tables behind them, and notes.

    It reads like a mapping from the name of a fact to its value, the most
    important fact first. The first of `tables` is the main one; the others
    hold what a plot is drawn from. `notes` are sentences: what was sampled,
    dropped or not found, and what follows from it.

    Examples
    --------
    >>> sheet = FactSheet("size", {"pages": 12_000, "links": 90_500}, {})
    >>> sheet
    <size: pages 12,000, links 90,500>
    >>> sheet["links"], "core" in sheet, list(sheet), len(sheet)
    (90500, False, ['pages', 'links'], 2)
    >>> dict(sheet)
    {'pages': 12000, 'links': 90500}
    """

    method: str
    facts: Mapping[str, Any]
    tables: Mapping[str, pa.Table]
    notes: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def to_table(self, name: str = "") -> pa.Table:
        """The table of this name, by default the main one."""
        chosen = name or next(iter(self.tables))
        if chosen not in self.tables:
            raise UnknownName("table", chosen, self.tables)
        return self.tables[chosen]

    def to_document(
        self, table: str = "", *, offset: int = 0, top: int = MAX_DOCUMENT_ROWS
    ) -> JsonObject:
        """The one JSON of it, with some rows of a table, or of all tables."""
        tables = {table: self.to_table(table)} if table else self.tables
        document: JsonObject = to_json_value(
            {
                "method": self.method,
                "level": self.provenance.get("level", "page"),
                "query": self.provenance.get("query", ""),
                "options": self.options,
                "facts": self.facts,
                "tables": {name: _slice(rows, offset, top) for name, rows in tables.items()},
                "notes": self.notes,
                "left_out": self.provenance.get("left_out", []),
                "provenance": self.provenance,
            }
        )
        return document

    def __getitem__(self, fact: str) -> Any:
        if fact not in self.facts:
            raise UnknownName("fact", fact, self.facts)
        return self.facts[fact]

    def get(self, fact: str, default: Any = None) -> Any:
        """The value of a fact, or the default where there is none of this name."""
        return self.facts.get(fact, default)

    def keys(self) -> KeysView[str]:
        """The names of the facts."""
        return self.facts.keys()

    def items(self) -> ItemsView[str, Any]:
        """The facts as pairs of name and value."""
        return self.facts.items()

    def __iter__(self) -> Iterator[str]:
        return iter(self.facts)

    def __contains__(self, fact: object) -> bool:
        return fact in self.facts

    def __len__(self) -> int:
        return len(self.facts)

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        first = list(self.facts.items())[:MAX_REPR_FACTS]
        facts = ", ".join(f"{name} {format_fact(value)}" for name, value in first)
        return f"<{self.method}: {facts}>"

    def _repr_html_(self) -> str:
        facts = [(name, format_fact(value)) for name, value in self.facts.items()]
        notes = [("note", note) for note in self.notes]
        return titled_table(self.method, ["fact", ""], [*facts, *notes])


def _slice(table: pa.Table, offset: int, top: int) -> JsonObject:
    columns = [column.to_pylist() for column in table.slice(offset, top).columns]
    return {
        "columns": table.column_names,
        "total": len(table),
        "offset": offset,
        "rows": list(zip(*columns, strict=True)),
    }


class LazyTables(Mapping[str, pa.Table]):
    """Tables by name; one that is given as a function is computed on first access."""

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


def format_fact(value: Any) -> str:
    """Format the value of a fact for people.

    Examples
    --------
    >>> format_fact(12_000), format_fact(2 / 3), format_fact(None), format_fact(True)
    ('12,000', '0.6667', 'not known', 'yes')
    """
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "not known"}[value]
    if isinstance(value, float):
        return f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
