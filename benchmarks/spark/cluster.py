"""A Spark cluster on loopback: a master and workers of one core each, and a meter of their cost."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import psutil
import pyspark

SPARK_HOME = Path(pyspark.__file__).parent
WORKERS = 2
SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "true",
    "spark.ui.port": "0",
    "spark.driver.memory": "3g",
    "spark.executor.memory": "2g",
    "spark.sql.shuffle.partitions": "4",
}


@dataclass(slots=True)
class StandaloneCluster:
    """The processes of a cluster, whose files are in a folder."""

    folder: Path
    port: int
    processes: "list[subprocess.Popen[Any]]" = field(default_factory=list)

    @property
    def master(self) -> str:
        """The URL that programs connect to."""
        return f"spark://127.0.0.1:{self.port}"

    def start(self, role: str, *arguments: str) -> None:
        """Start a master or a worker."""
        environment = os.environ | {
            "SPARK_HOME": str(SPARK_HOME),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "PYSPARK_PYTHON": sys.executable,
            "SPARK_WORKER_DIR": str(self.folder / "work"),
            "SPARK_LOCAL_DIRS": str(self.folder / "local"),
        }
        name = f"org.apache.spark.deploy.{role.lower()}.{role}"
        command = [SPARK_HOME / "bin" / "spark-class", name, "--host", "127.0.0.1"]
        with (self.folder / f"{role}-{len(self.processes)}.log").open("w") as log:
            self.processes.append(
                subprocess.Popen(
                    [*command, "--webui-port", "0", *arguments],
                    env=environment,
                    stdout=log,
                    stderr=log,
                )
            )
        wait_for_port(self.port)

    def start_worker(self) -> None:
        """Start a worker of one core."""
        self.start("Worker", "--cores", "1", "--memory", "3g", self.master)


@contextmanager
def standalone_cluster(folder: Path) -> Iterator[StandaloneCluster]:
    """A master and its workers, until the block ends."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    cluster = StandaloneCluster(folder, free_port())
    try:
        cluster.start("Master", "--port", str(cluster.port))
        for _ in range(WORKERS):
            cluster.start_worker()
        yield cluster
    finally:
        for process in cluster.processes:
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
    def of(cls, context: Any) -> "Meter":
        """A meter of a Spark context."""
        return cls(str(context.uiWebUrl), context.applicationId)

    def __enter__(self) -> "Meter":
        self.before = cpu_seconds(), time.perf_counter(), self._shuffled()
        return self

    def __exit__(self, *_: object) -> None:
        cpu, wall, shuffled = self.before
        self.cpu, self.wall = cpu_seconds() - cpu, time.perf_counter() - wall
        time.sleep(0.5)  # Spark's counters come a little later
        self.shuffled = self._shuffled() - shuffled

    @property
    def cost(self) -> Cost:
        """What the block cost."""
        return Cost(self.cpu, self.wall, self.shuffled)

    def _shuffled(self) -> int:
        """What Spark counts as written to shuffles, by its own interface."""
        with urllib.request.urlopen(self.stages) as reply:
            return sum(stage.get("shuffleWriteBytes", 0) for stage in json.load(reply))


def cpu_seconds() -> float:
    """The time of this process and all that it has started: the cluster is below it."""
    total, me = 0.0, psutil.Process()
    for process in [me, *me.children(recursive=True)]:
        with suppress(psutil.Error):
            times = process.cpu_times()
            total += times.user + times.system + times.children_user + times.children_system
    return total
