"""`weft methods`: the table, and the card of each method."""

import json
import re
from typing import Any

import pytest
from typer.testing import CliRunner

from weft.cli import app
from weft.cli.method_cards import option_syntax
from weft.core.errors import BadParameter
from weft.core.register import (
    DIMENSION_TITLES,
    DIMENSION_VALUES,
    METHODS,
    Dimension,
    Method,
    format_citation,
    method_notes,
)


def test_the_table_lists_every_method() -> None:
    lines = CliRunner().invoke(app, ["methods", "-f", "jsonl"]).stdout.splitlines()
    listed = [(row["kind"], row["method"]) for row in map(json.loads, lines)]
    assert listed == sorted(METHODS)
    assert listed


def test_a_card_is_text_alone() -> None:
    with pytest.raises(BadParameter, match="a method card is text, not json"):
        CliRunner().invoke(app, ["methods", "hits", "--format", "json"], catch_exceptions=False)
    shown = CliRunner().invoke(app, ["methods", "hits", "--format", "table"])
    assert shown.stdout == CliRunner().invoke(app, ["methods", "hits"]).stdout


def rows(*words: str) -> list[dict[str, Any]]:
    shown = CliRunner().invoke(app, ["methods", *words, "--format", "json"], catch_exceptions=False)
    found: list[dict[str, Any]] = json.loads(shown.stdout)
    return found


def test_rows_for_programs_have_every_dimension() -> None:
    for row in rows():
        own = METHODS[row["kind"], row["method"]].dimensions
        assert {name: row[name] for name in own.to_dict()} == own.to_dict()


@pytest.mark.parametrize("by", DIMENSION_VALUES)
def test_methods_are_grouped_by_a_dimension(by: Dimension) -> None:
    """Under each value, in the order of the vocabulary, the methods that have it."""
    expected = [
        (value, *key)
        for value in DIMENSION_VALUES[by]
        for key, method in sorted(METHODS.items())
        if value in method.dimensions.values_of(by)
    ]
    assert [(row[by], row["kind"], row["method"]) for row in rows("--by", by)] == expected


def test_a_table_to_read_has_the_one_dimension() -> None:
    words = ["methods", "--by", "scope", "--format", "table"]
    shown = CliRunner().invoke(app, words, env={"COLUMNS": "200"}).stdout
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
    notes = method_notes(method.kind, method.name)
    for part in (notes.formula, notes.cost, notes.limitations):
        assert part.splitlines()[-1].strip() in shown
    for line in notes.deviations.splitlines():
        assert line in shown
    assert format_citation(method.cites) in shown
    for dimension, title in DIMENSION_TITLES.items():
        values = ", ".join(method.dimensions.values_of(dimension))
        assert re.search(rf"^{title}: +{re.escape(values)}$", shown, re.MULTILINE)
    assert all(f"  {option_syntax(option)}  " in shown for option in method.options)
