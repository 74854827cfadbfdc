"""What people see of a frontier: counts, hosts, the best URLs, and what was refused and why."""

import errno
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from heapq import nlargest
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from weft.core.errors import DamagedFile

OS_ERRORS = {
    sqlite3.SQLITE_FULL: errno.ENOSPC,
    sqlite3.SQLITE_READONLY: errno.EACCES,
    sqlite3.SQLITE_IOERR: errno.EIO,
}
DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR)
PRIMARY_CODE = 0xFF  # of SQLite's extended error codes


class FrontierCounts(NamedTuple):
    """How many URLs are in each state, and how many hosts have URLs that wait."""

    waiting: int
    in_flight: int
    done: int
    refused: int
    hosts: int


class WaitingHost(NamedTuple):
    """A host with URLs that wait: how many, the best score among them, and how many are done."""

    name: str
    waiting: int
    best_score: float
    fetched: int


class BestUrl(NamedTuple):
    """A URL that waits, and the page that it was found on with the highest score."""

    url: str
    score: float
    depth: int
    parent: str


@dataclass(frozen=True, slots=True)
class FrontierStatus:
    """A frontier as a whole: counts, its largest hosts, its best URLs.

    `refused` counts what gave no page, by reason; links that were refused when they were
    found, and error responses, are in it, but not in the counts.
    """

    counts: FrontierCounts
    hosts: tuple[WaitingHost, ...]
    best: tuple[BestUrl, ...]
    refused: dict[str, int]


@contextmanager
def frontier_errors(path: Path) -> Iterator[None]:
    """Turn what SQLite says of a frontier's file into errors that a user can fix."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", -1) & PRIMARY_CODE
        hint = "the archive is intact; delete the file, and what was fetched is fetched again"
        if code in OS_ERRORS:
            raise OSError(OS_ERRORS[code], str(error), str(path)) from error
        if code in DAMAGE:
            raise DamagedFile(f"{path} is damaged: {error}", hint=hint) from error
        if code == sqlite3.SQLITE_CANTOPEN:
            raise DamagedFile(f"{path} is missing or cannot be opened", hint=hint) from error
        raise


def read_status(path: Path, top: int = 20) -> FrontierStatus:
    """The status of a frontier that another process may be using."""
    with (
        frontier_errors(path),
        closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)) as database,
    ):
        return query_status(database, top)


def query_status(database: sqlite3.Connection, top: int) -> FrontierStatus:
    """Query tables and indexes; takes a second for each ten million URLs."""
    states = dict(database.execute("SELECT state, count(*) FROM urls GROUP BY state").fetchall())
    waiting_hosts = database.execute(
        "SELECT host, count(*), max(score) FROM urls WHERE state = 0 GROUP BY host"
    ).fetchall()
    largest = sorted(waiting_hosts, key=lambda row: (-row[1], row[0]))[:top]
    hosts = [
        WaitingHost(name, waiting, score, fetched)
        for number, waiting, score in largest
        for name, fetched in database.execute(
            "SELECT name, fetched FROM hosts WHERE id = ?", (number,)
        )
    ]
    # The best URLs of all are among the best of the hosts that have the best ones.
    best_hosts = nlargest(top, waiting_hosts, key=lambda row: row[2])
    best = [
        row
        for number, _, _ in best_hosts
        for row in database.execute(
            "SELECT u.url, u.score, u.depth, coalesce(p.url, ''), u.id"
            " FROM urls u LEFT JOIN urls p ON p.id = u.parent"
            " WHERE u.host = ? AND u.state = 0 ORDER BY u.score DESC, u.id LIMIT ?",
            (number, top),
        )
    ]
    best = sorted(best, key=lambda row: (-row[1], row[4]))[:top]
    refused = Counter(
        dict(database.execute("SELECT reason, count(*) FROM urls WHERE state = 3 GROUP BY reason"))
    )
    # A frontier that was made by an earlier version gets the table when it is crawled next.
    has_reasons = "SELECT 1 FROM sqlite_master WHERE name = 'reasons'"
    if database.execute(has_reasons).fetchone():
        refused.update(dict(database.execute("SELECT reason, urls FROM reasons")))
    waiting, in_flight, done, refused_count = (states.get(state, 0) for state in range(4))
    return FrontierStatus(
        FrontierCounts(waiting, in_flight, done, refused_count, len(waiting_hosts)),
        tuple(hosts),
        tuple(BestUrl(*row[:4]) for row in best),
        dict(sorted(refused.items(), key=lambda pair: (-pair[1], pair[0]))),
    )
