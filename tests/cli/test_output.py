"""What is printed cannot command a terminal or a spreadsheet."""

import json
import math
from datetime import UTC, datetime

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.cli.output import Format, escape_for_terminal, write_rows
from weft.core.text import CONTROL_CHARS


@given(st.text())
def test_plain_text_has_no_controls(words: str) -> None:
    shown = escape_for_terminal(words)
    assert not CONTROL_CHARS.search(shown)
    assert "\n" not in shown


def test_values_as_people_read_them() -> None:
    assert escape_for_terminal(0.123456) == "0.1235"
    assert [escape_for_terminal(x) for x in (0.0, 0.05, 0.00012345, 3.2e-7)] == [
        "0.0000",
        "0.0500",
        "0.000123",
        "3.2e-07",
    ]
    assert escape_for_terminal(None) == ""
    assert escape_for_terminal(datetime(2004, 5, 31, 12, 30, tzinfo=UTC)) == "2004-05-31 12:30"
    assert escape_for_terminal(datetime(1970, 1, 1, tzinfo=UTC)) == ""


@pytest.mark.parametrize("form", [Format.csv, Format.jsonl, Format.json])
def test_rows_hold_nothing_that_a_terminal_obeys(
    capsys: pytest.CaptureFixture[str], form: Format
) -> None:
    words = "\x1b=\x1b]0;owned\x07\x9b31m\u202ered"
    write_rows(pa.table({"title": [words]}), form)
    shown = capsys.readouterr().out
    assert not CONTROL_CHARS.search(shown.replace("\r", ""))
    if form is Format.csv:
        assert shown.splitlines()[1] == "'=]0;owned31mred"
    else:
        parsed = json.loads(shown)
        assert (parsed if form is Format.jsonl else parsed[0])["title"] == words


def test_numbers_are_for_people_in_a_table_and_for_programs_elsewhere(
    capsys: pytest.CaptureFixture[str],
) -> None:
    table = pa.table({"pages": [54786], "tau": [math.nan], "tie": [False]})
    write_rows(table, Format.table)
    assert capsys.readouterr().out.split()[-3:] == ["54,786", "none", "False"]
    write_rows(table, Format.csv)
    assert capsys.readouterr().out.splitlines()[1].startswith("54786,")


def test_json_knows_no_infinity(capsys: pytest.CaptureFixture[str]) -> None:
    table = pa.table({"radius": [1.0, math.inf], "mean": [math.nan, 2.0]})
    write_rows(table, Format.jsonl)
    lines = capsys.readouterr().out.splitlines()
    assert lines == ['{"radius": 1.0, "mean": null}', '{"radius": null, "mean": 2.0}']
    write_rows(table, Format.json)
    assert json.loads(capsys.readouterr().out)[1] == {"radius": None, "mean": 2.0}
