"""A worker process of the server: it opens the collection, then answers a request at a time."""

import atexit
import gc
import logging
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from weft.core.errors import BadParameter, CollectionBusy, DamagedFile, UnknownName, WeftError
from weft.gather.url import domain_of_host
from weft.graph.levels import load_graph
from weft.server.downloads import Download
from weft.server.jobs import JSON_MEDIA_TYPE, Reply, problem_reply
from weft.server.routes import ROUTES
from weft.server.schemas.responses import BUG_HINT, BUG_MESSAGE
from weft.server.session import Session
from weft.store import segment
from weft.topics import auto
from weft.workspace.workspace import Workspace

log = logging.getLogger(__name__)
MAX_CACHED_TEXT_BYTES = 256 << 20
HTTP_STATUS_BY_ERROR: dict[type[Exception], int] = {
    UnknownName: 404,
    BadParameter: 422,
    CollectionBusy: 503,
    DamagedFile: 500,
    WeftError: 422,
}


def start_session(
    folder: Path, tmp_dir: Path, niceness: int
) -> Callable[[str, dict[str, Any]], Reply]:
    """The function that answers requests in a worker.

    The process removes the temporary folder at its end, which a killed server
    cannot do.
    """
    atexit.register(shutil.rmtree, tmp_dir, ignore_errors=True)
    # Arrow's own allocator asks for huge pages, which take long to clear.
    pa.set_memory_pool(pa.system_memory_pool())
    segment.TABLE_CACHE.max_bytes = MAX_CACHED_TEXT_BYTES
    os.nice(niceness)
    session = Session(Workspace(folder), tmp_dir)
    with suppress(WeftError):
        preload_collection(session)
    if niceness:
        warm_up()
    gc.freeze()
    return partial(answer_request, session)


def preload_collection(session: Session) -> None:
    """Open and check what searches and pages need, before the first request."""
    session.refresh_snapshot()
    collection = session.collection
    collection.search("weft", 1)
    load_graph(collection)
    for part in collection.manifest.segments:
        collection.checked_segment_folder(part, "pages.parquet")


def warm_up() -> None:
    """Load compiled kernels and the public suffix list, before the first request."""
    complete_bipartite = [(hub, authority) for hub in "abc" for authority in "xyz"]
    auto(complete_bipartite)
    domain_of_host("weft.example")


def answer_request(session: Session, path: str, params: dict[str, Any]) -> Reply:
    """Answer one request with valid parameters: the result or a problem."""
    route = ROUTES[path]
    try:
        session.refresh_snapshot()
        result = route.handler(session, route.params_class.model_construct(**params))
        if isinstance(result, Download):
            return Reply(200, result.media_type, file=result.path, file_name=result.name)
        body = result.model_dump_json().encode()
        return Reply(200, JSON_MEDIA_TYPE, body, cacheable=result.cacheable)
    except (WeftError, MemoryError, OSError) as error:
        return _error_reply(error)
    except Exception:
        log.exception("%s could not be answered", path)
        return problem_reply(500, BUG_MESSAGE, BUG_HINT)


def _error_reply(error: WeftError | MemoryError | OSError) -> Reply:
    """An error that the user can fix, as a problem with a hint."""
    if isinstance(error, WeftError):
        status = next(HTTP_STATUS_BY_ERROR[t] for t in HTTP_STATUS_BY_ERROR if isinstance(error, t))
        return problem_reply(status, str(error), error.hint)
    if isinstance(error, MemoryError):
        return problem_reply(507, "not enough memory", "ask for a smaller part")
    detail = f"the collection cannot be read: {error.strerror}"
    return problem_reply(500, detail, "`weft doctor COLLECTION` says more")
