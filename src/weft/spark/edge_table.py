"""Tables of links on Spark: source, target and weight, as URLs or numbers; pages numbered."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from weft.core.arrays import MAX_LINK_WEIGHT, MIN_LINK_WEIGHT, Offsets
from weft.core.errors import BadParameter, UnknownName
from weft.core.text import pluralise
from weft.gather.edges.edge_tables import NUMBER_PATTERN
from weft.gather.url import sort_key
from weft.graph.levels import encode_owners
from weft.graph.selection import Level
from weft.spark.array_folder import ArrayFolder, is_remote
from weft.spark.cluster import Cluster, map_batches, spark_errors

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from weft.spark.blocks import LinkBlocks

SIDES = ("source", "target")
COLUMNS_HINT = "an edge table has the columns source and target, and weight if links have weights"
NUMBER_TYPES = ("tinyint", "smallint", "int", "bigint")
WEIGHT_TYPES = (*NUMBER_TYPES, "float", "double", "string")
WHITESPACE = " \t\r\n"
# The code of a page, and its number.
CODE_BYTES = 16


@dataclass(frozen=True, slots=True, eq=False)
class PageNames:
    """The pages of an edge table in order: how many, and a table of number and name.

    It is dense where the names are the numbers.
    """

    count: int
    table: "DataFrame"
    is_dense: bool = False


@dataclass(frozen=True, eq=False)
class EdgeTable:
    """Links as a Spark data frame with the columns source, target and, optionally, weight.

    The ends are URLs or other names, or numbers. Every page is the end of a link; rows
    with an end that is missing, empty or no UTF-8, or with a weight that is no positive
    number, are left out.
    Self-links do not count, and parallel links are merged, as in a `WebGraph`. Methods
    with an implementation on Spark take it: `weft.rank.pagerank(table)`.
    """

    cluster: Cluster
    frame: "DataFrame"
    level: Level = "page"
    # What was left out of the table of pages that this one is made of.
    earlier_notes: tuple[str, ...] = ()
    runs_on_spark: bool = field(default=True, init=False, repr=False)

    def __post_init__(self) -> None:
        types = dict(self.frame.dtypes)
        lower = [name.lower() for name in self.frame.columns]
        if repeated := [name for name in (*SIDES, "weight") if lower.count(name) > 1]:
            message = f"the edge table has several columns {' and '.join(repeated)}"
            raise BadParameter(message, hint="Spark does not tell them apart by case")
        missing = [side for side in SIDES if side not in types]
        if missing:
            columns = f"; its columns: {', '.join(types)}"
            message = f"the edge table has no column {' and '.join(missing)}"
            raise BadParameter(message, hint=COLUMNS_HINT + columns)
        kinds = {types[side] for side in SIDES}
        if not (kinds == {"string"} or kinds <= {*NUMBER_TYPES}):
            message = f"the ends of links are {' and '.join(sorted(kinds))}"
            raise BadParameter(message, hint="both are strings, or both are signed integers")
        weight = types.get("weight", "double")
        if weight not in WEIGHT_TYPES and not weight.startswith("decimal"):
            raise BadParameter(f"the weights of links are {weight}", hint="weights are numbers")

    @property
    def has_names(self) -> bool:
        """Whether pages have names, rather than numbers."""
        return dict(self.frame.dtypes)["source"] == "string"

    @property
    def has_weights(self) -> bool:
        """Whether links have weights."""
        return "weight" in self.frame.columns

    @cached_property
    def links(self) -> "DataFrame":
        """The rows with both ends and a usable weight: a number, and 1 where it is missing."""
        from pyspark.sql import functions as f  # noqa: PLC0415  an extra

        columns: list[Any] = ["source", "target"]
        if not self.has_names:
            columns = [f.col(side).cast("bigint").alias(side) for side in SIDES]
        if self.has_weights:
            columns.append(self._weight.alias("weight"))
        return self.frame.where(self._is_usable).select(*columns)

    @property
    def _weight(self) -> "Column":
        from pyspark.sql import functions as f  # noqa: PLC0415

        given = f.col("weight")
        is_missing = given.isNull()
        if dict(self.frame.dtypes)["weight"] == "string":
            # Java takes "2d" for a number; what counts is what is one for `weft add`.
            text = f.trim(given, f.lit(WHITESPACE))
            is_missing, given = is_missing | (text == ""), f.when(text.rlike(NUMBER_PATTERN), text)
        return f.when(is_missing, f.lit(1.0)).otherwise(given.try_cast("double"))

    @property
    def _is_usable(self) -> "Column":
        from pyspark.sql import functions as f  # noqa: PLC0415

        usable = f.col("source").isNotNull() & f.col("target").isNotNull()
        if self.has_names:
            # Spark passes bytes on as they are in the file; Python would stop at them.
            for side in map(f.col, SIDES):
                usable &= (side != "") & f.is_valid_utf8(side)
        if not self.has_weights:
            return usable
        return usable & self._weight.between(float(MIN_LINK_WEIGHT), float(MAX_LINK_WEIGHT))

    @cached_property
    def row_counts(self) -> tuple[int, int]:
        """The number of rows, and of those that are links."""
        from pyspark.sql import functions as f  # noqa: PLC0415

        with self.cluster.watch("rows"):
            counts = self.frame.agg(f.count(f.lit(1)), f.count_if(self._is_usable)).first()
        return tuple(counts or (0, 0))

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What was left out of the table."""
        rows, usable = self.row_counts
        bad = rows - usable
        note = f"{pluralise(bad, 'row')} without two ends or a usable weight"
        return (*self.earlier_notes, *([note] if bad else []))

    @cached_property
    def names(self) -> PageNames:
        """The pages in our order: URLs by reversed host and path, numbers by size."""
        ends = self.links.select("source").union(self.links.select("target")).distinct()
        return number_names(self.cluster, ends.withColumnRenamed("source", "name"), self.level)

    @cached_property
    def coded_links(self) -> "tuple[DataFrame, ArrayFolder | None]":
        """The links by codes of pages, and files in which to look up the numbers of these.

        Without files, the ends are the numbers.
        """
        from pyspark.sql import functions as f  # noqa: PLC0415  an extra

        rows = self.links
        if not self.has_names and self.names.is_dense:
            return rows, None
        weight = ["weight"] if self.has_weights else []
        if (codes := self._save_codes()) is not None:
            if self.has_names:
                rows = rows.select(*(_code(f.col(side)).alias(side) for side in SIDES), *weight)
            return rows, codes
        for side in SIDES:
            names = self.names.table.select(
                f.col("name").alias(side), f.col("number").alias(f"{side}_number")
            )
            rows = rows.join(names, side).drop(side)
            rows = rows.withColumnRenamed(f"{side}_number", side)
        return rows.select(*SIDES, *weight), None

    def _save_codes(self) -> ArrayFolder | None:
        """Files in which executors look up the numbers of pages, if they fit an executor.

        The code of a name is a hash of eight bytes, that of a number itself. If two
        names have one code, nothing is saved.
        """
        from pyspark.sql import functions as f  # noqa: PLC0415

        if CODE_BYTES * self.names.count > self.cluster.max_broadcast_bytes:
            return None
        code = _code(f.col("name")) if self.has_names else f.col("name")
        with self.cluster.watch("codes of pages"):
            rows = self.names.table.select("number", code.alias("code")).toArrow()
        sorted_codes = _sort_codes(rows["code"].to_numpy(), rows["number"].to_numpy())
        if sorted_codes is None:
            return None
        folder = self.cluster.folder(f"{self.level}-codes")
        for name, values in zip(("codes", "numbers"), sorted_codes, strict=True):
            folder.save(name, values)
        return folder

    @cached_property
    def blocks(self) -> "LinkBlocks":
        """The links in blocks, as files, with which whole-graph methods compute."""
        from weft.spark.blocks import build_blocks  # noqa: PLC0415  which loads the engine

        return build_blocks(self)

    def at_level(self, level: Level) -> "EdgeTable":
        """The links between hosts or domains; the weight sums the links between their pages."""
        if level == self.level:
            return self
        if self.level != "page" or level not in ("host", "domain"):
            raise UnknownName("level of an edge table", level, ("page", "host", "domain"))
        if not self.has_names:
            raise BadParameter(f"numbers have no {level}", hint="give a table of URLs")
        kinds = {"source": "string", "target": "string", "weight": "double"}
        columns = [*SIDES, *(["weight"] if self.has_weights else [])]
        schema = ", ".join(f"{name} {kinds[name]}" for name in columns)
        rows = map_batches(self.links, partial(_rename_to_owners, level=level), schema)
        if not self.has_weights:
            # Counts are exact in any order; sums of weights are left to the blocks, which sort.
            rows = rows.groupBy(*SIDES).count().withColumnRenamed("count", "weight")
        with self.cluster.watch(f"{level}s"):
            rows = _stored(self.cluster, rows, f"links-of-{level}s")
        return EdgeTable(self.cluster, rows, level, self.notes)

    def degrees(self) -> "DataFrame":
        """A table of name, in-degree and out-degree, by linked pages, and their weighted sums."""
        from weft.spark.ranking import block_columns  # noqa: PLC0415

        return block_columns(self, self.blocks.save_degrees())


def read_edges(cluster: Cluster, location: str) -> EdgeTable:
    """Read an edge table from Parquet: a file, a folder, or a URL such as `s3a://…`.

    A location with `*`, `?`, `[` or `{` is a pattern, unless a file here has that name.
    """
    if not is_remote(location) and Path(location).exists():
        location = _literal(location)
    with spark_errors():
        return EdgeTable(cluster, cluster.spark.read.parquet(location))


def number_names(cluster: Cluster, names: "DataFrame", label: str) -> PageNames:
    """Number the distinct names of a table from 0 in our order; a table of number and name."""
    from pyspark.sql import functions as f  # noqa: PLC0415

    is_text = names.dtypes[0][1] == "string"
    if is_text:
        keyed = map_batches(names, _add_sort_keys, "name string, key string")
    else:
        keyed = names.withColumn("key", f.col("name").cast("long"))
    # Row ids are those of the partition in the high bits, of the row in it in the low ones.
    row = f.monotonically_increasing_id().bitwiseAND((1 << 33) - 1)
    ordered = keyed.sort("key").select(
        "name", f.spark_partition_id().alias("part"), row.alias("row")
    )
    with cluster.watch(f"{label}s"):
        stored = _stored(cluster, ordered, f"{label}-order")
        ends = [] if is_text else [f.min("name"), f.max("name")]
        parts = sorted(stored.groupBy("part").agg(f.count(f.lit(1)), *ends).collect())
    starts = np.cumsum([0, *(part[1] for part in parts)]).tolist()
    first = {part[0]: start for part, start in zip(parts, starts, strict=False)}
    offsets = cluster.spark.createDataFrame(
        pa.table(
            {
                "part": pa.array(list(first), pa.int32()),
                "first": pa.array(list(first.values()), pa.int64()),
            }
        )
    )
    numbered = stored.join(f.broadcast(offsets), "part").select(
        (f.col("first") + f.col("row")).alias("number"), f.col("name").cast("string").alias("text"),
        "name",
    )  # fmt: skip
    count = starts[-1]
    is_dense = not is_text and count and (parts[0][2], parts[-1][3]) == (0, count - 1)
    return PageNames(count, numbered, bool(is_dense))


def _code(name: "Column") -> "Column":
    from pyspark.sql import functions as f  # noqa: PLC0415

    return f.xxhash64(name)


def _sort_codes(codes: Offsets, numbers: Offsets) -> tuple[Offsets, Offsets] | None:
    """Codes in order, and the number of each; nothing if two are the same."""
    order = np.argsort(codes)
    codes = codes[order]
    return None if (codes[1:] == codes[:-1]).any() else (codes, numbers[order])


def look_up_numbers(folder: ArrayFolder, codes: Offsets) -> Offsets:
    """The numbers of pages by their codes."""
    # In order, searches stay within the caches of the processor.
    order, numbers = np.argsort(codes), np.empty(len(codes), np.int64)
    place = np.searchsorted(folder.load_kept("codes"), codes[order])
    numbers[order] = folder.load_kept("numbers")[place]
    return numbers


def _add_sort_keys(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        keys = pa.array([sort_key(name) for name in batch["name"].to_pylist()], pa.string())
        yield pa.record_batch({"name": batch["name"].cast(pa.string()), "key": keys})


def _rename_to_owners(batches: Iterable[pa.RecordBatch], level: str) -> Iterator[pa.RecordBatch]:
    """The host or domain of both ends of each link.

    Of the links within a host one remains, since a host without others counts as well.
    """
    for batch in batches:
        columns = dict(zip(batch.schema.names, batch.columns, strict=True))
        ends = pa.concat_arrays([columns[side].cast(pa.string()) for side in SIDES])
        numbers, owners = encode_owners(ends, level)
        source, target = np.split(np.asarray(numbers), 2)
        kept = source != target
        kept[np.unique(np.where(kept, -1, source), return_index=True)[1]] = True
        names = pa.array(owners, pa.string())
        for side, own in zip(SIDES, (source, target), strict=True):
            columns[side] = names.take(pa.array(own))
        yield pa.record_batch(columns).filter(pa.array(kept))


def _stored(cluster: Cluster, rows: "DataFrame", name: str) -> "DataFrame":
    """Write a table to the staging folder and read it back, so that it is computed once."""
    location = cluster.folder(name).location
    if not is_remote(location):
        location = f"file://{location}"
    with spark_errors():
        rows.write.mode("overwrite").parquet(location)
        return cluster.spark.read.schema(rows.schema).parquet(_literal(location))


def _literal(location: str) -> str:
    """A location to read whose brackets and stars are no pattern."""
    return re.sub(r"[\\*?\[\]{}]", r"\\\g<0>", location)
