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
import weft.communities
import weft.rank
import weft.similar
import weft.structure
import weft.topics
from weft.cli import app
from weft.cli.app import GROUPS, _exit_with_error, command_name
from weft.core.errors import BadParameter
from weft.core.register import METHODS, Method
from weft.gather.page import Link, Page
from weft.workspace.workspace import Workspace

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


@pytest.mark.slow
def test_a_pipe_gets_what_a_terminal_shows(demo: Path) -> None:
    """The same words, without colours, without a bar, and in full width."""
    for words in (
        ["search", demo, "jaguar", "-n", 3],
        ["topics", demo, "jaguar"],
        ["rank", "hits", demo],
        ["structure", "bow-tie", demo],
    ):
        done = process(*words, COLUMNS="40")
        piped = done.stdout.decode()
        shown = on_terminal(*words, COLUMNS="400")
        assert "\x1b[" in shown
        assert piped.split() == STYLE.sub("", shown).split()
        assert "\x1b" not in piped + done.stderr.decode()


@pytest.mark.slow
def test_no_cell_is_cut_or_folded_in_a_pipe(keep: Callable[..., Workspace]) -> None:
    long = f"http://a.org/{'very-long-' * 20}"
    folder = keep(Page("http://b.org/", links=(Link(long),))).folder
    done = process("rank", "indegree", folder, COLUMNS="40")
    assert long in done.stdout.decode()
    assert not any(line.endswith(" ") for line in done.stdout.decode().splitlines())


@pytest.mark.slow
def test_no_color_is_obeyed(demo: Path) -> None:
    for words in (["search", demo, "jaguar", "-n", 1], ["rank", demo]):
        assert "\x1b[" in on_terminal(*words)
        assert "\x1b[" not in on_terminal(*words, NO_COLOR="1")


@pytest.mark.parametrize("form", ["table", "csv", "jsonl", "json"])
def test_every_format_shows_the_same_pages(demo: Path, form: str) -> None:
    urls = [row["url"] for row in rows(in_lines("search", demo, "jaguar", "-n", 3))]
    shown = run("search", demo, "jaguar", "-n", 3, "--format", form).stdout
    if form == "json":
        assert [row["url"] for row in json.loads(shown)["rows"]] == urls
    elif form == "csv":
        assert [row["url"] for row in csv.DictReader(io.StringIO(shown))] == urls
    else:
        assert all(url in shown for url in urls)


@pytest.mark.parametrize("form", ["table", "csv", "jsonl", "json"])
@pytest.mark.parametrize("command", ["search", "topics"])
def test_an_empty_search_result_is_reported(demo: Path, command: str, form: str) -> None:
    done = run(command, demo, "democ*", "-f", form)
    assert "no page matches democ* (try fewer or other words)" in done.stderr
    assert form != "table" or not done.stdout


def test_info_counts_pages_and_links(demo: Path) -> None:
    facts = rows(in_lines("info", demo))[0]
    assert facts["counts"]["captured"] > 150
    assert facts["counts"]["uncaptured"] > 0
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


def test_columns_of_links(demo: Path) -> None:
    """Programs read these columns: they stay."""
    [first] = rows(in_lines("search", demo, "jaguar links", "-n", 1))
    shown = run("links", demo, first["url"], "--format", "csv").stdout
    assert shown.splitlines()[0] == "direction,url,anchor,title,kind"


def test_columns_of_exported_pages(demo: Path, tmp_path: Path) -> None:
    run("export", demo, tmp_path / "pages.csv", "--what", "pages")
    with (tmp_path / "pages.csv").open(newline="") as file:
        pages = list(csv.DictReader(file))
    assert pages
    assert {"url", "kind"} <= set(pages[0])
    assert {page["kind"] for page in pages} <= {"captured", "error", "listed", "uncaptured"}
    assert all(page["url"].startswith("http") for page in pages)


def test_counts_of_info(demo: Path) -> None:
    counts = json.loads(run("info", demo, "--format", "json").stdout)["counts"]
    assert {"captured", "error", "listed", "uncaptured", "links", "hosts", "domains"} <= set(counts)
    assert counts["captured"] > 150
    assert counts["links"] > 500


@pytest.mark.parametrize("level", ["page", "host", "domain"])
def test_export_opens_in_networkx(demo: Path, tmp_path: Path, level: str) -> None:
    run("export", demo, tmp_path / "g.gexf", "--level", level)
    graph = nx.read_gexf(tmp_path / "g.gexf")
    run("export", demo, tmp_path / "g.csv", "--level", level)
    with (tmp_path / "g.csv").open(newline="") as file:
        assert sum(1 for _ in csv.DictReader(file)) == graph.number_of_edges() > 10


def test_export_streams_to_standard_output(demo: Path) -> None:
    shown = run(
        *("export", demo, "-", "--what", "hosts", "--search", "jaguar", "--rank", "hits"),
        *("--group", "communities", "--format", "jsonl"),
    )
    found = [json.loads(line) for line in shown.stdout.splitlines()]
    assert found
    assert {"host", "hits:authority", "hits:hub", "group", "group_label"} <= set(found[0])
    assert "standard output" in shown.stderr


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
    assert "no file is damaged" in run("doctor", copy).stdout


@pytest.mark.slow
def test_add_from_standard_input_and_a_pattern(demo: Path, tmp_path: Path) -> None:
    archive = demo.parent / "demo.warc.gz"
    piped = process("add", tmp_path / "a.weft", "-", stdin=archive.read_bytes())
    assert piped.returncode == 0, piped.stderr
    run("add", tmp_path / "b.weft", f"{demo.parent}/*.warc.gz")
    counts = [rows(in_lines("info", tmp_path / f"{n}.weft"))[0]["counts"] for n in "ab"]
    assert counts[0] == counts[1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["search", "nowhere.weft", "x"], 1, "not a collection"),
        (["add", "new.weft", "nowhere.warc"], 1, "does not exist"),
        (["add", "new.weft", "*.nothing"], 1, "nothing matches"),
        (["frobnicate"], 2, "No such command"),
        (["search", "--top", "many", "c", "x"], 2, "Invalid value"),
        (["rank", "pagerunk", "c"], 1, "did you mean 'pagerank'?"),
        (["rank", "nowhere.weft"], 1, "not a collection"),
        (["rank", "c", "jaguar"], 2, "a query is given with --query"),
        (["rank", "c", "--level", "site"], 2, "'--level': 'site' is not one of 'page', 'host'"),
        (["add", __file__], 1, "a file, not a collection (name the collection first"),
        (["report", "c", "jaguar", "--out", "x.pdf"], 1, "does not end in .html"),
        (["tags", "c"], 2, " tags [OPTIONS] ACTION COLLECTION [FILE]\n"),
        (["why", "nowhere.weft", "x"], 1, "not a collection"),
        (["compare-methods", "nowhere.weft"], 1, "not a collection"),
        (["methods", "pagerunk"], 1, "no method is called"),
        (["demo", __file__], 1, "the file exists already"),
    ],
)
def test_errors_are_a_sentence(words: list[str], code: int, message: str) -> None:
    done = process(*words)
    assert done.returncode == code
    assert message in done.stderr.decode()
    assert "Traceback" not in done.stderr.decode()


@pytest.mark.slow
def test_damaged_input_ends_with_three_and_is_remembered(demo: Path, tmp_path: Path) -> None:
    archive = (demo.parent / "demo.warc.gz").read_bytes()
    (tmp_path / "clipped.warc.gz").write_bytes(archive[: len(archive) * 2 // 3])
    done = process("add", tmp_path / "c.weft", tmp_path / "clipped.warc.gz")
    assert done.returncode == 3
    assert "skipped or damaged: 1 \N{MULTIPLICATION SIGN} damaged" in done.stderr.decode()
    problems = rows(in_lines("info", tmp_path / "c.weft", "--problems"))
    assert [row["damage"] for row in problems if row["reason"] == "damaged records"] == [True]


@pytest.mark.slow
def test_unrecognised_input_gets_a_hint(tmp_path: Path) -> None:
    (tmp_path / "what.bin").write_bytes(bytes(range(256)) * 10)
    done = process("add", tmp_path / "c.weft", tmp_path / "what.bin")
    assert done.returncode == 1
    assert b"--as" in done.stderr


@pytest.mark.slow
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


@pytest.mark.slow
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
    assert "no pages or links in the inputs" in done.stderr
    assert rows(in_lines("info", made))[0]["counts"]["captured"] == 0
    assert run("search", made, "jaguar").stdout == ""
    run("export", made, tmp_path / "e.csv")
    assert (tmp_path / "e.csv").read_text().count("\n") == 1
    assert run("rank", "indegree", made).stdout == ""


def test_arguments_are_named_alike() -> None:
    """As COLLECTION is, and no option of several words is called a list."""
    command: Any = get_command(app)
    params = [param for subcommand in command.commands.values() for param in subcommand.params]
    arguments = [param for param in params if param.param_type_name == "argument"]
    assert len(arguments) > 20
    assert all(param.metavar and param.metavar.isupper() for param in arguments)
    assert all(param.metavar for param in params if param.multiple)


def test_version_and_completion() -> None:
    assert process("--version").stdout.decode() == f"weft {weft.__version__}\n"
    module = [sys.executable, "-m", "weft", "--version"]
    assert subprocess.check_output(module, timeout=60) == process("--version").stdout
    shown = process("--show-completion", "bash", _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
    assert shown.returncode == 0, shown.stderr
    assert b"COMPREPLY" in shown.stdout


def test_every_command_is_listed_with_a_short_summary() -> None:
    """Each in one line of at most 60 characters, uncut."""
    lines = run("--help").output.partition("Build and keep")[2].partition("Examples:")[0]
    listed = dict(re.findall(r"^  ([a-z-]+) +(\S.*)$", lines, re.MULTILINE))
    entries = [entry for group in GROUPS.values() for entry in group]
    assert set(listed) == {command_name(entry) for entry in entries}
    assert all(summary.endswith(".") and len(summary) <= 60 for summary in listed.values()), listed


@pytest.mark.parametrize("method", METHODS.values(), ids=lambda m: f"{m.kind} {m.name}")
def test_the_summary_of_a_method_is_short(method: Method) -> None:
    assert len(method.summary) <= 60


@pytest.mark.parametrize("name", [command_name(e) for group in GROUPS.values() for e in group])
def test_every_command_has_examples_that_name_it(name: str) -> None:
    shown = run(name, "--help").output.partition("Examples:")[2]
    assert f"weft {name}" in " ".join(shown.split())


@pytest.mark.slow
def test_a_closed_pipe_ends_quietly(demo: Path) -> None:
    [first] = rows(in_lines("search", demo, "jaguar", "-n", 1))
    command = shlex.join([*COMMAND, "links", str(demo), first["url"], "-n", "5000"])
    piped = f"set -o pipefail; {command} | head -c 10"
    done = subprocess.run(["bash", "-c", piped], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(("limit", "is_reported"), [(1 << 30, True), (-1, False)])
def test_a_failed_allocation_is_reported_where_memory_is_limited(
    monkeypatch: pytest.MonkeyPatch, *, limit: int, is_reported: bool
) -> None:
    """Without a limit it is a bug of a library, and keeps its traceback."""
    error = SystemError("error return without exception set")
    monkeypatch.setattr("resource.getrlimit", lambda _what: (limit, limit))
    with pytest.raises(SystemExit if is_reported else SystemError):
        _exit_with_error(error)


@pytest.mark.parametrize(
    ("cause", "is_reported"),
    [
        (ImportError("libx.so: failed to map segment from shared object"), True),
        (MemoryError(), True),
        (ImportError("undefined symbol"), False),
    ],
)
def test_what_a_library_says_of_its_extensions_is_not_believed(
    cause: Exception, *, is_reported: bool
) -> None:
    """SciPy calls its installation broken where an extension did not fit into memory."""
    error = ImportError("the install seems to be broken")
    error.__cause__ = cause
    with pytest.raises(SystemExit if is_reported else ImportError):
        _exit_with_error(error)
