"""The files of a crawl in a collection: its plan, frontier and log, requests and outcome.

Nothing here needs Scrapy: readers of a crawl do not fetch.
"""

import json
import time
from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import IO, Literal, Self, cast, get_args

import numpy as np
import pyarrow as pa
from pyarrow.json import ParseOptions, read_json

from weft.core.errors import BadParameter, DamagedFile, WeftError
from weft.core.json import JsonObject, to_json_value
from weft.crawl.crawl import STEP_SCHEMA, Crawl, CrawlStep
from weft.gather.fetch.frontier import is_in_use
from weft.gather.fetch.frontier_status import FrontierCounts, FrontierStatus, read_status
from weft.gather.fetch.scope import FETCHED_SCHEMES, Scope
from weft.gather.url import canonicalize_url
from weft.workspace.analyse import find_registered
from weft.workspace.crawl import CrawlPlan

CrawlRequest = Literal["", "pause", "stop"]
CrawlState = Literal["running", "paused", "stopping", "ended"]
REQUESTED_STATES: dict[CrawlRequest, CrawlState] = {
    "": "running",
    "pause": "paused",
    "stop": "stopping",
}
HARVEST_WINDOW = 100
NO_CONTACT_HINT = "give a URL or mail address: --contact, contact= or WEFT_CONTACT"
INTERRUPTED = "interrupted"
LOG_SCHEMA = STEP_SCHEMA.append(pa.field("time", pa.float64()))
EMPTY_FRONTIER = FrontierStatus(FrontierCounts(0, 0, 0, 0, 0), (), (), {})


def check_plan(plan: CrawlPlan) -> None:
    """Refuse a plan without seeds or contact, with bad URLs or numbers, or with unknown options."""
    if not plan.seeds:
        raise BadParameter("a crawl needs at least one seed", hint="give the URL of a page")
    for seed in plan.seeds:
        if not (canonicalize_url(seed) or "").startswith(FETCHED_SCHEMES):
            hint = "the collection comes first, then URLs with http:// or https://"
            raise BadParameter(f"{seed!r} is not the URL of a page", hint=hint)
    if not plan.contact.strip():
        raise BadParameter("a crawl needs a contact", hint=NO_CONTACT_HINT)
    for name, value in (("delay", plan.delay), ("minutes", plan.minutes)):
        if not isfinite(value):
            raise BadParameter(f"{name} is {value}", hint="give a number; 0 is none")
    find_registered("crawl", plan.method).validate_options(plan.options)
    scope_of(plan)


def scope_of(plan: CrawlPlan) -> Scope:
    """Which URLs the crawl may fetch."""
    return Scope(
        within=plan.within, exclude=plan.exclude, max_depth=plan.depth, per_host=plan.per_host
    )


@dataclass(frozen=True, slots=True)
class Outcome:
    """Why the last run of a crawl ended, and what to do if that was an error."""

    ended: str
    hint: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class CrawlStatus:
    """Where a crawl stands: its plan, the pages fetched so far, and its frontier."""

    state: CrawlState
    plan: CrawlPlan
    crawl: Crawl
    frontier: FrontierStatus
    pages_last_minute: int
    outcome: Outcome

    @property
    def last_harvest_rate(self) -> float:
        """The mean relevance of the last hundred pages."""
        last = self.crawl.relevance[-HARVEST_WINDOW:]
        return float(last.mean()) if len(last) else 0.0

    def to_document(self, last: int = 20) -> JsonObject:
        """The one JSON of it, with the last pages."""
        first = max(len(self.crawl) - last, 0)
        return {
            "state": self.state,
            "ended": self.outcome.ended,
            "hint": self.outcome.hint,
            "plan": self.plan.to_json(),
            "pages": len(self.crawl),
            "harvest_rate": self.crawl.harvest_rate,
            "last_harvest_rate": self.last_harvest_rate,
            "pages_last_minute": self.pages_last_minute,
            "last_pages": [
                {"place": place, **step._asdict()}
                for place, step in enumerate(self.crawl.steps[first:], first + 1)
            ],
            "frontier": {
                "counts": self.frontier.counts._asdict(),
                "hosts": [host._asdict() for host in self.frontier.hosts],
                "best": [url._asdict() for url in self.frontier.best],
                "refused": self.frontier.refused,
            },
        }


@dataclass(frozen=True, slots=True)
class CrawlFolder:
    """The folder `crawl` of a collection.

    Other processes read it while a crawl runs, and can ask the crawl to pause or stop.
    """

    collection: Path

    @property
    def path(self) -> Path:
        """The folder itself."""
        return self.collection / "crawl"

    @property
    def frontier(self) -> Path:
        """The file of the frontier."""
        return self.path / "frontier.sqlite"

    @property
    def log(self) -> Path:
        """The file with a line for each page, in the order of fetching."""
        return self.path / "steps.jsonl"

    @property
    def has_crawl(self) -> bool:
        """Whether a crawl was planned."""
        return self._plan.exists()

    @property
    def _plan(self) -> Path:
        return self.path / "plan.json"

    @property
    def _request(self) -> Path:
        return self.path / "request"

    @property
    def _outcome(self) -> Path:
        return self.path / "outcome.json"

    def read_plan(self) -> CrawlPlan:
        """The plan of the crawl."""
        if not self.has_crawl:
            hint = "start one: weft crawl COLLECTION SEED"
            raise WeftError(f"{self.collection} has no crawl", hint=hint)
        return CrawlPlan.read(self._plan)

    def write_plan(self, plan: CrawlPlan) -> None:
        """Save the plan."""
        plan.write(self._plan)

    @property
    def is_running(self) -> bool:
        """Whether a process is crawling."""
        return is_in_use(self.frontier)

    @property
    def state(self) -> CrawlState:
        """Whether the crawl runs, or is about to pause or stop."""
        return REQUESTED_STATES[self.request] if self.is_running else "ended"

    @property
    def request(self) -> CrawlRequest:
        """What the crawl was asked to do."""
        try:
            word = self._request.read_text("ascii")
        except FileNotFoundError:
            return ""
        return cast("CrawlRequest", word) if word in get_args(CrawlRequest) else ""

    def write_request(self, word: CrawlRequest) -> None:
        """Ask the crawl to pause, stop, or go on; it looks every second."""
        _replace_text(self._request, word)

    def begin_run(self) -> None:
        """Forget requests to the last run, and why it ended."""
        self._request.unlink(missing_ok=True)
        self._outcome.unlink(missing_ok=True)

    def end_run(self, outcome: Outcome) -> None:
        """Record why the run ended."""
        self.path.mkdir(parents=True, exist_ok=True)
        _replace_text(self._outcome, json.dumps({"ended": outcome.ended, "hint": outcome.hint}))

    def read_outcome(self) -> Outcome:
        """Why the last run ended; one that was killed could not record it."""
        try:
            return Outcome(**json.loads(self._outcome.read_text("utf-8")))
        except FileNotFoundError:
            return Outcome(INTERRUPTED, "go on with it: what was fetched is kept")

    def read_log(self) -> pa.Table:
        """A row for each page, in the order of fetching; a last line cut by a kill is left out."""
        data = self.log.read_bytes() if self.log.exists() else b""
        lines = data[: data.rfind(b"\n") + 1]
        if not lines:
            return LOG_SCHEMA.empty_table()
        options = ParseOptions(explicit_schema=LOG_SCHEMA, unexpected_field_behavior="error")
        try:
            return read_json(pa.BufferReader(lines), parse_options=options)
        except pa.ArrowInvalid as error:
            hint = "delete it: the next run of the crawl writes it anew from the archive"
            raise DamagedFile(f"{self.log} is damaged: {error}", hint=hint) from error

    def read_status(self, top: int = 20) -> CrawlStatus:
        """Where the crawl stands, from another process; `top` is for its hosts and URLs."""
        plan, log, state = self.read_plan(), self.read_log(), self.state
        is_new = not self.frontier.exists() and not len(log)
        frontier = EMPTY_FRONTIER if is_new else read_status(self.frontier, top)
        outcome = self.read_outcome() if state == "ended" else Outcome("")
        return CrawlStatus(
            state,
            plan,
            Crawl(
                plan.method,
                plan.source.topic,
                log_steps(log),
                frontier.refused,
                frontier.counts.waiting,
                outcome.ended,
            ),
            frontier,
            int(np.count_nonzero(log["time"].to_numpy() > time.time() - 60)),
            outcome,
        )


def log_steps(log: pa.Table) -> tuple[CrawlStep, ...]:
    """The rows of a log as steps of a crawl."""
    return tuple(map(CrawlStep, *(log[name].to_pylist() for name in CrawlStep._fields)))


class StepLog:
    """Appends a line for each page to the log of a crawl.

    It begins with the pages of earlier runs, in one step, so that the log has exactly
    the pages of the archive: a killed crawl may have logged one more.
    """

    def __init__(self, folder: CrawlFolder, earlier: Iterable[tuple[CrawlStep, float]]) -> None:
        lines = [_log_line(step, when) for step, when in earlier]
        _replace_text(folder.log, "".join(lines))
        self._file: IO[str] = folder.log.open("a", encoding="utf-8")

    def extend(self, steps: Iterable[CrawlStep]) -> None:
        """Write a line for each page; readers see it at once."""
        self._file.writelines(_log_line(step, time.time()) for step in steps)
        self._file.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc: object) -> None:
        self._file.close()


def _log_line(step: CrawlStep, when: float) -> str:
    return json.dumps(to_json_value({**step._asdict(), "time": round(when, 3)})) + "\n"


def _replace_text(path: Path, text: str) -> None:
    scratch = path.with_name(f"{path.name}.new")
    scratch.write_text(text, "utf-8")
    scratch.replace(path)
