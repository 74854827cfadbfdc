"""A desk to answer at, and a server to ask."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from weft.run.workspace import Workspace
from weft.show.api.desk import Desk
from weft.show.api.files import File
from weft.show.api.routes import ROUTES

Ask = Callable[..., Any]
START = "from weft.show.cli import main; main()"


@pytest.fixture(scope="session")
def desk(demo: Workspace, tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A desk with the demo web on it."""
    made = Desk(demo, tmp_path_factory.mktemp("drawer"))
    made.update()
    return made


def answer_at(desk: Desk, path: str, **asked: Any) -> Any:
    """What a route answers, as JSON, or the file that it makes."""
    route = ROUTES[path]
    found = route.answer(desk, route.asks.model_validate(asked))
    if isinstance(found, File):
        return found
    assert route.gives is not None
    assert type(found) is route.gives
    return found.model_dump(mode="json")


@pytest.fixture(scope="session")
def ask(desk: Desk) -> Ask:
    """`ask(path, **parameters)` at the desk of the demo web."""
    return lambda path, **asked: answer_at(desk, path, **asked)


@pytest.fixture(scope="session")
def ask_at() -> Callable[..., Any]:
    """`ask_at(desk, path, **parameters)` at any desk."""
    return answer_at


@contextmanager
def serve_folder(folder: Path) -> Iterator[httpx.Client]:
    """A server in a process of its own, on a free port."""
    words = ["serve", str(folder), "--no-browser", "--port", "0"]
    with subprocess.Popen(
        [sys.executable, "-c", START, *words], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            address = process.stdout.readline().strip()
            with httpx.Client(base_url=address, timeout=60) as client:
                yield client
        finally:
            process.terminate()


@pytest.fixture(scope="session")
def serving() -> Callable[[Path], AbstractContextManager[httpx.Client]]:
    """`with serving(folder) as client`: a server to ask."""
    return serve_folder


@pytest.fixture(scope="session")
def client(demo: Workspace) -> Iterator[httpx.Client]:
    """A client of a server of the demo web."""
    with serve_folder(demo.folder) as asking:
        yield asking
