"""Worker processes do tasks in turn, are replaced when they die, and killed to cancel a task."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any

import pytest

from weft.core.errors import WeftError
from weft.core.progress import track
from weft.core.worker_pool import Task, WorkerDied, WorkerPool, cpu_time, kill_after

Pools = Callable[..., WorkerPool]


def start_acting(*names: str) -> Callable[..., Any]:
    """Workers import this by name: the function that does what a task says."""
    if "die" in names:
        os._exit(1)
    return lambda name, *args: ACTS[name](*args)


def _fail() -> None:
    raise WeftError("no", hint="do")


def _time_out() -> None:
    raise TimeoutError("the task's own")


def _interrupt() -> str:
    os.kill(os.getpid(), signal.SIGINT)
    return "still here"


def _count() -> None:
    for _ in track(range(3), "counting", 3):
        time.sleep(0.12)


def _compute(seconds: float) -> None:
    with kill_after(seconds):
        while True:
            pass


ACTS: dict[str, Callable[..., Any]] = {
    "pid": os.getpid,
    "group": lambda: (os.getsid(0), os.getppid()),
    "sleep": time.sleep,
    "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "interrupt": _interrupt,
    "environment": os.environ.get,
    "print": lambda: os.write(1, b"not a reply") and None,
    "fail": _fail,
    "time out": _time_out,
    "count": _count,
    "compute": _compute,
}


@pytest.fixture
def pools() -> Iterator[Pools]:
    """`pools(size)` makes a pool, which is stopped in the end."""
    made: list[WorkerPool] = []

    def make(size: int, *args: Any, **environment: str) -> WorkerPool:
        made.append(WorkerPool(size, f"{__name__}:start_acting", args, environment))
        return made[-1]

    yield make
    for pool in made:
        pool.stop()


def result(task: Task) -> Any:
    return task.future.result(60)


def wait_until_running(pool: WorkerPool, task: Task) -> None:
    end = time.monotonic() + 60
    while not pool.cpu_times() or not task.future.running():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_worker_does_its_tasks_in_order(pools: Pools) -> None:
    pool = pools(1)
    tasks = [pool.submit("pid") for _ in range(5)]
    [pid] = {result(task) for task in tasks}
    assert pid != os.getpid()
    assert list(pool.cpu_times()) == [pid]


def test_workers_start_on_demand_and_together(pools: Pools) -> None:
    pool = pools(2)
    assert not pool.cpu_times()
    tasks = [pool.submit("sleep", 0.5), pool.submit("pid"), pool.submit("pid")]
    for task in tasks:
        result(task)
    assert len(pool.cpu_times()) == 2


def test_a_worker_is_reused_for_its_subject(pools: Pools) -> None:
    pool = pools(2)
    first = pool.submit("sleep", 1.5, subject="jaguar")
    atari = result(pool.submit("pid", subject="atari"))
    result(first)
    jaguar = result(pool.submit("pid", subject="jaguar"))
    assert jaguar != atari
    for word, pid in [("atari", atari), ("jaguar", jaguar), ("jaguar", jaguar), ("atari", atari)]:
        assert result(pool.submit("pid", subject=word)) == pid


def test_errors_of_a_task_are_raised_with_their_traceback(pools: Pools) -> None:
    pool = pools(1)
    with pytest.raises(WeftError, match="no") as error:
        result(pool.submit("fail"))
    assert error.value.hint == "do"
    assert "in _fail" in error.value.__notes__[0]
    pid = result(pool.submit("pid"))
    with pytest.raises(TimeoutError, match="the task's own"):
        result(pool.submit("time out"))
    assert result(pool.submit("pid")) == pid, "the worker goes on"


def test_a_dead_worker_is_replaced(pools: Pools) -> None:
    pool = pools(1)
    pid = result(pool.submit("pid"))
    with pytest.raises(WorkerDied) as death:
        result(pool.submit("kill"))
    assert death.value.started
    assert not death.value.out_of_cpu_time
    second = result(pool.submit("pid"))
    assert second != pid
    os.kill(second, signal.SIGKILL)
    time.sleep(0.2)
    assert result(pool.submit("pid")) != second, "one that dies between tasks blames none"


def test_other_tasks_survive_a_dead_worker(pools: Pools) -> None:
    pool = pools(2)
    sleeping = pool.submit("sleep", 1.5)
    with pytest.raises(WorkerDied):
        result(pool.submit("kill"))
    result(sleeping)


def test_too_much_cpu_time_is_told_from_a_crash(pools: Pools) -> None:
    with pytest.raises(WorkerDied) as death:
        result(pools(1).submit("compute", 0.1))
    assert death.value.out_of_cpu_time


def test_workers_that_do_not_start_are_told_from_those_that_die(
    pools: Pools, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(WorkerDied) as death:
        result(pools(1, "die").submit("pid"))
    assert not death.value.started

    def refuse(*_words: object, **_options: object) -> None:
        raise BlockingIOError

    monkeypatch.setattr(subprocess, "Popen", refuse)
    pool = pools(1)
    for _ in range(2):
        with pytest.raises(WorkerDied) as death:
            result(pool.submit("pid"))
        assert not death.value.started


def test_a_running_task_is_cancelled_by_a_kill(pools: Pools) -> None:
    pool = pools(1)
    pid = result(pool.submit("pid"))
    task = pool.submit("sleep", 600)
    wait_until_running(pool, task)
    pool.cancel(task)
    with pytest.raises((WorkerDied, CancelledError)):
        result(task)
    assert result(pool.submit("pid")) != pid


def test_a_waiting_task_is_cancelled_without_a_kill(pools: Pools) -> None:
    pool = pools(1)
    running, waiting = pool.submit("sleep", 1), pool.submit("pid")
    pool.cancel(waiting)
    assert waiting.future.cancelled()
    result(running)
    pool.cancel(running)
    result(pool.submit("pid"))


def test_a_task_has_a_time_limit(pools: Pools) -> None:
    pool = pools(1)
    result(pool.submit("pid"))
    with pytest.raises(TimeoutError):
        result(pool.submit("sleep", 600, max_seconds=0.2))
    result(pool.submit("pid"))


def test_progress_is_reported(pools: Pools) -> None:
    steps: list[tuple[str, int, int | None]] = []
    result(pools(1).submit("count", on_progress=lambda *step: steps.append(step)))
    assert steps == [("counting", done, 3) for done in (1, 2, 3)]


def test_workers_share_the_session_and_ignore_ctrl_c(pools: Pools) -> None:
    """Linux compares niceness within a session."""
    pool = pools(1)
    assert result(pool.submit("group")) == (os.getsid(0), os.getpid())
    assert result(pool.submit("interrupt")) == "still here"


def test_what_a_worker_prints_is_no_reply(pools: Pools, capfd: pytest.CaptureFixture[str]) -> None:
    pool = pools(1)
    assert result(pool.submit("print")) is None
    pool.stop()
    assert capfd.readouterr().out == ""


def test_workers_have_an_environment_of_their_own(pools: Pools) -> None:
    assert result(pools(1, WEFT_TEST="1").submit("environment", "WEFT_TEST")) == "1"
    assert "WEFT_TEST" not in os.environ


@pytest.mark.parametrize("tasks", [1, 3])
def test_a_stopped_pool_leaves_no_process(pools: Pools, tasks: int) -> None:
    pool = pools(2)
    submitted = [pool.submit("sleep", 600) for _ in range(tasks)]
    wait_until_running(pool, submitted[0])
    pids = list(pool.cpu_times())
    pool.stop()
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)
    for task in submitted:
        with pytest.raises((WorkerDied, CancelledError)):
            result(task)


def test_the_cpu_time_of_a_process() -> None:
    started = time.process_time()
    assert cpu_time(os.getpid()) == pytest.approx(started, abs=0.5)
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    assert cpu_time(gone.pid) == 0
