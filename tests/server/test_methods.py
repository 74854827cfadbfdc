"""Cards of methods follow from the register."""

from collections.abc import Callable
from typing import Any

import pytest

from weft.core.errors import UnknownName
from weft.core.register import DIMENSION_VALUES, METHODS, find_method, format_citation
from weft.graph.selection import Selection

Ask = Callable[..., Any]


def test_every_method_is_listed(ask: Ask) -> None:
    found = ask("methods")
    listed = [(row["kind"], row["name"]) for row in found["methods"]]
    assert listed == sorted(METHODS)
    for row in found["methods"]:
        own = METHODS[row["kind"], row["name"]].dimensions
        assert {name: row[name] for name in own.to_dict()} == own.to_dict()
    assert found["dimensions"] == {name: list(values) for name, values in DIMENSION_VALUES.items()}
    root_size = next(o for o in found["base_options"] if o["name"] == "root_size")
    assert root_size["default"] == Selection().root_size
    assert root_size["json_schema"]["minimum"] == 1
    assert root_size["json_schema"]["maximum"] == 10000


def test_a_card_is_complete(ask: Ask) -> None:
    card, method = (
        ask("methods/card", kind="rank", name="pagerank"),
        find_method("rank", "pagerank"),
    )
    assert card["summary"] == method.summary
    assert card["reference"] == format_citation(method.cites)
    assert [option["name"] for option in card["options"]] == list(method.options)
    damping = next(option for option in card["options"] if option["name"] == "damping")
    assert damping["json_schema"]["exclusiveMaximum"] == 1
    assert card["model"] == "Markov model"
    assert card["applications"] == ["web search", "web crawling"]
    assert card["formula"]
    assert card["cost"]
    assert card["limitations"]


def test_a_card_lists_differences_from_the_paper(ask: Ask) -> None:
    assert (
        "`--stoplist-drops links`" in ask("methods/card", kind="topics", name="atd")["differences"]
    )
    assert ask("methods/card", kind="rank", name="pagerank")["differences"] == ""
    assert {"sampling", "stoplist_drops"} <= {o["name"] for o in ask("methods")["base_options"]}


def test_a_card_names_the_parameter_of_an_option(ask: Ask) -> None:
    card = ask("methods/card", kind="topics", name="phits")
    names = {option["name"]: option["parameter"] for option in card["options"]}
    assert (names["seed"], names["factors"]) == ("seed", "factors")


def test_an_unknown_method_is_an_error(ask: Ask) -> None:
    with pytest.raises(UnknownName, match="no method"):
        ask("methods/card", kind="rank", name="astrology")


@pytest.mark.parametrize(
    ("kind", "name", "option"),
    [
        ("structure", "bow-tie", "uncaptured"),
        ("communities", "trawling", "min_fans"),
        ("similar", "combined", "similarity"),
        ("suggest", "katz", "beta"),
    ],
)
def test_every_kind_has_cards(ask: Ask, kind: str, name: str, option: str) -> None:
    options = {each["name"]: each for each in ask("methods/card", kind=kind, name=name)["options"]}
    assert options[option]["default"] == find_method(kind, name).options[option].default
    assert "page" not in options, "the route has url"
