"""A worker process: it answers requests one at a time.

The server starts it as `python -m weft.server.worker FOLDER TMP_DIR NICENESS`.
A request is a line of JSON on standard input, a reply a line of JSON with its
kind and size, followed by that many bytes. The process ends with its standard
input, and removes the temporary folder, which a killed server cannot do.
"""

import gc
import json
import logging
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa

from weft.core.errors import BadParameter, CollectionBusy, DamagedFile, UnknownName, WeftError
from weft.core.progress import listener
from weft.gather.url import domain_of_host
from weft.graph.levels import load_graph
from weft.server.downloads import Download
from weft.server.routes import ROUTES
from weft.server.schemas.responses import BUG_HINT, BUG_MESSAGE, Problem
from weft.server.session import Session
from weft.store import segment
from weft.topics import auto
from weft.workspace.workspace import Workspace

log = logging.getLogger(__name__)
PROGRESS_SECONDS = 0.1
MAX_CACHED_TEXT_BYTES = 256 << 20
HTTP_STATUS_BY_ERROR: dict[type[Exception], int] = {
    UnknownName: 404,
    BadParameter: 422,
    CollectionBusy: 503,
    DamagedFile: 500,
    WeftError: 422,
}
SendReply = Callable[..., None]


def main() -> None:
    """Answer requests until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Replies keep the real standard output; whatever else prints goes to standard error.
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    # Arrow's own allocator asks for huge pages, which take long to clear.
    pa.set_memory_pool(pa.system_memory_pool())
    segment.TABLE_CACHE.max_bytes = MAX_CACHED_TEXT_BYTES
    folder, tmp_dir, niceness = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    os.nice(niceness)
    session = Session(Workspace(folder), tmp_dir)
    with suppress(WeftError):
        preload_collection(session)
    if niceness:
        warm_up()
    gc.freeze()
    with suppress(BrokenPipeError):
        for line in sys.stdin.buffer:
            request = json.loads(line)
            answer_request(session, request["path"], request["params"], _reply_writer(replies))
    shutil.rmtree(tmp_dir, ignore_errors=True)


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


def _reply_writer(replies: BinaryIO) -> SendReply:
    def send_reply(kind: str, body: bytes = b"", **fields: object) -> None:
        header = json.dumps({"kind": kind, "size": len(body), **fields})
        replies.write(header.encode() + b"\n" + body)
        replies.flush()

    return send_reply


def answer_request(
    session: Session, path: str, params: dict[str, Any], send_reply: SendReply
) -> None:
    """Answer one request with valid parameters: progress, then the result or a problem."""
    route = ROUTES[path]
    token = listener.set(_progress_reporter(send_reply))
    try:
        session.refresh_snapshot()
        result = route.handler(session, route.params_class.model_construct(**params))
        if isinstance(result, Download):
            send_reply(
                "file", path=str(result.path), name=result.name, media_type=result.media_type
            )
        else:
            send_reply("result", result.model_dump_json().encode(), cacheable=result.cacheable)
    except (WeftError, MemoryError, OSError) as error:
        _send_error(error, send_reply)
    except Exception:
        log.exception("%s could not be answered", path)
        _send_problem(send_reply, 500, BUG_MESSAGE, BUG_HINT)
    finally:
        listener.reset(token)


def _progress_reporter(send_reply: SendReply) -> Callable[[str, int, int | None], None]:
    """A progress listener that reports a few times a second."""
    last_time = 0.0

    def report_progress(label: str, done: int, total: int | None) -> None:
        nonlocal last_time
        now = time.monotonic()
        if now - last_time >= PROGRESS_SECONDS:
            last_time = now
            send_reply("progress", label=label, done=done, total=total)

    return report_progress


def _send_error(error: Exception, send_reply: SendReply) -> None:
    """Send an error that the user can fix, as a problem with a hint."""
    if isinstance(error, WeftError):
        status = next(HTTP_STATUS_BY_ERROR[t] for t in HTTP_STATUS_BY_ERROR if isinstance(error, t))
        detail, hint = str(error), error.hint
    elif isinstance(error, MemoryError):
        status, detail, hint = 507, "not enough memory", "ask for a smaller part"
    else:
        assert isinstance(error, OSError)
        status, detail = 500, f"the collection cannot be read: {error.strerror}"
        hint = "`weft doctor COLLECTION` says more"
    _send_problem(send_reply, status, detail, hint)


def _send_problem(send_reply: SendReply, http_status: int, detail: str, hint: str) -> None:
    body = Problem.from_status(http_status, detail, hint).model_dump_json().encode()
    send_reply("problem", body, http_status=http_status)


if __name__ == "__main__":
    main()
