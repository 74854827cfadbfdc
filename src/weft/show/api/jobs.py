"""Questions under way and answers at hand: each is worked out once, and remembered for a while."""

import asyncio
import hashlib
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from weft.core.machine import cores
from weft.show.api.crew import JSON, Crew, Hand, Reply, failure
from weft.show.api.shapes import Job, Problem, State, Step
from weft.store.manifest import Mark, mark_of

if TYPE_CHECKING:
    from weft.show.api.asks import Ask
    from weft.show.api.routes import Route

MOST_BYTES = 256 << 20
MOST_JOBS, MOST_FILES, MOST_WAITING = 4096, 16, 256
LONGEST = 600.0
FEWEST_HANDS, MOST_HANDS, YIELDING = 2, 4, 5

CANCELLED = failure(409, "this was cancelled", "ask again")
TOO_LONG = failure(
    504, f"this took longer than {LONGEST:.0f} seconds", "ask for less: fewer pages, or a query"
)
STOPPING = failure(503, "the server is stopping", "start it again")
BUSY = failure(503, "too much is being worked on already", "try again in a moment")


@dataclass(slots=True, eq=False)
class Work:
    """A question on its way to an answer; `readers` wait for it, or will come for it."""

    id: str
    route: "Route"
    ask: "Ask"
    state: State = "waiting"
    readers: int = 0
    steps: dict[str, Step] = field(default_factory=dict)
    reply: Reply | None = None
    task: asyncio.Task[None] | None = None
    hand: Hand | None = None
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def told(self) -> Job:
        """How it stands."""
        failed = self.reply is not None and self.state in {"failed", "cancelled"}
        problem = Problem.model_validate_json(self.reply.body) if failed and self.reply else None
        return Job(job=self.id, state=self.state, steps=list(self.steps.values()), problem=problem)

    def tell(self, label: str, done: int, total: int | None) -> None:
        """Note how far a step has come."""
        self.steps[label] = Step(label=label, done=done, total=total)

    async def wait(self, seconds: float) -> bool:
        """Wait until there is a reply, but not for ever."""
        if self.reply is None:
            with suppress(TimeoutError):
                await asyncio.wait_for(self.ended.wait(), seconds)
        return self.reply is not None


@dataclass(slots=True, eq=False)
class Jobs:
    """All work of a server, the latest last; old answers make room for new ones."""

    folder: Path
    drawer: Path = field(init=False)
    works: OrderedDict[str, Work] = field(default_factory=OrderedDict)
    heard: OrderedDict[tuple[Mark, bytes], str] = field(default_factory=OrderedDict)
    quick: Crew = field(init=False)
    long: Crew = field(init=False)
    size: int = 0
    closed: bool = False
    _held: TemporaryDirectory[str] = field(init=False, repr=False)
    _called: list[asyncio.Task[None]] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        self._held = TemporaryDirectory(prefix="weft-")
        self.drawer = Path(self._held.name)
        count = max(FEWEST_HANDS, min(MOST_HANDS, cores() - 1))
        self.quick = Crew([Hand(self.folder, self.drawer)])
        self.long = Crew([Hand(self.folder, self.drawer, YIELDING) for _ in range(count)])

    async def call_in(self) -> None:
        """Start the processes; who asks before one is ready waits in line."""
        self._called = [*await self.quick.call_in(), *await self.long.call_in()]

    async def close(self) -> None:
        """Drop all work, so that nobody waits any longer, and end the processes."""
        self.closed = True
        under_way = [work for work in self.works.values() if work.reply is None]
        for work in under_way:
            self._end(work, STOPPING)
        for task in self._called:
            task.cancel()
        await self.quick.stop()
        await self.long.stop()
        for work in under_way:
            if work.task is not None:
                work.task.cancel()
        self._held.cleanup()

    def mark(self) -> Mark:
        """The commit that questions are about now."""
        return mark_of(self.folder)

    def start(self, route: "Route", ask: "Ask") -> Work:
        """The work on a question: what is done or under way already, or else fresh work."""
        asked = ask.model_dump_json()
        name = hashlib.sha256(f"{self.mark()} {route.path} {asked}".encode()).hexdigest()[:24]
        known = self.works.get(name)
        if known is not None and (known.reply is None or known.reply.lasting):
            self.works.move_to_end(name)
            return known
        work = Work(name, route, ask)
        self._forget(name)
        self.works[name] = work
        if self.closed or self._waiting(quick=route.quick) > MOST_WAITING:
            self._end(work, STOPPING if self.closed else BUSY)
        else:
            work.task = asyncio.create_task(self._do(work))
        return work

    def _waiting(self, *, quick: bool) -> int:
        """How many questions wait or are worked on, of those that are quick or of the others."""
        works = self.works.values()
        return sum(work.reply is None and work.route.quick == quick for work in works)

    async def _do(self, work: Work) -> None:
        crew = self.quick if work.route.quick else self.long
        ask = work.ask.model_dump(mode="json")
        hand = await crew.borrow(f"{ask.get('query', '')} {ask.get('url', '')}")
        try:
            if work.reply is None:
                work.state, work.hand = "running", hand
                async with asyncio.timeout(LONGEST):
                    reply = await hand.answer(work.route.path, ask, work.tell)
                if work.reply is None:
                    self._end(work, reply)
        except TimeoutError:
            await hand.stop()
            self._end(work, TOO_LONG)
        finally:
            work.hand = None
            crew.give_back(hand)

    async def leave(self, work: Work) -> None:
        """Note that a reader does not wait any longer; the last one takes the work along."""
        work.readers -= 1
        if work.readers <= 0 and work.reply is None:
            self._end(work, CANCELLED)
            if work.hand is not None:
                await work.hand.stop()
            elif work.task is not None:
                work.task.cancel()

    def _end(self, work: Work, reply: Reply) -> None:
        work.reply = reply
        work.ended.set()
        ends: dict[Reply, State] = {CANCELLED: "cancelled"}
        work.state = "done" if reply.status == 200 else ends.get(reply, "failed")
        self.size += len(reply.body)
        self._make_room()

    def _make_room(self) -> None:
        """Forget the answers that nobody has asked for longest."""
        files = [name for name, work in self.works.items() if work.reply and work.reply.file]
        for name in files[:-MOST_FILES]:
            self._forget(name)
        done = [name for name, work in self.works.items() if work.reply is not None]
        for name in done[:-1]:
            if self.size <= MOST_BYTES and len(self.works) <= MOST_JOBS:
                break
            self._forget(name)

    def _forget(self, name: str) -> None:
        work = self.works.pop(name, None)
        if work is not None and work.reply is not None:
            self.size -= len(work.reply.body)
            if work.reply.file is not None:
                work.reply.file.unlink(missing_ok=True)

    def remember(self, mark: Mark, address: bytes, work: Work) -> None:
        """Note which answer an address leads to, so that it is found at once next time."""
        self.heard[mark, address] = work.id
        if len(self.heard) > MOST_JOBS:
            self.heard.popitem(last=False)

    def recall(self, address: bytes) -> Work | None:
        """The work whose answer an address leads to, if it is JSON at hand."""
        work = self.works.get(self.heard.get((self.mark(), address), ""))
        if work is None or work.reply is None:
            return None
        if not work.reply.lasting or work.reply.media != JSON:
            return None
        self.works.move_to_end(work.id)
        return work
