"""Parsing in other processes, and surviving the page that kills a parser."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pyarrow as pa
import pytest
from tests.workspace.hostile import act_then_parse

from weft.core.errors import WeftError
from weft.core.worker_pool import WorkerPool
from weft.gather.html import ParseOptions
from weft.gather.page import Link, Page, Problems, RawPage
from weft.gather.text import classify_language
from weft.workspace import parse
from weft.workspace.parse import (
    CRASHED_REASON,
    TOO_SLOW_REASON,
    Batch,
    ParsedBatch,
    classify_missing_languages,
    interrupt_after,
    parse_batches,
)

LARGE = parse.SMALL_PAGE_BYTES // 4


def parse_batch(
    pages: Sequence[RawPage | Page], captures: Sequence[int], options: ParseOptions
) -> ParsedBatch:
    return parse.parse_batch(pages, captures, options, lambda: interrupt_after(20))


def batches(*names: Sequence[str], body: str = "") -> list[Batch]:
    made = []
    for group in names:
        pages = [
            RawPage(f"http://a.com/{name}", (body or f"words of {name}").encode()) for name in group
        ]
        made.append(Batch(list(pages), [hash(page.url) % 2**64 for page in pages]))
    return made


def urls(parsed: Sequence[parse.ParsedBatch]) -> list[str]:
    tables = [part.pages for part in parsed]
    found = pa.concat_tables(tables)["url"].to_pylist()
    return [url.removeprefix("http://a.com/") for url in found]


@pytest.mark.parametrize("workers", [1, 2])
def test_batches_keep_their_order(workers: int) -> None:
    groups = [[f"{k}-{n}" for n in range(3)] for k in range(20)]
    problems = Problems()
    parsed = list(parse_batches(batches(*groups), ParseOptions(), workers, problems))
    assert urls(parsed) == [name for group in groups for name in group]
    assert not problems.counts


def test_pages_and_links_cross_as_tables() -> None:
    page = Page("http://a.com/", title="A", links=(Link("http://b.com/", "bee"),))
    parsed = parse_batch([page], [5], ParseOptions())
    assert parsed.pages.select(["title", "capture"]).to_pylist() == [{"title": "A", "capture": 5}]
    assert parsed.links["anchor"].to_pylist() == ["bee"]


def test_a_language_may_be_left_to_the_classifier() -> None:
    names = b"Amsterdam Boston Cairo Denver Edinburgh Florence Geneva"
    records = [RawPage("http://a.com/", names), RawPage("http://b.com/", b"short")]
    parsed = parse_batch(records, [1, 2], ParseOptions())
    assert parsed.pages["language"].to_pylist() == ["?", ""]
    pages = classify_missing_languages(parsed.pages)
    assert pages["language"].to_pylist() == [classify_language(names.decode()), ""]
    parsed = parse_batch(records, [1, 2], ParseOptions(detect_language=False))
    assert parsed.pages["language"].to_pylist() == ["", ""]


def test_the_language_of_a_text_is_detected() -> None:
    """As rows of JSON and records of WET files do; one that is named is believed."""
    text = "The races were held in the spring, and the village came to watch the horses. " * 5
    given = [Page("http://h/", text=text), Page("http://h/de", text=text, language="de")]
    pages = parse_batch(given, [1, 2], ParseOptions()).pages
    assert pages["language"].to_pylist() == ["en", "de"]
    pages = parse_batch(given, [1, 2], ParseOptions(detect_language=False)).pages
    assert pages["language"].to_pylist() == ["", "de"]


def test_what_is_parsed_or_has_no_body_needs_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """In any thread, where a page that is not parsed would start one."""
    monkeypatch.setattr(parse, "START_PARSER", "nowhere:nothing")
    page, redirect = Page("http://a.com/"), RawPage("http://b.com/", b"", location="/c")
    batch = Batch([page, redirect], [1, 2])
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(lambda: [*parse_batches([batch], ParseOptions(), 1, Problems())])
        (parsed,) = done.result()
    assert parsed.pages["kind"].to_pylist() == ["captured", "redirect"]


@pytest.mark.parametrize("workers", [1, 2])
def test_garbage_is_collected_as_before_when_all_is_parsed(workers: int) -> None:
    before = gc.get_threshold()
    list(parse_batches(batches(["a"]), ParseOptions(), workers, Problems()))
    assert gc.get_threshold() == before


def _let_pages_act(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parse, "parse_batch", act_then_parse)
    monkeypatch.setattr(parse, "START_PARSER", "tests.workspace.hostile:start_acting")


@pytest.fixture
def acting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let pages act as their URLs say, and have half a second of CPU time each."""
    _let_pages_act(monkeypatch)
    monkeypatch.setattr(parse, "MAX_PAGE_CPU_SECONDS", 0.5)


@pytest.mark.slow
@pytest.mark.usefixtures("acting")
@pytest.mark.parametrize(
    ("workers", "fate", "size", "reason"),
    [
        (1, "kill", LARGE, CRASHED_REASON),
        (2, "compile", 1, TOO_SLOW_REASON),
        (1, "compute", 1, TOO_SLOW_REASON),
    ],
)
def test_the_page_to_blame_is_reported_and_the_rest_is_kept(
    workers: int, fate: str, size: int, reason: str
) -> None:
    groups = [["a"], ["b", f"{fate}-1", "c"], ["d", "e"]]
    problems = Problems()
    parsed = list(
        parse_batches(batches(*groups, body="word " * size), ParseOptions(), workers, problems)
    )
    for part in parsed:
        problems.merge(part.problems)
    assert urls(parsed) == list("abcde")
    assert problems.counts == {reason: 1}
    assert problems.locations[reason] == [f"http://a.com/{fate}-1"]
    assert problems.damage_count == 1


@pytest.mark.slow
@pytest.mark.usefixtures("acting")
def test_one_worker_of_another_thread_has_a_deadline_too() -> None:
    """Only the main thread can be interrupted, so that others parse in a process."""
    problems, parsed = Problems(), list[ParsedBatch]()
    given = batches(["a", "compute-1", "b"])
    thread = threading.Thread(
        target=lambda: parsed.extend(parse_batches(given, ParseOptions(), 1, problems))
    )
    thread.start()
    thread.join()
    assert urls(parsed) == ["a", "b"]
    assert problems.counts == {TOO_SLOW_REASON: 1}


def test_small_pages_start_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WorkerPool, "submit", None)
    parsed = list(parse_batches(batches(["a"], ["b"]), ParseOptions(), 1, Problems()))
    assert urls(parsed) == ["a", "b"]


@pytest.mark.slow
def test_timers_and_handlers_are_as_before(acting: None) -> None:
    del acting
    before = signal.signal(signal.SIGPROF, signal.SIG_IGN)
    try:
        list(parse_batches(batches(["a", "compute-1"]), ParseOptions(), 1, Problems()))
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
            end = time.thread_time() + 0.1
            while time.thread_time() < end:
                pass

    with pytest.raises(leaving), interrupt_after(0.02):
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
        with interrupt_after(0.2):
            started = time.process_time()
            while time.process_time() - started < 0.6:
                time.sleep(0.01)
    finally:
        over.set()
        thread.join()


@pytest.mark.parametrize("workers", [1, 2], ids=["in this process", "in workers"])
@pytest.mark.slow
def test_a_loaded_machine_drops_no_page(
    acting: None, monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    """A page that takes a third of its CPU time, while others take most of the machine."""
    del acting
    monkeypatch.setattr(parse, "STALL_CHECK_SECONDS", 2.0)
    monkeypatch.setattr(parse, "MAX_RESTARTS", 1000)
    line = [sys.executable, "-c", "import time\nwhile time.process_time() < 60: pass"]
    others = [subprocess.Popen(line) for _ in range(2 * (os.cpu_count() or 1))]
    try:
        problems = Problems()
        given = batches(["work-1"])
        parsed = list(parse_batches(given, ParseOptions(), workers, problems))
    finally:
        for other in others:
            other.kill()
            other.wait()
    assert urls(parsed) == ["work-1"]
    assert not problems.counts


@pytest.mark.slow
@pytest.mark.usefixtures("acting")
def test_workers_that_sleep_are_started_anew_and_no_page_is_blamed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(parse, "STALL_CHECK_SECONDS", 2.0)
    monkeypatch.setattr(parse, "MAX_RESTARTS", 1000)
    problems = Problems()
    given = batches(["a", "doze-1"], ["b"], body=str(tmp_path / "dozed"))
    assert urls(list(parse_batches(given, ParseOptions(), 2, problems))) == ["a", "doze-1", "b"]
    assert not problems.counts


@pytest.mark.slow
@pytest.mark.usefixtures("acting")
def test_workers_that_only_sleep_are_not_started_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parse, "STALL_CHECK_SECONDS", 2.0)
    monkeypatch.setattr(parse, "MAX_RESTARTS", 1)
    with pytest.raises(WeftError, match="stand still"):
        list(parse_batches(batches(["a", "sleep-1"]), ParseOptions(), 2, Problems()))


@pytest.mark.slow
def test_a_worker_may_die_before_the_next_batch_is_handed_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _let_pages_act(monkeypatch)
    problems = Problems()
    parsed = list(
        parse_batches(_after_a_while(["kill-1"], ["a"], ["b"]), ParseOptions(), 2, problems)
    )
    assert urls(parsed) == ["a", "b"]
    assert problems.locations == {CRASHED_REASON: ["http://a.com/kill-1"]}


@pytest.mark.slow
def test_half_an_answer_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that is stopped while it sends a result."""
    _let_pages_act(monkeypatch)
    monkeypatch.setattr(parse, "STALL_CHECK_SECONDS", 1.0)
    monkeypatch.setattr(parse, "MAX_RESTARTS", 0)
    with pytest.raises(WeftError, match="stand still"):
        list(parse_batches(batches(["half-1"]), ParseOptions(), 2, Problems()))


def _after_a_while(first: list[str], *groups: list[str]) -> Iterator[Batch]:
    """The first batch at once, the others when the worker that got it must be gone."""
    yield from batches(first)
    time.sleep(1.5)
    yield from batches(*groups)


@pytest.mark.slow
def test_a_script_without_a_guard_is_not_run_again(
    halves: tuple[Path, Path], tmp_path: Path
) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import weft\n"
        "print('ran')\n"
        f"added = weft.open({str(tmp_path / 'c.weft')!r}).add({str(halves[0])!r}, workers=2)\n"
        "print(added.new > 0, added.has_damage, __file__)\n"
    )
    line = [sys.executable, str(script)]
    done = subprocess.run(line, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split() == ["ran", "True", "False", str(script)]


def test_workers_that_cannot_start_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parse, "START_PARSER", "tests.workspace.hostile:start_and_die")
    with pytest.raises(WeftError, match="do not start"):
        list(parse_batches(batches(["a"], ["b"]), ParseOptions(), 2, Problems()))


def test_workers_are_gone_when_the_reader_stops() -> None:
    before = _children()
    stream = parse_batches(batches(*[[str(k)] for k in range(9)]), ParseOptions(), 2, Problems())
    next(stream)
    workers = _children() - before
    assert workers
    stream.close()  # type: ignore[attr-defined]
    assert not _children() & workers


def _children() -> set[psutil.Process]:
    return {*psutil.Process().children()}


def test_a_batch_is_full_by_pages_or_bytes() -> None:
    assert not Batch().is_full
    assert Batch(size=parse.BATCH_BYTES).is_full
    assert Batch(list(batches(["x"])[0].pages) * parse.BATCH_PAGES).is_full
