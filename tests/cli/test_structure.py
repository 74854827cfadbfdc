"""`weft structure`: facts to read, tables to take away, and a page's own place."""

import csv
import json
from io import StringIO
from pathlib import Path

import pytest
from tests.command import in_lines, rows, run

from weft.core.errors import BadParameter, UnknownName, WeftError
from weft.workspace.workspace import Workspace


def test_an_overview_is_read_on_a_terminal(demo: Workspace) -> None:
    shown = run("structure", demo.folder, "--format", "table")
    found = demo.structure()
    for fact in ("reciprocity", "strong components", "core", "disconnected"):
        assert any(line.startswith(f"{fact} ") for line in shown.stdout.splitlines())
    assert f"{found['pages']:,}" in shown.stdout
    assert "█" in shown.stdout
    assert "(uncaptured=drop)" in shown.stderr
    assert "more tables (--table): reciprocity, components" in shown.stderr


def test_rows_are_the_main_table(demo: Workspace) -> None:
    assert rows(in_lines("structure", "bow-tie", demo.folder)) == (
        demo.structure("bow-tie").to_table().to_pylist()
    )
    sizes = rows(in_lines("structure", "components", demo.folder, "--level", "host", "-f", "jsonl"))
    assert sizes == demo.structure("components", level="host").to_table().to_pylist()
    facts = rows(in_lines("structure", demo.folder))
    assert {row["fact"] for row in facts} >= {"pages", "reciprocity", "core"}


def test_other_tables_by_name(demo: Workspace) -> None:
    done = run("structure", "bow-tie", demo.folder, "--table", "pages", "--format", "csv")
    read = list(csv.DictReader(StringIO(done.stdout)))
    assert len(read) == demo.structure("bow-tie")["pages"]
    assert {row["region"] for row in read} >= {"core"}
    shown = run(
        "structure", "components", demo.folder, "--table", "largest", "-f", "table", "-n", 2
    )
    assert "first page" in shown.stdout
    assert "more rows" in shown.stderr
    assert "strong components" not in shown.stdout
    with pytest.raises(UnknownName, match="'regoins'"):
        run("structure", "bow-tie", demo.folder, "--table", "regoins")


def test_everything_as_one_document(demo: Workspace) -> None:
    words = ["structure", "bow-tie", demo.folder, "--format", "json"]
    found = json.loads(run(*words).stdout)
    assert found["facts"]["core"] == demo.structure("bow-tie")["core"]
    assert set(found["tables"]) == {"regions", "pages"}
    assert found["provenance"]["level"] == "page"
    assert found["notes"]
    selected = json.loads(run(*words, "--table", "pages").stdout)
    assert selected["tables"] == {"pages": found["tables"]["pages"]}


def test_a_page_has_its_reason(demo: Workspace) -> None:
    places = demo.structure("bow-tie").to_table("pages").to_pylist()
    page = next(row["page"] for row in places if row["region"] == "in")
    shown = run("structure", demo.folder, "--page", page.removeprefix("http://"), "-f", "table")
    first, *steps = shown.stdout.splitlines()
    assert first == f"{page}: in, leads to the core"
    assert steps[0] == f"  {page}"
    assert steps[1].startswith("  → http://")
    words = ["structure", "bow-tie", demo.folder, "--page", page]
    [region] = rows(in_lines(*words))
    assert region["path"][0] == page
    assert json.loads(run(*words, "-f", "json").stdout) == region
    with pytest.raises(BadParameter, match="is not a table"):
        run(*words, "-f", "csv")
    host = page.split("/")[2]
    there = run("structure", demo.folder, "--page", host, "--level", "host", "-f", "table")
    assert there.stdout.startswith(f"{host}: ")


def test_only_a_bow_tie_has_places(demo: Workspace) -> None:
    page = demo.collection.pages["url"][0].as_py()
    with pytest.raises(BadParameter, match="components has no regions"):
        run("structure", "components", demo.folder, "--page", page)
    with pytest.raises(UnknownName):
        run("structure", demo.folder, "--page", "http://nowhere.example/")


def test_only_one_answer_at_a_time(demo: Workspace) -> None:
    with pytest.raises(BadParameter, match="--page and --table cannot be combined"):
        run("structure", demo.folder, "--page", "example.com", "--table", "pages")


def test_options_are_those_of_the_method(demo: Workspace) -> None:
    words = ["structure", "bow-tie", demo.folder, "-f", "json"]
    default, kept = (
        json.loads(run(*words, *more).stdout) for more in ([], ["--uncaptured", "keep"])
    )
    assert kept["facts"]["pages"] > default["facts"]["pages"]
    run("structure", "bow-tie", demo.folder, "--uncaptured", "never", code=2)
    run("structure", demo.folder, "--uncaptured", "keep", code=2)
    with pytest.raises(UnknownName, match="bowtie"):
        run("structure", "bowtie", demo.folder)
    with pytest.raises(BadParameter, match="before the collection"):
        run("structure", demo.folder, "bow-tie")


def test_a_view_is_read(demo: Workspace) -> None:
    words = ["structure", "reciprocity", demo.folder, "-f", "json"]
    links = [
        json.loads(run(*words, *more).stdout)["facts"]["links"]
        for more in ([], ["--query", "jaguar"], ["--exclude", "*/links.html"])
    ]
    assert links[0] > max(links[1:])
    across = json.loads(run(*words, "--between", "domain").stdout)
    assert across["facts"]["links"] < links[0]


def test_a_report_is_written(demo: Workspace, tmp_path: Path) -> None:
    whole, part = tmp_path / "whole.html", tmp_path / "part.html"
    assert "whole.html" in run("structure", demo.folder, "--out", whole).stderr
    run("structure", "degrees", demo.folder, "--bootstrap-samples", "9", "-o", part)
    assert whole.read_text() == demo.structure_report()
    assert "bootstrap_samples 9" in part.read_text()
    assert 'id="bow-tie"' not in part.read_text()
    with pytest.raises(BadParameter, match=r"does not end in \.html"):
        run("structure", "degrees", demo.folder, "--out", tmp_path / "degrees.csv")
    with pytest.raises(WeftError, match="there is no folder"):
        run("structure", demo.folder, "--out", tmp_path / "nowhere" / "degrees.html")
