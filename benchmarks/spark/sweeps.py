"""PageRank on a cluster of two workers: CPU of a sweep in each way, and exchanged bytes.

GraphX, joins of data frames, blocks with the scores broadcast, blocks that exchange
payloads, and one process with the same kernels. CPU is that of all processes: driver,
Java, Python workers. GraphX has no Python interface: its part is a script of the Scala
shell that is in the package of PySpark. The package of GraphFrames has no jar.
"""

import json
import os
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import functions as f

from benchmarks.spark.cluster import (
    SETTINGS,
    SPARK_HOME,
    Cost,
    Meter,
    StandaloneCluster,
    end_with_children,
)
from weft.core.arrays import Offsets
from weft.graph.webgraph import WebGraph
from weft.rank import pagerank
from weft.spark import EdgeTable, connect, read_edges

DAMPING, SEED = 0.85, 1
MAX_CPU_SECONDS, MAX_EXCHANGED = 2.0, 1.25
GRAPHX, JOINS, BLOCKS = "GraphX", "joins of data frames", "writing the blocks, once"
BROADCAST, EXCHANGE = "blocks, scores sent to every executor", "blocks that exchange payloads"
ONE = "one process with the same kernels"
Figures = dict[str, Any]


class Web(NamedTuple):
    """The links to rank, how many pages they may join, and for how many iterations."""

    pages: int
    links: int
    iterations: int

    def per_sweep(self, cost: Cost, iterations: int) -> Figures:
        """The cost of an iteration on 10^7 links."""
        per = iterations * self.links / 1e7
        return {
            "cpu": round(cost.cpu / per, 3),
            "wall": round(cost.wall / per, 3),
            "shuffled MB": round(cost.shuffled / iterations / 1e6, 1),
        }

    def further_sweeps(self, first: Cost, all_of_them: Cost) -> Figures:
        """What iterations after the first cost, and the first with all that leads to it."""
        differences = (b - a for a, b in zip(first, all_of_them, strict=True))
        further = self.per_sweep(Cost(*differences), self.iterations)
        return {**further, "first": self.per_sweep(first, 1)["cpu"]}


def measure_sweeps(
    cluster: StandaloneCluster, folder: Path, web: Web, ways: Sequence[str] = ()
) -> Figures:
    """What a sweep costs in some ways, by default in all, each printed as it is known."""
    ends, edges = make_links(web), folder / "edges.parquet"
    pq.write_table(pa.table(dict(zip(("source", "target"), ends, strict=True))), edges)
    found: Figures = {}

    def keep(way: str, figures: Any) -> None:
        found[way] = figures
        print(json.dumps({way: figures}), flush=True)

    if not ways or ONE in ways:
        keep(ONE, sweep_in_one_process(web, ends))
    if not ways or GRAPHX in ways:
        keep(GRAPHX, sweep_by_graphx(cluster.master, edges, web))
    chosen = {way: sweep for way, sweep in ON_BLOCKS.items() if not ways or way in ways}
    if not chosen:
        return found
    with connect(cluster.master, f"{folder}/staging", SETTINGS) as connected:
        table = read_edges(connected, str(edges))
        with Meter.of(connected.spark.sparkContext) as building:
            table.blocks.files.load("in", 0)
        keep(BLOCKS, web.per_sweep(building.cost, 1))
        for way, sweep in chosen.items():
            keep(way, sweep(table, web))
    return found


def bars(found: Figures) -> dict[str, bool]:
    """Whether blocks cost as little as they must, and less than the other ways."""
    cpu = {way: found[way]["cpu"] for way in (GRAPHX, JOINS, BROADCAST, EXCHANGE)}
    worst = max(cpu[BROADCAST], cpu[EXCHANGE])
    return {
        f"at most {MAX_CPU_SECONDS:g} CPU-seconds": worst <= MAX_CPU_SECONDS,
        "ahead of GraphX": worst < cpu[GRAPHX],
        "ahead of joins": worst < cpu[JOINS],
        f"at most {MAX_EXCHANGED:g} times 8 bytes a message": (
            found[EXCHANGE]["bytes per 8 bytes of a message"] <= MAX_EXCHANGED
        ),
        "scores of one machine": found[SCORES] <= 1e-9,
    }


def sweep_by_graphx(master: str, edges: Path, web: Web) -> Figures:
    """Measure the static PageRank of GraphX: what some iterations cost more than one.

    The shell prints where it is, and waits for a file before it goes on. Its graph is in
    memory, with a partition for each core.
    """
    rounds = 1, 1 + web.iterations
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
            costs.append(meter.cost)
        edges.with_name("end").touch()
        shell.communicate()
    finally:
        end_with_children(shell)
    return web.further_sweeps(*costs)


def _next_words(shell: "subprocess.Popen[str]", log: list[str], word: str) -> list[str]:
    """What the shell says after a word, once it says it."""
    for line in shell.stdout or ():
        log.append(line)
        _, found, said = line.partition(f"graphx: {word} ")
        if found:
            return said.split()
    raise SystemExit("".join(log))


def sweep_by_broadcast(table: EdgeTable, web: Web) -> Figures:
    """Measure PageRank where the scores are sent to each executor."""
    return web.further_sweeps(*measure_first_and_all(table, web))


def measure_first_and_all(table: EdgeTable, web: Web) -> tuple[Cost, Cost]:
    """The cost of PageRank with one iteration, and with as many more as are asked for."""
    pagerank(table, tol=1e-300, max_iter=2)  # compiles and warms up
    costs = []
    for iterations in (1, 1 + web.iterations):
        with Meter.of(table.cluster.spark.sparkContext) as meter:
            pagerank(table, tol=1e-300, max_iter=iterations)
        costs.append(meter.cost)
    return costs[0], costs[1]


def without_broadcast(table: EdgeTable) -> EdgeTable:
    """The same table, as if its scores did not fit an executor."""
    exchanging = EdgeTable(replace(table.cluster, max_broadcast_bytes=0), table.frame)
    vars(exchanging).update(blocks=table.blocks, names=table.names)
    return exchanging


def sweep_by_exchange(table: EdgeTable, web: Web) -> Figures:
    """Measure PageRank by exchanged payloads, and their bytes."""
    first, all_of_them = measure_first_and_all(without_broadcast(table), web)
    files = table.blocks.files
    messages = sum(
        len(files.folder.load(f"in-{block:05d}-neighbours")) for block in range(files.count)
    )
    # With the lists of what is sent to whom, which are exchanged once.
    ratio = all_of_them.shuffled / (8 * messages * (1 + web.iterations))
    figures = web.further_sweeps(first, all_of_them)
    return {**figures, "messages": messages, "bytes per 8 bytes of a message": round(ratio, 3)}


def sweep_in_one_process(web: Web, ends: tuple[Offsets, Offsets]) -> Figures:
    """Measure PageRank in this process, with all its cores."""
    alone = WebGraph.from_arrays(web.pages, *ends)
    pagerank(alone, max_iter=1)
    before = time.process_time(), time.perf_counter()
    iterations = pagerank(alone, tol=1e-300, max_iter=web.iterations).trace.iterations
    cost = Cost(time.process_time() - before[0], time.perf_counter() - before[1], 0)
    return web.per_sweep(cost, iterations)


def make_links(web: Web) -> tuple[Offsets, Offsets]:
    """Links from random pages, more to those of small numbers."""
    rng = np.random.default_rng(SEED)
    source = rng.integers(0, web.pages, web.links, dtype=np.int64)
    return source, (rng.random(web.links) ** 3 * web.pages).astype(np.int64)


def compare_scores(table: EdgeTable, web: Web) -> float:
    """How far the scores are from those of one machine, at most."""
    source, target = make_links(web)
    converged: Any = pagerank(table, tol=1e-11)
    numbers = np.array([int(name) for name in converged.pages.to_pylist()])
    # An edge table has the pages that are ends of links.
    present = np.zeros(int(numbers.max()) + 1, bool)
    present[numbers] = True
    number = np.cumsum(present) - 1
    expected = pagerank(
        WebGraph.from_arrays(len(numbers), number[source], number[target]), tol=1e-11
    )
    return float(np.abs(converged.scores["score"] - expected.scores["score"]).max())


def sweep_by_joins(table: EdgeTable, web: Web) -> Figures:
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
    rounds = min(web.iterations, 3)
    with Meter.of(spark.sparkContext) as meter:
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
    return web.per_sweep(meter.cost, rounds)


SCORES = "largest difference from one machine"
ON_BLOCKS: dict[str, Callable[[EdgeTable, Web], Any]] = {
    JOINS: sweep_by_joins,
    BROADCAST: sweep_by_broadcast,
    EXCHANGE: sweep_by_exchange,
    SCORES: compare_scores,
}
WAYS = (ONE, GRAPHX, *ON_BLOCKS)
