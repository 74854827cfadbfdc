"""One grammar for all kinds: `weft KIND [METHOD] COLLECTION …`."""

import json
from pathlib import Path

import pytest
from tests.command import run
from typer.testing import CliRunner

from weft.cli import app, rank
from weft.cli.app import GROUPS
from weft.cli.kinds import Kind, method_examples
from weft.core.errors import BadParameter, UnknownName, WeftError
from weft.core.register import METHODS
from weft.workspace.workspace import Workspace

KINDS = {
    entry.name: entry for group in GROUPS.values() for entry in group if isinstance(entry, Kind)
}
PAGE = "jaguarmagazine.example"
WORDS = {"similar": [PAGE], "suggest": [PAGE]}
OPTIONS = {
    "classify": ["--top", 3],
    "crawl": ["--pages", 30],
    "usage": ["--top", 3],
}  # of kinds without a selection
EXAMPLES = "url,class\njaguarmagazine.example,cars\nrivercityfootball.example,football\n"
every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


@pytest.fixture(autouse=True)
def examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of examples for `weft classify`."""
    path = tmp_path / "examples.csv"
    path.write_text(EXAMPLES)
    monkeypatch.setitem(WORDS, "classify", ["--train", str(path)])


def collection_and_words(kind: Kind, demo: Workspace, folder: Path) -> list[object]:
    """What follows a kind: the demo web, or what the kind needs instead."""
    if kind.name == "crawl":
        return [folder, PAGE, "--simulate", demo.folder, "--pages", 30]
    if kind.name == "usage":
        paths = folder.with_suffix(".csv")
        paths.write_text("session,url\n1,http://a.example/\n1,http://a.example/b\n")
        Workspace(folder).add(paths)
        return [folder]
    return [demo.folder, *WORDS.get(kind.name, [])]


def test_every_registered_kind_has_its_command() -> None:
    assert all(kind.methods() for kind in KINDS.values())
    assert set(KINDS) == {kind for kind, _ in METHODS}


@every_kind
def test_options_of_methods_do_not_hide_those_of_the_kind(kind: Kind) -> None:
    """Each method has a command: two options of one name would raise an error."""
    for name, method in kind.methods().items():
        shown = run(kind.name, name, "--help").output
        for option in set(method.options) - kind.arguments:
            assert f"--{option.replace('_', '-')}" in shown, (name, option)


@every_kind
def test_without_a_method_the_default_runs(kind: Kind, demo: Workspace, tmp_path: Path) -> None:
    words = collection_and_words(kind, demo, tmp_path / "plain.weft")
    plain = json.loads(run(kind.name, *words, "-f", "json").stdout)
    default = kind.default_method()
    if not default:
        assert plain["method"] == "overview"
        return
    words = collection_and_words(kind, demo, tmp_path / "named.weft")
    named = json.loads(run(kind.name, default, *words, "-f", "json").stdout)
    if isinstance(plain, dict):  # the time of the run is part of the document
        plain.pop("provenance"), named.pop("provenance")
    assert named == plain


@every_kind
def test_options_may_come_before_the_collection(
    kind: Kind, demo: Workspace, tmp_path: Path
) -> None:
    option = OPTIONS.get(kind.name, ["--level", "page"])
    run(kind.name, *option, *collection_and_words(kind, demo, tmp_path / "new.weft"))


@every_kind
def test_a_misspelled_method_gets_a_suggestion_and_the_list(kind: Kind, demo: Workspace) -> None:
    name = min(kind.methods())
    with pytest.raises(UnknownName, match=f"{name}x") as error:
        run(kind.name, f"{name}x", demo.folder, *WORDS.get(kind.name, []))
    assert f"did you mean '{name}'?" in error.value.hint
    assert "known: " in error.value.hint


def test_a_folder_of_a_method_s_name(demo: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """`hits` is the method, `./hits` the folder."""
    folder = demo.folder.parent
    monkeypatch.chdir(folder)
    if not Path("hits").exists():
        Path("hits").symlink_to(demo.folder)
    with pytest.raises(BadParameter, match="'hits' is a method of rank") as error:
        run("rank", "hits")
    assert "./hits" in error.value.hint
    forced = run("rank", "./hits", "-f", "jsonl").stdout
    assert forced == run("rank", "pagerank", demo.folder, "-f", "jsonl").stdout
    assert run("rank", "hits", "./hits", "-f", "jsonl").stdout == (
        run("rank", "hits", demo.folder, "-f", "jsonl").stdout
    )


def test_a_word_that_is_neither_is_a_missing_collection() -> None:
    done = CliRunner().invoke(app, ["rank", "zzzzzz"])
    assert isinstance(done.exception, WeftError)
    assert "zzzzzz is not a collection" in str(done.exception)


@every_kind
def test_help_shows_the_options_and_the_methods(kind: Kind) -> None:
    shown = run(kind.name, "--help").output
    assert shown.startswith(f"Usage: root {kind.name} [METHOD] COLLECTION")
    assert str(OPTIONS.get(kind.name, ["--level"])[0]) in shown
    assert all(f"  {name} " in shown for name in kind.methods())
    lines = " ".join(shown.partition("Methods (")[2].split())
    assert all(method.summary in lines for method in kind.methods().values())


def test_examples_of_a_method_name_it_alone() -> None:
    """Those of a kind may name a method; those of Spark are of methods that run there."""
    assert "weft rank salsa links.parquet --spark local[4]" in method_examples(rank.KIND, "salsa")
    assert not any("--spark" in line for line in method_examples(rank.KIND, "trustrank"))
    assert method_examples(rank.KIND, "trustrank")[0] == "weft rank trustrank mine.weft --top 20"
