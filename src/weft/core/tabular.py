"""Results that turn into the tables people work with."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from weft.core.markup import card
from weft.core.wording import CONTROL

CARD = 10
# what a spreadsheet may run: signs, as narrow or full-width characters, after any white space
FORMULA = (
    r"^(?:[\t\r\n]|[\s\x{a0}\x{2000}-\x{200a}\x{3000}]*[=+\-@\x{ff1d}\x{ff0b}\x{ff0d}\x{ff20}])"
)


class Tabular:
    """What has a table, as data frames too, which take what `to_table` takes, and as a card."""

    __slots__ = ()
    if TYPE_CHECKING:
        to_table: Callable[..., pa.Table]

    def to_pandas(self, *words: Any, **options: Any) -> Any:
        """The table as a pandas data frame."""
        return self.to_table(*words, **options).to_pandas()

    def to_polars(self, *words: Any, **options: Any) -> Any:
        """The table as a polars data frame."""
        from polars import from_arrow  # noqa: PLC0415

        return from_arrow(self.to_table(*words, **options))

    def _repr_html_(self) -> str:
        return first_rows(self, self.to_table())


def first_rows(found: object, table: pa.Table) -> str:
    """What a notebook shows of a result with a table: its line, and the first rows."""
    rows = zip(*table.slice(0, CARD).to_pydict().values(), strict=True)
    return card(repr(found).strip("<>"), table.column_names, rows)


def flat(table: pa.Table) -> pa.Table:
    """The same for files that have only text, such as CSV: safe cells, lists with spaces between.

    Characters that command a terminal are left out of headings and cells, and
    what a spreadsheet would run as a formula gets a quote before it.

    Examples
    --------
    >>> flat(pa.table({"title": ["=1+1", "1 = 1"], "path": [["a", "b"], []]})).to_pylist()
    [{'title': "'=1+1", 'path': 'a b'}, {'title': '1 = 1', 'path': ''}]
    """
    columns = [_safe(_text(column)) for column in table.columns]
    names = _safe(pa.chunked_array([table.column_names], pa.string())).to_pylist()
    return pa.table(columns, names)


def _text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    kind = column.type
    if pa.types.is_list(kind):
        return pc.binary_join(column.cast(pa.list_(pa.string())), " ")
    if pa.types.is_float32(kind):
        return column.cast(pa.float64())  # so that as many digits as it has are written
    return column.cast(kind.value_type) if pa.types.is_dictionary(kind) else column


def _safe(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return column
    if pc.any(pc.match_substring_regex(column, CONTROL.pattern)).as_py():
        column = pc.replace_substring_regex(column, CONTROL.pattern, "")
    quote, end = (pa.scalar(sign, column.type) for sign in ("'", ""))
    quoted = pc.binary_join_element_wise(quote, column, end)
    return pc.if_else(pc.match_substring_regex(column, FORMULA), quoted, column)
