"""Commands with --spark, and what they say where Java, Spark or a master is missing."""

import logging
import threading
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow.parquet as pq
import pytest
from tests.command import in_lines, rows, run

from weft.core.errors import BadParameter, WeftError
from weft.graph.webgraph import WebGraph
from weft.rank import pagerank
from weft.spark import Cluster, connect
from weft.spark.cluster import _explain_error, _java_version, spark_errors

LINKS = [("http://a.org/", "http://b.org/"), ("http://b.org/", "http://b.org/x"),
         ("http://b.org/x", "http://a.org/"), ("http://c.org/", "http://a.org/")]  # fmt: skip


@pytest.fixture
def edges(tmp_path: Path) -> Path:
    path = tmp_path / "edges.parquet"
    pq.write_table(WebGraph.from_links(LINKS).to_arrow(), path)
    return path


@pytest.mark.slow
def test_rank_on_spark(edges: Path, cluster: Cluster, tmp_path: Path) -> None:
    out = tmp_path / "ranking.parquet"
    few = ("--damping", 0.1, "--tol", 1e-8)
    done = in_lines("rank", "pagerank", edges, "--spark", "local[2]", *few, "-o", out)
    expected = pagerank(WebGraph.from_links(LINKS), damping=0.1).to_table().to_pylist()
    assert [row["page"] for row in rows(done)] == [row["page"] for row in expected]
    scores = [row["score"] for row in rows(done)]
    assert scores == pytest.approx([row["score"] for row in expected])
    assert "converged after" in done.stderr
    assert "4 pages written" in done.stderr
    assert cluster.spark.read.parquet(f"file://{out}").count() == 4
    with pytest.raises(BadParameter, match="exists already"):
        run("rank", "pagerank", edges, "--spark", "local[2]", "-o", out)


@pytest.mark.slow
@pytest.mark.usefixtures("cluster")
def test_structure_and_hosts_on_spark(edges: Path) -> None:
    done = run("structure", "bow-tie", edges, "--spark", "local[2]")
    assert "largest strong component" in done.stdout
    [facts] = rows(in_lines("rank", "indegree", edges, "--spark", "local[2]", "--level", "host"))[
        :1
    ]
    assert facts == {"page": "a.org", "share": pytest.approx(2 / 3)}


@pytest.mark.slow
@pytest.mark.usefixtures("cluster")
def test_add_on_spark(demo_warc: Path, tmp_path: Path) -> None:
    whole = demo_warc.read_bytes()
    clipped = tmp_path / "clipped.warc.gz"
    clipped.write_bytes(whole[:-100])
    folder = tmp_path / "c.weft"
    done = run("add", folder, tmp_path / "*.gz", "--spark", "local[2]", code=3)
    assert "damaged records" in done.stderr
    # The clipped archive lacks its last capture, which the whole one adds.
    counts = run("add", folder, demo_warc, "--spark", "local[2]").stderr
    assert "204 captures" in counts
    assert "203 known already" in counts


@pytest.mark.slow
@pytest.mark.usefixtures("cluster")
def test_missing_tables_and_columns(tmp_path: Path) -> None:
    with pytest.raises(WeftError, match="does not exist"):
        run("rank", "pagerank", tmp_path / "none.parquet", "--spark", "local[2]")
    other = tmp_path / "other.parquet"
    pq.write_table(WebGraph.from_links(LINKS).to_arrow().select(["source"]), other)
    with pytest.raises(BadParameter, match="no column target"):
        run("rank", "pagerank", other, "--spark", "local[2]")
    (tmp_path / "folder").mkdir()
    with pytest.raises(WeftError, match="there is no Parquet file"):
        run("rank", "pagerank", tmp_path / "folder", "--spark", "local[2]")
    (tmp_path / "folder" / "links.csv").write_text("source,target\na,b\nb,c\n")
    with pytest.raises(WeftError, match=r"links\.csv is not a Parquet file") as error:
        run("rank", "pagerank", tmp_path / "folder", "--spark", "local[2]")
    assert "`weft add` reads" in error.value.hint


def test_words_that_have_no_effect_are_refused(edges: Path) -> None:
    with pytest.raises(BadParameter, match="--query cannot be combined with --spark"):
        run("rank", "pagerank", edges, "--spark", "local[2]", "--query", "jaguar")
    with pytest.raises(BadParameter, match="hits-vectors does not run on Spark"):
        run("rank", "hits-vectors", edges, "--spark", "local[2]")
    with pytest.raises(BadParameter, match="--spark and --backend cannot"):
        run("rank", "pagerank", edges, "--spark", "local[2]", "--backend", "numba")
    with pytest.raises(BadParameter, match="no overview on Spark"):
        run("structure", edges, "--spark", "local[2]")
    with pytest.raises(BadParameter, match="--staging needs --spark"):
        run("rank", "pagerank", edges, "--staging", "/tmp")
    with pytest.raises(BadParameter, match="--spark and --workers cannot be combined"):
        run("add", edges.with_suffix(".weft"), edges, "--spark", "local[2]", "--workers", 2)
    with pytest.raises(BadParameter, match="no entities"):
        run("rank", "pagerank", edges, "--spark", "local[2]", "--level", "entity")


def test_java_is_missing(edges: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(WeftError, match="Spark needs Java") as error:
        run("rank", "pagerank", edges, "--spark", "local[2]")
    assert "openjdk-17" in error.value.hint
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(WeftError, match="has no Java"):
        run("rank", "pagerank", edges, "--spark", "local[2]")


def test_pyspark_is_missing(edges: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weft.spark.cluster.find_spec", lambda _: None)
    with pytest.raises(WeftError, match="PySpark is not installed") as error:
        run("rank", "pagerank", edges, "--spark", "local[2]")
    assert "weft[spark]" in error.value.hint


@pytest.mark.parametrize(
    ("master", "message"),
    [
        ("here", "is not a Spark master"),
        ("spark://127.0.0.1:1", "no Spark master answers"),
        (f"spark://127.0.0.1:{10**20}", "no Spark master answers"),
        ("spark://[::1]:1,here:port", "no Spark master answers"),
    ],
)
def test_masters(master: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weft.spark.cluster._check_installation", lambda: None)
    with pytest.raises(WeftError, match=message), connect(master, "/tmp"):
        pass


def test_a_cluster_needs_a_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weft.spark.cluster._check_installation", lambda: None)
    monkeypatch.setattr("weft.spark.cluster._check_master", lambda _: None)
    message = "folder that all its executors see"
    with pytest.raises(BadParameter, match=message), connect("spark://host:7077"):
        pass


def test_an_old_java_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Spark itself says only that its gateway exited."""
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"1.8.0_392\"' >&2\nexit 1\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert _java_version() == 8
    java.write_text("#!/bin/sh\necho 'openjdk version \"17.0.15\" 2025-04-15'\n")
    assert _java_version() == 17


@pytest.mark.slow
def test_a_running_session_is_used_from_any_thread(cluster: Cluster) -> None:
    found = list[Cluster]()

    def use() -> None:
        with connect("local[1]") as connected:
            found.append(connected)

    thread = threading.Thread(target=use)
    thread.start()
    thread.join()
    [connected] = found
    assert connected.spark.sparkContext is cluster.spark.sparkContext
    assert cluster.spark.range(3).count() == 3


@pytest.mark.slow
def test_threads_are_counted_whatever_the_default_parallelism(cluster: Cluster) -> None:
    assert (cluster.executors, cluster.threads) == (2, 1)
    assert cluster.spark.sparkContext.defaultParallelism == 3


def test_an_executor_that_is_lost_counts() -> None:
    """Links are cut into as many blocks as before it was lost, and bits stay the same."""

    def count_executors(processes: int) -> int:
        memory = SimpleNamespace(size=lambda: processes)
        java = SimpleNamespace(sc=lambda: SimpleNamespace(getExecutorMemoryStatus=lambda: memory))
        context = SimpleNamespace(master="spark://a:7077", applicationId="lossy", _jsc=java)
        session: Any = SimpleNamespace(sparkContext=context)
        return Cluster(session, "").executors

    assert [count_executors(processes) for processes in (3, 2, 1, 4)] == [2, 2, 2, 3]


@pytest.mark.slow
def test_a_folder_that_cannot_be_written(cluster: Cluster, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(WeftError, match="nothing can be written to the folder"):
        replace(cluster, staging=str(tmp_path / "file" / "folder")).folder("links")


def test_errors_of_executors_are_one_sentence() -> None:
    """The error of our own code on an executor, not Java's report of it."""
    text = (
        "An error occurred while calling o77.\n: org.apache.spark.SparkException: Job aborted\n"
        "Traceback (most recent call last):\n"
        "weft.core.errors.WeftError: a.csv is no archive of pages\n"
    )
    assert "a.csv is no archive of pages" in str(_explain_error(text))
    java = "An error occurred while calling o5.x.\n: org.apache.spark.SparkException: Job aborted\n"
    assert "Spark failed: Job aborted" in str(_explain_error(java))
    crashed = f"{java}Caused by: java.io.EOFException: Python worker exited unexpectedly (crashed)"
    assert "ended again and again" in str(_explain_error(crashed))
    assert "too little memory" in str(_explain_error("java.lang.OutOfMemoryError: Java heap space"))
    assert "have no Weft" in str(_explain_error("ModuleNotFoundError: No module named 'weft'"))


@pytest.mark.slow
@pytest.mark.usefixtures("cluster")
@pytest.mark.parametrize(("path", "is_kept"), [("py4j/java_gateway.py", False), ("a/b.py", True)])
def test_an_interrupted_command_has_no_traceback(path: str, *, is_kept: bool) -> None:
    """py4j logs one before it raises what the command reports."""
    record = logging.LogRecord("root", logging.ERROR, f"/lib/{path}", 1, "interrupted", (), None)
    assert bool(logging.getLogger().filter(record)) is is_kept


def test_java_ends() -> None:
    with pytest.raises(WeftError, match="the Java process of Spark has ended"), spark_errors():
        raise ConnectionRefusedError


@pytest.mark.slow
@pytest.mark.usefixtures("cluster")
@pytest.mark.parametrize("scheme", ["s3a", "unheardof"])
def test_storage_that_spark_has_no_package_for(scheme: str) -> None:
    """That of S3 is not in the PySpark that pip installs."""
    with pytest.raises(WeftError, match="Spark cannot read this storage") as error:
        run("rank", "pagerank", f"{scheme}://bucket/links.parquet", "--spark", "local[2]")
    assert "hadoop-aws" in error.value.hint
