"""The words of a selection as options of every command that analyses a collection."""

from pathlib import Path
from typing import Any

import pytest
from tests.command import in_lines, rows, run

from weft.core.errors import BadParameter, UnknownName
from weft.core.tables import Tabular
from weft.graph.selection import Selection
from weft.workspace.workspace import Workspace

PAGE = "jaguarmagazine.example"
WORDS: dict[str, Any] = {"root_size": 30, "max_inlinks": 5, "between": "host", "since": "1999"}
OPTIONS = [f"--{name.replace('_', '-')}={value}" for name, value in WORDS.items()]
JAGUAR = ("--query", "jaguar")
SELECTION = Selection(query="jaguar", **WORDS)


def shown(found: Tabular, top: int | None = None) -> list[dict[str, Any]]:
    return found.to_table().to_pylist()[:top]  # type: ignore[no-any-return]


def test_commands_select_as_the_library_does(demo: Workspace) -> None:
    folder = demo.folder
    ranked = rows(in_lines("rank", "hits", folder, *JAGUAR, *OPTIONS, "-n", 5))
    assert ranked == shown(demo.rank("hits", SELECTION), 5)
    found = rows(in_lines("communities", folder, "jaguar", *OPTIONS, "--communities", 1000))
    assert found == shown(demo.communities(selection=SELECTION))
    topics = rows(in_lines("topics", "hits", folder, "jaguar", *OPTIONS, "--topics", 100))
    wanted = demo.topics(selection=SELECTION, method="hits").to_table(top=5).to_pylist()
    assert [(row["topic"], row["page"]) for row in topics] == [
        (row["topic"], row["page"]) for row in wanted
    ]
    regions = rows(in_lines("structure", "bow-tie", folder, *JAGUAR, *OPTIONS))
    assert regions == shown(demo.structure("bow-tie", SELECTION))
    for command, pages in (("similar", demo.similar), ("suggest", demo.suggest)):
        listed = rows(in_lines(command, folder, PAGE, *JAGUAR, *OPTIONS))
        assert [row["page"] for row in listed] == [
            row["page"] for row in shown(pages(PAGE, selection=SELECTION))
        ]


@pytest.mark.parametrize("what", ["edges", "pages"])
def test_a_selection_is_exported(demo: Workspace, tmp_path: Path, what: Any) -> None:
    ours, theirs = tmp_path / "ours.csv", tmp_path / "theirs.csv"
    run("export", demo.folder, ours, "--what", what, *JAGUAR, *OPTIONS)
    demo.export(theirs, what, SELECTION)
    assert ours.read_bytes() == theirs.read_bytes()


@pytest.mark.parametrize(
    "command", [["rank", "hits"], ["communities"], ["structure", "bow-tie"], ["export"]]
)
def test_words_without_effect_are_refused(
    demo: Workspace, tmp_path: Path, command: list[str]
) -> None:
    place = [tmp_path / "x.csv"] if command == ["export"] else []
    with pytest.raises(BadParameter, match="steps would change nothing without a query"):
        run(*command, demo.folder, *place, "--steps", 2)
    with pytest.raises(BadParameter, match="dates select pages, not hosts"):
        run(*command, demo.folder, *place, "--level", "host", "--until", "2004")
    assert not (tmp_path / "x.csv").exists()


def test_a_word_that_the_method_has_as_an_option_is_refused(demo: Workspace) -> None:
    folder = str(demo.folder)
    for words in (
        ["report", folder, "jaguar", "--method", "centroids", "--seed", "3", "--out", "-"],
        ["why", folder, "jaguarmagazine.example", "--method", "bayesian", "--seed", "3"],
    ):
        with pytest.raises(BadParameter, match="has an option seed of its own"):
            run(*words)


def test_options_of_why_are_checked_before_topics_are_found(demo: Workspace) -> None:
    words = ["why", str(demo.folder), "jaguarmagazine.example", "--query", "jaguar"]
    with pytest.raises(UnknownName, match="no method is called 'nosuch'"):
        run(*words, "--group", "topic", "--method", "nosuch")


def test_the_matrix_of_few_communities_has_few_rows(demo: Workspace) -> None:
    words = ["communities", str(demo.folder), "--matrix", "--communities", "2", "--format", "csv"]
    ends = [line.split(",")[:2] for line in run(*words).stdout.splitlines()[1:]]
    assert {number for pair in ends for number in pair} == {"1", "2"}
