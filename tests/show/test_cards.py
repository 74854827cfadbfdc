"""`weft methods`: the table, and the card of each method."""

import json
import re
from typing import Any

import pytest
from typer.testing import CliRunner

from weft.core.dimensions import TITLES, VALUES, Dimension
from weft.core.errors import BadParameter
from weft.core.methods import METHODS, Method, reference
from weft.core.notes import notes
from weft.show.cli import app
from weft.show.cli.cards import spelled


def test_the_table_lists_every_method() -> None:
    lines = CliRunner().invoke(app, ["methods", "-f", "jsonl"]).stdout.splitlines()
    listed = [(row["kind"], row["method"]) for row in map(json.loads, lines)]
    assert listed == sorted(METHODS)
    assert listed


def test_a_card_is_text_alone() -> None:
    with pytest.raises(BadParameter, match="a card is text"):
        CliRunner().invoke(app, ["methods", "hits", "--format", "json"], catch_exceptions=False)
    shown = CliRunner().invoke(app, ["methods", "hits", "--format", "table"])
    assert shown.stdout == CliRunner().invoke(app, ["methods", "hits"]).stdout


def rows(*asked: str) -> list[dict[str, Any]]:
    shown = CliRunner().invoke(app, ["methods", *asked, "--format", "json"], catch_exceptions=False)
    found: list[dict[str, Any]] = json.loads(shown.stdout)
    return found


def test_rows_for_programs_have_every_dimension() -> None:
    for row in rows():
        own = METHODS[row["kind"], row["method"]].dimensions
        assert {name: row[name] for name in own.row()} == own.row()


@pytest.mark.parametrize("by", VALUES)
def test_methods_are_grouped_by_a_dimension(by: Dimension) -> None:
    """Under each value, in the order of the vocabulary, the methods that have it."""
    expected = [
        (value, *key)
        for value in VALUES[by]
        for key, method in sorted(METHODS.items())
        if value in method.dimensions.along(by)
    ]
    assert [(row[by], row["kind"], row["method"]) for row in rows("--by", by)] == expected


def test_a_table_to_read_has_the_one_dimension() -> None:
    asked = ["methods", "--by", "scope", "--format", "table"]
    shown = CliRunner().invoke(app, asked, env={"COLUMNS": "200"}).stdout
    assert shown.split("\n")[1].split() == ["scope", "kind", "method", "summary"]
    assert "whole web" in shown
    cells = CliRunner().invoke(app, ["methods", "--format", "csv"]).stdout
    assert '"web search, topic distillation"' in cells


def test_a_card_is_not_grouped() -> None:
    with pytest.raises(BadParameter, match="--by groups all methods, not hits alone"):
        CliRunner().invoke(app, ["methods", "hits", "--by", "scope"], catch_exceptions=False)


def test_differences_are_shown_where_there_are_some() -> None:
    shown = [CliRunner().invoke(app, ["methods", name]).stdout for name in ("atd", "pagerank-hubs")]
    assert ["Where it differs from the paper" in card for card in shown] == [True, False]


@pytest.mark.parametrize("method", METHODS.values(), ids=lambda m: f"{m.kind} {m.name}")
def test_a_card_says_it_all(method: Method) -> None:
    shown = CliRunner().invoke(app, ["methods", method.name]).output
    told = notes(method.kind, method.name)
    for part in (told.formula, told.cost, told.fails):
        assert part.splitlines()[-1].strip() in shown
    for line in told.differs.splitlines():
        assert line in shown
    assert reference(method.cites) in shown
    for dimension, title in TITLES.items():
        values = ", ".join(method.dimensions.along(dimension))
        assert re.search(rf"^{title}: +{re.escape(values)}$", shown, re.MULTILINE)
    assert all(f"  {spelled(method, option)}  " in shown for option in method.options)
