"""The methods section: prose that follows the options, and the command that repeats it."""

import shlex
from pathlib import Path
from typing import Any, get_args

import pytest
from typer.testing import CliRunner

from weft.cli import app
from weft.core.register import format_citation
from weft.graph.selection import UNFILTERED_SELECTION, Between, Selection
from weft.report.topics import describe_methods, reproduction_command
from weft.workspace.workspace import Workspace


def prose(workspace: Workspace, query: str = "jaguar", **options: Any) -> str:
    topics = workspace.topics(query, "hits", **options)
    return " ".join(sentence.text for sentence in describe_methods(topics))


def test_every_work_cited_exists(two: Workspace) -> None:
    cited = [
        sentence.cites
        for sentence in describe_methods(two.topics("jaguar", "atd"))
        if sentence.cites
    ]
    assert cited == ["kleinberg1999", "bharat1998", "wu"]
    assert all(format_citation(key) for key in cited)


def test_prose_follows_the_options(two: Workspace) -> None:
    default = prose(two)
    assert "first 200 pages" in default
    assert "at most 50 of those that link to each page" in default
    assert "At most 6 pages of one domain may link to a page." in default
    assert "Left out were portals, counters and advertisers on a stop-list, mirrors" in default
    other = prose(
        two, selection=Selection(root_size=7, steps=2, max_inlinks=3, selective=4, between="host")
    )
    assert "first 7 pages" in other
    assert "expanded by 2 steps" in other
    assert "at most 3 of those" in other
    assert "only around its 4 best hubs and authorities" in other
    assert "Links within a host do not count." in other
    nothing = prose(two, selection=UNFILTERED_SELECTION)
    assert "Left out were" not in nothing
    assert "may link to a page" not in nothing
    assert "1 page given by URL" in prose(two, "", selection=Selection(pages=("cars0.org",)))
    assert "All pages of the collection were analysed." in prose(two, "")


@pytest.mark.parametrize("between", get_args(Between))
def test_every_rule_of_links_is_described(two: Workspace, between: Between) -> None:
    """`any` had no sentence, and a report on it failed."""
    assert "inks" in prose(two, selection=Selection(between=between)).partition("URLs.")[2]


def test_hosts_have_no_filters(demo: Workspace) -> None:
    words = prose(demo, "", level="host")
    assert "All hosts of the collection were analysed." in words
    assert "Links within" not in words


def test_an_early_stop_is_noted(demo: Workspace) -> None:
    assert "had not converged after 1 iteration:" in prose(demo, max_iter=1)
    assert "had not converged" not in prose(demo)


@pytest.mark.parametrize(
    "words",
    [
        ["jaguar", "--method", "atd", "--option", "min_size=5", "--top", "3"],
        [
            "jaguar -atari",
            "--method",
            "hits",
            "--root-size",
            "9",
            "--exclude",
            "a.org",
            "--exclude",
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
    again = shlex.split(command.replace("&#39;", "'"))[1:]
    assert again[:2] == ["report", two.folder.name]
    again[1] = str(two.folder)
    assert CliRunner().invoke(app, [*again, "-o", "-"]).stdout == first.stdout


def test_the_command_leaves_out_defaults(two: Workspace) -> None:
    found = two.topics("jaguar", "atd")
    wanted = "weft report mine.weft jaguar --method atd --top 10 --topics 10"
    assert reproduction_command(found, Path("mine.weft").name, 10, 10) == wanted
