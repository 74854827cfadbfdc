"""Access logs by hand, and what is read from them."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weft.gather.formats import recognise_input
from weft.gather.logs.options import LogOptions
from weft.gather.page import REQUEST_SCHEMA, Problems

SALT = b"a salt of the tests"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
SAFARI = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15) AppleWebKit/605.1.15 Safari/605.1.15"
GOOGLEBOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
SITE = "https://example.com"


def combined(  # noqa: PLR0913  the fields of a line
    target: str = "/",
    *,
    address: str = "192.0.2.7",
    user: str = "-",
    time: str = "10/Oct/2000:13:55:36 -0700",
    method: str = "GET",
    status: int = 200,
    referrer: str = "-",
    agent: str = FIREFOX,
) -> str:
    """A line of Combined Log Format."""
    request = f"{method} {target} HTTP/1.1"
    return f'{address} - {user} [{time}] "{request}" {status} 2326 "{referrer}" "{agent}"'


@dataclass(frozen=True)
class ReadLog:
    """The rows that were read from a log, and the problems."""

    rows: list[dict[str, Any]]
    problems: Problems

    @property
    def urls(self) -> list[str]:
        """The URL of each row, without the site."""
        return [row["url"].removeprefix(SITE) for row in self.rows]

    @property
    def lines(self) -> int:
        """Rows and everything that was counted."""
        return len(self.rows) + sum(self.problems.counts.values())

    @property
    def dropped(self) -> dict[str, int]:
        """What was counted, by reason."""
        return dict(self.problems.counts)


def write_lines(path: Path, lines: Iterable[str]) -> Path:
    """Write lines to a file."""
    path.write_bytes(b"".join(line.encode("utf-8", "surrogateescape") + b"\n" for line in lines))
    return path


def read_log(
    path: Path, base_url: str = f"{SITE}/", input_format: str = "", **options: Any
) -> ReadLog:
    """Read a log with a fixed salt."""
    problems, rows = Problems(), []
    source = recognise_input(path, input_format=input_format, base_url=base_url)
    assert source.is_log
    for batch in source.read_requests(problems, LogOptions(**{"salt": SALT, **options})):
        assert batch.input_digest == source.digest()
        assert batch.requests.schema == REQUEST_SCHEMA
        rows += batch.requests.to_pylist()
    return ReadLog(rows, problems)


def read_text(tmp_path: Path, *lines: str, **options: Any) -> ReadLog:
    """Read lines as a log."""
    return read_log(write_lines(tmp_path / "input", lines), **options)
