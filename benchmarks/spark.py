"""PageRank on a Spark cluster of two workers on this machine: CPU, exchanged bytes, lost executors.

    python -m benchmarks.spark [--links 10000000] [--pages 1000000] [--iterations 10]
    python -m benchmarks.spark --parts graphx joins     # some parts only
    python -m benchmarks.spark --archives FOLDER    # the WARC files in a folder, against plain add

Starts a standalone master and two workers of one core on loopback and compares a sweep of
PageRank by GraphX, by joins of data frames, by blocks with the scores broadcast, by blocks
that exchange payloads, and by one process with the same kernels. CPU is that of all
processes: driver, Java, Python workers. GraphX has no Python interface: its part is a script
of the Scala shell that is in the package of PySpark. The package of GraphFrames has no jar.
"""

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.parquet as pq
import pyspark
from pyspark.sql import functions as f

from weft.core.arrays import Offsets
from weft.gather.html import ParseOptions
from weft.graph.webgraph import WebGraph
from weft.rank import pagerank
from weft.spark import Cluster, EdgeTable, connect, read_edges
from weft.spark.archives import add_archives, find_archives
from weft.workspace.workspace import Workspace

DAMPING, SEED = 0.85, 1
SPARK_HOME = Path(pyspark.__file__).parent
SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "true",
    "spark.ui.port": "0",
    "spark.driver.memory": "3g",
    "spark.executor.memory": "2g",
    "spark.sql.shuffle.partitions": "4",
}


def main() -> None:
    """Run what the arguments ask for; results are lines of JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--links", type=int, default=10_000_000)
    parser.add_argument("--pages", type=int, default=1_000_000)
    parser.add_argument("--iterations", type=int, default=10)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--archives", type=Path)
    arguments = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as name,
        standalone_cluster(Path(name)) as master,
    ):
        folder = Path(name)
        if arguments.archives:
            with connect(master, f"{folder}/staging", SETTINGS) as cluster:
                compare_archives(cluster, arguments.archives, folder)
        else:
            compare_sweeps(master, folder, arguments)


def compare_sweeps(master: str, folder: Path, arguments: argparse.Namespace) -> None:
    """Measure a sweep in each way, and compare the scores after losses and of one process."""
    ends, edges = make_links(arguments.pages, arguments.links), folder / "edges.parquet"
    pq.write_table(pa.table(dict(zip(("source", "target"), ends, strict=True))), edges)
    if "one" in arguments.parts:
        compare_with_one_process(arguments, ends)
    if "graphx" in arguments.parts:
        sweep_by_graphx(master, edges, arguments)
    chosen = [measure for name, measure in ON_BLOCKS.items() if name in arguments.parts]
    if not chosen:
        return
    with connect(master, f"{folder}/staging", SETTINGS) as cluster:
        table = read_edges(cluster, str(edges))
        with Meter.of(table) as building:
            table.blocks.files.load("in", 0)
        report("build blocks", building, arguments.links, 1)
        for measure in chosen:
            measure(table, arguments)


def sweep_by_graphx(master: str, edges: Path, arguments: argparse.Namespace) -> None:
    """Measure the static PageRank of GraphX: what some iterations cost more than one.

    The shell prints where it is, and waits for a file before it goes on. Its graph is in
    memory, with a partition for each core.
    """
    rounds = 1, 1 + min(arguments.iterations, 3)
    settings = {
        **SETTINGS,
        "spark.ui.showConsoleProgress": "false",
        "spark.weft.edges": str(edges),
        "spark.weft.rounds": ",".join(map(str, rounds)),
    }
    options = [f"--conf={name}={value}" for name, value in settings.items()]
    script = Path(__file__).with_name("graphx.scala")
    shell = subprocess.Popen(
        [SPARK_HOME / "bin" / "spark-shell", "--master", master, *options, "-I", script],
        env=os.environ | {"SPARK_HOME": str(SPARK_HOME), "SPARK_LOCAL_IP": "127.0.0.1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    log, costs = list[str](), list[Cost]()
    try:
        meter = Meter(*_next_words(shell, log, "ready")[::-1])
        for count in rounds:
            with meter:
                edges.with_name(f"start-{count}").touch()
                _next_words(shell, log, "done")
            costs.append(Cost(meter.cpu, meter.wall, meter.shuffled))
        edges.with_name("end").touch()
        shell.communicate()
    finally:
        end_with_children(shell)
    one, several = costs
    further = Cost(several.cpu - one.cpu, several.wall - one.wall, several.shuffled - one.shuffled)
    report("GraphX", further, arguments.links, rounds[1] - rounds[0])


def _next_words(shell: "subprocess.Popen[str]", log: list[str], word: str) -> list[str]:
    """What the shell says after a word, once it says it."""
    for line in shell.stdout or ():
        log.append(line)
        _, found, said = line.partition(f"graphx: {word} ")
        if found:
            return said.split()
    raise SystemExit("".join(log))


def sweep_by_broadcast(table: EdgeTable, arguments: argparse.Namespace) -> None:
    """Measure PageRank where the scores are sent to each executor."""
    pagerank(table, max_iter=1)  # compiles and warms up
    with Meter.of(table) as meter:
        pagerank(table, tol=1e-300, max_iter=arguments.iterations)
    report("blocks, scores broadcast", meter, arguments.links, arguments.iterations)


def without_broadcast(table: EdgeTable) -> EdgeTable:
    """The same table, as if its scores did not fit an executor."""
    exchanging = EdgeTable(replace(table.cluster, max_broadcast_bytes=0), table.frame)
    vars(exchanging).update(blocks=table.blocks, names=table.names)
    return exchanging


def sweep_by_exchange(table: EdgeTable, arguments: argparse.Namespace) -> None:
    """Measure PageRank by exchanged payloads, and their bytes."""
    exchanging, blocks, links = without_broadcast(table), table.blocks, arguments.links
    pagerank(exchanging, max_iter=1)
    with Meter.of(exchanging) as meter:
        exchanged: Any = pagerank(exchanging, tol=1e-300, max_iter=arguments.iterations)
    messages = sum(
        len(blocks.files.folder.load(f"in-{block:05d}-neighbours"))
        for block in range(blocks.files.count)
    )
    report("blocks, payloads exchanged", meter, links, arguments.iterations)
    sweeps = exchanged.trace.iterations
    ratio = meter.shuffled / (8 * messages * sweeps)
    print(json.dumps({"messages": messages, "exchanged bytes per 8 bytes of a message": ratio}))


def compare_with_one_process(arguments: argparse.Namespace, ends: tuple[Offsets, Offsets]) -> None:
    """Measure PageRank in this process, with all its cores."""
    alone = WebGraph.from_arrays(arguments.pages, *ends)
    pagerank(alone, max_iter=1)
    before = time.process_time()
    truth = pagerank(alone, tol=1e-300, max_iter=arguments.iterations)
    seconds = time.process_time() - before
    report("one process", Cost(seconds, 0.0, 0), arguments.links, truth.trace.iterations)


def make_links(pages: int, links: int) -> tuple[Offsets, Offsets]:
    """Links from random pages, more to those of small numbers."""
    rng = np.random.default_rng(SEED)
    source = rng.integers(0, pages, links, dtype=np.int64)
    return source, (rng.random(links) ** 3 * pages).astype(np.int64)


def compare_scores(table: EdgeTable, arguments: argparse.Namespace) -> None:
    """Print how far the scores are from those of one machine."""
    source, target = make_links(arguments.pages, arguments.links)
    converged: Any = pagerank(table, tol=1e-11)
    numbers = np.array([int(name) for name in converged.pages.to_pylist()])
    # An edge table has the pages that are ends of links.
    present = np.zeros(int(numbers.max()) + 1, bool)
    present[numbers] = True
    number = np.cumsum(present) - 1
    expected = pagerank(
        WebGraph.from_arrays(len(numbers), number[source], number[target]), tol=1e-11
    )
    error = float(np.abs(converged.scores["score"] - expected.scores["score"]).max())
    print(json.dumps({"largest difference from one machine": error}), flush=True)


def lose_executors(table: EdgeTable, _arguments: argparse.Namespace) -> None:
    """Lose an executor while scores are broadcast, and another while payloads are exchanged."""
    lose_executor("scores broadcast", table)
    lose_executor("payloads exchanged", without_broadcast(table))


def lose_executor(way: str, table: EdgeTable) -> None:
    """Kill -9 an executor, Java and all, in the middle of PageRank; the scores must be the same."""
    before = time.perf_counter()
    ranking: Any = pagerank(table, tol=1e-9)
    half = (time.perf_counter() - before) / 2
    expected, killed = ranking.scores["score"], list[int]()

    def kill() -> None:
        time.sleep(half)
        for process in psutil.process_iter(["pid", "cmdline"]):
            if "CoarseGrainedExecutorBackend" in " ".join(process.info["cmdline"] or ()):
                os.kill(process.info["pid"], signal.SIGKILL)
                killed.append(process.info["pid"])
                return

    killer = threading.Thread(target=kill)
    killer.start()
    again: Any = pagerank(table, tol=1e-9)
    killer.join()
    same = again.scores["score"].tobytes() == expected.tobytes()
    row = {"way": way, "executors killed": len(killed), "same bits": same}
    print(json.dumps(row), flush=True)


def sweep_by_joins(table: EdgeTable, arguments: argparse.Namespace) -> None:
    """PageRank as joins and groups of data frames, the textbook way."""
    spark, edges = table.cluster.spark, table.links.repartition(4, "source").persist()
    out = edges.groupBy("source").agg(f.count("*").alias("out"))
    n = table.names.count
    pages = table.names.table.select(f.col("name").alias("id")).join(
        out, f.col("id") == out.source, "left"
    )
    pages = pages.select("id", f.coalesce("out", f.lit(0)).alias("out")).repartition(4, "id")
    pages = pages.persist()
    ranks = pages.withColumn("r", f.lit(1.0 / n)).persist()
    edges.count(), ranks.count()
    rounds = min(arguments.iterations, 3)
    with Meter.of(table) as meter:
        for _ in range(rounds):
            dangling = ranks.where("out = 0").agg(f.sum("r")).first()
            mass = (dangling and dangling[0]) or 0.0
            sent = edges.join(ranks, edges.source == ranks.id)
            arrived = sent.select("target", (f.col("r") / f.col("out")).alias("c"))
            sums = arrived.groupBy("target").agg(f.sum("c").alias("y"))
            base = f.lit((1 - DAMPING + DAMPING * mass) / n)
            joined = pages.join(sums, pages.id == sums.target, "left")
            score = (base + DAMPING * f.coalesce("y", f.lit(0.0))).alias("r")
            ranks = joined.select("id", "out", score).localCheckpoint()
    spark.catalog.clearCache()
    report("joins of data frames", meter, arguments.links, rounds)


class Cost(NamedTuple):
    """CPU and wall seconds, and bytes that Spark wrote to shuffles."""

    cpu: float
    wall: float
    shuffled: int


class Meter:
    """The cost of a block of code, over all processes of the cluster and this one."""

    cpu = wall = 0.0
    shuffled = 0

    def __init__(self, url: str, application: str) -> None:
        port = url.rpartition(":")[2]
        self.stages = f"http://127.0.0.1:{port}/api/v1/applications/{application}/stages"

    @classmethod
    def of(cls, table: EdgeTable) -> "Meter":
        """A meter of the session that a table is in."""
        context = table.cluster.spark.sparkContext
        return cls(str(context.uiWebUrl), context.applicationId)

    def __enter__(self) -> "Meter":
        self.before = self._cpu(), time.perf_counter(), self._shuffled()
        return self

    def __exit__(self, *_: object) -> None:
        cpu, wall, shuffled = self.before
        self.cpu, self.wall = self._cpu() - cpu, time.perf_counter() - wall
        time.sleep(0.5)  # Spark's counters come a little later
        self.shuffled = self._shuffled() - shuffled

    def _cpu(self) -> float:
        """The time of this process and all that it has started: the cluster is below it."""
        total, me = 0.0, psutil.Process()
        for process in [me, *me.children(recursive=True)]:
            with suppress(psutil.Error):
                times = process.cpu_times()
                total += times.user + times.system + times.children_user + times.children_system
        return total

    def _shuffled(self) -> int:
        """What Spark counts as written to shuffles, by its own interface."""
        with urllib.request.urlopen(self.stages) as reply:
            return sum(stage.get("shuffleWriteBytes", 0) for stage in json.load(reply))


def report(way: str, cost: "Cost | Meter", links: int, iterations: int = 1) -> None:
    """Print the cost of an iteration on 10^7 links."""
    per = iterations * links / 1e7
    row = {
        "way": way,
        "CPU-seconds an iteration and 10^7 links": round(cost.cpu / per, 3),
        "wall": round(cost.wall / per, 3),
        "shuffled MB": round(cost.shuffled / iterations / 1e6, 1),
    }
    print(json.dumps(row), flush=True)


def compare_archives(cluster: Cluster, folder: Path, scratch: Path) -> None:
    """Add the archives of a folder on the cluster and plainly; the collections must be equal."""
    files = sorted(path for path in folder.iterdir() if path.is_file())
    before = time.perf_counter()
    archives = [archive for file in files for archive in find_archives(str(file))]
    spark = add_archives(scratch / "spark.weft", cluster, archives, ParseOptions())
    middle = time.perf_counter()
    plain = Workspace(scratch / "plain.weft").add(*files)
    places = ["segment", "row"]
    same = spark.collection.pages.drop_columns(places).equals(
        plain.collection.pages.drop_columns(places)
    )
    row = {
        "files": len(files),
        "pages": spark.new,
        "repeated": spark.known,
        "same pages": same,
        "same counts": spark.collection.manifest.counts == plain.collection.manifest.counts,
        "same problems": spark.problems == plain.problems,
        "wall on Spark": round(middle - before, 1),
        "wall alone": round(time.perf_counter() - middle, 1),
    }
    print(json.dumps(row))


@contextmanager
def standalone_cluster(folder: Path) -> Iterator[str]:
    """A master and two workers of one core each on loopback; yields the URL of the master."""
    environment = os.environ | {
        "SPARK_HOME": str(SPARK_HOME),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_WORKER_DIR": str(folder / "work"),
        "SPARK_LOCAL_DIRS": str(folder / "local"),
    }
    os.environ["PYSPARK_PYTHON"] = sys.executable
    port, deploy = free_port(), "org.apache.spark.deploy"
    master = f"spark://127.0.0.1:{port}"
    shared = ["--host", "127.0.0.1", "--webui-port", "0"]
    commands = [
        [f"{deploy}.master.Master", *shared, "--port", str(port)],
        *[[f"{deploy}.worker.Worker", *shared, "--cores", "1", "--memory", "3g", master]] * 2,
    ]
    started = []
    try:
        for number, command in enumerate(commands):
            log = (folder / f"{number}.log").open("w")
            started.append(
                subprocess.Popen(
                    [SPARK_HOME / "bin" / "spark-class", *command],
                    env=environment,
                    stdout=log,
                    stderr=log,
                )
            )
            wait_for_port(port)
        yield master
    finally:
        for process in started:
            end_with_children(process)


def end_with_children(process: "subprocess.Popen[Any]") -> None:
    """Kill a process, and all that it has started."""
    with suppress(psutil.Error):
        for child in psutil.Process(process.pid).children(recursive=True):
            with suppress(psutil.Error):
                child.kill()
    process.kill()
    process.wait()


def free_port() -> int:
    """A port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for_port(port: int) -> None:
    """Wait until something listens on a port."""
    for _ in range(600):
        with suppress(OSError):
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        time.sleep(0.2)
    raise SystemExit("the master does not start")


ON_BLOCKS = {
    "joins": sweep_by_joins,
    "broadcast": sweep_by_broadcast,
    "exchange": sweep_by_exchange,
    "scores": compare_scores,
    "loss": lose_executors,
}
PARTS = ("one", "graphx", *ON_BLOCKS)

if __name__ == "__main__":
    main()
