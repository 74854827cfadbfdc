"""What ranking methods return on Spark: scores in blocks, the best of them, and tables."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from weft.core.arrays import Floats, largest_magnitude, top_k_scores
from weft.core.errors import UnknownName
from weft.core.json import JsonObject, to_json_value
from weft.core.tables import Tabular
from weft.core.text import pluralise
from weft.engine import Trace
from weft.graph.selection import Level
from weft.rank.ranking import Certainty
from weft.spark.array_folder import ArrayFolder, absolute_location, is_remote
from weft.spark.blocks import BlockFiles
from weft.spark.cluster import map_batches, spark_errors
from weft.spark.edge_table import EdgeTable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MAX_LOOKED_UP = 10_000


class BlockScores(Mapping[str, Floats]):
    """The scores of all pages by name, read from their blocks when first asked for."""

    def __init__(self, files: BlockFiles, folders: Mapping[str, ArrayFolder]) -> None:
        self.files, self.folders = files, folders

    def __getitem__(self, name: str) -> Floats:
        folder = self.folders[name]
        parts = [folder.load(f"{block:05d}") for block in range(self.files.count)]
        return np.concatenate([np.zeros(0), *parts])

    def __iter__(self) -> Iterator[str]:
        return iter(self.folders)

    def __len__(self) -> int:
        return len(self.folders)


@dataclass(frozen=True, slots=True, eq=False)
class SparkRanking(Tabular):
    """Pages of an edge table with one or more scores; the first score orders them.

    Scores are files in the staging folder until the connection ends: `top` gives the
    best pages, `write_parquet` and `to_dataframe` all of them, `scores` the numbers here.
    """

    method: str
    table: EdgeTable
    folders: Mapping[str, ArrayFolder]
    trace: Trace
    certainty: Certainty = field(default_factory=Certainty)
    options: Mapping[str, Any] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def level(self) -> Level:
        """What is ranked: pages, hosts or domains."""
        return self.table.level

    @property
    def scores(self) -> Mapping[str, Floats]:
        """The scores of all pages, by number."""
        return BlockScores(self.table.blocks.files, self.folders)

    @property
    def pages(self) -> pa.Array:
        """The names of all pages, by number."""
        return page_names(self.table)

    def top(self, k: int, by: str = "") -> pa.Table:
        """The `k` best pages by a score, each with all scores; ties keep page order."""
        name = by or next(iter(self.folders))
        if name not in self.folders:
            raise UnknownName("score", name, self.folders)
        # Scores tie if they differ by little of the largest of all, not of that of a block.
        look = partial(_largest_of_block, scores=self.folders[name])
        largest = max(self.table.blocks.map(look), default=0.0)
        find = partial(_top_of_block, folders=self.folders, by=name, k=k, largest=largest)
        found = [np.zeros((1 + len(self.folders), 0)), *self.table.blocks.map(find, "top")]
        pages, *columns = np.concatenate(found, axis=1)
        scores = dict(zip(self.folders, columns, strict=True))
        order, _ = top_k_scores(scores[name], k)
        names = page_names(self.table, pages[order].astype(np.int64).tolist())
        return pa.table({"page": names, **{name: own[order] for name, own in scores.items()}})

    def to_table(self, by: str = "") -> pa.Table:
        """One row per page, best first: all of them, in the memory of this machine."""
        return self.top(len(self), by)

    def to_dataframe(self) -> "DataFrame":
        """A Spark data frame of page, number and scores, in no order."""
        return block_columns(self.table, self.folders)

    def write_parquet(self, location: str) -> None:
        """Write page, number and scores of all pages to a folder of Parquet files."""
        where = absolute_location(location)
        url = where if is_remote(where) else f"file://{where}"
        with self.table.cluster.watch("export"), spark_errors():
            self.to_dataframe().write.mode("errorifexists").parquet(url)

    def to_document(self, by: str = "", *, top: int = 10) -> JsonObject:
        """The JSON of a ranking: how it was made, and its best rows."""
        rows = self.top(top, by).to_pylist()
        document: JsonObject = to_json_value(
            {
                "method": self.method,
                "level": self.level,
                "options": self.options,
                "by": by or next(iter(self.folders)),
                "scores": list(self.folders),
                "total": len(self),
                "rows": [
                    {"url": row.pop("page"), "place": place, "scores": row}
                    for place, row in enumerate(rows, 1)
                ],
                "trace": self.trace.to_document(),
                "certainty": self.certainty,
                "notes": self.table.blocks.notes,
            }
        )
        return document

    def __len__(self) -> int:
        return self.table.blocks.page_count

    def __repr__(self) -> str:
        state = "" if self.trace.converged else ", not converged"
        return f"<Ranking of {pluralise(len(self), self.level)} by {self.method} on Spark{state}>"

    def _repr_html_(self) -> str:
        return f"<p>{repr(self).strip('<>')}</p>"


def _largest_of_block(_files: BlockFiles, block: int, scores: ArrayFolder) -> float:
    return largest_magnitude(scores.load(f"{block:05d}"))


def _top_of_block(
    files: BlockFiles,
    block: int,
    folders: Mapping[str, ArrayFolder],
    by: str,
    *,
    k: int,
    largest: float,
) -> Floats:
    """The numbers of the best pages of a block, ascending, and all of their scores."""
    scores = {name: folder.load(f"{block:05d}") for name, folder in folders.items()}
    best = np.sort(top_k_scores(np.asarray(scores[by]), k, largest)[0])
    numbers = files.page_slice(block).start + best.astype(np.float64)
    return np.stack([numbers, *(own[best] for own in scores.values())])


def page_names(table: EdgeTable, numbers: Sequence[int] | None = None) -> pa.Array:
    """The names of some pages by number, in this order, or of all."""
    rows = table.names.table
    if numbers is not None and len(numbers) <= MAX_LOOKED_UP:
        rows = rows.where(rows.number.isin([int(number) for number in numbers]))
    with spark_errors():
        found = rows.select("number", "text").toArrow()
    found = found.sort_by("number")
    names = found["text"].combine_chunks()
    if numbers is None:
        return names
    return names.take(pa.array(np.searchsorted(found["number"].to_numpy(), numbers)))


def block_columns(table: EdgeTable, folders: Mapping[str, ArrayFolder]) -> "DataFrame":
    """A data frame of page, number and a column for each folder of values in blocks."""
    from pyspark.sql import functions as f  # noqa: PLC0415  an extra

    files = table.blocks.files
    schema = ", ".join(["number long", *(f"`{name}` double" for name in folders)])
    tasks = table.cluster.spark.range(0, files.count, 1, files.count)
    read = partial(_read_columns, files=files, folders=dict(folders))
    rows = map_batches(tasks, read, schema)
    names = table.names.table.select("number", f.col("text").alias("page"))
    return rows.join(names, "number").select("page", "number", *(f"`{name}`" for name in folders))


def _read_columns(
    batches: Iterable[pa.RecordBatch], files: BlockFiles, folders: Mapping[str, ArrayFolder]
) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for block in batch["id"].to_pylist():
            pages = files.page_slice(block)
            columns = {name: folder.load(f"{block:05d}") for name, folder in folders.items()}
            numbers = np.arange(pages.start, pages.stop, dtype=np.int64)
            yield pa.record_batch({"number": numbers, **columns})
