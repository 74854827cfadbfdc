"""Kill -9 in the middle of jobs, with speculative tasks: what comes out must be the same.

At a random moment of a job is killed: an executor, Java and all; a Python process of an
executor; a worker of the cluster, which takes its executor along and is started again.
"""

import hashlib
import itertools
import json
import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.spark.archives import cut_archive, differing_tables
from benchmarks.spark.cluster import SETTINGS, WORKERS, StandaloneCluster
from benchmarks.webs import SHARED, rmat
from weft.gather.html import ParseOptions
from weft.rank import pagerank
from weft.spark import Cluster, connect, read_edges
from weft.spark.archives import add_archives, find_archives
from weft.structure import bow_tie
from weft.workspace.workspace import Workspace

# By a part of their command lines; the Python processes of an executor are forks of a daemon.
VICTIMS = {
    "executor": "CoarseGrainedExecutorBackend",
    "Python process": "pyspark.daemon",
    "worker": "deploy.worker.Worker",
}
SPECULATION = {
    "spark.speculation": "true",
    "spark.speculation.interval": "50ms",
    "spark.speculation.quantile": "0.1",
    "spark.speculation.multiplier": "1.1",
    "spark.speculation.minTaskRuntime": "10ms",
}
SCALE, ARCHIVE, RECORDS, FILES = 13, "wikispeedia.warc.gz", 400, 8
EARLIEST, LATEST, SEED = 0.1, 0.9, 1
TRIES = 10  # a job may end before its moment comes
MAX_START_SECONDS = 60
Job = Callable[[Cluster], bytes]


def lose_processes(cluster: StandaloneCluster, folder: Path, times: int) -> dict[str, Any]:
    """For each job and kind of process, how often it was killed, and how often nothing changed."""
    jobs, draw = make_jobs(folder), random.Random(SEED)
    with connect(cluster.master, f"{folder}/staging", SETTINGS) as connected:
        expected = {name: job(connected) for name, job in jobs.items()}
    found: dict[str, Any] = {}
    with connect(cluster.master, f"{folder}/staging", SETTINGS | SPECULATION) as connected:
        for name, job in jobs.items():
            undisturbed = job(connected) == expected[name]
            started = time.perf_counter()
            undisturbed &= job(connected) == expected[name]  # no longer the first of its kind
            seconds = time.perf_counter() - started
            row = found[name] = {"seconds": round(seconds, 1), "same undisturbed": undisturbed}
            for victim in VICTIMS:
                moments = (draw.uniform(EARLIEST, LATEST) * seconds for _ in range(TRIES * times))
                lose = partial(run_and_kill, cluster, connected, job, victim)
                results = list(itertools.islice(filter(None, map(lose, moments)), times))
                row[victim] = {
                    "killed": len(results),
                    "same": sum(result == expected[name] for result in results),
                }
            print(json.dumps({name: row}), flush=True)
    return found


def make_jobs(folder: Path) -> dict[str, Job]:
    """Jobs by name, each from its input to the bytes of all that comes out."""
    links = folder / "named-links.parquet"
    pages, source, target = rmat(SCALE)
    names = np.array([f"http://h{page % 97}.example/{page}" for page in range(pages)])
    pq.write_table(pa.table({"source": names[source], "target": names[target]}), links)
    jobs: dict[str, Job] = {
        "PageRank, scores broadcast": partial(rank_pages, links),
        "PageRank, payloads exchanged": partial(rank_pages, links, max_broadcast_bytes=0),
        "bow-tie": partial(divide_pages, links),
    }
    if (archive := SHARED / "data" / ARCHIVE).exists():
        files = cut_archive(archive, folder / "lost", FILES, RECORDS)
        plain = Workspace(folder / "lost-plain.weft").add(*files, workers=1)
        runs = (folder / f"lost-{run}.weft" for run in itertools.count())

        def add(cluster: Cluster) -> bytes:
            archives = [own for file in files for own in find_archives(str(file))]
            added = add_archives(next(runs), cluster, archives, ParseOptions())
            return json.dumps(differing_tables(plain, added)).encode()

        jobs["add, against plain add"] = add
    return jobs


def rank_pages(links: Path, cluster: Cluster, **settings: int) -> bytes:
    """Every page, and the bits of its score."""
    ranking: Any = pagerank(read_edges(replace(cluster, **settings), str(links)))  # type: ignore[arg-type]
    return _digest([json.dumps(ranking.pages.to_pylist()).encode(), ranking.scores["score"]])


def divide_pages(links: Path, cluster: Cluster) -> bytes:
    """The facts of the bow-tie, and the region of each page."""
    shape: Any = bow_tie(read_edges(cluster, str(links)))  # type: ignore[arg-type]
    regions = shape.tables["pages"].to_pylist()
    return _digest([json.dumps([dict(shape.facts), regions]).encode()])


def _digest(parts: Iterable[bytes]) -> bytes:
    found = hashlib.sha256()
    for part in parts:
        found.update(part)
    return found.digest()


def run_and_kill(
    cluster: StandaloneCluster, connected: Cluster, job: Job, victim: str, seconds: float
) -> bytes | None:
    """What a job gives of which a process is killed; nothing if it was done before that."""
    finished, killed = threading.Event(), list[int]()

    def kill() -> None:
        while not finished.wait(seconds if not killed else None) and not killed:
            if processes := find_processes(VICTIMS[victim]):
                killed.append(processes[len(processes) // 2].pid)
                os.kill(killed[0], signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        found = job(connected)
    finally:
        finished.set()
        killer.join()
    if victim == "worker" and killed:
        cluster.start_worker()
    wait_for_executors(connected)
    return found if killed else None


def find_processes(word: str) -> list[psutil.Process]:
    """The processes below this one with a word in their command lines, parents first."""
    found = []
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            if word in " ".join(process.cmdline()):
                found.append(process)
    return found


def wait_for_executors(connected: Cluster) -> None:
    """Wait until there is an executor for each worker again."""
    context = connected.spark.sparkContext._jsc.sc()  # noqa: SLF001
    for _ in range(MAX_START_SECONDS):
        if context.getExecutorMemoryStatus().size() - 1 >= WORKERS:
            return
        time.sleep(1)
    raise SystemExit("no executor is started again")
