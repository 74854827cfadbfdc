"""Parameters: all of them bounded, and those of methods as declared."""

from dataclasses import fields
from typing import Any

import pytest
from pydantic import ValidationError

from weft.core.methods import METHODS, Method, find
from weft.core.validate import LARGEST
from weft.graph.options import BaseOptions
from weft.show.api.asks import Rank, Search, Topics, base_options, bounded, for_method
from weft.show.api.cards import ASKED
from weft.show.api.routes import ROUTES, Route

every_route = pytest.mark.parametrize("route", ROUTES.values(), ids=lambda route: route.path)
every_method = pytest.mark.parametrize(
    "known", METHODS.values(), ids=lambda m: f"{m.kind} {m.name}"
)


def forms(route: Route) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = route.asks.model_json_schema().get("properties", {})
    return found


def has_an_end(form: dict[str, Any]) -> bool:
    if "anyOf" in form:
        return all(has_an_end(part) for part in form["anyOf"])
    if form.keys() & {"enum", "const"} or form["type"] in {"boolean", "null"}:
        return True
    ends = {"string": {"maxLength"}, "array": {"maxItems"}}
    numbers = {"maximum", "exclusiveMaximum"}
    return form["type"] == "number" or bool(form.keys() & ends.get(form["type"], numbers))


@every_route
def test_every_parameter_has_an_end_and_a_meaning(route: Route) -> None:
    for name, form in forms(route).items():
        assert form.get("description"), name
        assert has_an_end(form), name


@every_route
def test_unknown_parameters_are_refused(route: Route) -> None:
    with pytest.raises(ValidationError, match="Extra inputs"):
        route.asks.model_validate({"path": "/etc/passwd"})


@every_method
def test_every_option_of_a_method_is_a_parameter(known: Method) -> None:
    asked = for_method(ASKED[known.kind], known)  # type: ignore[index]
    values = {"url": "x"} if "url" in asked.model_fields else {"query": "x"}
    assert asked.model_validate(values).chosen == {
        name: option.default for name, option in known.options.items() if name not in asked.settled
    }


def test_every_option_of_base_sets_is_a_parameter() -> None:
    asked = for_method(Topics, find("topics", "atd"))
    assert base_options(asked()) == BaseOptions()
    assert {told.name for told in fields(BaseOptions)} <= asked.model_fields.keys()
    changed = asked.model_validate({"root": 5, "without": ["a.example"], "seed": 3})
    assert base_options(changed) == BaseOptions(root=5, without=("a.example",), seed=3)


def test_a_stoplist_is_never_a_file() -> None:
    asked = for_method(Topics, find("topics", "atd"))
    with pytest.raises(ValidationError):
        asked.model_validate({"stoplist": "/etc/passwd"})


def test_an_option_whose_name_is_taken_is_told_apart() -> None:
    asked = for_method(Topics, find("topics", "phits"))
    given = asked.model_validate({"seed": 1, "method_seed": 2})
    assert base_options(given).seed == 1
    assert given.chosen["seed"] == 2


def test_ranges_are_those_of_the_method() -> None:
    asked = for_method(Rank, find("rank", "pagerank"))
    with pytest.raises(ValidationError):
        asked.model_validate({"follow": 1.5})


@pytest.mark.parametrize(("name", "value"), [("limit", LARGEST + 1), ("tolerance", "nan")])
def test_numbers_are_finite(name: str, value: Any) -> None:
    with pytest.raises(ValidationError):
        for_method(Rank, find("rank", "hits")).model_validate({name: value})


def test_lists_have_an_end() -> None:
    [seeds] = [p for n, p in find("rank", "personalised").options.items() if n == "seeds"]
    made = for_method(Rank, find("rank", "personalised"))
    with pytest.raises(ValidationError):
        made.model_validate({"seeds": ["a"] * 101})
    assert bounded(seeds.annotation) is not seeds.annotation


def test_a_search_is_bounded() -> None:
    assert Search(query="x").top == 10
    for wrong in ({"query": ""}, {"query": "x" * 2001}, {"query": "x", "top": 501}):
        with pytest.raises(ValidationError):
            Search.model_validate(wrong)
