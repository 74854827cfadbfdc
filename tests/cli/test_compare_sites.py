"""`weft compare-sites`: sections to read, rows to work with, and errors that help."""

import csv
import io
import json
from pathlib import Path
from typing import Any, get_args

import pytest
from tests.command import in_lines, rows, run

from weft.cli.compare_sites import HEADINGS, ComparisonPart, _format_link
from weft.core.errors import UnknownName
from weft.workspace.compare_sites import TABLE_NAMES
from weft.workspace.workspace import Workspace

SITES = ("www.jaguarsystems.example", "members.freespace.example")


def test_parts_are_those_of_the_result() -> None:
    assert set(get_args(ComparisonPart)) == set(HEADINGS) == set(TABLE_NAMES)


def test_sections_to_read(demo: Workspace) -> None:
    words = ["-f", "table", "--keywords", "jaguar", "--min-terms", 60]
    done = run("compare-sites", demo.folder, *SITES, *words)
    heads = [line for line in done.stdout.splitlines() if line and not line.startswith(" ")]
    assert len(heads) == len(TABLE_NAMES)
    assert heads[0] == f"Unexpected terms of {SITES[1]}, compared with {SITES[0]}"
    assert "with fewer than 60 terms left out" in done.stderr
    assert "jaguar: " in done.stdout


@pytest.mark.parametrize("part", TABLE_NAMES)
def test_one_part_as_rows(demo: Workspace, part: str) -> None:
    words = ["compare-sites", demo.folder, *SITES, "--part", part, "-n", 2]
    words += ["--keywords", "jaguar"]
    found = rows(in_lines(*words))
    assert 1 <= len(found) <= 2
    table = csv.DictReader(io.StringIO(run(*words, "-f", "csv").stdout))
    assert list(table.fieldnames or ()) == list(found[0])
    assert run(*words, "-f", "table").stdout.strip()


def test_everything_as_one_document(demo: Workspace) -> None:
    done: dict[str, Any] = json.loads(
        run("compare-sites", demo.folder, *SITES, "-f", "json").stdout
    )
    assert set(done["tables"]) == set(TABLE_NAMES)
    assert done["facts"]["theirs"] == SITES[1]
    assert done["tables"]["terms"]["total"] == 5


def test_rows_without_a_part_are_terms_and_say_so(demo: Workspace) -> None:
    done = run("compare-sites", demo.folder, *SITES, "-f", "jsonl", "-n", 1)
    assert "term" in json.loads(done.stdout)
    assert "--part" in done.stderr


def test_what_is_known_comes_from_words_or_a_file(demo: Workspace, tmp_path: Path) -> None:
    words = ["compare-sites", demo.folder, *SITES, "--part", "terms", "-n", 1]
    best = rows(in_lines(*words))[0]["term"]
    path = tmp_path / "known.txt"
    path.write_text(f"{best}\n")
    for known in (best, path):
        assert rows(in_lines(*words, "--known", known))[0]["term"] != best


def test_an_empty_part_says_none(demo: Workspace) -> None:
    done = run("compare-sites", demo.folder, SITES[1], SITES[1], "--part", "terms", "-f", "table")
    assert done.stdout.splitlines()[1] == "  none"


def test_an_unknown_site_is_an_error(demo: Workspace) -> None:
    with pytest.raises(UnknownName, match="no site") as error:
        run("compare-sites", demo.folder, SITES[0], "members.freespac.example")
    assert "members.freespace.example" in error.value.hint


def test_each_anchor_has_its_own_quotes() -> None:
    row = {
        "url": "http://h/",
        "pages": 2,
        "anchors": "Ithaca, NY | Ithaca",
        "examples": "http://x/",
    }
    assert 'h/  "Ithaca, NY", "Ithaca"\n' in _format_link(row)
    assert '"' not in _format_link({**row, "anchors": ""})
