"""The processes that do the work, so that the server itself always has time to answer."""

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

from weft.show.api.problems import MEDIA
from weft.show.api.shapes import Problem

JSON = "application/json"
Tell = Callable[[str, int, int | None], None]


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer as it goes out: its bytes, or a file and the name to keep it under.

    A `lasting` one is also for whoever asks the same until the next commit.
    """

    status: int
    media: str
    body: bytes = b""
    file: Path | None = None
    name: str = ""
    lasting: bool = True


def failure(status: int, detail: str, cure: str) -> Reply:
    """A reply that says what went wrong."""
    told = Problem.of(status, detail, cure).model_dump_json().encode()
    return Reply(status, MEDIA, told, lasting=False)


CUT_SHORT = failure(
    500,
    "the work was cut short, most likely for want of memory",
    "ask for a smaller part, or give the machine more memory",
)


@dataclass(slots=True, eq=False)
class Hand:
    """A process that answers one question at a time; it is started when it is first needed.

    `yields` is by how much it lets others go first, as `nice` counts.
    """

    folder: Path
    drawer: Path
    yields: int = 0
    starting: asyncio.Future[Process] | None = None
    subject: str = ""

    @property
    def process(self) -> Process | None:
        """The process, once it has started."""
        starting = self.starting
        return starting.result() if starting is not None and starting.done() else None

    async def start(self) -> Process:
        """The process, started if need be; a Ctrl-C at the terminal does not reach it.

        It stays in the server's session, for Linux lets only those of one
        session yield to each other. Who gives up while it starts leaves it to
        be stopped.
        """
        if self.starting is None:
            command = [sys.executable, "-P", "-m", "weft.show.api.worker"]
            self.starting = asyncio.ensure_future(
                asyncio.create_subprocess_exec(
                    *command,
                    str(self.folder),
                    str(self.drawer),
                    str(self.yields),
                    stdin=PIPE,
                    stdout=PIPE,
                    preexec_fn=os.setpgrp,
                )
            )
        return await asyncio.shield(self.starting)

    async def answer(self, path: str, ask: dict[str, Any], tell: Tell) -> Reply:
        """Put a question, pass on what is told meanwhile, and give the answer."""
        try:
            process = await self.start()
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(json.dumps({"path": path, "ask": ask}).encode() + b"\n")
            await process.stdin.drain()
            while True:
                head = json.loads(await process.stdout.readuntil(b"\n"))
                body = await process.stdout.readexactly(head["size"])
                if head["what"] != "progress":
                    return _reply(head, body)
                tell(head["label"], head["done"], head["total"])
        except (OSError, asyncio.IncompleteReadError):
            await self.stop()
            return CUT_SHORT

    async def stop(self) -> None:
        """End the process, whatever it is at, and what led to it and from it.

        What it remembered is gone: another hand is as good, and may have started.
        """
        starting, self.starting, self.subject = self.starting, None, ""
        if starting is None:
            return
        try:
            process = await starting
        except OSError:  # it never came to be
            return
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
        await process.wait()
        if process.stdin is not None and process.stdout is not None:
            process.stdin.close()
            with suppress(ConnectionError):
                await process.stdin.wait_closed()
            with suppress(RuntimeError):  # whoever was reading is told as well
                await process.stdout.read()


def _reply(head: dict[str, Any], body: bytes) -> Reply:
    if head["what"] == "done":
        return Reply(200, JSON, body, lasting=head["lasting"])
    if head["what"] == "file":
        return Reply(200, head["media"], file=Path(head["path"]), name=head["name"])
    return Reply(head["status"], MEDIA, body, lasting=False)


@dataclass(slots=True, eq=False)
class Crew:
    """Some hands; whoever finds all of them busy waits in line."""

    hands: list[Hand]
    idle: list[Hand] = field(init=False)
    line: deque[asyncio.Future[Hand]] = field(default_factory=deque)

    def __post_init__(self) -> None:
        self.idle = list(self.hands)

    async def borrow(self, subject: str) -> Hand:
        """A hand, if possible the one that worked on the same subject last and remembers it."""
        if not self.idle:
            turn: asyncio.Future[Hand] = asyncio.get_running_loop().create_future()
            self.line.append(turn)
            try:
                hand = await turn
            except asyncio.CancelledError:
                if turn.done() and not turn.cancelled():
                    self.give_back(turn.result())
                raise
        else:
            hand = next((h for h in self.idle if h.subject == subject), self.idle[0])
            self.idle.remove(hand)
        hand.subject = subject
        return hand

    async def call_in(self) -> list[asyncio.Task[None]]:
        """Have all hands start, and give what ends as each is ready.

        Who asks meanwhile gets the first that is ready, not one that has yet
        to start.
        """
        absent, self.idle = self.idle, []
        coming = [asyncio.create_task(self._welcome(hand)) for hand in absent]
        for hand in absent:
            with suppress(OSError):  # who borrows it is told
                await hand.start()
        return coming

    async def _welcome(self, hand: Hand) -> None:
        await hand.answer("collection/brief", {}, lambda *_: None)
        self.give_back(hand)

    def give_back(self, hand: Hand) -> None:
        """Let the next in line have the hand."""
        while self.line:
            turn = self.line.popleft()
            if not turn.done():
                turn.set_result(hand)
                return
        self.idle.append(hand)

    async def stop(self) -> None:
        """End all processes."""
        for hand in self.hands:
            await hand.stop()
