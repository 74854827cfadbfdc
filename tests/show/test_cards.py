"""`weft methods`: the table, and the card of each method."""

import json

import pytest
from typer.testing import CliRunner

from weft.core.errors import BadParameter
from weft.core.methods import METHODS, Method, reference
from weft.core.notes import notes
from weft.show.cli import app
from weft.show.cli.cards import spelled


def test_the_table_lists_every_method() -> None:
    lines = CliRunner().invoke(app, ["methods"]).stdout.splitlines()
    listed = [(row["kind"], row["method"]) for row in map(json.loads, lines)]
    assert listed == sorted(METHODS)
    assert listed


def test_a_card_is_text_alone() -> None:
    with pytest.raises(BadParameter, match="a card is text"):
        CliRunner().invoke(app, ["methods", "hits", "--format", "json"], catch_exceptions=False)
    shown = CliRunner().invoke(app, ["methods", "hits", "--format", "table"])
    assert shown.stdout == CliRunner().invoke(app, ["methods", "hits"]).stdout


@pytest.mark.parametrize("method", METHODS.values(), ids=lambda m: f"{m.kind} {m.name}")
def test_a_card_says_it_all(method: Method) -> None:
    shown = CliRunner().invoke(app, ["methods", method.name]).output
    told = notes(method.kind, method.name)
    for part in (told.formula, told.cost, told.fails):
        assert part.splitlines()[-1].strip() in shown
    assert reference(method.cites) in shown
    assert all(f"  {spelled(method, option)}  " in shown for option in method.options)
