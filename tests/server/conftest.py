"""A session of the demo web, and clients of servers."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from weft.server.downloads import Download
from weft.server.routes import ROUTES
from weft.server.session import Session
from weft.workspace.workspace import Workspace

Ask = Callable[..., Any]
ServeAt = Callable[[Path], AbstractContextManager[str]]
Serving = Callable[[Path], AbstractContextManager[httpx.Client]]


@pytest.fixture(scope="session")
def session(demo: Workspace, tmp_path_factory: pytest.TempPathFactory) -> Session:
    """A session on the demo web."""
    session = Session(demo, tmp_path_factory.mktemp("downloads"))
    session.refresh_snapshot()
    return session


def answer_session(session: Session, path: str, **params: Any) -> Any:
    """The response of a route as JSON, or the file that it writes."""
    route = ROUTES[path]
    response = route.handler(session, route.params_class.model_validate(params))
    if isinstance(response, Download):
        return response
    assert route.response_class is not None
    assert type(response) is route.response_class
    return response.model_dump(mode="json")


@pytest.fixture(scope="session")
def ask(session: Session) -> Ask:
    """`ask(path, **params)`: the response of a route on the demo web."""
    return lambda path, **params: answer_session(session, path, **params)


@pytest.fixture(scope="session")
def ask_session() -> Callable[..., Any]:
    """`ask_session(session, path, **params)`: the response of a route in any session."""
    return answer_session


@pytest.fixture(scope="session")
def serving(serve_at: ServeAt) -> Serving:
    """`with serving(folder) as client`: a client of a new server."""

    @contextmanager
    def connect(folder: Path) -> Iterator[httpx.Client]:
        patient: dict[str, Any] = {"timeout": 90, "headers": {"Prefer": "wait=60"}}
        with serve_at(folder) as address, httpx.Client(base_url=address, **patient) as client:
            yield client

    return connect


@pytest.fixture(scope="session")
def client(demo: Workspace, serving: Serving) -> Iterator[httpx.Client]:
    """A client of a server of the demo web, one for the whole run."""
    with serving(demo.folder) as client:
        yield client
