"""A process that answers questions, one at a time.

It is started as `python -m weft.show.api.worker FOLDER DRAWER NICE`. Questions
come as lines of JSON on standard input. Every reply is a line of JSON that
says what it is and how many bytes follow. When standard input ends, so does
the process; nobody has to stop it. It takes the drawer along, which a server
that was killed cannot.
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

from weft.core.errors import BadParameter, Busy, Damaged, UnknownName, WeftError
from weft.core.progress import listener
from weft.gather.url import domain_of_host
from weft.graph.levels import load
from weft.run.workspace import Workspace
from weft.show.api.desk import Desk
from weft.show.api.files import File
from weft.show.api.routes import ROUTES
from weft.show.api.shapes import Problem
from weft.store import segment
from weft.topics import auto

log = logging.getLogger(__name__)
EVERY = 0.1
MOST_TEXT = 256 << 20
STATUS: dict[type[Exception], int] = {
    UnknownName: 404,
    BadParameter: 422,
    Busy: 503,
    Damaged: 500,
    WeftError: 422,
}
Reply = Callable[..., None]


def main() -> None:
    """Answer until there are no more questions."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    # Arrow's own allocator asks for huge pages, each of which takes long to clear
    pa.set_memory_pool(pa.system_memory_pool())
    segment.KEPT.most = MOST_TEXT
    os.nice(int(sys.argv[3]))
    drawer = Path(sys.argv[2])
    desk = Desk(Workspace(Path(sys.argv[1])), drawer)
    with suppress(WeftError):
        prepare(desk)
    if int(sys.argv[3]):
        warm_up()
    gc.freeze()
    with suppress(BrokenPipeError):
        for line in sys.stdin.buffer:
            question = json.loads(line)
            answer(desk, question["path"], question["ask"], _replying(replies))
    shutil.rmtree(drawer, ignore_errors=True)


def prepare(desk: Desk) -> None:
    """Check and open what searches and pages need, before somebody waits for it."""
    desk.update()
    collection = desk.collection
    collection.search("weft", 1)
    load(collection)
    for part in collection.manifest.segments:
        collection.segment_folder(part, "pages.parquet")


def warm_up() -> None:
    """Load what is compiled, and lists that take a while, before somebody waits for them."""
    square = [(a, b) for a in "abc" for b in "xyz"]
    auto(square)
    domain_of_host("weft.example")


def _replying(replies: BinaryIO) -> Reply:
    def reply(what: str, body: bytes = b"", **more: object) -> None:
        head = json.dumps({"what": what, "size": len(body), **more})
        replies.write(head.encode() + b"\n" + body)
        replies.flush()

    return reply


def answer(desk: Desk, path: str, asked: dict[str, Any], reply: Reply) -> None:
    """Answer one question: progress, then the answer, or the problem with it."""
    route, told = ROUTES[path], listener.set(_telling(reply))
    try:
        desk.update()
        found = route.answer(desk, route.asks.model_validate(asked))
        if isinstance(found, File):
            reply("file", path=str(found.path), name=found.name, media=found.media)
        else:
            reply("done", found.model_dump_json().encode(), lasting=found.lasting)
    except (WeftError, MemoryError, OSError) as error:
        _excuse(error, reply)
    except Exception:
        log.exception("%s could not be answered", path)
        cure = "the server's terminal says more; please report it"
        reply("problem", _problem(500, "something went wrong that should not", cure), status=500)
    finally:
        listener.reset(told)


def _telling(reply: Reply) -> Callable[[str, int, int | None], None]:
    """Pass progress on, a few times a second."""
    last = [0.0]

    def tell(label: str, done: int, total: int | None) -> None:
        now = time.monotonic()
        if now - last[0] >= EVERY:
            last[0] = now
            reply("progress", label=label, done=done, total=total)

    return tell


def _excuse(error: Exception, reply: Reply) -> None:
    """Say what went wrong in one sentence, with its cure."""
    if isinstance(error, WeftError):
        kinds = [kind for kind in STATUS if isinstance(error, kind)]
        status, detail, cure = STATUS[kinds[0]], str(error), error.hint
    elif isinstance(error, MemoryError):
        status, detail, cure = 507, "not enough memory", "ask for a smaller part"
    else:
        status, detail = 500, f"the collection cannot be read: {error.strerror}"  # type: ignore[attr-defined]
        cure = "`weft doctor COLLECTION` says more"
    reply("problem", _problem(status, detail, cure), status=status)


def _problem(status: int, detail: str, cure: str) -> bytes:
    return Problem.of(status, detail, cure).model_dump_json().encode()


if __name__ == "__main__":
    main()
