"""Robots rules after RFC 9309, kept with the state of the crawl.

Protego parses and matches. This adds what it leaves to its user: what a missing or unreachable
file means, the size limit, byte order marks and encodings, exact product tokens, redirects, and a
cache that lasts a day.
"""

import re
import sqlite3
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from protego import Protego

from weft.gather.url import resolve_url

MAX_ROBOTS_BYTES = 500 << 10
MAX_ROBOTS_REDIRECTS = 5
CACHE_SECONDS = 24 * 3600
MAX_PARSED_RULES, MAX_PARSED_BYTES = 1_000, 1 << 20  # parsed, the bytes take up to 40 times more
BYTE_ORDER_MARKS = {
    b"\xef\xbb\xbf": "utf-8-sig",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
AGENT_LINE = re.compile(
    r"^([ \t]*+user[ -]?agent[ \t]*+:?[ \t]*+)([^\s#]++)", re.IGNORECASE | re.MULTILINE
)
PRODUCT_TOKEN = re.compile(r"[a-z_-]+", re.IGNORECASE)
OTHER_AGENT = "other"
SCHEMA = """
CREATE TABLE IF NOT EXISTS robots (
    origin TEXT PRIMARY KEY, status INTEGER NOT NULL, body BLOB NOT NULL, expires REAL NOT NULL
) WITHOUT ROWID
"""


class RobotsFile(NamedTuple):
    """A response to a request for robots.txt."""

    status: int
    body: bytes = b""
    location: str = ""


class RobotsRules:
    """What one site asks of one crawler."""

    def __init__(self, status: int, body: bytes, agent: str) -> None:
        self.status = status
        self._agent = agent
        self._rules: Protego | None = None
        if 200 <= status < 300:
            self._rules = Protego.parse(_select_agent(decode_robots(body), agent))

    @property
    def unreachable(self) -> bool:
        """Whether nobody could say what is allowed, so that nothing is."""
        return not 200 <= self.status < 500

    @property
    def crawl_delay(self) -> float:
        """The seconds between requests that the site asks for; zero if it does not say."""
        return (self._rules.crawl_delay(self._agent) or 0.0) if self._rules else 0.0

    def refusal(self, url: str) -> str:
        """Why a URL may not be fetched; nothing if it may."""
        if self.unreachable:
            return "robots.txt unreachable"
        if self._rules is not None and not self._rules.can_fetch(url, self._agent):
            return "robots.txt"
        return ""


class ParsedRules(NamedTuple):
    """Rules as they are kept in memory: until when, and the bytes of their file."""

    rules: RobotsRules
    expires: float
    size: int


class RobotsCache:
    """The rules of the sites of a crawl, in its database for a day, parsed in memory."""

    def __init__(self, database: sqlite3.Connection, agent: str) -> None:
        self._db = database
        self._db.execute(SCHEMA)
        self._agent = agent
        self._parsed: OrderedDict[str, ParsedRules] = OrderedDict()

    def find(self, origin: str, now: float) -> RobotsRules | None:
        """The rules of an origin as `https://host:port`, unless they must be fetched."""
        parsed = self._parsed.get(origin)
        if parsed is None:
            query = "SELECT status, body, expires FROM robots WHERE origin = ?"
            row = self._db.execute(query, (origin,)).fetchone()
            if row is not None and row[2] > now:
                rules = RobotsRules(row[0], row[1], self._agent)
                return self._keep(origin, ParsedRules(rules, row[2], len(row[1])))
            return None
        self._parsed.move_to_end(origin)
        return parsed.rules if parsed.expires > now else None

    async def fetch(
        self, origin: str, fetch: Callable[[str], Awaitable[RobotsFile]], now: float
    ) -> RobotsRules:
        """Fetch the rules of an origin, over at most five redirects.

        More of them mean that there is no file, which allows everything. A server
        that cannot be reached allows nothing; its answer is not kept.
        """
        url = f"{origin}/robots.txt"
        status, body, location = await fetch(url)
        for _ in range(MAX_ROBOTS_REDIRECTS):
            if not 300 <= status < 400:
                break
            url = resolve_url(url, location)
            status, body, location = await fetch(url) if url else RobotsFile(404)
        if 300 <= status < 400:
            status, body = 404, b""
        rules = RobotsRules(status, body[:MAX_ROBOTS_BYTES], self._agent)
        if rules.unreachable:
            return rules
        expires = now + CACHE_SECONDS
        kept = body[:MAX_ROBOTS_BYTES] if 200 <= status < 300 else b""
        self._db.execute(
            "INSERT OR REPLACE INTO robots VALUES (?, ?, ?, ?)", (origin, status, kept, expires)
        )
        self._db.commit()
        return self._keep(origin, ParsedRules(rules, expires, len(kept)))

    def _keep(self, origin: str, parsed: ParsedRules) -> RobotsRules:
        self._parsed[origin] = parsed
        size = sum(each.size for each in self._parsed.values())
        while len(self._parsed) > MAX_PARSED_RULES or (
            size > MAX_PARSED_BYTES and len(self._parsed) > 1
        ):
            size -= self._parsed.popitem(last=False)[1].size
        return parsed.rules


def decode_robots(body: bytes) -> str:
    """The text of a robots.txt file: its first 500 KiB, without an incomplete last line."""
    cut = body[:MAX_ROBOTS_BYTES]
    if len(body) >= MAX_ROBOTS_BYTES and b"\n" in cut:
        cut = cut[: cut.rfind(b"\n") + 1]
    for mark, encoding in BYTE_ORDER_MARKS.items():
        if cut.startswith(mark):
            return cut.decode(encoding, "replace")
    return cut.decode("utf-8", "replace").replace("\0", "")


def _select_agent(text: str, agent: str) -> str:
    """Rename the groups of other crawlers, since Protego takes prefixes of a name for the name.

    Lines may end with a carriage return alone.
    """

    def rename(match: re.Match[str]) -> str:
        token = PRODUCT_TOKEN.match(match[2])
        same = match[2] == "*" or (token is not None and token[0].lower() == agent.lower())
        return match[1] + ((agent if match[2] != "*" else "*") if same else OTHER_AGENT)

    return AGENT_LINE.sub(rename, "\n".join(text.splitlines()))
