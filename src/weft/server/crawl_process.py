"""The process that crawls for a server: started by a request, ended with the server.

It gets its task as a line of JSON on standard input. When that is closed, since the server
stopped or was killed, the crawl stops as after Ctrl-C. What happens in between, such as
a pause, goes through the files of the crawl.
"""

import json
import os
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from weft.core.errors import BadParameter, CollectionBusy, WeftError
from weft.core.memory import ARROW_BY_MALLOC, keep_little_free_memory
from weft.workspace.analyse import find_registered
from weft.workspace.crawl import CrawlPlan
from weft.workspace.crawl_folder import CrawlFolder, CrawlRequest, Outcome, check_plan

START_SECONDS, STOP_SECONDS, POLL_SECONDS = 60.0, 15.0, 0.05
NICENESS = 5
# The path of this process comes along; the script that it runs does not.
RUN_CRAWL = (
    "import sys; sys.path[:] = sys.argv[1:];"
    "from weft.server.crawl_process import run_crawl; run_crawl()"
)


@dataclass(slots=True, eq=False)
class CrawlProcess:
    """At most one process that crawls into a collection; `allow_private` are `HOST:PORT`."""

    folder: Path
    allow_private: tuple[str, ...] = ()
    process: subprocess.Popen[bytes] | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def files(self) -> CrawlFolder:
        """The files of the crawl."""
        return CrawlFolder(self.folder)

    def start(self, words: dict[str, Any]) -> None:
        """Start or continue the crawl; returns once it runs, or has ended already."""
        if find_spec("scrapy") is None:
            hint = "pip install 'weft[crawl]'"
            raise BadParameter("crawling the live web needs Scrapy", hint=hint)
        with self._lock:
            if self.files.is_running or not self._has_ended():
                raise CollectionBusy("a crawl is running", hint="stop it first")
            plan = plan_from_words(self.files, words)
            check_plan(plan)
            self.files.begin_run()
            self.files.write_plan(plan)
            task = {"folder": str(self.folder), "allow_private": self.allow_private}
            command = [sys.executable, "-P", "-c", RUN_CRAWL, *sys.path]
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=2,
                env=os.environ | ARROW_BY_MALLOC,
                start_new_session=True,
            )
            assert self.process.stdin is not None
            self.process.stdin.write(json.dumps(task).encode() + b"\n")
            self.process.stdin.flush()
            self._wait_until_it_runs(self.process)

    def _has_ended(self) -> bool:
        """Whether the last process has; one that has just released the frontier is about to."""
        if self.process is not None:
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(STOP_SECONDS)
        return self.process is None or self.process.returncode is not None

    def _wait_until_it_runs(self, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not self.files.is_running and process.poll() is None:
            if time.monotonic() > deadline:
                raise CollectionBusy("the crawl takes long to start", hint="see its status")
            time.sleep(POLL_SECONDS)

    def request(self, word: CrawlRequest) -> None:
        """Ask the crawl to pause, stop or go on."""
        if not self.files.is_running:
            raise CollectionBusy("no crawl is running", hint="start one")
        self.files.write_request(word)

    def close(self) -> None:
        """Stop the crawl; what it fetched is added to the collection, if need be after this."""
        if self.process is not None and self.process.stdin is not None:
            with suppress(BrokenPipeError):
                self.process.stdin.close()
            self._has_ended()


def run_crawl() -> None:
    """Crawl as the line on standard input says."""
    from weft.gather.fetch.engine import CrawlControl  # noqa: PLC0415  needs Scrapy
    from weft.workspace.live_crawl import LiveCrawl  # noqa: PLC0415  needs Scrapy

    os.nice(NICENESS)
    keep_little_free_memory()
    task = json.loads(sys.stdin.readline())
    files, control = CrawlFolder(Path(task["folder"])), CrawlControl()

    def stop_with_server() -> None:
        sys.stdin.read()
        control.stop()

    threading.Thread(target=stop_with_server, daemon=True).start()
    try:
        live = LiveCrawl.from_plan(files.collection, files.read_plan())
        # Addresses that an earlier crawl on the command line opened are not open here.
        settings = replace(live.settings, allow_private=tuple(task["allow_private"]))
        replace(live, settings=settings).run(control=control)
    except WeftError as error:
        files.end_run(Outcome(str(error), error.hint))
    except OSError as error:
        files.end_run(Outcome(f"the disk fails: {error.strerror}", "see that there is space"))


def plan_from_words(files: CrawlFolder, words: dict[str, Any]) -> CrawlPlan:
    """The plan of the crawl, or a new one, with what the words of a request set."""
    stored = files.read_plan() if files.has_crawl else CrawlPlan()
    given = {name: value for name, value in words.items() if value is not None}
    source = {name: given.pop(name) for name in ("topic", "examples") if name in given}
    if "examples" in source:
        source["examples"] = tuple(source["examples"])
    given["seeds"] = tuple(dict.fromkeys((*stored.seeds, *given.get("seeds", ()))))
    if "exclude" in given:
        given["exclude"] = tuple(given["exclude"])
    if given.get("method", stored.method) != stored.method:
        given.setdefault("options", {})
    plan = replace(stored, **given, source=replace(stored.source, **source))
    method = find_registered("crawl", plan.method)
    return replace(
        plan,
        options=method.validate_options(plan.options),
        contact=plan.contact or os.environ.get("WEFT_CONTACT", ""),
    )
