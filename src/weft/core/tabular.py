"""Results that turn into the tables people work with."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from weft.core.markup import card

CARD = 10


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
