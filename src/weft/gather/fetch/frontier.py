"""The frontier: the URLs of a crawl on disk, and which of them to fetch next.

Every URL is a row of an SQLite database, found by a digest of 64 bits and popped by score, then by
order of discovery. Memory holds a few numbers for each host: politeness comes before score, so
the next URL is the best one of the hosts that may be asked now.
"""

import fcntl
import json
import re
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from heapq import heappop, heappush
from pathlib import Path
from typing import IO, NamedTuple, Self

from weft.core.errors import CollectionBusy
from weft.gather.fetch.frontier_status import FrontierCounts, FrontierStatus, query_status
from weft.gather.fetch.near_duplicates import MIN_SHARED, PageShingles
from weft.gather.fetch.scope import DEPTH_LIMIT, EXCLUDED, OUT_OF_SCOPE, Scope
from weft.gather.fetch.traps import is_calendar, url_pattern
from weft.gather.fetch.warc_writer import ArchivePosition
from weft.gather.page import Problems
from weft.gather.url import canonicalize_url, host

WAITING, IN_FLIGHT, DONE, REFUSED = range(4)
UNREACHABLE, HOST_LIMIT, COPY = "unreachable", "host limit", "copy"
# Refusals that another scope or another set of open addresses can lift.
SCOPE_REASONS = (DEPTH_LIMIT, OUT_OF_SCOPE, EXCLUDED, HOST_LIMIT)
ADDRESS_REASON = re.compile(r"private address|port \d+")
EXAMPLE = -1  # the parent of URLs that are fetched as examples, and are no seeds
MAX_IN_FLIGHT = 16
LOCK_TRIES, LOCK_PAUSE_SECONDS = 10, 0.05
CACHE_KILOBYTES = 256 << 10
CHECKPOINT_PAGES = 50_000
MAX_RECENT_URLS = 100_000
RESCORE_BATCH = 10_000
MAX_SIMILAR = 100
MAX_STALE_ENTRIES = 10_000
# From this many URLs on, an index is built anew rather than changed row by row.
MIN_INDEX_REBUILD = 20_000

FIND_URL = "SELECT id, score, state, host FROM urls WHERE digest = ?"
QUEUE_INDEX = "CREATE INDEX IF NOT EXISTS queue ON urls (host, score DESC, id) WHERE state = 0"
SCHEMA = f"""
CREATE TABLE IF NOT EXISTS urls (
    id INTEGER PRIMARY KEY, digest INTEGER NOT NULL, url TEXT NOT NULL, host INTEGER NOT NULL,
    parent INTEGER NOT NULL, depth INTEGER NOT NULL, redirects INTEGER NOT NULL,
    score REAL NOT NULL, state INTEGER NOT NULL, reason TEXT NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX IF NOT EXISTS by_digest ON urls (digest);
CREATE INDEX IF NOT EXISTS in_flight ON urls (id) WHERE state = 1;
CREATE INDEX IF NOT EXISTS refused ON urls (reason) WHERE state = 3;
CREATE INDEX IF NOT EXISTS seeds ON urls (id) WHERE depth = 0;
{QUEUE_INDEX};
CREATE TABLE IF NOT EXISTS hosts (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, fetched INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS patterns (digest INTEGER PRIMARY KEY, fetched INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS captures (
    digest TEXT PRIMARY KEY, url TEXT NOT NULL, time INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS texts (digest INTEGER PRIMARY KEY);
CREATE TABLE IF NOT EXISTS shingles (
    digest INTEGER NOT NULL, page INTEGER NOT NULL, PRIMARY KEY (digest, page)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS archive (
    id INTEGER PRIMARY KEY CHECK (id = 0), name TEXT NOT NULL, length INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS scope (
    id INTEGER PRIMARY KEY CHECK (id = 0), settings TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS reasons (reason TEXT PRIMARY KEY, urls INTEGER NOT NULL) WITHOUT ROWID;
"""


class ScoredUrl(NamedTuple):
    """A URL to enqueue; the one with the highest score is fetched first."""

    url: str
    score: float


class Claim(NamedTuple):
    """A URL that was popped and belongs to the one who popped it until `finish` or `refuse`."""

    id: int
    url: str
    host: int
    parent: int
    depth: int
    redirects: int
    score: float


class WaitingUrl(NamedTuple):
    """A URL that waits, as a strategy sees it when it scores all of them anew."""

    id: int
    url: str
    parent: int
    depth: int
    score: float


class KnownUrl(NamedTuple):
    """A URL in the database: its row, score, state and host."""

    id: int
    score: float
    state: int
    host: int


class Capture(NamedTuple):
    """The first capture of a payload: where and when."""

    url: str
    time: int


class Content(NamedTuple):
    """What a page is recognised by if it comes again: the digest of its payload, and its text.

    `shingles` are left out where another page is nearly the same. Links of a page that
    `is_copy` are not followed.
    """

    payload: str
    capture: Capture
    text: str = ""
    shingles: PageShingles = PageShingles((), ())
    is_copy: bool = False


@dataclass(slots=True, eq=False)
class HostGroup:
    """Hosts that are asked one at a time, because they share a server.

    `ready_at` is when it may be asked again; `parked` are the hosts that wait
    for the answer to the current request.
    """

    ready_at: float = 0.0
    busy: bool = False
    parked: set[int] = field(default_factory=set)


@dataclass(slots=True, eq=False)
class HostQueue:
    """The state of a host: its best URL (an id of -1 for none), its group, its budget.

    There may be millions, so a host has a group only once it was asked.
    """

    group: HostGroup | None = None
    fetched: int = 0
    best_score: float = 0.0
    best_id: int = -1
    # Parked, or asleep until the group is ready: not in the heap of hosts that may be asked.
    absent: bool = False
    # Failures since the last answer, and why nothing more is fetched here.
    failures: int = 0
    closed: str = ""

    def offer(self, score: float, number: int) -> bool:
        """Take a URL as the best one if it is."""
        better = self.best_id < 0 or (-score, number) < (-self.best_score, self.best_id)
        if better:
            self.best_score, self.best_id = score, number
        return better


class Frontier:
    """The URLs of a crawl, each in one of four states: waiting, in flight, done, refused.

    What is done was committed: a process killed at any time loses no URL, and
    only the URLs in flight, at most 16, are fetched again. When it is opened, URLs
    of hosts that could not be reached wait again, too. A URL is enqueued
    once, in its canonical form; found again, its score can only rise. New URLs that are
    refused are not stored: they are counted by reason, those since the frontier was opened
    in `refusals`. One process at a
    time has the frontier; `frontier_status.read_status` looks at it from others.
    """

    def __init__(self, path: Path, scope: Scope | None = None) -> None:
        self.scope = scope or Scope()
        self.refusals = Problems()
        self._lock = _lock_file(_lock_path(path))
        self._db = sqlite3.connect(path, check_same_thread=False, cached_statements=256)
        try:
            self._prepare_database()
        except sqlite3.DatabaseError:
            self._db.close()
            self._lock.close()
            raise
        self._recent: dict[int, float] = {}
        self._groups: dict[str, HostGroup] = {}
        self._hosts: list[HostQueue] = []
        self._numbers: dict[str, int] = {}
        self._ready: list[tuple[float, int, int]] = []
        self._asleep: list[tuple[float, int]] = []
        self.has_new_scope = False
        self._examples: set[int] = set()
        self._count_states()
        for name, fetched in self._db.execute("SELECT name, fetched FROM hosts ORDER BY id"):
            self._open_host(name, fetched)
        query = "SELECT id, parent, url FROM urls WHERE depth = 0 ORDER BY id"
        for number, parent, url in self._db.execute(query):
            self._add_home(number, parent, url)
        self._find_best_urls(range(len(self._hosts)))

    def _prepare_database(self) -> None:
        """Create the tables, and let wait what was in flight or could not be reached."""
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")
        # A checkpoint writes pages in random order; 200 MB of log hold a page many times.
        self._db.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
        self._db.execute(f"PRAGMA cache_size = -{CACHE_KILOBYTES}")
        self._db.executescript(SCHEMA)
        self._db.execute("UPDATE urls SET state = 0 WHERE state = 1")
        self._db.execute(
            "UPDATE urls SET state = 0, reason = '' WHERE state = 3 AND reason BETWEEN ? AND ?",
            (UNREACHABLE, UNREACHABLE + "~"),
        )
        self._db.commit()

    @property
    def database(self) -> sqlite3.Connection:
        """The database, for what is kept beside the URLs: the rules of robots.txt files."""
        return self._db

    @property
    def archived(self) -> ArchivePosition | None:
        """The end of the records of what is done, where the archive is continued."""
        row = self._db.execute("SELECT name, length FROM archive").fetchone()
        return ArchivePosition(*row) if row else None

    @property
    def counts(self) -> FrontierCounts:
        """How many URLs are in each state; takes time linear in the number of hosts."""
        hosts = sum(queue.best_id >= 0 for queue in self._hosts)
        waiting, in_flight, done, refused = self._counts
        return FrontierCounts(waiting, in_flight, done, refused, hosts)

    @property
    def is_empty(self) -> bool:
        """Whether no URL waits or is in flight."""
        return not self._counts[WAITING] and not self._counts[IN_FLIGHT]

    def add_seeds(
        self, urls: Iterable[str], score: float = 1.0, *, are_examples: bool = False
    ) -> int:
        """Enqueue seeds and include their hosts in the scope; the number of new ones.

        Examples are fetched like seeds, but their hosts are not in scope by that.
        """
        forms = [form for url in urls if (form := canonicalize_url(url))]
        first = self._last_id()
        added = self._enqueue(
            [ScoredUrl(url, score) for url in forms], EXAMPLE if are_examples else 0, 0, 0
        )
        if are_examples:
            self._examples.update(range(first + 1, first + 1 + added))
        else:
            for url in forms:
                self.scope.add_home(url)
        self._db.commit()
        return added

    def add(self, links: Iterable[ScoredUrl], *, depth: int = 1, parent: str = "") -> int:
        """Enqueue URLs in bulk, as links of a page if there is one; the number of new ones."""
        found = self._find(parent) if parent else None
        added = self._enqueue(links, found.id if found else 0, depth, 0)
        self._db.commit()
        return added

    def update_scope(self, open_addresses: Iterable[str] = ()) -> None:
        """Apply the scope to what waits and was refused, if it is not that of the last run.

        Then it `has_new_scope`: links that were refused when they were found are not stored,
        so they have to be added again.
        """
        settings = json.dumps({**self.scope.settings, "open_addresses": sorted(open_addresses)})
        row = self._db.execute("SELECT settings FROM scope").fetchone()
        self._db.execute("INSERT OR REPLACE INTO scope VALUES (0, ?)", (settings,))
        self.has_new_scope = row is not None and row[0] != settings
        if self.has_new_scope:
            self._apply_scope()
        self._db.commit()

    def copies(self) -> set[str]:
        """The URLs of pages whose links were not followed, since another page was the same."""
        query = "SELECT url FROM urls WHERE state = 2 AND reason = ?"
        return {url for (url,) in self._db.execute(query, (COPY,))}

    def pop(self, now: float) -> Claim | None:
        """Claim the best URL of a host that may be asked now; None if there is none."""
        self._wake(now)
        while self._ready and self._counts[IN_FLIGHT] < MAX_IN_FLIGHT:
            score, number, host_number = heappop(self._ready)
            queue = self._hosts[host_number]
            if queue.absent or (queue.best_score, queue.best_id) != (-score, number):
                continue  # an entry from before the host's best URL changed
            group = queue.group = queue.group or HostGroup()
            if group.busy or group.ready_at > now:
                queue.absent = True
                if group.busy:
                    group.parked.add(host_number)
                else:
                    heappush(self._asleep, (group.ready_at, host_number))
                continue
            claim = self._claim_best(host_number)
            if claim is not None:
                group.busy = queue.absent = True
                group.parked.add(host_number)
                return claim
        return None

    def next_ready(self) -> float | None:
        """When a host wakes up that has URLs waiting; None if only answers can change anything."""
        while self._asleep and self._hosts[self._asleep[0][1]].best_id < 0:
            self._hosts[heappop(self._asleep)[1]].absent = False
        return self._asleep[0][0] if self._asleep else None

    def join_group(self, claim: Claim, server: str) -> bool:
        """Put the host of a claim into the group of a server, such as its address.

        If the server is being asked on behalf of another host, or may not be asked
        yet, the claim goes back into the queue and the answer is False.
        """
        queue = self._hosts[claim.host]
        old = queue.group
        assert old is not None
        group = self._groups.setdefault(server, old)
        if group is old:
            return True
        queue.group = group
        old.busy = False
        parked = old.parked | {claim.host}
        old.parked = set()
        if not group.busy and group.ready_at <= old.ready_at:
            group.busy = True
            group.parked |= parked
            return True
        self.requeue(claim)
        group.parked |= parked
        if not group.busy:
            self._wake_parked(group)
        return False

    def release(self, claim: Claim, ready_at: float) -> None:
        """Say that the server of a claim has answered, and when it may be asked again."""
        group = self._hosts[claim.host].group
        assert group is not None
        group.busy, group.ready_at = False, ready_at
        self._wake_parked(group)

    def finish(
        self,
        claim: Claim,
        links: Iterable[ScoredUrl] = (),
        *,
        is_redirect: bool = False,
        archived: ArchivePosition | None = None,
        content: Content | None = None,
    ) -> None:
        """Commit a fetched URL together with its content and the links found on it.

        The target of a redirect takes the place of its URL, at the same depth.
        `archived` is the end of its records in the archive.
        """
        depth = claim.depth if is_redirect else claim.depth + 1
        redirects = claim.redirects + 1 if is_redirect else 0
        links = list(links)
        if is_redirect and claim.depth == 0:
            # A seed that has moved: its new address is as much a seed as the old one.
            for link in links:
                self._add_home(claim.id, claim.parent, link.url)
        self._enqueue(links, claim.id, depth, redirects)
        self._set_state(claim, DONE, COPY if content is not None and content.is_copy else "")
        self._count_page(claim)
        if archived is not None:
            self._db.execute("INSERT OR REPLACE INTO archive VALUES (0, ?, ?)", archived)
        if content is not None:
            row = (content.payload, *content.capture)
            self._db.execute("INSERT OR IGNORE INTO captures VALUES (?, ?, ?)", row)
        if content is not None and content.text:
            text = (_digest(content.text),)
            self._db.execute("INSERT OR IGNORE INTO texts VALUES (?)", text)
        if content is not None and content.shingles.main:
            rows = ((digest, claim.id) for part in content.shingles for digest in part)
            self._db.executemany("INSERT OR IGNORE INTO shingles VALUES (?, ?)", rows)
        self._db.commit()

    def add_sitemaps(self, claim: Claim, sitemaps: Iterable[ScoredUrl]) -> None:
        """Enqueue the sitemaps that an index lists at its own depth; `finish` commits them."""
        self._enqueue(sitemaps, claim.id, claim.depth, 0)

    def count_failure(self, reason: str) -> None:
        """Count a response that is no page; `finish` commits it."""
        self._count_reasons({reason: 1})

    def refuse(self, claim: Claim, reason: str) -> None:
        """Commit that a URL is not fetched, and why."""
        self._set_state(claim, REFUSED, reason)
        self._db.commit()

    def postpone(self, claim: Claim, reason: str, backoff: Sequence[float]) -> float:
        """Put a URL back whose host cannot be reached; the seconds to leave the host alone.

        They are those of `backoff` in turn until the host answers. After the last
        rest, all URLs of the host are refused, and the answer is zero.
        """
        queue = self._hosts[claim.host]
        queue.failures += 1
        self.requeue(claim)
        if queue.failures <= len(backoff):
            return backoff[queue.failures - 1]
        self._close_host(claim.host, f"{UNREACHABLE}: {reason}")
        self._db.commit()
        return 0.0

    def requeue(self, claim: Claim) -> None:
        """Put a claimed URL back into its queue."""
        self._set_state(claim, WAITING, "")
        self._db.commit()
        self._offer(claim.host, claim.score, claim.id)

    def rescore(self, score: Callable[[Sequence[WaitingUrl]], Sequence[float]]) -> int:
        """Score all waiting URLs anew, in batches; the number of URLs."""
        rows = (
            (float(value), url.id)
            for batch in self._waiting_batches()
            for value, url in zip(score(batch), batch, strict=True)
        )
        total = self._write_scores(rows, self._counts[WAITING])
        self._find_best_urls(range(len(self._hosts)))
        return total

    def replace_scores(self, scores: Iterable[ScoredUrl]) -> int:
        """Give waiting URLs new scores, also lower ones; the number of URLs that wait."""
        rows: list[tuple[float, int]] = []
        hosts: set[int] = set()
        for url, score in scores:
            found = self._find(url)
            if found is not None and found.state == WAITING:
                rows.append((score, found.id))
                hosts.add(found.host)
        total = self._write_scores(rows, len(rows))
        self._find_best_urls(hosts)
        return total

    def revisit(self, urls: Iterable[str], score: float) -> int:
        """Enqueue URLs again that are done, for links that their pages did not have before."""
        total = 0
        for url in urls:
            found = self._find(url)
            if found is not None and found.state == DONE:
                query = "UPDATE urls SET state = 0, score = ? WHERE id = ?"
                self._db.execute(query, (score, found.id))
                self._counts[DONE] -= 1
                self._counts[WAITING] += 1
                self._offer(found.host, score, found.id)
                total += 1
        self._db.commit()
        return total

    def first_capture(self, payload: str) -> Capture | None:
        """The first capture of a payload with this digest, if there was one."""
        query = "SELECT url, time FROM captures WHERE digest = ?"
        row = self._db.execute(query, (payload,)).fetchone()
        return Capture(*row) if row else None

    def is_new_text(self, text: str) -> bool:
        """Whether no page had this text before."""
        query = "SELECT 1 FROM texts WHERE digest = ?"
        return self._db.execute(query, (_digest(text),)).fetchone() is None

    def near_duplicates(self, claim: Claim, shingles: PageShingles) -> list[int]:
        """Other pages that are nearly the same in main content and text, by their rows."""
        similar = self._similar_pages(shingles.main, f"page <> {claim.id}")
        if not similar:
            return []
        return self._similar_pages(shingles.text, f"page IN ({', '.join(map(str, similar))})")

    def _similar_pages(self, shingles: Sequence[int], condition: str) -> list[int]:
        query = (
            f"SELECT page FROM shingles WHERE digest IN ({', '.join(map(str, shingles))})"
            f" AND {condition} GROUP BY page HAVING count(*) >= {MIN_SHARED} LIMIT {MAX_SIMILAR}"
        )
        return [page for (page,) in self._db.execute(query)]

    def redirected_from(self, url: str) -> str:
        """The URL from which redirects led to this one; itself where none did."""
        find = (
            "SELECT p.url FROM urls u JOIN urls p ON p.id = u.parent"
            " WHERE u.digest = ? AND u.redirects > 0"
        )
        for _ in range(self.scope.max_redirects):
            row = self._db.execute(find, (_digest(url),)).fetchone()
            if row is None:
                break
            url = row[0]
        return url

    def url_of(self, number: int) -> str:
        """The URL of a row, such as the parent of a claim; empty for none."""
        row = self._db.execute("SELECT url FROM urls WHERE id = ?", (number,)).fetchone()
        return str(row[0]) if row else ""

    def status(self, top: int = 20) -> FrontierStatus:
        """What waits and what was refused, for people to look at."""
        return query_status(self._db, top)

    def close(self) -> None:
        """Commit and close; URLs in flight are requeued when the frontier is opened again."""
        self._db.commit()
        self._db.close()
        self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(sqlite3.ProgrammingError):  # closed inside the block already
            self.close()

    def __repr__(self) -> str:
        n = self.counts
        waiting = f"{n.waiting:,} waiting on {n.hosts:,} hosts"
        return f"<Frontier: {waiting}, {n.done:,} done, {n.refused:,} refused>"

    def _enqueue(self, links: Iterable[ScoredUrl], parent: int, depth: int, redirects: int) -> int:
        new: dict[int, ScoredUrl] = {}
        better: list[tuple[float, int, int]] = []
        execute, recent = self._db.execute, self._recent
        if len(recent) > MAX_RECENT_URLS:
            recent.clear()
        for link in links:
            digest = _digest(link.url)
            if recent.get(digest, -1e300) >= link.score:
                continue
            recent[digest] = link.score
            if digest in new:
                new[digest] = link
                continue
            row = execute(FIND_URL, (digest,)).fetchone()
            if row is None:
                new[digest] = link
            elif row[2] == WAITING and link.score > row[1]:
                better.append((link.score, parent, row[0]))
                self._offer(row[3], link.score, row[0])
        if better:
            self._db.executemany("UPDATE urls SET score = ?, parent = ? WHERE id = ?", better)
        return self._insert(new, parent, depth, redirects) if new else 0

    def _insert(self, new: dict[int, ScoredUrl], parent: int, depth: int, redirects: int) -> int:
        rows = []
        refused: Counter[str] = Counter()
        number = self._last_id()
        for digest, (url, score) in new.items():
            reason = self.scope.refusal(url, depth, redirects)
            host_number = -1 if reason else self._host_number(url)
            if reason := reason or self._budget_refusal(url, self._hosts[host_number]):
                self.refusals.add(reason, url, damage=False)
                refused[reason] += 1
                continue
            number += 1
            rows.append((number, digest, url, host_number, parent, depth, redirects, score))
            self._offer(host_number, score, number)
        self._db.executemany("INSERT INTO urls VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, '')", rows)
        self._counts[WAITING] += len(rows)
        self._count_reasons(refused)
        if len(self._ready) > 2 * len(self._hosts) + MAX_STALE_ENTRIES:
            self._list_ready_hosts()
        return len(rows)

    def _count_reasons(self, reasons: Mapping[str, int]) -> None:
        """Count URLs that gave no page and are not stored as refused."""
        if reasons:
            query = (
                "INSERT INTO reasons VALUES (?, ?)"
                " ON CONFLICT (reason) DO UPDATE SET urls = urls + excluded.urls"
            )
            self._db.executemany(query, reasons.items())

    def _count_states(self) -> None:
        self._counts = [0] * 4
        for state, count in self._db.execute("SELECT state, count(*) FROM urls GROUP BY state"):
            self._counts[state] = count

    def _add_home(self, number: int, parent: int, url: str) -> None:
        """Include the host of a seed, or of where it redirects to, unless it is an example."""
        if parent == EXAMPLE or parent in self._examples or number in self._examples:
            self._examples.add(number)
        else:
            self.scope.add_home(url)

    def _apply_scope(self) -> None:
        """Refuse what waits and is out of scope; what is in scope now waits again."""
        query = (
            "SELECT id, url, host, depth, redirects, state, reason FROM urls"
            " WHERE id > ? AND state IN (0, 3) ORDER BY id LIMIT ?"
        )
        last = 0
        while rows := self._db.execute(query, (last, RESCORE_BATCH)).fetchall():
            last = rows[-1][0]
            changes: list[tuple[int, str, int]] = []
            for number, url, host_number, depth, redirects, state, reason in rows:
                is_open = reason in SCOPE_REASONS or ADDRESS_REASON.fullmatch(reason)
                if state == WAITING or is_open:
                    new = self.scope.refusal(url, depth, redirects)
                    new = new or self._hosts[host_number].closed
                    if new != reason:
                        changes.append((REFUSED if new else WAITING, new, number))
            self._db.executemany("UPDATE urls SET state = ?, reason = ? WHERE id = ?", changes)
        self._db.executemany(
            "DELETE FROM reasons WHERE reason = ?", [(reason,) for reason in SCOPE_REASONS]
        )
        self._recent.clear()
        self._count_states()
        self._find_best_urls(range(len(self._hosts)))

    def _last_id(self) -> int:
        return int(self._db.execute("SELECT coalesce(max(id), 0) FROM urls").fetchone()[0])

    def _budget_refusal(self, url: str, queue: HostQueue) -> str:
        """Why no more URLs of this host or pattern are fetched, or nothing."""
        if queue.closed:
            return queue.closed
        row = self._db.execute(
            "SELECT fetched FROM patterns WHERE digest = ?", (_digest(url_pattern(url)),)
        ).fetchone()
        if row is None:
            return ""
        if row[0] >= self.scope.per_calendar and is_calendar(url):
            return "calendar limit"
        return "pattern limit" if row[0] >= self.scope.per_pattern else ""

    def _count_page(self, claim: Claim) -> None:
        queue = self._hosts[claim.host]
        queue.failures = 0
        queue.fetched += 1
        self._db.execute("UPDATE hosts SET fetched = fetched + 1 WHERE id = ?", (claim.host,))
        self._db.execute(
            "INSERT INTO patterns VALUES (?, 1)"
            " ON CONFLICT (digest) DO UPDATE SET fetched = fetched + 1",
            (_digest(url_pattern(claim.url)),),
        )
        if reason := self._limit_reached(queue.fetched):
            self._close_host(claim.host, reason)

    def _limit_reached(self, fetched: int) -> str:
        return HOST_LIMIT if fetched >= self.scope.per_host else ""

    def _close_host(self, host_number: int, reason: str) -> None:
        """Refuse all that waits on a host, and what will be found on it."""
        queue = self._hosts[host_number]
        refused = self._db.execute(
            "UPDATE urls SET state = 3, reason = ? WHERE host = ? AND state = 0",
            (reason, host_number),
        ).rowcount
        self._counts[WAITING] -= refused
        self._counts[REFUSED] += refused
        queue.closed, queue.best_id = reason, -1

    def _claim_best(self, host_number: int) -> Claim | None:
        """Claim the best URL of a host within its budget, and note the next best."""
        queue = self._hosts[host_number]
        while queue.best_id >= 0:
            rows = self._db.execute(
                "SELECT id, url, host, parent, depth, redirects, score FROM urls"
                " WHERE host = ? AND state = 0 ORDER BY score DESC, id LIMIT 2",
                (host_number,),
            ).fetchall()
            claim = Claim(*rows[0])
            queue.best_id = -1
            if len(rows) > 1:
                queue.best_score, queue.best_id = rows[1][6], rows[1][0]
            reason = self._budget_refusal(claim.url, queue)
            self._db.execute(
                "UPDATE urls SET state = ?, reason = ? WHERE id = ?",
                (REFUSED if reason else IN_FLIGHT, reason, claim.id),
            )
            self._counts[WAITING] -= 1
            self._counts[REFUSED if reason else IN_FLIGHT] += 1
            if not reason:
                return claim
        return None

    def _set_state(self, claim: Claim, state: int, reason: str) -> None:
        self._db.execute(
            "UPDATE urls SET state = ?, reason = ? WHERE id = ?", (state, reason, claim.id)
        )
        self._counts[IN_FLIGHT] -= 1
        self._counts[state] += 1

    def _offer(self, host_number: int, score: float, number: int) -> None:
        queue = self._hosts[host_number]
        if queue.offer(score, number) and not queue.absent:
            heappush(self._ready, (-score, number, host_number))

    def _wake(self, now: float) -> None:
        while self._asleep and self._asleep[0][0] <= now:
            self._list_host(heappop(self._asleep)[1])

    def _wake_parked(self, group: HostGroup) -> None:
        for host_number in group.parked:
            heappush(self._asleep, (group.ready_at, host_number))
        group.parked.clear()

    def _list_host(self, host_number: int) -> None:
        queue = self._hosts[host_number]
        queue.absent = False
        if queue.best_id >= 0:
            heappush(self._ready, (-queue.best_score, queue.best_id, host_number))

    def _find(self, url: str) -> KnownUrl | None:
        row = self._db.execute(FIND_URL, (_digest(url),)).fetchone()
        return KnownUrl(*row) if row else None

    def _write_scores(self, rows: Iterable[tuple[float, int]], count: int) -> int:
        """Commit scores by id; for many of them, the index is built anew afterwards."""
        rebuild = count >= MIN_INDEX_REBUILD
        if rebuild:
            self._db.execute("DROP INDEX queue")
        query = "UPDATE urls SET score = ? WHERE id = ?"
        written = self._db.executemany(query, rows).rowcount
        if rebuild:
            self._db.execute(QUEUE_INDEX)
        self._db.commit()
        self._recent.clear()
        return max(written, 0)

    def _find_best_urls(self, hosts: Iterable[int]) -> None:
        query = (
            "SELECT score, id FROM urls WHERE host = ? AND state = 0"
            " ORDER BY score DESC, id LIMIT 1"
        )
        for host_number in hosts:
            queue = self._hosts[host_number]
            row = self._db.execute(query, (host_number,)).fetchone()
            queue.best_score, queue.best_id = row or (0.0, -1)
            if not queue.absent:
                self._list_host(host_number)

    def _list_ready_hosts(self) -> None:
        self._ready.clear()
        for host_number, queue in enumerate(self._hosts):
            if not queue.absent:
                self._list_host(host_number)

    def _host_number(self, url: str) -> int:
        name = host(url)
        number = self._numbers.get(name)
        if number is None:
            number = self._open_host(name, 0)
            self._db.execute("INSERT INTO hosts (id, name) VALUES (?, ?)", (number, name))
        return number

    def _open_host(self, name: str, fetched: int) -> int:
        number = self._numbers[name] = len(self._hosts)
        self._hosts.append(HostQueue(None, fetched, closed=self._limit_reached(fetched)))
        return number

    def _waiting_batches(self) -> Iterator[list[WaitingUrl]]:
        query = (
            "SELECT id, url, parent, depth, score FROM urls"
            " WHERE id > ? AND state = 0 ORDER BY id LIMIT ?"
        )
        last = 0
        while rows := self._db.execute(query, (last, RESCORE_BATCH)).fetchall():
            batch = [WaitingUrl(*row) for row in rows]
            last = batch[-1].id
            yield batch


def is_in_use(path: Path) -> bool:
    """Whether a process has a frontier open."""
    try:
        handle = _lock_path(path).open("rb")
    except FileNotFoundError:
        return False
    with handle:
        return not _try_lock(handle, fcntl.LOCK_SH)


def _lock_path(path: Path) -> Path:
    return path.with_name(f"{path.name}-lock")


def _lock_file(path: Path) -> IO[bytes]:
    handle = path.open("wb")
    for _ in range(LOCK_TRIES):  # `is_in_use` may hold the lock for a moment
        if _try_lock(handle, fcntl.LOCK_EX):
            return handle
        time.sleep(LOCK_PAUSE_SECONDS)
    handle.close()
    raise CollectionBusy(
        f"another crawl is using {path.parent}", hint="wait until it ends, or stop it"
    )


def _try_lock(handle: IO[bytes], kind: int) -> bool:
    try:
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _digest(text: str) -> int:
    """A digest of 64 bits, signed as SQLite stores integers."""
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)
