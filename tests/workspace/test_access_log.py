"""An access log from its lines to sessions, and nothing of its visitors in the collection."""

import json
from pathlib import Path

import pytest
from tests.workspace.test_usage_data import decode_all_files, tables

from weft.workspace.workspace import Workspace

pytest.importorskip("weft.gather.logs.access_logs")
VALUES = Path(__file__).parents[1] / "data" / "mining-values.json"
SITE, BROWSER = "http://www.example.com", "Mozilla/5.0 (X11; Linux x86_64) Firefox/128.0"
LINES = [
    ("10:00:00 +0200", "GET / HTTP/1.1", 200, "https://search.example/?q=private", BROWSER),
    ("10:00:01 +0200", "GET /logo.gif HTTP/1.1", 200, f"{SITE}/", BROWSER),
    ("10:01:00 +0200", "GET /a.html?user=ann HTTP/1.1", 200, f"{SITE}/", BROWSER),
    ("10:02:00 +0200", "GET /c.html HTTP/1.1", 200, f"{SITE}/a.html", BROWSER),
    ("08:02:30 +0000", "GET /gone.html HTTP/1.1", 404, f"{SITE}/c.html", BROWSER),
    ("08:03:00 +0000", "GET /b.html HTTP/1.1", 200, f"{SITE}/", BROWSER),
    ("08:03:10 +0000", "POST /form HTTP/1.1", 200, f"{SITE}/b.html", BROWSER),
    ("08:04:00 +0000", "GET /a.html HTTP/1.1", 200, "-", "Googlebot/2.1"),
    ("09:00:00 +0000", "GET /d.html HTTP/1.1", 200, "-", BROWSER),
]


@pytest.fixture(autouse=True)
def configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "configuration"))


@pytest.fixture
def log(tmp_path: Path) -> Path:
    lines = [
        f'192.0.2.17 - annuser [18/Nov/2026:{time}] "{line}" {status} 512 "{referrer}" "{agent}"'
        for time, line, status, referrer, agent in LINES
    ]
    (tmp_path / "access.log").write_text("\n".join(lines) + "\n")
    return tmp_path / "access.log"


def paths(folder: Path, *, inferred: bool) -> list[list[str]]:
    found = tables(folder)
    flags = iter(found["inferred"])
    return [
        [page.partition("example.com")[2] for page in path if not next(flags) or inferred]
        for path in found["paths"]
    ]


def test_nine_lines_are_two_sessions(tmp_path: Path, log: Path) -> None:
    expected = json.loads(VALUES.read_text())["sessions"]
    result = Workspace(tmp_path / "c.weft").add(log, base_url=SITE)
    assert result.requests == expected["kept"]
    assert sum(n for why, n in result.log_problems.counts.items() if "robot" in why) == 1
    assert result.requests + result.log_problems.counts.total() == len(LINES)
    assert paths(tmp_path / "c.weft", inferred=False) == expected["sessions"]
    assert paths(tmp_path / "c.weft", inferred=True) == expected["completed"]


def test_nothing_of_a_visitor_is_stored(tmp_path: Path, log: Path) -> None:
    Workspace(tmp_path / "c.weft").add(log, base_url=SITE)
    contents = decode_all_files(tmp_path / "c.weft")
    assert any(b"/a.html" in content for content in contents)
    for private in (b"192.0.2.17", b"annuser", b"user=ann", b"q=private", b"Firefox"):
        assert not any(private in content for content in contents)


def test_two_agents_behind_one_address_are_two_visitors(tmp_path: Path, log: Path) -> None:
    log.write_text(log.read_text() + log.read_text().replace("Firefox", "Safari"))
    Workspace(tmp_path / "c.weft").add(log, base_url=SITE)
    found = tables(tmp_path / "c.weft")
    assert len({*found["visitors"]}) == 2
    assert len(found["paths"]) == 4
