"""Results as data frames, notebook previews and CSV."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from weft.core.html import titled_table
from weft.core.text import CONTROL_CHARS

MAX_PREVIEW_ROWS = 10
# what a spreadsheet may run as a formula: = + - @, ASCII or full-width, after any white space
FORMULA_START = (
    r"^(?:[\t\r\n]|[\s\x{a0}\x{2000}-\x{200a}\x{3000}]*[=+\-@\x{ff1d}\x{ff0b}\x{ff0d}\x{ff20}])"
)


class Tabular:
    """A result with `to_table`: adds data frames, with the same arguments, and a preview."""

    __slots__ = ()
    if TYPE_CHECKING:
        to_table: Callable[..., pa.Table]

    def to_pandas(self, *args: Any, **options: Any) -> Any:
        """The table as a pandas data frame."""
        return self.to_table(*args, **options).to_pandas()

    def to_polars(self, *args: Any, **options: Any) -> Any:
        """The table as a polars data frame."""
        from polars import from_arrow  # noqa: PLC0415

        return from_arrow(self.to_table(*args, **options))

    def _repr_html_(self) -> str:
        return preview_html(self, self.to_table())


def preview_html(result: object, table: pa.Table) -> str:
    """The notebook preview of a result: its repr as heading, and the first rows of its table."""
    rows = zip(*table.slice(0, MAX_PREVIEW_ROWS).to_pydict().values(), strict=True)
    provenance = getattr(result, "provenance", None) or {}
    source = provenance.get("collection", "")
    return titled_table(repr(result).strip("<>"), table.column_names, rows, source)


def flatten_for_csv(table: pa.Table) -> pa.Table:
    """Make a table safe for CSV: plain columns, lists joined by spaces, no formulas.

    Control characters are removed from headings and cells, and a cell that a
    spreadsheet would run as a formula gets a leading quote.

    Examples
    --------
    >>> flatten_for_csv(
    ...     pa.table({"title": ["=1+1", "1 = 1"], "path": [["a", "b"], []]})
    ... ).to_pylist()
    [{'title': "'=1+1", 'path': 'a b'}, {'title': '1 = 1', 'path': ''}]
    """
    columns = [_escape_formulas(_column_to_text(column)) for column in table.columns]
    names = _escape_formulas(pa.chunked_array([table.column_names], pa.string())).to_pylist()
    return pa.table(columns, names)


def _column_to_text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    data_type = column.type
    if pa.types.is_list(data_type):
        return pc.binary_join(column.cast(pa.list_(pa.string())), " ")
    if pa.types.is_float32(data_type):
        return column.cast(pa.float64())  # so that all its digits are written
    return column.cast(data_type.value_type) if pa.types.is_dictionary(data_type) else column


def _escape_formulas(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return column
    if pc.any(pc.match_substring_regex(column, CONTROL_CHARS.pattern)).as_py():
        column = pc.replace_substring_regex(column, CONTROL_CHARS.pattern, "")
    quote, empty = (pa.scalar(sign, column.type) for sign in ("'", ""))
    quoted = pc.binary_join_element_wise(quote, column, empty)
    return pc.if_else(pc.match_substring_regex(column, FORMULA_START), quoted, column)
