"""Jobs: requests that run on workers, computed once and cached until evicted."""

import asyncio
import hashlib
from collections import OrderedDict
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from weft.core.cpu import available_cores
from weft.core.worker_pool import Task, WorkerDied, WorkerPool
from weft.server.schemas.responses import PROBLEM_MEDIA_TYPE, JobState, JobStatus, JobStep, Problem
from weft.store.collection import read_curation_stamp
from weft.store.manifest import read_commit_stamp

if TYPE_CHECKING:
    from weft.server.params import Params
    from weft.server.routes import Route

MAX_CACHED_BYTES = 256 << 20
MAX_JOBS, MAX_FILES, MAX_WAITING_JOBS = 4096, 16, 256
MAX_JOB_SECONDS = 600.0
MIN_WORKERS, MAX_WORKERS, SLOW_WORKER_NICENESS = 2, 4, 5
JSON_MEDIA_TYPE = "application/json"
START_SESSION = "weft.server.worker:start_session"


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
CANCELLED_REPLY = problem_reply(409, "the request was cancelled", "send it again")
TIMEOUT_REPLY = problem_reply(
    504,
    f"the request took longer than {MAX_JOB_SECONDS:.0f} seconds",
    "ask for less: fewer pages, or a query",
)
STOPPING_REPLY = problem_reply(503, "the server is stopping", "start it again")
BUSY_REPLY = problem_reply(503, "too many requests are waiting", "try again in a moment")


@dataclass(slots=True, eq=False)
class Job:
    """A request and its reply; `client_count` clients wait for it or will poll it."""

    id: str
    route: "Route"
    params: "Params"
    client_count: int = 0
    steps: dict[str, JobStep] = field(default_factory=dict)
    reply: Reply | None = None
    task: Task | None = None
    finished: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def state(self) -> JobState:
        """Whether it waits for a worker, runs, or how it ended."""
        if self.reply is None:
            return "running" if self.task is not None and self.task.future.running() else "waiting"
        if self.reply.http_status == 200:
            return "done"
        return "cancelled" if self.reply is CANCELLED_REPLY else "failed"

    @property
    def status(self) -> JobStatus:
        """State and progress, for clients."""
        failed = self.reply is not None and self.state in {"failed", "cancelled"}
        problem = Problem.model_validate_json(self.reply.body) if failed and self.reply else None
        return JobStatus(
            id=self.id, state=self.state, steps=list(self.steps.values()), problem=problem
        )

    def update_progress(self, label: str, done: int, total: int | None) -> None:
        """Record the progress of a step."""
        self.steps[label] = JobStep(label=label, done=done, total=total)

    async def wait(self, seconds: float) -> bool:
        """Wait for the reply at most some seconds; return whether it is there."""
        if self.reply is None:
            with suppress(TimeoutError):
                await asyncio.wait_for(self.finished.wait(), seconds)
        return self.reply is not None


@dataclass(slots=True, eq=False)
class JobScheduler:
    """All jobs of a server, most recently used last, and the workers that run them."""

    folder: Path
    tmp_dir: Path = field(init=False)
    jobs: OrderedDict[str, Job] = field(default_factory=OrderedDict)
    quick_pool: WorkerPool = field(init=False)
    slow_pool: WorkerPool = field(init=False)
    cached_bytes: int = 0
    closed: bool = False
    _tmp_dir_handle: TemporaryDirectory[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._tmp_dir_handle = TemporaryDirectory(prefix="weft-")
        self.tmp_dir = Path(self._tmp_dir_handle.name)
        count = max(MIN_WORKERS, min(MAX_WORKERS, available_cores() - 1))
        self.quick_pool = WorkerPool(1, START_SESSION, (self.folder, self.tmp_dir, 0))
        session = self.folder, self.tmp_dir, SLOW_WORKER_NICENESS
        self.slow_pool = WorkerPool(count, START_SESSION, session)

    def start_workers(self) -> None:
        """Start the worker processes; requests queue until one is ready."""
        for pool in (self.quick_pool, self.slow_pool):
            for _ in pool.workers:
                pool.submit("collection/summary", {})

    async def close(self) -> None:
        """Finish all jobs with 503, and stop the workers."""
        self.closed = True
        for job in [job for job in self.jobs.values() if job.reply is None]:
            self._finish_job(job, STOPPING_REPLY)
        for pool in (self.quick_pool, self.slow_pool):
            await asyncio.to_thread(pool.stop)
        self._tmp_dir_handle.cleanup()

    def job_id(self, path: str, query: bytes = b"", body: bytes = b"") -> str:
        """The id of the job that answers a request as things are, also its ETag.

        It changes with every commit, and with tags and entities.

        The order of parameters does not matter, except of those that repeat.
        """
        if b"&" in query:
            pairs = sorted(query.split(b"&"), key=lambda pair: pair.partition(b"=")[0])
            query = b"&".join(pairs)
        stamp = (*read_commit_stamp(self.folder), *read_curation_stamp(self.folder))
        request = b"%s %s?%s\n%s" % (repr(stamp).encode(), path.encode(), query, body)
        return hashlib.blake2b(request, digest_size=12).hexdigest()

    def submit(self, job_id: str, route: "Route", params: "Params") -> Job:
        """The job for a request: the cached or running one, or a new one."""
        known = self.jobs.get(job_id)
        if known is not None and (known.reply is None or known.reply.cacheable):
            self.jobs.move_to_end(job_id)
            return known
        job = Job(job_id, route, params)
        self._evict_job(job_id)
        self.jobs[job_id] = job
        if self.closed or self._count_unfinished(quick=route.quick) > MAX_WAITING_JOBS:
            self._finish_job(job, STOPPING_REPLY if self.closed else BUSY_REPLY)
        else:
            self._run_job(job)
        return job

    def _count_unfinished(self, *, quick: bool) -> int:
        """Number of unfinished jobs, of quick routes or of the others."""
        return sum(job.reply is None and job.route.quick == quick for job in self.jobs.values())

    def _pool(self, job: Job) -> WorkerPool:
        return self.quick_pool if job.route.quick else self.slow_pool

    def _run_job(self, job: Job) -> None:
        loop = asyncio.get_running_loop()
        params = job.params.model_dump(mode="json")

        def on_progress(*step: Any) -> None:
            loop.call_soon_threadsafe(job.update_progress, *step)

        def on_done(future: Future[Reply]) -> None:
            loop.call_soon_threadsafe(self._receive_reply, job, future)

        job.task = self._pool(job).submit(
            job.route.path,
            params,
            subject=f"{params.get('query', '')} {params.get('url', '')}",
            max_seconds=MAX_JOB_SECONDS,
            on_progress=on_progress,
        )
        job.task.future.add_done_callback(on_done)

    def _receive_reply(self, job: Job, future: Future[Reply]) -> None:
        if job.reply is not None:  # cancelled
            return
        try:
            reply = future.result()
        except TimeoutError:
            reply = TIMEOUT_REPLY
        except WorkerDied:
            reply = WORKER_DIED_REPLY
        self._finish_job(job, reply)

    def drop_client(self, job: Job) -> None:
        """Stop waiting for a job; when no client is left, it is cancelled."""
        job.client_count -= 1
        if job.client_count <= 0 and job.reply is None:
            self._finish_job(job, CANCELLED_REPLY)
            if job.task is not None:
                self._pool(job).cancel(job.task)

    def _finish_job(self, job: Job, reply: Reply) -> None:
        job.reply = reply
        job.finished.set()
        self.cached_bytes += len(reply.body)
        self._evict_old_jobs()

    def _evict_old_jobs(self) -> None:
        """Evict the least recently used replies; the last file downloads and reply stay."""
        with_file = [job_id for job_id, job in self.jobs.items() if job.reply and job.reply.file]
        for job_id in with_file[:-MAX_FILES]:
            self._evict_job(job_id)
        finished = [job_id for job_id, job in self.jobs.items() if job.reply is not None]
        for job_id in finished[:-1]:
            if self.cached_bytes <= MAX_CACHED_BYTES and len(self.jobs) <= MAX_JOBS:
                break
            self._evict_job(job_id)

    def _evict_job(self, job_id: str) -> None:
        job = self.jobs.pop(job_id, None)
        if job is not None and job.reply is not None:
            self.cached_bytes -= len(job.reply.body)
            if job.reply.file is not None:
                job.reply.file.unlink(missing_ok=True)

    def find_reply(self, job_id: str) -> Job | None:
        """The job of this id whose cached JSON reply answers its request, if there is one."""
        job = self.jobs.get(job_id)
        if job is None or job.reply is None:
            return None
        if not job.reply.cacheable or job.reply.media_type != JSON_MEDIA_TYPE:
            return None
        self.jobs.move_to_end(job.id)
        return job
