"""The command as people use it: real files everywhere, real processes where they tell more."""

import csv
import io
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
from tests.command import COMMAND, in_lines, rows, run
from typer.main import get_command

import weft
from weft.core.errors import BadParameter
from weft.gather.page import Link, Page
from weft.run.workspace import Workspace
from weft.show.cli import app

STYLE = re.compile(r"\x1b\[[0-9;]*m")


def process(*words: object, stdin: bytes = b"", **more: str) -> subprocess.CompletedProcess[bytes]:
    env = {**os.environ, "COLUMNS": "100", **more}
    return subprocess.run(
        [*COMMAND, *map(str, words)],
        input=stdin,
        capture_output=True,
        env=env,
        check=False,
        timeout=120,
    )


def on_terminal(*words: object, **more: str) -> str:
    """What a terminal gets on standard output."""
    env = {**os.environ, "TERM": "xterm-256color", **more}
    screen, end = os.openpty()
    line = [*COMMAND, *map(str, words)]
    with subprocess.Popen(line, stdout=end, stderr=subprocess.DEVNULL, env=env):
        os.close(end)
        parts = list[bytes]()
        with suppress(OSError):  # which is how a terminal says that the other end is closed
            while part := os.read(screen, 1 << 16):
                parts.append(part)
    os.close(screen)
    return b"".join(parts).decode()


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    done = process("demo", folder, "--pages", 200)
    assert done.returncode == 0, done.stderr
    assert b"Topic 1  " in done.stdout
    return folder / "demo.weft"


def test_demo_writes_the_archive_and_the_collection(demo: Path) -> None:
    assert (demo.parent / "demo.warc.gz").stat().st_size > 10_000
    again = process("add", demo, demo.parent / "demo.warc.gz")
    assert again.returncode == 0
    assert b"known already" in again.stderr


def test_demo_twice_is_the_same_demo(demo: Path) -> None:
    before = rows(in_lines("info", demo))[0]["counts"]
    run("demo", demo.parent, "--pages", 200)
    assert rows(in_lines("info", demo))[0]["counts"] == before


def test_a_pipe_gets_what_a_terminal_shows(demo: Path) -> None:
    """The same words, without colours, without a bar, and in full width."""
    for words in (
        ["search", demo, "jaguar", "-n", 3],
        ["topics", demo, "jaguar"],
        ["rank", "hits", demo],
        ["structure", demo, "bow-tie"],
    ):
        done = process(*words, COLUMNS="40")
        piped = done.stdout.decode()
        shown = on_terminal(*words, COLUMNS="400")
        assert "\x1b[" in shown
        assert piped.split() == STYLE.sub("", shown).split()
        assert "\x1b" not in piped + done.stderr.decode()


def test_no_cell_is_cut_or_folded_in_a_pipe(keep: Callable[..., Workspace]) -> None:
    long = f"http://a.org/{'very-long-' * 20}"
    folder = keep(Page("http://b.org/", links=(Link(long),))).folder
    done = process("rank", "indegree", folder, COLUMNS="40")
    assert long in done.stdout.decode()
    assert not any(line.endswith(" ") for line in done.stdout.decode().splitlines())


def test_no_color_is_obeyed(demo: Path) -> None:
    for words in (["search", demo, "jaguar", "-n", 1], ["rank", demo]):
        assert "\x1b[" in on_terminal(*words)
        assert "\x1b[" not in on_terminal(*words, NO_COLOR="1")


@pytest.mark.parametrize("form", ["table", "csv", "jsonl", "json"])
def test_every_format_shows_the_same_pages(demo: Path, form: str) -> None:
    urls = [row["url"] for row in rows(in_lines("search", demo, "jaguar", "-n", 3))]
    shown = run("search", demo, "jaguar", "-n", 3, "--format", form).stdout
    if form == "json":
        assert [row["url"] for row in json.loads(shown)] == urls
    elif form == "csv":
        assert [row["url"] for row in csv.DictReader(io.StringIO(shown))] == urls
    else:
        assert all(url in shown for url in urls)


@pytest.mark.parametrize("form", ["table", "csv", "jsonl", "json"])
@pytest.mark.parametrize("verb", ["search", "topics"])
def test_nothing_found_is_always_said(demo: Path, verb: str, form: str) -> None:
    done = run(verb, demo, "democ*", "-f", form)
    assert "no page is found by democ* (try fewer or other words)" in done.stderr
    assert form != "table" or not done.stdout


def test_info_tells_the_collection_in_numbers(demo: Path) -> None:
    facts = rows(in_lines("info", demo))[0]
    assert facts["counts"]["fetched"] > 150
    assert facts["counts"]["seen"] > 0
    assert rows(in_lines("info", demo)) == [facts]
    assert json.loads(run("info", demo, "--format", "json").stdout) == facts
    pairs = csv.DictReader(io.StringIO(run("info", demo, "--format", "csv").stdout))
    assert {row["fact"] for row in pairs} == set(facts)
    shown = run("info", demo, "--format", "table").stdout
    assert "text/html" in shown
    assert "languages" in shown


def test_links_both_ways(demo: Path) -> None:
    [first] = rows(in_lines("search", demo, "jaguar links", "-n", 1))
    found = rows(in_lines("links", demo, first["url"], "-n", 500))
    assert {row["direction"] for row in found} == {"in", "out"}
    out = next(row for row in found if row["direction"] == "out")
    back = rows(in_lines("links", demo, out["url"], "--direction", "in", "-n", 500))
    assert first["url"] in {row["url"] for row in back}


@pytest.mark.parametrize("level", ["page", "host", "domain"])
def test_export_opens_in_networkx(demo: Path, tmp_path: Path, level: str) -> None:
    run("export", demo, tmp_path / "g.gexf", "--level", level)
    graph = nx.read_gexf(tmp_path / "g.gexf")
    run("export", demo, tmp_path / "g.csv", "--level", level)
    with (tmp_path / "g.csv").open(newline="") as file:
        assert sum(1 for _ in csv.DictReader(file)) == graph.number_of_edges() > 10


def test_export_of_pages_by_date(demo: Path, tmp_path: Path) -> None:
    everything, some = tmp_path / "all.csv", tmp_path / "some.csv"
    run("export", demo, everything, "--what", "pages")
    run("export", demo, some, "--what", "pages", "--since", "2004", "--until", "2004-03-10")
    counts = [len(path.read_text().splitlines()) for path in (everything, some)]
    assert 1 < counts[1] < counts[0]


def test_search_by_date(demo: Path) -> None:
    def total(*words: str) -> int:
        shown = run("search", demo, "jaguar", "-f", "table", *words).stdout.split()[0]
        return int(shown.replace(",", ""))

    assert 0 < total("--since", "2004-03-10") < total()
    assert total("--since", "1990") == total()
    with pytest.raises(BadParameter, match="yesterday"):
        total("--since", "yesterday")


def test_remove_compact_doctor(demo: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.weft"
    run("add", copy, demo)
    gone, stays = (row["url"] for row in rows(in_lines("search", copy, "jaguar", "-n", 2)))
    assert run("remove", copy, gone, "--dry-run").stdout.split() == [gone]
    run("remove", copy, gone)
    left = rows(in_lines("search", copy, "jaguar", "-n", 200))
    assert stays in {row["url"] for row in left}
    assert gone not in {row["url"] for row in left}
    run("compact", copy)
    assert rows(in_lines("search", copy, "jaguar", "-n", 200)) == left
    assert "as it was committed" in run("doctor", copy).stdout


def test_add_from_standard_input_and_a_pattern(demo: Path, tmp_path: Path) -> None:
    archive = demo.parent / "demo.warc.gz"
    piped = process("add", tmp_path / "a.weft", "-", stdin=archive.read_bytes())
    assert piped.returncode == 0, piped.stderr
    run("add", tmp_path / "b.weft", f"{demo.parent}/*.warc.gz")
    counts = [rows(in_lines("info", tmp_path / f"{n}.weft"))[0]["counts"] for n in "ab"]
    assert counts[0] == counts[1]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["search", "nowhere.weft", "x"], 1, "not a collection"),
        (["add", "new.weft", "nowhere.warc"], 1, "does not exist"),
        (["add", "new.weft", "*.nothing"], 1, "nothing matches"),
        (["frobnicate"], 2, "No such command"),
        (["search", "--top", "many", "c", "x"], 2, "Invalid value"),
        (["rank", "pagerunk", "c"], 1, "did you mean 'pagerank'?"),
        (["rank", "nowhere.weft"], 1, "not a collection"),
        (["why", "nowhere.weft", "x"], 1, "not a collection"),
        (["compare-methods", "nowhere.weft"], 1, "not a collection"),
        (["methods", "pagerunk"], 1, "no method is called"),
        (["demo", __file__], 1, "a file stands in the way"),
    ],
)
def test_errors_are_a_sentence(words: list[str], code: int, said: str) -> None:
    done = process(*words)
    assert done.returncode == code
    assert said in done.stderr.decode()
    assert "Traceback" not in done.stderr.decode()


def test_damaged_input_ends_with_three_and_is_remembered(demo: Path, tmp_path: Path) -> None:
    whole = (demo.parent / "demo.warc.gz").read_bytes()
    (tmp_path / "clipped.warc.gz").write_bytes(whole[: len(whole) * 2 // 3])
    done = process("add", tmp_path / "c.weft", tmp_path / "clipped.warc.gz")
    assert done.returncode == 3
    assert "skipped or damaged: 1 \N{MULTIPLICATION SIGN} damaged" in done.stderr.decode()
    told = rows(in_lines("info", tmp_path / "c.weft", "--problems"))
    assert [row["damage"] for row in told if row["reason"] == "damaged records"] == [True]


def test_unrecognised_input_is_told_with_a_cure(tmp_path: Path) -> None:
    (tmp_path / "what.bin").write_bytes(bytes(range(256)) * 10)
    done = process("add", tmp_path / "c.weft", tmp_path / "what.bin")
    assert done.returncode == 1
    assert b"--as" in done.stderr


def test_terminal_escapes_never_reach_the_terminal(tmp_path: Path) -> None:
    page = {
        "url": "http://a.example/",
        "title": "\x1b]0;owned\x07bad \u202etitle",
        "text": "jaguar \x1b[31mred",
    }
    (tmp_path / "p.jsonl").write_text(json.dumps(page))
    run("add", tmp_path / "c.weft", tmp_path / "p.jsonl")
    shown = process("search", tmp_path / "c.weft", "jaguar", "-f", "table").stdout
    assert b"bad title" in shown
    assert b"\x07" not in shown
    assert b"\x1b]" not in shown
    assert "\u202e" not in shown.decode()


def test_formulas_in_csv_are_neutralised(tmp_path: Path) -> None:
    page = {"url": "http://a.example/", "title": "=HYPERLINK(1)", "text": "jaguar"}
    (tmp_path / "p.jsonl").write_text(json.dumps(page))
    run("add", tmp_path / "c.weft", tmp_path / "p.jsonl")
    shown = run("search", tmp_path / "c.weft", "jaguar", "-f", "csv").stdout
    [row] = csv.DictReader(io.StringIO(shown))
    assert row["title"] == "'=HYPERLINK(1)"


def test_quiet_is_quiet_and_verbose_names_places(demo: Path, tmp_path: Path) -> None:
    archive = demo.parent / "demo.warc.gz"
    assert process("-q", "add", tmp_path / "a.weft", archive).stderr == b""
    (tmp_path / "bad.jsonl").write_text('{"url": "http://a.example/", "text": "x"}\nnot json\n')
    assert (
        b"bad.jsonl:2" in process("-v", "add", tmp_path / "b.weft", tmp_path / "bad.jsonl").stderr
    )


def test_empty_things_are_answered(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "nothing.jsonl").write_text("")
    made = tmp_path / "c.weft"
    done = run("add", made, tmp_path / "empty", tmp_path / "nothing.jsonl")
    assert "nothing that was read is a page" in done.stderr
    assert rows(in_lines("info", made))[0]["counts"]["fetched"] == 0
    assert run("search", made, "jaguar").stdout == ""
    run("export", made, tmp_path / "e.csv")
    assert (tmp_path / "e.csv").read_text().count("\n") == 1
    assert run("rank", "indegree", made).stdout == ""


def test_arguments_are_named_alike() -> None:
    """As COLLECTION is, and no option of several words is called a list."""
    command: Any = get_command(app)
    told = [param for verb in command.commands.values() for param in verb.params]
    arguments = [param for param in told if param.param_type_name == "argument"]
    assert len(arguments) > 20
    assert all(param.metavar and param.metavar.isupper() for param in arguments)
    assert all(param.metavar for param in told if param.multiple)


def test_version_and_completion() -> None:
    assert process("--version").stdout.decode() == f"weft {weft.__version__}\n"
    module = [sys.executable, "-m", "weft", "--version"]
    assert subprocess.check_output(module, timeout=60) == process("--version").stdout
    shown = process("--show-completion", "bash", _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
    assert shown.returncode == 0, shown.stderr
    assert b"COMPREPLY" in shown.stdout


def test_every_verb_has_examples_that_name_it() -> None:
    listed = run("--help").output.partition("Commands:")[2]
    listed = listed.partition("Examples:")[0]
    verbs = [
        line.split()[0] for line in listed.splitlines() if line.startswith("  ") and line.strip()
    ]
    verbs = [verb for verb in verbs if verb.isalpha() and verb != "rank"]  # rank: see its methods
    assert len(verbs) == 18
    for verb in verbs:
        shown = run(verb, "--help").output
        assert f"weft {verb}" in " ".join(shown.split()), verb


def test_a_closed_pipe_ends_quietly(demo: Path) -> None:
    [first] = rows(in_lines("search", demo, "jaguar", "-n", 1))
    command = shlex.join([*COMMAND, "links", str(demo), first["url"], "-n", "5000"])
    piped = f"set -o pipefail; {command} | head -c 10"
    done = subprocess.run(["bash", "-c", piped], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
