"""Results that turn into the tables people work with."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pyarrow as pa


class Tabular:
    """What has a table, as data frames too; these take what `to_table` takes."""

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
