"""Worker processes and a pool of them; the server itself stays free to answer."""

import asyncio
import json
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from weft.server.schemas.responses import PROBLEM_MEDIA_TYPE, Problem

JSON_MEDIA_TYPE = "application/json"
ProgressCallback = Callable[[str, int, int | None], None]


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply to a request: a body, or a file with the name to save it under.

    A `cacheable` reply also answers the same request until the next commit.
    """

    http_status: int
    media_type: str
    body: bytes = b""
    file: Path | None = None
    file_name: str = ""
    cacheable: bool = True


def problem_reply(http_status: int, detail: str, hint: str) -> Reply:
    """A reply that reports an error."""
    body = Problem.from_status(http_status, detail, hint).model_dump_json().encode()
    return Reply(http_status, PROBLEM_MEDIA_TYPE, body, cacheable=False)


WORKER_DIED_REPLY = problem_reply(
    500,
    "the worker process ended early, most likely for lack of memory",
    "ask for a smaller part, or give the machine more memory",
)


@dataclass(slots=True, eq=False)
class Worker:
    """A process that answers one request at a time, started on first use."""

    folder: Path
    tmp_dir: Path
    niceness: int = 0
    process_future: asyncio.Future[Process] | None = None
    last_subject: str = ""

    @property
    def process(self) -> Process | None:
        """The process, once it has started."""
        future = self.process_future
        return future.result() if future is not None and future.done() else None

    async def start(self) -> Process:
        """Start the process if it is not running.

        It has a process group of its own, so that Ctrl-C in the terminal does
        not reach it, but stays in the server's session: Linux compares
        niceness only within a session. A cancelled caller leaves it running.
        """
        if self.process_future is None:
            command = [sys.executable, "-P", "-m", "weft.server.worker"]
            self.process_future = asyncio.ensure_future(
                asyncio.create_subprocess_exec(
                    *command,
                    str(self.folder),
                    str(self.tmp_dir),
                    str(self.niceness),
                    stdin=PIPE,
                    stdout=PIPE,
                    preexec_fn=os.setpgrp,
                )
            )
        return await asyncio.shield(self.process_future)

    async def send_request(
        self, path: str, params: dict[str, Any], on_progress: ProgressCallback
    ) -> Reply:
        """Send a request, report progress, and return the reply."""
        try:
            process = await self.start()
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(json.dumps({"path": path, "params": params}).encode() + b"\n")
            await process.stdin.drain()
            while True:
                header = json.loads(await process.stdout.readuntil(b"\n"))
                body = await process.stdout.readexactly(header["size"])
                if header["kind"] != "progress":
                    return _parse_reply(header, body)
                on_progress(header["label"], header["done"], header["total"])
        except (OSError, asyncio.IncompleteReadError):
            await self.stop()
            return WORKER_DIED_REPLY

    async def stop(self) -> None:
        """Kill the process and close its pipes.

        Its caches are lost, so it has no last subject any more.
        """
        future, self.process_future, self.last_subject = self.process_future, None, ""
        if future is None:
            return
        try:
            process = await future
        except OSError:  # it never started
            return
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
        await process.wait()
        if process.stdin is not None and process.stdout is not None:
            process.stdin.close()
            with suppress(ConnectionError):
                await process.stdin.wait_closed()
            with suppress(RuntimeError):  # a request is reading it, and sees its end as well
                await process.stdout.read()


def _parse_reply(header: dict[str, Any], body: bytes) -> Reply:
    if header["kind"] == "result":
        return Reply(200, JSON_MEDIA_TYPE, body, cacheable=header["cacheable"])
    if header["kind"] == "file":
        return Reply(200, header["media_type"], file=Path(header["path"]), file_name=header["name"])
    return Reply(header["http_status"], PROBLEM_MEDIA_TYPE, body, cacheable=False)


@dataclass(slots=True, eq=False)
class WorkerPool:
    """Workers to borrow; callers queue while all of them are busy."""

    workers: list[Worker]
    idle: list[Worker] = field(init=False)
    waiting: deque[asyncio.Future[Worker]] = field(default_factory=deque)

    def __post_init__(self) -> None:
        self.idle = list(self.workers)

    async def acquire(self, subject: str) -> Worker:
        """Borrow a worker, preferably the one whose cache knows the subject."""
        if not self.idle:
            turn: asyncio.Future[Worker] = asyncio.get_running_loop().create_future()
            self.waiting.append(turn)
            try:
                worker = await turn
            except asyncio.CancelledError:
                if turn.done() and not turn.cancelled():
                    self.release(turn.result())
                raise
        else:
            worker = next((w for w in self.idle if w.last_subject == subject), self.idle[0])
            self.idle.remove(worker)
        worker.last_subject = subject
        return worker

    async def start_workers(self) -> list[asyncio.Task[None]]:
        """Start all processes; each returned task ends when its worker is ready.

        Callers meanwhile queue for the first worker that is ready.
        """
        starting, self.idle = self.idle, []
        tasks = [asyncio.create_task(self._warm_up_worker(worker)) for worker in starting]
        for worker in starting:
            with suppress(OSError):  # the first request to this worker reports it
                await worker.start()
        return tasks

    async def _warm_up_worker(self, worker: Worker) -> None:
        await worker.send_request("collection/summary", {}, lambda *_: None)
        self.release(worker)

    def release(self, worker: Worker) -> None:
        """Give a worker back: to the next caller in the queue, or to the idle ones."""
        while self.waiting:
            turn = self.waiting.popleft()
            if not turn.done():
                turn.set_result(worker)
                return
        self.idle.append(worker)

    async def stop(self) -> None:
        """Stop all processes."""
        for worker in self.workers:
            await worker.stop()
