"""A desk to answer at, and a server to ask."""

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
ServeAt = Callable[[Path], AbstractContextManager[str]]
Serving = Callable[[Path], AbstractContextManager[httpx.Client]]


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


@pytest.fixture(scope="session")
def serving(serve_at: ServeAt) -> Serving:
    """`with serving(folder) as client`: a server to ask."""

    @contextmanager
    def asking(folder: Path) -> Iterator[httpx.Client]:
        with serve_at(folder) as address, httpx.Client(base_url=address, timeout=60) as client:
            yield client

    return asking


@pytest.fixture(scope="session")
def client(demo: Workspace, serving: Serving) -> Iterator[httpx.Client]:
    """A client of a server of the demo web."""
    with serving(demo.folder) as asking:
        yield asking
