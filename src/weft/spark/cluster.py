"""Connect to Spark, and run one task for each of some pieces of work, with progress."""

import logging
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import uuid
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa

from weft.core.errors import BadParameter, WeftError
from weft.core.progress import listener
from weft.spark.array_folder import ArrayFolder, absolute_location

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

T = TypeVar("T")
R = TypeVar("R")
MAX_TASK_ATTEMPTS = 4
MAX_BROADCAST_BYTES = 4 << 30
MASTER_TIMEOUT_SECONDS, PROGRESS_SECONDS = 10.0, 1.0
STAGING_HINT = "give one on shared storage: --staging /shared/tmp, or s3a://bucket/tmp"
MIN_JAVA = 17
JAVA_HINT = "install Java 17, such as Debian's openjdk-17-jre-headless, or set JAVA_HOME"
# By application of Spark.
MOST_EXECUTORS: dict[str, int] = {}
PARQUET_HINT = "an edge table is a Parquet file or a folder of them; `weft add` reads other formats"
# What errors of Spark contain, what it means, and the cure.
KNOWN_ERRORS = (
    (
        "No module named 'weft",
        "the executors have no Weft",
        "install Weft in the Python of the executors, or send it: see the guide to Spark",
    ),
    (
        r"Class \S+FileSystem not found|No FileSystem for scheme \S+",
        "Spark cannot read this storage: {}",
        "give Spark the package of it, such as hadoop-aws for s3a://: see the guide to Spark",
    ),
    (r"\S+ is not a Parquet file", "{}", PARQUET_HINT),
    ("UNABLE_TO_INFER_SCHEMA", "there is no Parquet file at this location", PARQUET_HINT),
    (
        "OutOfMemoryError",
        "Spark has too little memory",
        "give it more: spark.driver.memory, spark.executor.memory",
    ),
    (
        r"Python worker exited unexpectedly|EOFException(?s:.*)PythonRunner",
        "Python processes of Spark ended again and again",
        "perhaps they lack memory, which spark.executor.memory leaves to them",
    ),
)
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # Blocks are cut to size here; Spark must not merge them.
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.driver.maxResultSize": "0",
    "spark.python.worker.reuse": "true",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "100000",
    # All executors of a cluster are there when the first job counts them.
    "spark.scheduler.minRegisteredResourcesRatio": "1.0",
}


@dataclass(frozen=True, eq=False)
class Cluster:
    """A Spark session, and a folder that the driver and all executors see.

    Files of a job are in `staging`: a path on shared storage, or a URL such as
    `s3a://bucket/tmp`. Up to `max_broadcast_bytes` the scores of all pages are sent
    to every executor; larger ones are exchanged piece by piece.
    """

    spark: "SparkSession"
    staging: str
    max_broadcast_bytes: int = MAX_BROADCAST_BYTES
    name: str = field(default_factory=lambda: f"weft-{uuid.uuid4().hex[:12]}")

    def folder(self, name: str) -> ArrayFolder:
        """A new folder for files of this connection; `name` is for people who look there."""
        return self.own_folder.subfolder(f"{name}-{uuid.uuid4().hex[:8]}")

    @cached_property
    def own_folder(self) -> ArrayFolder:
        """The folder of this connection in the staging folder, which all executors see."""
        own = ArrayFolder(f"{absolute_location(self.staging).rstrip('/')}/{self.name}")
        try:
            own.save_bytes("probe", b"weft")
        except OSError as error:
            reason = os.strerror(error.errno) if error.errno else str(error)
            message = f"nothing can be written to the folder {self.staging}: {reason}"
            raise WeftError(message, hint=STAGING_HINT) from error
        if not self.is_local:
            # Executors are counted here, before one can be lost in the middle of a job.
            tasks = range(2 * max(self.slots, self.executors))
            if not all(self.run(partial(_sees, own), tasks)):
                raise WeftError(
                    f"executors do not see the folder {self.staging}", hint=STAGING_HINT
                )
        return own

    @property
    def is_local(self) -> bool:
        """Whether tasks are threads of one process on this machine."""
        return bool(re.fullmatch(r"local(\[.*\])?", str(self.spark.sparkContext.master)))

    @cached_property
    def executors(self) -> int:
        """The most executors that were there at a time; of a local session, its threads.

        One that is lost comes back: the links are cut into as many blocks as before, so
        that sums over blocks have the same bits.
        """
        if self.is_local:
            return self.slots
        context = self.spark.sparkContext
        others = context._jsc.sc().getExecutorMemoryStatus().size() - 1  # noqa: SLF001
        most = max(1, int(others), MOST_EXECUTORS.get(context.applicationId, 0))
        MOST_EXECUTORS[context.applicationId] = most
        return most

    @cached_property
    def threads(self) -> int:
        """The threads that a task may use: the cores of an executor, if each runs one task."""
        cores = int(self.spark.sparkContext.getConf().get("spark.task.cpus") or 1)
        return max(1, self.slots // self.executors) * cores

    @cached_property
    def slots(self) -> int:
        """How many tasks run at a time; the default parallelism is a setting, and may be any."""
        context = self.spark.sparkContext._jsc.sc()  # noqa: SLF001
        usual = context.resourceProfileManager().defaultResourceProfile()
        return max(1, int(context.maxNumConcurrentTasks(usual)))

    def run(self, function: Callable[[T], R], pieces: Sequence[T], label: str = "") -> list[R]:
        """Call a function on each piece, a task for each; results in the order of the pieces."""
        if not len(pieces):
            return []
        context = self.spark.sparkContext
        numbered = list(enumerate(pieces))
        rows = context.parallelize(numbered, len(numbered)).map(partial(_call, function))
        with self.watch(label):
            found = dict(rows.collect())
        return [found[number] for number in range(len(numbered))]

    @contextmanager
    def broadcast(self, value: Any) -> Iterator[Any]:
        """A value that is sent to each executor once, as long as the block runs."""
        with spark_errors():
            shared = self.spark.sparkContext.broadcast(value)
            try:
                yield shared
            finally:
                shared.destroy()

    @contextmanager
    def watch(self, label: str) -> Iterator[None]:
        """Report how many tasks of the running stage are done; errors of Spark become ours."""
        report, tracker = listener.get(), self.spark.sparkContext.statusTracker()
        finished = threading.Event()

        def poll() -> None:
            # Where Spark is gone, whoever waits for the job says so.
            with suppress(WeftError), spark_errors():
                while not finished.wait(PROGRESS_SECONDS):
                    for stage in tracker.getActiveStageIds():
                        if info := tracker.getStageInfo(stage):
                            report(label, info.numCompletedTasks, info.numTasks)

        poller = threading.Thread(target=poll, daemon=True)
        if label:
            poller.start()
        try:
            with spark_errors():
                yield
        finally:
            finished.set()
            if label:
                poller.join()


def _call(function: Callable[[T], R], piece: tuple[int, T]) -> tuple[int, R]:
    number, value = piece
    return number, function(value)


def _sees(folder: ArrayFolder, _task: int) -> bool:
    return folder.exists("probe")


@contextmanager
def connect(
    master: str, staging: str = "", settings: dict[str, str] | None = None
) -> Iterator[Cluster]:
    """Connect to a Spark master such as `local[2]`, `spark://host:7077` or `yarn`.

    `staging` is a folder that all executors see; on this machine alone a temporary
    one is made. `settings` are Spark's own, such as `spark.executor.memory`. A session
    that runs already is used as it is, and left running.
    """
    _check_installation()
    _check_master(master)
    is_local = master.startswith("local")
    staging = staging or os.environ.get("WEFT_SPARK_STAGING", "")
    if not staging and not is_local:
        raise BadParameter(
            "a cluster needs a folder that all its executors see",
            hint="give --staging, staging= or WEFT_SPARK_STAGING: /shared/tmp or s3a://bucket/tmp",
        )
    with tempfile.TemporaryDirectory(prefix="weft-spark-") as temporary:
        spark, is_new = _start_session(master, {**SETTINGS, **(settings or {})})
        cluster = Cluster(spark, staging or temporary)
        logging.getLogger().addFilter(_is_not_of_py4j)
        try:
            yield cluster
        finally:
            # A task that runs still may write until its session ends.
            if is_new:
                with suppress(WeftError), spark_errors():
                    spark.stop()
            with suppress(OSError):
                ArrayFolder(
                    f"{absolute_location(cluster.staging).rstrip('/')}/{cluster.name}"
                ).remove()


def _is_not_of_py4j(record: logging.LogRecord) -> bool:
    """Whether a record is not py4j's, which logs a traceback for each error that it raises."""
    return Path(record.pathname).parent.name != "py4j"


def _check_installation() -> None:
    if find_spec("pyspark") is None:
        raise WeftError("PySpark is not installed", hint="pip install 'weft[spark]'")
    home = os.environ.get("JAVA_HOME", "")
    if not (Path(home) / "bin" / "java").exists() if home else shutil.which("java") is None:
        where = f"JAVA_HOME={home} has no Java" if home else "Spark needs Java, which is not here"
        raise WeftError(where, hint=JAVA_HINT)


def _check_master(master: str) -> None:
    """Refuse a master that Spark cannot parse, or a standalone one that does not answer."""
    if not re.fullmatch(r"local(\[.+\])?|local-cluster\[.+\]|spark://.+|yarn|k8s://.+", master):
        raise BadParameter(
            f"{master!r} is not a Spark master",
            hint="such as local[4], spark://host:7077, yarn or k8s://https://host:6443",
        )
    if not master.startswith("spark://"):
        return
    addresses = [address.rpartition(":") for address in master[len("spark://") :].split(",")]
    for host, _, port in addresses:
        # A port that is no number of a port overflows.
        with suppress(OSError, ValueError, OverflowError):
            where = host.strip("[]"), int(port)
            socket.create_connection(where, MASTER_TIMEOUT_SECONDS).close()
            return
    raise WeftError(
        f"no Spark master answers at {master}", hint="start one, or check host and port"
    )


def _start_session(master: str, settings: dict[str, str]) -> tuple["SparkSession", bool]:
    """The session on a master, and whether it is new; tasks run in this Python by default."""
    # PySpark loads pandas here and there, and warns of it; what needs it works with all.
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
    from pyspark import SparkContext  # noqa: PLC0415
    from pyspark.sql import SparkSession  # noqa: PLC0415

    # The active session is that of a thread; another thread may have started Spark.
    if SparkContext._active_spark_context is not None:  # noqa: SLF001
        return SparkSession.builder.getOrCreate(), False
    is_local = master.startswith("local")
    if is_local:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        settings = {"spark.driver.host": "127.0.0.1", **settings}
        # A task is tried again, as on a cluster: Spark's default for one machine is once.
        master = re.sub(r"^local(?:\[([\d*]+)\])?$", rf"local[\1,{MAX_TASK_ATTEMPTS}]", master)
        master = master.replace("[,", "[1,")
    builder = SparkSession.builder.master(master).appName("weft")
    for name, value in settings.items():
        builder = builder.config(name, value)
    try:
        with spark_errors():
            spark = builder.getOrCreate()
    except WeftError as error:
        if (version := _java_version()) < MIN_JAVA:
            raise WeftError(
                f"Spark needs Java {MIN_JAVA}, not {version}", hint=JAVA_HINT
            ) from error
        raise
    spark.sparkContext.setLogLevel("ERROR")
    return spark, True


def _java_version() -> int:
    """The version of Java that Spark starts; a large one if it does not say."""
    home = os.environ.get("JAVA_HOME", "")
    java = str(Path(home) / "bin" / "java") if home else "java"
    try:
        said = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
    except OSError:
        return sys.maxsize
    # "1.8.0_392" is Java 8, "17.0.15" is Java 17.
    found = re.search(r'version "(?:1\.)?(\d+)', said.stderr + said.stdout)
    return int(found[1]) if found else sys.maxsize


def map_batches(
    rows: "DataFrame",
    function: Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]],
    schema: str,
) -> "DataFrame":
    """Apply a function to the Arrow batches of each partition."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # of pandas, which is loaded, not used
        return rows.mapInArrow(function, schema)


@contextmanager
def spark_errors() -> Iterator[None]:
    """Turn errors of Spark into one sentence; those of our own code keep their traceback."""
    from py4j.protocol import Py4JError  # noqa: PLC0415  an extra
    from pyspark.errors import PySparkException  # noqa: PLC0415

    try:
        yield
    except (Py4JError, PySparkException) as error:
        raise _explain_error(str(error)) from error
    except ConnectionError as error:
        hint = "Spark's log may say why; perhaps it lacked memory"
        raise WeftError("the Java process of Spark has ended", hint=hint) from error


def _explain_error(text: str) -> WeftError:
    """The cause of a failed job: the last line of a traceback in Python, or Spark's first."""
    for pattern, message, hint in KNOWN_ERRORS:
        if found := re.search(pattern, text):
            return WeftError(message.format(found[0]), hint=hint)
    errors = re.findall(
        r"^[\s:]*(?:\w+\.)*(\w*(?:Error|File|Exception)): (.+)$", text, re.MULTILINE
    )
    python = [message for kind, message in errors if not kind.startswith(("Py4J", "Spark"))]
    reason = [*python, *(message for _, message in errors), text.strip().partition("\n")[0]][0]
    return WeftError(f"Spark failed: {reason[:300]}", hint="Spark's log has the whole error")
