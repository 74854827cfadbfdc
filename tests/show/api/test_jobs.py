"""Work is done once, remembered, cancelled, and never waited for too long."""

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest

from weft.run.workspace import Workspace
from weft.show.api import jobs as module
from weft.show.api.asks import Nothing, Rank, Search
from weft.show.api.crew import JSON, Reply
from weft.show.api.jobs import Jobs, Work
from weft.show.api.routes import ROUTES

SLOW = ROUTES["rank/bayesian"]
Script = Callable[[Jobs], Coroutine[Any, Any, None]]
Run = Callable[[Script], None]


def working(folder: Path, script: Script) -> None:
    """Run a script on fresh jobs, and close them."""

    async def run() -> None:
        jobs = Jobs(folder)
        try:
            await script(jobs)
        finally:
            await jobs.close()

    asyncio.run(run())


@pytest.fixture(scope="module")
def runner(demo: Workspace) -> Iterator[Callable[[Script], None]]:
    """`runner(script)` runs scripts on jobs whose processes have started for others before."""

    async def open_jobs() -> Jobs:
        return Jobs(demo.folder)

    with asyncio.Runner() as loop:
        jobs = loop.run(open_jobs())
        yield lambda script: loop.run(script(jobs))
        loop.run(jobs.close())


async def begun(work: Work) -> None:
    """Wait until a process has told how far it is."""
    until = time.monotonic() + 60
    while not work.steps and time.monotonic() < until:
        await asyncio.sleep(0.05)
    assert (work.state, work.reply) == ("running", None)


def search(jobs: Jobs, query: str) -> Work:
    return jobs.start(ROUTES["search"], Search(query=query))


def slow(jobs: Jobs) -> Work:
    return jobs.start(SLOW, SLOW.asks.model_validate({"samples": 100_000}))


def test_who_asks_early_waits_for_a_hand_that_was_called_in(demo: Workspace) -> None:
    async def script(jobs: Jobs) -> None:
        await jobs.quick.call_in()
        called = [hand.process for hand in jobs.quick.hands]
        work = search(jobs, "jaguar")
        await asyncio.sleep(0)
        assert work.state == "waiting"
        assert await work.wait(60)
        assert work.told.state == "done"
        assert [hand.process for hand in jobs.quick.hands] == called

    working(demo.folder, script)


def test_the_same_question_is_worked_on_once(runner: Run) -> None:
    async def script(jobs: Jobs) -> None:
        one, two = search(jobs, "jaguar"), search(jobs, "jaguar")
        assert one is two
        assert await one.wait(60)
        assert search(jobs, "jaguar") is one
        assert search(jobs, "atari") is not one
        assert one.reply is not None
        assert one.reply.status == 200

    runner(script)


def test_work_under_way_can_be_cancelled(runner: Run) -> None:
    async def script(jobs: Jobs) -> None:
        work = slow(jobs)
        await begun(work)
        await jobs.leave(work)
        assert work.told.state == "cancelled"
        assert work.told.problem is not None
        fine = jobs.start(ROUTES["hosts"], ROUTES["hosts"].asks())
        assert await fine.wait(60), "the hand is there for others again"
        again = slow(jobs)
        assert again is not work, "what was cancelled can be asked again"
        await jobs.leave(again)

    runner(script)


def test_the_last_reader_who_leaves_takes_the_work_along(runner: Run) -> None:
    async def script(jobs: Jobs) -> None:
        work = slow(jobs)
        work.readers = 2
        states = []
        for _ in range(2):
            await jobs.leave(work)
            states.append(work.reply is None)
        assert states == [True, False]
        assert work.told.state == "cancelled"

    runner(script)


def test_work_in_line_can_be_cancelled(demo: Workspace) -> None:
    async def script(jobs: Jobs) -> None:
        slow(jobs)
        for _ in jobs.long.hands[1:]:
            jobs.start(SLOW, SLOW.asks.model_validate({"samples": 99_999}))
        waiting = jobs.start(ROUTES["structure/ends"], ROUTES["structure/ends"].asks())
        await asyncio.sleep(0.2)
        before = waiting.told
        await jobs.leave(waiting)
        assert [before.state, waiting.told.state] == ["waiting", "cancelled"]

    working(demo.folder, script)


def test_quick_questions_do_not_wait_for_long_work(runner: Run) -> None:
    async def script(jobs: Jobs) -> None:
        work = slow(jobs)
        assert await search(jobs, "panther").wait(60)
        assert work.reply is None
        await jobs.leave(work)

    runner(script)


def test_what_takes_too_long_is_stopped(demo: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONGEST", 0.5)

    async def script(jobs: Jobs) -> None:
        work = slow(jobs)
        assert await work.wait(60)
        assert work.reply is not None
        assert (work.reply.status, work.state) == (504, "failed")

    working(demo.folder, script)


def test_a_full_line_is_told(demo: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_WAITING", 2)

    async def script(jobs: Jobs) -> None:
        works = [search(jobs, f"word{k}") for k in range(3)]
        assert [work.state for work in works] == ["waiting", "waiting", "failed"]
        assert works[2].reply is not None
        assert works[2].reply.status == 503

    working(demo.folder, script)


def test_a_full_line_of_long_work_leaves_room_for_quick_questions(demo: Workspace) -> None:
    async def script(jobs: Jobs) -> None:
        asked = [SLOW.asks.model_validate({"samples": 100_000 - k}) for k in range(257)]
        works = [jobs.start(SLOW, ask) for ask in asked]
        assert works[-1].reply is not None
        assert works[-1].reply.status == 503
        quick = search(jobs, "jaguar")
        assert await quick.wait(60)
        assert quick.state == "done"
        assert sum(work.reply is None for work in works) == 256, "none of it is done yet"

    working(demo.folder, script)


def test_a_process_that_dies_is_replaced(runner: Run) -> None:
    async def script(jobs: Jobs) -> None:
        work = slow(jobs)
        await begun(work)
        assert work.hand is not None
        assert work.hand.process is not None
        work.hand.process.kill()
        assert await work.wait(60)
        assert work.reply is not None
        assert work.reply.status == 500
        again = jobs.start(ROUTES["hosts"], ROUTES["hosts"].asks())
        assert await again.wait(60)
        assert again.state == "done"

    runner(script)


def finished(jobs: Jobs, name: str, size: int, file: Path | None = None) -> Work:
    work = Work(name, ROUTES["collection"], Nothing())
    jobs.works[name] = work
    jobs._end(work, Reply(200, "application/json", b"x" * size, file))
    return work


def test_old_answers_make_room(demo: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", 100)

    async def script(jobs: Jobs) -> None:
        for name in "abc":
            finished(jobs, name, 40)
        assert list(jobs.works) == ["b", "c"]
        assert jobs.size == 80

    working(demo.folder, script)


def test_old_files_are_deleted(
    demo: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_FILES", 1)
    files = [tmp_path / name for name in "ab"]

    async def script(jobs: Jobs) -> None:
        for file in files:
            file.write_text("rows")
            finished(jobs, file.name, 0, file)
        assert [file.exists() for file in files] == [False, True]

    working(demo.folder, script)


def test_an_address_leads_to_its_answer(runner: Run) -> None:
    async def script(jobs: Jobs) -> None:
        work = search(jobs, "jaguar")
        await work.wait(60)
        jobs.remember(jobs.mark(), b"/api/search?query=jaguar", work)
        assert jobs.recall(b"/api/search?query=jaguar") is work
        assert jobs.recall(b"/api/search?query=atari") is None

    runner(script)


def test_what_may_change_before_the_next_commit_is_asked_again(demo: Workspace) -> None:
    async def script(jobs: Jobs) -> None:
        works = []
        for lasting in (False, True):
            work = search(jobs, "jaguar")
            assert work.task is not None
            work.task.cancel()
            jobs._end(work, Reply(200, JSON, b"{}", lasting=lasting))
            jobs.remember(jobs.mark(), b"/api/search?query=jaguar", work)
            assert (jobs.recall(b"/api/search?query=jaguar") is work) == lasting
            works.append(work)
        assert works[0] is not works[1]
        assert search(jobs, "jaguar") is works[1]

    working(demo.folder, script)


def test_closing_lets_nobody_wait(demo: Workspace) -> None:
    async def run() -> None:
        jobs = Jobs(demo.folder)
        work = slow(jobs)
        asyncio.get_running_loop().call_later(1, lambda: asyncio.ensure_future(jobs.close()))
        assert await work.wait(30)
        assert work.reply is not None
        assert work.reply.status == 503
        assert jobs.start(SLOW, Rank()).state == "failed"
        await asyncio.sleep(0.5)
        assert not jobs.drawer.exists()

    asyncio.run(run())
