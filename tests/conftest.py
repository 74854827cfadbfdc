"""Settings and collections that tests share."""

import gc
import os

os.environ.setdefault("NUMBA_NUM_THREADS", "1")
# Tests start hundreds of processes, and none should have to parse all sources anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

import json
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any, Literal

import httpx
import numpy as np
import pytest
from hypothesis import settings
from tests.command import COMMAND
from tests.webs import Spec
from xdist.scheduler import LoadScopeScheduling

from weft.demo import DemoWeb, write_warc
from weft.gather.page import Page
from weft.graph.link_facts import neighbour_table
from weft.graph.webgraph import WebGraph
from weft.store.segment import body_for_digest, capture_digest, pages_to_tables
from weft.store.writer import CollectionWriter, open_writer
from weft.workspace.ingest import commit_snapshot
from weft.workspace.workspace import Workspace

# The salts of usage data of tests are not kept in the home of the person who runs them.
CONFIG_FOLDER = tempfile.TemporaryDirectory(prefix="weft-tests-")
os.environ["XDG_CONFIG_HOME"] = CONFIG_FOLDER.name

# PyArrow loads pandas wherever it is installed, in each of the four processes of a server; here
# they have none, as Weft does not ask for it.
WITHOUT_PANDAS = tempfile.TemporaryDirectory(prefix="weft-tests-")
Path(WITHOUT_PANDAS.name, "pandas.py").write_text("raise ImportError\n")

settings.register_profile("house", deadline=None, derandomize=True, max_examples=50)
settings.load_profile("house")

# Shells have what they run in the background ignore Ctrl-C, and so would what tests start.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A commit waits for the disk many times, and no test cuts the power: memory serves as disk.
if Path("/dev/shm").is_dir() and shutil.disk_usage("/dev/shm").free > 1 << 30:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", "/dev/shm")
    tempfile.tempdir = "/dev/shm"

VALUES = Path(__file__).parent / "data" / "ranking-values.json"
ENDS: tuple[Literal["in", "out"], ...] = ("in", "out")
DEMO_QUERIES = (
    "jaguar",
    "jaguar cars",
    "atari OR forest",
    '"the jaguar"',
    '"jaguar magazine"',
    "site:example jaguar -team",
    "lang:en",
)
NOTE = {"time": "", "version": "", "inputs": [], "pages": 0, "already_stored": 0, "problems": []}


# Where tests begin, and in which order. The golden files compile most kernels, once and before
# the browser waits for them; what comes next needs none; what is left at the end takes moments.
GOLDEN, WORKBENCH, SERVER = "tests/test_golden.py", "tests/workbench/", "tests/server/"
SPARK = "tests/spark/"
WITHOUT_KERNELS = ("tests/gather/", "tests/store/", "tests/demo/", "tests/core/")
LONG = ("tests/cli/", "tests/test_real_data.py", "tests/workspace/", "tests/test_docs.py")
ORDER = (GOLDEN, WORKBENCH, *WITHOUT_KERNELS, SERVER, SPARK, *LONG)


def unit_of_work(nodeid: str) -> str:
    """What one process runs as a whole: a file, or what shares a browser, a server or a cluster."""
    if nodeid.startswith((GOLDEN, WORKBENCH)):
        return WORKBENCH
    shared = (place for place in (SERVER, SPARK) if nodeid.startswith(place))
    return next(shared, nodeid.partition("::")[0])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Share out units of work in the order of the tests, not by their number of tests."""
    config.option.loadscopereorder = False
    scheduler = LoadScopeScheduling(config, log)
    scheduler._split_scope = unit_of_work
    return scheduler


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort the tests by the order of their folders."""
    places = {place: k for k, place in enumerate(ORDER)}

    def place(item: pytest.Item) -> int:
        return next((places[start] for start in ORDER if item.nodeid.startswith(start)), len(ORDER))

    items.sort(key=place)


def pytest_collection_finish() -> None:
    """Keep the collector from walking through all tests each time that code asks it to run."""
    gc.collect()
    gc.freeze()


def pytest_make_parametrize_id(val: object) -> str | None:
    """Name a test by the first letters of what it is given, and their number, where it is long."""
    if isinstance(val, str | bytes) and len(val) > 100:
        return f"{val[:60]!a} of {len(val)}"
    return None


def keep_pages(folder: Path, *pages: Page) -> Workspace:
    """Commit pages as one segment."""
    captures = [capture_digest(page.url, page.time, body_for_digest(page)) for page in pages]
    with open_writer(folder) as writer:
        writer.append_pages(*pages_to_tables(pages, captures))
        commit_snapshot(writer, NOTE)
    return Workspace(folder)


def draw_portrait(workspace: Workspace, *queries: str) -> str:
    """All that readers can see of a collection: pages, links both ways, and what queries find.

    The queries are those for the demo web unless others are given.
    """
    collection = workspace.refresh().collection
    pages = collection.pages.drop_columns(["segment", "row"]).to_pylist()
    graph = workspace.graph()
    rows = [
        [np.asarray(part).tolist() for part in rows if part is not None]
        for rows in (graph.outlinks, graph.inlinks)
    ]
    links = [
        neighbour_table(collection, n, end).to_pylist()
        for n in range(0, len(pages), 7)
        for end in ENDS
    ]
    asked = queries or DEMO_QUERIES
    found = [workspace.search(query, 200).to_table().to_pylist() for query in asked]
    return json.dumps([pages, collection.aliases.to_pylist(), rows, links, found])


@pytest.fixture(scope="session")
def portrait() -> Callable[..., str]:
    """`portrait(workspace, *queries)`: two that are equal are of the same collection."""
    return draw_portrait


@pytest.fixture(scope="session")
def keep_at() -> Callable[..., Workspace]:
    """Commit pages to a collection anywhere: `keep_at(folder, *pages)`."""
    return keep_pages


@contextmanager
def interrupted_writer(folder: Path) -> Iterator[CollectionWriter]:
    """A writer that fails once its work is done, before it commits."""
    with suppress(RuntimeError), open_writer(folder) as writer:
        yield writer
        raise RuntimeError


@pytest.fixture(scope="session")
def interrupted() -> Callable[[Path], AbstractContextManager[CollectionWriter]]:
    """`with interrupted(folder) as writer`: what is staged inside waits, uncommitted."""
    return interrupted_writer


@pytest.fixture
def keep(tmp_path: Path) -> Callable[..., Workspace]:
    """Commit pages to the collection of this test: each call is one commit of one segment."""

    def commit(*pages: Page, name: str = "c.weft") -> Workspace:
        return keep_pages(tmp_path / name, *pages)

    return commit


@pytest.fixture
def lines(tmp_path: Path) -> Callable[..., Path]:
    """Write pages as a file of JSON lines."""

    def write(name: str, rows: Sequence[dict[str, object]]) -> Path:
        path = tmp_path / name
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        return path

    return write


@pytest.fixture(scope="session")
def demo_warc(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small demo web as an archive."""
    path = tmp_path_factory.mktemp("demo") / "demo.warc.gz"
    write_warc(DemoWeb(pages=200), path)
    return path


def files_but_results(folder: Path) -> dict[str, bytes]:
    """The files of a collection by their paths, without what answers are remembered in."""
    paths = (path for path in folder.rglob("*") if path.is_file())
    kept = (path for path in paths if path.relative_to(folder).parts[0] != "results")
    return {str(path.relative_to(folder)): path.read_bytes() for path in kept}


@pytest.fixture(scope="session")
def demo(demo_warc: Path) -> Iterator[Workspace]:
    """A small demo web as a collection; to be read only, which is checked at the end."""
    workspace = Workspace(demo_warc.with_name("demo.weft"))
    workspace.add(demo_warc, workers=1)
    before = files_but_results(workspace.folder)
    yield workspace
    after = files_but_results(workspace.folder)
    changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    assert not changed, f"a test wrote to the demo web that all tests read: {sorted(changed)}"


@pytest.fixture(scope="session")
def spec() -> Spec:
    """From a name in the specification to the graph and its worked values, in page order."""
    everything = json.loads(VALUES.read_text())

    def of(name: str) -> tuple[WebGraph, dict[str, Any]]:
        values = everything[name]
        ends = np.array(values["edges"], np.int32).T - values.get("base", 0)
        n = values.get("n", int(ends.max()) + 1)
        pages = [f"http://{host}/{i}" for i, host in enumerate(values.get("hosts", ["h"] * n))]
        return WebGraph.from_arrays(pages, ends[0], ends[1]), values

    return of


@pytest.fixture(scope="session")
def spec_values() -> dict[str, Any]:
    """All worked values."""
    found: dict[str, Any] = json.loads(VALUES.read_text())
    return found


SERVER_PATIENCE = 120


@contextmanager
def serve_folder(folder: Path, *more: str) -> Iterator[str]:
    """A server on a free port that has begun to answer, quick questions and others."""
    words = ["serve", str(folder), "--no-browser", "--port", "0", *more]
    env = {**os.environ, "PYTHONPATH": WITHOUT_PANDAS.name}
    with subprocess.Popen(
        [*COMMAND, *words], stdout=subprocess.PIPE, text=True, env=env
    ) as process:
        assert process.stdout is not None
        try:
            address = process.stdout.readline().strip()
            plain, _, token = address.partition("?token=")
            bearer = {"Authorization": f"Bearer {token}"} if token else {}
            for question in ("collection/summary", "structure/counts"):
                httpx.get(f"{plain}api/{question}", timeout=SERVER_PATIENCE, headers=bearer)
            yield address
        finally:
            process.terminate()


@pytest.fixture(scope="session")
def serve_at() -> Callable[..., AbstractContextManager[str]]:
    """`with serve_at(folder, *options) as address`."""
    return serve_folder
