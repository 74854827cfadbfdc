"""Jobs run once, are cached, cancelled and timed out."""

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from weft.server import jobs as jobs_module
from weft.server.jobs import JSON_MEDIA_TYPE, Job, JobScheduler, Reply
from weft.server.params import NoParams
from weft.server.routes import ROUTES, Route
from weft.workspace.workspace import Workspace

SLOW = ROUTES["rank/bayesian"]
Script = Callable[[JobScheduler], Coroutine[Any, Any, None]]
Run = Callable[[Script], None]


def run_script(folder: Path, script: Script) -> None:
    """Run a script on a new scheduler, and close it."""

    async def run() -> None:
        scheduler = JobScheduler(folder)
        try:
            await script(scheduler)
        finally:
            await scheduler.close()

    asyncio.run(run())


@pytest.fixture(scope="module")
def runner(demo: Workspace) -> Iterator[Callable[[Script], None]]:
    """`runner(script)` runs scripts on one scheduler, whose workers are started once."""

    async def open_jobs() -> JobScheduler:
        return JobScheduler(demo.folder)

    with asyncio.Runner() as loop:
        scheduler = loop.run(open_jobs())
        yield lambda script: loop.run(script(scheduler))
        loop.run(scheduler.close())


async def wait_for_progress(job: Job) -> None:
    """Wait until the worker has reported progress."""
    deadline = time.monotonic() + 60
    while not job.steps and time.monotonic() < deadline:
        await asyncio.sleep(0.05)
    assert (job.state, job.reply) == ("running", None)


def submit(scheduler: JobScheduler, route: Route, **given: Any) -> Job:
    job_id = scheduler.job_id(route.path, urlencode(given).encode())
    return scheduler.submit(job_id, route, route.params_class.model_validate(given))


def search(scheduler: JobScheduler, query: str) -> Job:
    return submit(scheduler, ROUTES["search"], query=query)


def slow(scheduler: JobScheduler) -> Job:
    return submit(scheduler, SLOW, samples=100_000)


@pytest.mark.slow
def test_early_requests_wait_for_a_starting_worker(demo: Workspace) -> None:
    async def script(scheduler: JobScheduler) -> None:
        scheduler.start_workers()
        job = search(scheduler, "jaguar")
        await asyncio.sleep(0.2)
        started = list(scheduler.quick_pool.cpu_times())
        assert (len(started), job.state) == (1, "waiting")
        assert await job.wait(60)
        assert job.status.state == "done"
        assert list(scheduler.quick_pool.cpu_times()) == started

    run_script(demo.folder, script)


@pytest.mark.slow
def test_the_same_request_runs_once(runner: Run) -> None:
    async def script(scheduler: JobScheduler) -> None:
        first, second = search(scheduler, "jaguar"), search(scheduler, "jaguar")
        assert first is second
        assert await first.wait(60)
        assert search(scheduler, "jaguar") is first
        assert search(scheduler, "atari") is not first
        assert first.reply is not None
        assert first.reply.http_status == 200

    runner(script)


@pytest.mark.slow
def test_a_running_job_can_be_cancelled(runner: Run) -> None:
    async def script(scheduler: JobScheduler) -> None:
        job = slow(scheduler)
        await wait_for_progress(job)
        scheduler.drop_client(job)
        assert job.status.state == "cancelled"
        assert job.status.problem is not None
        fine = submit(scheduler, ROUTES["hosts"])
        assert await fine.wait(60), "the worker is free again"
        again = slow(scheduler)
        assert again is not job, "a cancelled request can be sent again"
        scheduler.drop_client(again)

    runner(script)


def test_the_last_client_who_leaves_cancels_the_job(runner: Run) -> None:
    async def script(scheduler: JobScheduler) -> None:
        job = slow(scheduler)
        job.client_count = 2
        states = []
        for _ in range(2):
            scheduler.drop_client(job)
            states.append(job.reply is None)
        assert states == [True, False]
        assert job.status.state == "cancelled"

    runner(script)


def test_a_waiting_job_can_be_cancelled(demo: Workspace) -> None:
    async def script(scheduler: JobScheduler) -> None:
        slow(scheduler)
        for _ in scheduler.slow_pool.workers[1:]:
            submit(scheduler, SLOW, samples=99_999)
        waiting = submit(scheduler, ROUTES["structure/counts"])
        await asyncio.sleep(0.2)
        before = waiting.status
        scheduler.drop_client(waiting)
        assert [before.state, waiting.status.state] == ["waiting", "cancelled"]

    run_script(demo.folder, script)


@pytest.mark.slow
def test_quick_requests_do_not_wait_for_long_jobs(runner: Run) -> None:
    async def script(scheduler: JobScheduler) -> None:
        job = slow(scheduler)
        assert await search(scheduler, "panther").wait(60)
        assert job.reply is None
        scheduler.drop_client(job)

    runner(script)


def test_a_job_times_out(demo: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs_module, "MAX_JOB_SECONDS", 0.5)

    async def script(scheduler: JobScheduler) -> None:
        job = slow(scheduler)
        assert await job.wait(60)
        assert job.reply is not None
        assert (job.reply.http_status, job.state) == (504, "failed")

    run_script(demo.folder, script)


def test_a_full_queue_is_refused(demo: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs_module, "MAX_WAITING_JOBS", 2)

    async def script(scheduler: JobScheduler) -> None:
        submitted = [search(scheduler, f"word{k}") for k in range(3)]
        assert [job.state == "failed" for job in submitted] == [False, False, True]
        assert submitted[2].reply is not None
        assert submitted[2].reply.http_status == 503

    run_script(demo.folder, script)


@pytest.mark.slow
def test_a_full_queue_of_long_jobs_does_not_block_quick_requests(demo: Workspace) -> None:
    async def script(scheduler: JobScheduler) -> None:
        submitted = [submit(scheduler, SLOW, samples=100_000 - k) for k in range(257)]
        assert submitted[-1].reply is not None
        assert submitted[-1].reply.http_status == 503
        quick = search(scheduler, "jaguar")
        assert await quick.wait(60)
        assert quick.state == "done"
        assert sum(job.reply is None for job in submitted) == 256, "none is done yet"

    run_script(demo.folder, script)


@pytest.mark.slow
def test_a_dead_worker_is_replaced(runner: Run) -> None:
    async def script(scheduler: JobScheduler) -> None:
        job = slow(scheduler)
        await wait_for_progress(job)
        assert job.task is not None
        assert job.task.worker is not None
        assert job.task.worker.process is not None
        job.task.worker.process.kill()
        assert await job.wait(60)
        assert job.reply is not None
        assert job.reply.http_status == 500
        again = submit(scheduler, ROUTES["hosts"])
        assert await again.wait(60)
        assert again.state == "done"

    runner(script)


def finish(scheduler: JobScheduler, name: str, size: int, file: Path | None = None) -> Job:
    job = Job(name, ROUTES["collection"], NoParams())
    scheduler.jobs[name] = job
    scheduler._finish_job(job, Reply(200, "application/json", b"x" * size, file))
    return job


def test_old_replies_are_evicted(demo: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs_module, "MAX_CACHED_BYTES", 100)

    async def script(scheduler: JobScheduler) -> None:
        for name in "abc":
            finish(scheduler, name, 40)
        assert list(scheduler.jobs) == ["b", "c"]
        assert scheduler.cached_bytes == 80

    run_script(demo.folder, script)


def test_old_files_are_deleted(
    demo: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs_module, "MAX_FILES", 1)
    files = [tmp_path / name for name in "ab"]

    async def script(scheduler: JobScheduler) -> None:
        for file in files:
            file.write_text("rows")
            finish(scheduler, file.name, 0, file)
        assert [file.exists() for file in files] == [False, True]

    run_script(demo.folder, script)


def test_the_id_of_a_job_is_that_of_its_request(demo: Workspace) -> None:
    async def script(scheduler: JobScheduler) -> None:
        one = scheduler.job_id("/api/compare", b"top=3&method=hits&method=salsa")
        assert one == scheduler.job_id("/api/compare", b"method=hits&method=salsa&top=3")
        assert one != scheduler.job_id("/api/compare", b"method=salsa&method=hits&top=3")
        assert one != scheduler.job_id("/api/page/scores", b"top=3&method=hits&method=salsa")

    run_script(demo.folder, script)


def test_replies_that_are_not_cacheable_are_computed_again(demo: Workspace) -> None:
    async def script(scheduler: JobScheduler) -> None:
        submitted = []
        for cacheable in (False, True):
            job = search(scheduler, "jaguar")
            scheduler._finish_job(job, Reply(200, JSON_MEDIA_TYPE, b"{}", cacheable=cacheable))
            assert (scheduler.find_reply(job.id) is job) == cacheable
            submitted.append(job)
        assert submitted[0] is not submitted[1]
        assert search(scheduler, "jaguar") is submitted[1]

    run_script(demo.folder, script)


@pytest.mark.slow
def test_closing_finishes_all_jobs(demo: Workspace) -> None:
    async def run() -> None:
        scheduler = JobScheduler(demo.folder)
        job = slow(scheduler)
        asyncio.get_running_loop().call_later(1, lambda: asyncio.ensure_future(scheduler.close()))
        assert await job.wait(30)
        assert job.reply is not None
        assert job.reply.http_status == 503
        assert submit(scheduler, SLOW).state == "failed"
        await asyncio.sleep(0.5)
        assert not scheduler.tmp_dir.exists()

    asyncio.run(run())
