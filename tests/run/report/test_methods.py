"""The methods paragraph says what was done, and the command repeats it."""

import shlex
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from weft.core.methods import reference
from weft.graph.options import UNFILTERED, BaseOptions
from weft.run.report.methods import methods, repeat
from weft.run.workspace import Workspace
from weft.show.cli import app


def told(workspace: Workspace, query: str = "jaguar", **asked: Any) -> str:
    return " ".join(one.words for one in methods(workspace.topics(query, "hits", **asked)))


def test_every_work_cited_exists(two: Workspace) -> None:
    cited = [one.cites for one in methods(two.topics("jaguar", "atd")) if one.cites]
    assert cited == ["kleinberg1999", "bharat1998", "wu"]
    assert all(reference(key) for key in cited)


def test_prose_follows_the_options(two: Workspace) -> None:
    usual = told(two)
    assert "first 200 pages" in usual
    assert "at most 50 of those that link to each page" in usual
    assert "at most 6 pages may speak" in usual
    assert "Left out were portals, counters and advertisers on a stop-list, mirrors" in usual
    other = told(two, base=BaseOptions(root=7, steps=2, inlinks=3, selective=4, between="host"))
    assert "first 7 pages" in other
    assert "grown by 2 steps" in other
    assert "at most 3 of those" in other
    assert "4 best hubs and authorities alone" in other
    assert "Links inside one host do not count." in other
    nothing = told(two, base=UNFILTERED)
    assert "Left out were" not in nothing
    assert "may speak" not in nothing
    assert "1 page named by hand" in told(two, "", base=BaseOptions(pages=("cars0.org",)))
    assert "All pages of the collection were looked at." in told(two, "")


def test_hosts_have_no_filters_to_tell_of(demo: Workspace) -> None:
    words = told(demo, "", level="host")
    assert "All hosts of the collection were looked at." in words
    assert "Links inside" not in words


def test_an_early_stop_is_told(demo: Workspace) -> None:
    assert "had not settled after " in told(demo, limit=1)
    assert "had not settled" not in told(demo)


@pytest.mark.parametrize(
    "words",
    [
        ["jaguar", "--method", "atd", "--option", "least=5", "--top", "3"],
        [
            "jaguar -atari",
            "--method",
            "hits",
            "--root",
            "9",
            "--without",
            "a.org",
            "--without",
            "b",
        ],
        ["--method", "hits", "--level", "host"],
        ["--method", "hits", "--pages", "cars0.org", "--mirrors", "keep", "--topics", "1"],
    ],
)
def test_the_command_repeats_the_report(two: Workspace, words: list[str]) -> None:
    first = CliRunner().invoke(app, ["report", str(two.folder), *words, "-o", "-"])
    assert first.exit_code == 0, first.output
    [command] = [
        line
        for line in first.stdout.replace("<code>", "\n").replace("</code>", "\n").splitlines()
        if line.startswith("weft report ")
    ]
    again = shlex.split(command.replace("&#x27;", "'"))[1:]
    assert again[:2] == ["report", two.folder.name]
    again[1] = str(two.folder)
    assert CliRunner().invoke(app, [*again, "-o", "-"]).stdout == first.stdout


def test_options_left_as_they_are_need_no_words(two: Workspace) -> None:
    found = two.topics("jaguar", "atd")
    wanted = "weft report mine.weft jaguar --method atd --top 10 --topics 10"
    assert repeat(found, Path("mine.weft").name, 10, 10) == wanted
