"""Cards follow from the declaration."""

from collections.abc import Callable
from typing import Any

import pytest

from weft.core.dimensions import VALUES
from weft.core.errors import UnknownName
from weft.core.methods import METHODS, find, reference
from weft.graph.options import BaseOptions

Ask = Callable[..., Any]


def test_every_method_is_listed(ask: Ask) -> None:
    found = ask("methods")
    listed = [(row["kind"], row["name"]) for row in found["methods"]]
    assert listed == sorted(METHODS)
    for row in found["methods"]:
        own = METHODS[row["kind"], row["name"]].dimensions
        assert {name: row[name] for name in own.row()} == own.row()
    assert found["dimensions"] == {name: list(values) for name, values in VALUES.items()}
    roots = next(option for option in found["base"] if option["name"] == "root")
    assert roots["default"] == BaseOptions().root
    assert (roots["form"]["minimum"], roots["form"]["maximum"]) == (1, 10000)


def test_a_card_tells_all(ask: Ask) -> None:
    card, method = ask("methods/card", kind="rank", name="pagerank"), find("rank", "pagerank")
    assert card["summary"] == method.summary
    assert card["reference"] == reference(method.cites)
    assert [option["name"] for option in card["options"]] == list(method.options)
    follow = next(option for option in card["options"] if option["name"] == "follow")
    assert follow["form"]["exclusiveMaximum"] == 1
    assert card["model"] == "Markov model"
    assert card["applications"] == ["web search", "web crawling"]
    assert card["formula"]
    assert card["cost"]
    assert card["fails"]


def test_a_card_says_where_it_differs_from_the_paper(ask: Ask) -> None:
    assert "`--stop links`" in ask("methods/card", kind="topics", name="atd")["differs"]
    assert ask("methods/card", kind="rank", name="pagerank")["differs"] == ""
    assert {"sampling", "stop"} <= {option["name"] for option in ask("methods")["base"]}


def test_a_card_says_how_an_option_is_given(ask: Ask) -> None:
    card = ask("methods/card", kind="topics", name="phits")
    names = {option["name"]: option["parameter"] for option in card["options"]}
    assert names["seed"] == "method_seed"
    assert names["factors"] == "factors"


def test_an_unknown_method_is_told(ask: Ask) -> None:
    with pytest.raises(UnknownName, match="no method"):
        ask("methods/card", kind="rank", name="astrology")


@pytest.mark.parametrize(
    ("kind", "name", "option"),
    [
        ("structure", "bow-tie", "seen"),
        ("communities", "trawling", "fans"),
        ("similar", "combined", "strength"),
        ("suggest", "katz", "b"),
    ],
)
def test_every_kind_has_cards(ask: Ask, kind: str, name: str, option: str) -> None:
    options = {each["name"]: each for each in ask("methods/card", kind=kind, name=name)["options"]}
    assert options[option]["default"] == find(kind, name).options[option].default
    assert "page" not in options, "the route has url"
