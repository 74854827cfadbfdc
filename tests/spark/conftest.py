"""One Spark session for all tests of a process, on two threads, and edge tables for it."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed")

from weft.graph.webgraph import WebGraph
from weft.spark import Cluster, EdgeTable, connect, read_edges

HAS_JAVA = shutil.which("java") is not None or "JAVA_HOME" in os.environ
SETTINGS = {
    "spark.sql.shuffle.partitions": "2",
    "spark.driver.memory": "1g",
    # Other than the number of threads, as on many clusters.
    "spark.default.parallelism": "3",
    # Jobs are short: better code takes more time to compile than it saves.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.sql.codegen.wholeStage": "false",
}
Rows = list[tuple[str, str]] | list[tuple[str, str, float]]


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A connection to Spark on this machine; skips where there is no Java."""
    if not HAS_JAVA:
        pytest.skip("Spark needs Java, which is not installed")
    with connect("local[2]", settings=SETTINGS) as connected:
        yield connected


@pytest.fixture(scope="session")
def edges_of(
    cluster: Cluster, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[WebGraph], EdgeTable]:
    """`edges_of(graph)`: the links of a graph as an edge table in a Parquet file."""

    def write(graph: WebGraph) -> EdgeTable:
        path = tmp_path_factory.mktemp("edges") / "edges.parquet"
        pq.write_table(graph.to_arrow(), path)
        return read_edges(cluster, str(path))

    return write


@pytest.fixture
def parquet(tmp_path: Path) -> Callable[..., Path]:
    """`parquet(rows)`: links as pairs or triples in a Parquet file."""

    def write(rows: Rows) -> Path:
        path = tmp_path / "edges.parquet"
        names = ("source", "target", "weight")
        columns = zip(*rows, strict=True)
        pq.write_table(pa.table(dict(zip(names, map(list, columns), strict=False))), path)
        return path

    return write
