"""`weft tag`, `weft tags`, `weft entities`: what they change, print and refuse."""

import json
import shutil
from pathlib import Path

import pytest
from tests.command import run

from weft.core.errors import WeftError
from weft.workspace.workspace import Workspace

MAGAZINE = "http://jaguarmagazine.example/"


@pytest.fixture
def mine(demo: Workspace, tmp_path: Path) -> Path:
    """A copy of the demo web."""
    return Path(shutil.copytree(demo.folder, tmp_path / "mine.weft"))


def tagged(folder: Path) -> list[tuple[str, str, str, str]]:
    table = Workspace(folder).tags.to_table().to_pylist()
    return [(row["scope"], row["target"], row["facet"], row["value"]) for row in table]


def test_what_a_word_stands_for(mine: Path) -> None:
    run("entities", "add", mine, "Others", "seekwell.example")
    words = ["jaguarmagazine.example/", "*/index*", "www.seekwell.example", "Others"]
    done = run("tag", mine, "--set", "topic=x", *words, "--by", "ann", "--why", "because")
    assert "4 tags set" in done.stderr
    assert [row[:2] for row in tagged(mine)] == [
        ("page", MAGAZINE),
        ("pattern", "*/index*"),
        ("host", "www.seekwell.example"),
        ("entity", "Others"),
    ]
    first = Workspace(mine).tags.to_table().to_pylist()[0]
    assert (first["by"], first["why"]) == ("ann", "because")


def test_tags_are_exported_imported_and_undone(mine: Path, tmp_path: Path) -> None:
    run("tag", mine, "--set", "decision=in", "jaguarmagazine.example/")
    run("tag", mine, "--set", "topic=cars", "jaguarmagazine.example/")
    file = tmp_path / "tags.csv"
    run("tags", "export", mine, file)
    before = tagged(mine)
    assert "1 tag undone" in run("tags", "undo", mine).stderr
    run("tag", mine, "--set", "decision=out", "jaguarmagazine.example/")
    done = run("tags", "import", mine, file)
    assert "decision: out here, in there" in done.stderr
    assert "1 tag imported, 1 conflict: yours stay" in done.stderr
    assert "1 conflict: theirs are taken" in run("tags", "import", mine, file, "--theirs").stderr
    assert sorted(tagged(mine)) == sorted(before)
    assert run("tags", "list", mine, "--format", "csv").stdout.splitlines()[0].startswith("scope,")


@pytest.mark.parametrize(
    "words",
    [
        ("tags", "list"),
        ("tags", "export"),
        ("tags", "undo"),
        ("entities", "list"),
        ("entities", "undo"),
        ("edit-topics",),
    ],
    ids=" ".join,
)
def test_a_folder_that_is_no_collection_is_an_error(words: tuple[str, ...], tmp_path: Path) -> None:
    with pytest.raises(WeftError, match="is not a collection"):
        run(*words, tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_list_without_tags_says_so(mine: Path) -> None:
    assert "nothing is tagged" in run("tags", "list", mine).stderr


def test_analyses_take_tags(mine: Path) -> None:
    run("tag", mine, "--set", "decision=in", "jaguarmagazine.example")
    done = run("rank", "indegree", mine, "--only-tag", "decision=in", "--format", "csv")
    pages = [line.split(",")[0] for line in done.stdout.splitlines()[1:]]
    assert pages
    assert all("jaguarmagazine.example" in page for page in pages)
    found = run("search", mine, "jaguar", "tag:decision=in", "--format", "csv").stdout
    assert "jaguarmagazine" in found
    assert "seekwell" not in found


def test_entities_are_changed_and_undone(mine: Path, tmp_path: Path) -> None:
    run("entities", "add", mine, "Magazine", "jaguarmagazine.example")
    run("entities", "add", mine, "Search", "seekwell.example")
    run("entities", "merge", mine, "Both", "Magazine", "Search")
    listed = run("entities", "list", mine, "--format", "csv").stdout
    assert "Both,jaguarmagazine.example" in listed
    file = tmp_path / "entities.csv"
    run("entities", "export", mine, file)
    run("entities", "split", mine, "Both")
    assert "0 entities" in run("entities", "list", mine).stderr
    run("entities", "import", mine, file)
    assert [e.name for e in Workspace(mine).entities.entities] == ["Both"]
    run("entities", "undo", mine)
    assert Workspace(mine).entities.entities == ()
    top = run("rank", "indegree", mine, "--level", "entity", "-n", "1", "--format", "csv")
    assert "example" in top.stdout


@pytest.mark.parametrize(
    "words",
    [
        ("tag", "--set", "decision=maybe", "jaguarmagazine.example/"),
        ("tag", "--set", "decision", "jaguarmagazine.example/"),
        ("tag", "--set", "topic=x", "nowhere.example"),
        ("tag", "--set", "topic=x", "nobody", "--scope", "entity"),
    ],
)
def test_bad_tags_are_refused(mine: Path, words: tuple[str, ...]) -> None:
    command, *rest = words
    with pytest.raises(WeftError):
        run(command, mine, *rest)
    assert tagged(mine) == []


@pytest.mark.parametrize(
    "words",
    [
        ("tags", "undo"),
        ("tags", "import"),
        ("entities", "undo"),
        ("entities", "add"),
        ("entities", "add", "Name"),
        ("entities", "split", "Nobody"),
        ("entities", "list", "--default", "planet"),
    ],
)
def test_nothing_to_do_is_refused(mine: Path, words: tuple[str, ...]) -> None:
    command, action, *rest = words
    with pytest.raises(WeftError):
        run(command, action, mine, *rest)


def test_tags_and_entities_of_an_older_format_are_copied(
    mine: Path, demo: Workspace, tmp_path: Path
) -> None:
    """Such a collection is refused, but what people decided is in files of its own."""
    old = Path(shutil.copytree(demo.folder, tmp_path / "old.weft"))
    run("tag", old, "--set", "decision=in", MAGAZINE, "seekwell.example")
    run("entities", "add", old, "Others", "seekwell.example")
    document = json.loads((old / "collection.json").read_text())
    (old / "collection.json").write_text(json.dumps({**document, "format": 4}))
    with pytest.raises(WeftError, match="has format 4") as refused:
        run("tags", "list", old)
    assert "weft tags import" in refused.value.hint
    assert "2 tags imported" in run("tags", "import", mine, old).stderr
    assert "1 entity" in run("entities", "import", mine, old).stderr
    assert tagged(mine) == [
        ("page", MAGAZINE, "decision", "in"),
        ("domain", "seekwell.example", "decision", "in"),
    ]


def test_a_folder_without_tags_or_entities_is_an_error(mine: Path, tmp_path: Path) -> None:
    for what in ("tags", "entities"):
        with pytest.raises(WeftError, match=f"has no {what}"):
            run(what, "import", mine, tmp_path)
