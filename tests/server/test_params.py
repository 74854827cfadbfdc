"""Parameters are bounded, and those of methods are as registered."""

from dataclasses import fields
from typing import Any, cast

import pytest
from pydantic import ValidationError

from weft.core.register import MAX_SAFE_INTEGER, METHODS, Method, find_method
from weft.graph.selection import Selection
from weft.server.methods import PARAMS_BY_KIND
from weft.server.pages import SearchParams
from weft.server.params import (
    RankingParams,
    StructureParams,
    TopicsParams,
    limit_option_type,
    params_for_method,
)
from weft.server.routes import ROUTES, Route

ATD = find_method("topics", "atd")
every_route = pytest.mark.parametrize("route", ROUTES.values(), ids=lambda route: route.path)
every_method = pytest.mark.parametrize(
    "known", METHODS.values(), ids=lambda m: f"{m.kind} {m.name}"
)


def properties(route: Route) -> dict[str, dict[str, Any]]:
    schema: dict[str, dict[str, Any]] = route.params_class.model_json_schema().get("properties", {})
    return schema


def is_bounded(schema: dict[str, Any]) -> bool:
    if "anyOf" in schema:
        return all(is_bounded(part) for part in schema["anyOf"])
    if schema.keys() & {"enum", "const"} or schema["type"] in {"boolean", "null"}:
        return True
    limits = {"string": {"maxLength"}, "array": {"maxItems"}}
    numbers = {"maximum", "exclusiveMaximum"}
    return schema["type"] == "number" or bool(schema.keys() & limits.get(schema["type"], numbers))


@every_route
def test_every_parameter_is_bounded_and_described(route: Route) -> None:
    for name, schema in properties(route).items():
        assert schema.get("description"), name
        assert is_bounded(schema), name


@every_route
def test_unknown_parameters_are_refused(route: Route) -> None:
    with pytest.raises(ValidationError, match="Extra inputs"):
        route.params_class.model_validate({"file": "/etc/passwd"})


@every_method
def test_every_option_of_a_method_is_a_parameter(known: Method) -> None:
    params_class = params_for_method(PARAMS_BY_KIND[known.kind], known)  # type: ignore[index]
    needed = {"url": "x", "query": "x", "train": [("a", "one"), ("b", "two")]}
    values = {name: needed[name] for name in needed if name in params_class.model_fields}
    assert params_class.model_validate(values).option_values == {
        name: option.default
        for name, option in known.options.items()
        if name not in params_class.reserved_options
    }


def test_every_option_of_base_sets_is_a_parameter() -> None:
    params_class = cast("type[TopicsParams]", params_for_method(TopicsParams, ATD))
    assert params_class.model_validate({}).selection == Selection()
    assert {option.name for option in fields(Selection)} <= params_class.model_fields.keys()
    changed = params_class.model_validate({"root_size": 5, "exclude": ["a.example"], "seed": 3})
    assert changed.selection == Selection(root_size=5, exclude=("a.example",), seed=3)


def test_a_stoplist_is_never_a_file() -> None:
    params_class = params_for_method(TopicsParams, find_method("topics", "atd"))
    with pytest.raises(ValidationError):
        params_class.model_validate({"stoplist": "/etc/passwd"})


def test_an_option_takes_the_place_of_a_word_of_the_selection() -> None:
    phits = find_method("topics", "phits")
    params_class = cast("type[TopicsParams]", params_for_method(TopicsParams, phits))
    given = params_class.model_validate({"seed": 2, "root_size": 7})
    assert given.option_values["seed"] == 2
    assert given.selection == Selection(root_size=7)


def test_an_option_whose_name_the_route_uses_gets_a_prefix() -> None:
    params_class = params_for_method(StructureParams, find_method("structure", "bow-tie"))
    assert params_class.model_validate({"top": 3}).option_values.keys().isdisjoint({"top"})
    for route in ROUTES.values():
        for option, parameter in route.params_class.parameter_by_option.items():
            assert parameter in (option, f"method_{option}")


def test_ranges_are_those_of_the_method() -> None:
    params_class = params_for_method(RankingParams, find_method("rank", "pagerank"))
    with pytest.raises(ValidationError):
        params_class.model_validate({"damping": 1.5})


@pytest.mark.parametrize(("name", "value"), [("max_iter", MAX_SAFE_INTEGER + 1), ("tol", "nan")])
def test_numbers_are_finite(name: str, value: Any) -> None:
    with pytest.raises(ValidationError):
        params_for_method(RankingParams, find_method("rank", "hits")).model_validate({name: value})


def test_lists_are_bounded() -> None:
    [seeds] = [p for n, p in find_method("rank", "personalised").options.items() if n == "seeds"]
    params_class = params_for_method(RankingParams, find_method("rank", "personalised"))
    with pytest.raises(ValidationError):
        params_class.model_validate({"seeds": ["a"] * 101})
    assert limit_option_type(seeds.annotation) is not seeds.annotation


def test_a_search_is_bounded() -> None:
    assert SearchParams(query="x").top == 10
    for invalid in ({"query": ""}, {"query": "x" * 2001}, {"query": "x", "top": 501}):
        with pytest.raises(ValidationError):
            SearchParams.model_validate(invalid)
