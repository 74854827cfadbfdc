"""Workers are borrowed in turn, preferably for a subject they have cached."""

import asyncio
import os
from pathlib import Path

import pytest

from weft.server.worker_pool import JSON_MEDIA_TYPE, WORKER_DIED_REPLY, Reply, Worker, WorkerPool
from weft.workspace.workspace import Workspace


def pool_of(count: int) -> WorkerPool:
    return WorkerPool([Worker(Path(), Path()) for _ in range(count)])


def test_callers_are_served_in_order() -> None:
    async def script() -> None:
        pool = pool_of(1)
        worker = await pool.acquire("a")
        turns = [asyncio.create_task(pool.acquire(word)) for word in "bc"]
        await asyncio.sleep(0)
        pool.release(worker)
        assert await turns[0] is worker
        assert not turns[1].done()
        pool.release(worker)
        assert await turns[1] is worker

    asyncio.run(script())


def test_a_worker_is_reused_for_its_subject() -> None:
    async def script() -> None:
        pool = pool_of(2)
        first, second = await pool.acquire("jaguar"), await pool.acquire("atari")
        pool.release(first)
        pool.release(second)
        assert await pool.acquire("atari") is second

    asyncio.run(script())


def test_a_stopped_worker_has_no_subject() -> None:
    async def script() -> None:
        pool = pool_of(2)
        first, second = await pool.acquire("jaguar"), await pool.acquire("atari")
        pool.release(second)
        await first.stop()
        pool.release(first)
        assert await pool.acquire("jaguar") is second

    asyncio.run(script())


def test_a_cancelled_caller_returns_its_worker() -> None:
    async def script() -> None:
        pool = pool_of(1)
        worker = await pool.acquire("a")
        leaving = asyncio.create_task(pool.acquire("b"))
        await asyncio.sleep(0)
        pool.release(worker)
        leaving.cancel()
        await asyncio.gather(leaving, return_exceptions=True)
        assert pool.idle == [worker]

    asyncio.run(script())


def test_workers_that_cannot_start_report_it_and_block_nobody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def refuse(*_words: str, **_options: object) -> None:
        raise BlockingIOError

    monkeypatch.setattr(asyncio, "create_subprocess_exec", refuse)

    async def script() -> None:
        pool = pool_of(2)
        await asyncio.gather(*await pool.start_workers())
        worker = await asyncio.wait_for(pool.acquire("a"), 5)
        assert await worker.send_request("search", {}, print) == WORKER_DIED_REPLY
        await pool.stop()

    asyncio.run(script())


def test_workers_are_borrowed_once_they_are_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    ready: dict[Worker, asyncio.Event] = {}

    async def send_request(worker: Worker, *_request: object) -> Reply:
        await ready[worker].wait()
        return Reply(200, JSON_MEDIA_TYPE)

    async def start(_worker: Worker) -> None:
        pass

    async def script() -> None:
        pool = pool_of(2)
        ready.update((worker, asyncio.Event()) for worker in pool.workers)
        first, second = await pool.start_workers()
        turn = asyncio.create_task(pool.acquire("a"))
        ready[pool.workers[1]].set()
        assert await turn is pool.workers[1]
        assert (first.done(), second.done()) == (False, True)
        assert not pool.idle, "the other one is not ready yet"
        ready[pool.workers[0]].set()
        await first
        assert pool.idle == [pool.workers[0]]

    monkeypatch.setattr(Worker, "send_request", send_request)
    monkeypatch.setattr(Worker, "start", start)
    asyncio.run(script())


@pytest.mark.slow
def test_workers_start_together(demo: Workspace, tmp_path: Path) -> None:
    """Each has a process at once, and is ready a while later."""

    async def script() -> None:
        pool = WorkerPool([Worker(demo.folder, tmp_path) for _ in range(2)])
        tasks = await pool.start_workers()
        assert all(worker.process is not None for worker in pool.workers)
        assert not pool.idle
        await asyncio.gather(*tasks)
        assert {id(worker) for worker in pool.idle} == {id(worker) for worker in pool.workers}
        await pool.stop()

    asyncio.run(script())


def test_workers_share_the_session_but_not_the_process_group(
    demo: Workspace, tmp_path: Path
) -> None:
    """Linux compares niceness within a session; Ctrl-C goes to a process group."""

    async def script() -> None:
        process = await Worker(demo.folder, tmp_path).start()
        assert os.getsid(process.pid) == os.getsid(0)
        assert os.getpgid(process.pid) == process.pid
        process.kill()
        await process.wait()

    asyncio.run(script())
