"""Parsing in other processes, and surviving the page that kills a parser."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from multiprocessing.resource_tracker import _resource_tracker
from pathlib import Path

import pyarrow as pa
import pytest
from tests.run.hostile import act_then_parse

from weft.core.errors import WeftError
from weft.gather.html import Reading
from weft.gather.language import study
from weft.gather.page import Link, Page, Problems, Record
from weft.run import parse
from weft.run.parse import (
    STOPPED,
    TOO_LONG,
    Batch,
    Parsed,
    Pool,
    interrupted_after,
    parse_all,
)

LARGE = parse.SMALL // 4


def parse_batch(
    pages: Sequence[Record | Page], captures: Sequence[int], reading: Reading
) -> Parsed:
    return parse.parse_batch(pages, captures, reading, lambda: interrupted_after(20))


def batches(*names: Sequence[str], body: str = "") -> list[Batch]:
    made = []
    for group in names:
        pages = [
            Record(f"http://a.com/{name}", (body or f"words of {name}").encode()) for name in group
        ]
        made.append(Batch(list(pages), [hash(page.url) % 2**64 for page in pages]))
    return made


def urls(parsed: Sequence[parse.Parsed]) -> list[str]:
    tables = [part.tables()[0] for part in parsed]
    found = pa.concat_tables(tables)["url"].to_pylist()
    return [url.removeprefix("http://a.com/") for url in found]


@pytest.mark.parametrize("workers", [1, 2])
def test_batches_keep_their_order(workers: int) -> None:
    groups = [[f"{k}-{n}" for n in range(3)] for k in range(20)]
    problems = Problems()
    parsed = list(parse_all(batches(*groups), Reading(), workers, problems))
    assert urls(parsed) == [name for group in groups for name in group]
    assert not problems.counts


def test_pages_and_links_cross_as_tables() -> None:
    page = Page("http://a.com/", title="A", links=(Link("http://b.com/", "bee"),))
    pages, links = parse_batch([page], [5], Reading()).tables()
    assert (pages["title"].to_pylist(), pages["capture"].to_pylist()) == (["A"], [5])
    assert links["anchor"].to_pylist() == ["bee"]


def test_a_language_that_takes_a_study_is_told_with_the_tables() -> None:
    names = b"Amsterdam Boston Cairo Denver Edinburgh Florence Geneva"
    records = [Record("http://a.com/", names), Record("http://b.com/", b"short")]
    parsed = parse_batch(records, [1, 2], Reading())
    assert parsed.unsure == {0: names.decode()}
    pages, _ = parsed.tables()
    assert pages["language"].to_pylist() == [study(names.decode()), ""]
    assert not parse_batch(records, [1, 2], Reading(language=False)).unsure


def test_texts_that_come_without_a_language_are_told_theirs() -> None:
    """As rows of JSON and records of WET files do; one that is named is believed."""
    text = "The races were held in the spring, and the village came to watch the horses. " * 5
    given = [Page("http://h/", text=text), Page("http://h/de", text=text, language="de")]
    pages, _ = parse_batch(given, [1, 2], Reading()).tables()
    assert pages["language"].to_pylist() == ["en", "de"]
    pages, _ = parse_batch(given, [1, 2], Reading(language=False)).tables()
    assert pages["language"].to_pylist() == ["", "de"]


@pytest.mark.parametrize("workers", [1, 2])
def test_garbage_is_collected_as_before_when_all_is_parsed(workers: int) -> None:
    before = gc.get_threshold()
    list(parse_all(batches(["a"]), Reading(), workers, Problems()))
    assert gc.get_threshold() == before


@pytest.fixture
def acting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let pages act as their URLs say, and have one second of CPU time each."""
    monkeypatch.setattr(parse, "parse_batch", act_then_parse)
    monkeypatch.setattr(parse, "DEADLINE", 1.0)


@pytest.mark.usefixtures("acting")
@pytest.mark.parametrize(
    ("workers", "fate", "size", "reason"),
    [
        (2, "kill", 1, STOPPED),
        (2, "compute", 1, TOO_LONG),
        (2, "compile", 1, TOO_LONG),
        (1, "compute", 1, TOO_LONG),
        (1, "compute", LARGE, TOO_LONG),
        (1, "compile", LARGE, TOO_LONG),
        (1, "kill", LARGE, STOPPED),
    ],
)
def test_the_page_to_blame_is_reported_and_the_rest_is_kept(
    workers: int, fate: str, size: int, reason: str
) -> None:
    groups = [["a", "b"], ["c", f"{fate}-1", "d"], ["e"], ["f", "g"]]
    problems = Problems()
    parsed = list(parse_all(batches(*groups, body="word " * size), Reading(), workers, problems))
    for part in parsed:
        problems.merge(part.problems)
    assert urls(parsed) == list("abcdefg")
    assert problems.counts == {reason: 1}
    assert problems.places[reason] == [f"http://a.com/{fate}-1"]
    assert problems.damage == 1


@pytest.mark.usefixtures("acting")
def test_one_worker_of_another_thread_has_a_deadline_too() -> None:
    """Only the main thread can be interrupted, so that others parse in a process."""
    problems, parsed = Problems(), list[Parsed]()
    given = batches(["a", "compute-1", "b"])
    thread = threading.Thread(
        target=lambda: parsed.extend(parse_all(given, Reading(), 1, problems))
    )
    thread.start()
    thread.join()
    assert urls(parsed) == ["a", "b"]
    assert problems.counts == {TOO_LONG: 1}


def test_small_pages_start_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Pool, "submit", None)
    parsed = list(parse_all(batches(["a"], ["b"]), Reading(), 1, Problems()))
    assert urls(parsed) == ["a", "b"]


def test_timers_and_handlers_are_as_before(acting: None) -> None:
    del acting
    before = signal.signal(signal.SIGPROF, signal.SIG_IGN)
    try:
        list(parse_all(batches(["a", "compute-1"]), Reading(), 1, Problems()))
        assert signal.getsignal(signal.SIGPROF) is signal.SIG_IGN
        assert signal.getitimer(signal.ITIMER_PROF) == (0, 0)
    finally:
        signal.signal(signal.SIGPROF, before)


@pytest.mark.parametrize("leaving", [KeyboardInterrupt, SystemExit])
def test_a_deadline_does_not_swallow_who_is_leaving(leaving: type[BaseException]) -> None:
    def leave_slowly() -> None:
        try:
            raise leaving
        finally:
            end = time.thread_time() + 0.3
            while time.thread_time() < end:
                pass

    with pytest.raises(leaving), interrupted_after(0.05):
        leave_slowly()


def test_time_of_other_threads_is_not_the_page_s() -> None:
    """The timer counts all threads of the process, the deadline one."""
    over = threading.Event()

    def compute() -> None:
        while not over.is_set():
            pass

    thread = threading.Thread(target=compute)
    thread.start()
    try:
        with interrupted_after(0.5):
            started = time.process_time()
            while time.process_time() - started < 1.5:
                time.sleep(0.01)
    finally:
        over.set()
        thread.join()


@pytest.mark.parametrize("workers", [1, 2])
def test_a_loaded_machine_drops_no_page(
    acting: None, monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    """Pages that take a third of their CPU time, while others take most of the machine."""
    del acting
    monkeypatch.setattr(parse, "PATIENCE", 2.0)
    monkeypatch.setattr(parse, "RESTARTS", 1000)
    line = [sys.executable, "-c", "import time\nwhile time.process_time() < 60: pass"]
    others = [subprocess.Popen(line) for _ in range(2 * (os.cpu_count() or 1))]
    try:
        groups = [[f"work-{n}" for n in range(4)]]
        problems = Problems()
        given = batches(*groups, body="word " * LARGE)
        parsed = list(parse_all(given, Reading(), workers, problems))
    finally:
        for other in others:
            other.kill()
            other.wait()
    assert urls(parsed) == [name for group in groups for name in group]
    assert not problems.counts


@pytest.mark.usefixtures("acting")
def test_workers_that_sleep_are_started_anew_and_no_page_is_blamed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(parse, "PATIENCE", 3.0)
    monkeypatch.setattr(parse, "RESTARTS", 1000)
    problems = Problems()
    given = batches(["a", "doze-1"], ["b"], body=str(tmp_path / "seen"))
    assert urls(list(parse_all(given, Reading(), 2, problems))) == ["a", "doze-1", "b"]
    assert not problems.counts


@pytest.mark.usefixtures("acting")
def test_workers_that_only_sleep_are_not_started_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parse, "PATIENCE", 3.0)
    monkeypatch.setattr(parse, "RESTARTS", 1)
    with pytest.raises(WeftError, match="stand still"):
        list(parse_all(batches(["a", "sleep-1"]), Reading(), 2, Problems()))


def test_the_cpu_time_of_a_process() -> None:
    started = time.process_time()
    assert parse.cpu_time(os.getpid()) == pytest.approx(started, abs=0.5)
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    assert parse.cpu_time(gone.pid) == 0


def test_a_worker_may_die_before_the_next_batch_is_handed_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(parse, "parse_batch", act_then_parse)
    problems = Problems()
    parsed = list(parse_all(_after_a_while(["kill-1"], ["a"], ["b"]), Reading(), 2, problems))
    assert urls(parsed) == ["a", "b"]
    assert problems.places == {STOPPED: ["http://a.com/kill-1"]}


def test_half_an_answer_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parse, "parse_batch", act_then_parse)
    pool = Pool(1)
    [batch] = batches(["half-1"])
    future = pool.submit(batch, Reading())
    with pytest.raises(TimeoutError):
        future.result(3)
    stopping = threading.Thread(target=pool.stop, daemon=True)
    stopping.start()
    stopping.join(20)
    assert not stopping.is_alive()


def _after_a_while(first: list[str], *groups: list[str]) -> Iterator[Batch]:
    """The first batch at once, the others when the worker that got it must be gone."""
    yield from batches(first)
    time.sleep(3)
    yield from batches(*groups)


def test_a_script_without_a_guard_is_not_run_again(demo_warc: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import weft\n"
        "print('ran')\n"
        f"added = weft.open({str(tmp_path / 'c.weft')!r}).add({str(demo_warc)!r}, workers=2)\n"
        "print(added.fresh > 0, added.damaged, __file__)\n"
    )
    line = [sys.executable, str(script)]
    done = subprocess.run(line, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split() == ["ran", "True", "False", str(script)]


def test_workers_that_cannot_start_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parse, "_worker", _dies)
    with pytest.raises(WeftError, match="do not start"):
        list(parse_all(batches(["a"], ["b"]), Reading(), 2, Problems()))


def _dies(_parent: int) -> None:
    os._exit(1)


def test_workers_are_gone_when_the_reader_stops() -> None:
    stream = parse_all(batches(*[[str(k)] for k in range(9)]), Reading(), 2, Problems())
    next(stream)
    below = [int(child) for child in _children()]
    assert below
    stream.close()  # type: ignore[attr-defined]
    assert not set(_children()) & {str(child) for child in below} - _trackers()


def _children() -> list[str]:
    return Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()


def _trackers() -> set[str]:
    """The process that tidies up after multiprocessing stays."""
    return {str(_resource_tracker._pid)}  # type: ignore[attr-defined]


def test_a_batch_is_full_by_pages_or_bytes() -> None:
    assert not Batch().full
    assert Batch(size=parse.BATCH_BYTES).full
    assert Batch(list(batches(["x"])[0].pages) * parse.BATCH_PAGES).full
