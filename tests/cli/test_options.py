"""What no option of a method may be: refused by the library, the register, command and API."""

import asyncio
import math
from collections.abc import Callable, Iterator
from inspect import getmodule
from typing import Any, get_args, get_origin

import httpx
import numpy as np
import pytest
from tests.command import is_one_sentence, weft
from typer.testing import CliRunner

from weft.cli import app
from weft.core.errors import BadParameter
from weft.core.register import METHODS, Method
from weft.server.app import build_app
from weft.server.jobs import JobScheduler
from weft.server.routes import ROUTES, Route

LIMITS = {"gt": 0, "ge": -1, "lt": 0, "le": 1}
every_method = pytest.mark.parametrize(
    "method", METHODS.values(), ids=lambda m: f"{m.kind} {m.name}"
)
ROUTED = [route for route in ROUTES.values() if route.params_class.parameter_by_option]


def field(method: Method, option: str) -> Any:
    return method.options_schema_model.model_fields[option]


def beyond(method: Method, option: str) -> Iterator[Any]:
    """Values just outside the range of an option."""
    for limit in field(method, option).metadata:
        for side, step in LIMITS.items():
            if (end := getattr(limit, side, None)) is not None:
                yield end + step


def wrong_values(method: Method, option: str) -> Iterator[Any]:
    """Values out of range, of another type, or not finite."""
    kind = field(method, option).annotation
    yield from (None, object)
    yield from beyond(method, option)
    if kind in (int, float):
        yield from ("1", True, [], math.nan, math.inf, -math.inf)
    if kind is int:
        yield from (2.0, np.float64(2), 10**30)
    if kind is bool:
        yield from (1, "yes")
    if kind is str:
        yield from (5, b"x")
    if get_origin(kind) is list:
        yield from ("x", 5, [None], {"x": 1})
    if get_args(kind) and get_origin(kind) is not list:
        yield from ("no-such", 5)


def options() -> list[tuple[Method, str]]:
    return [(method, option) for method in METHODS.values() for option in method.options]


def test_there_are_options_with_ranges() -> None:
    assert len(options()) > 300
    numbers = [(m, o) for m, o in options() if field(m, o).annotation in (int, float)]
    assert all(list(beyond(method, option)) for method, option in numbers), "every one has a range"


@every_method
def test_the_library_refuses_them(method: Method) -> None:
    """Before it looks at the data, which here is none."""
    public = getattr(getmodule(method.run), method.run.__name__)
    for option in method.options:
        for value in wrong_values(method, option):
            for call in (public, method):
                with pytest.raises(BadParameter) as caught:
                    call(object(), **{option: value})
                assert str(caught.value).startswith(f"{method.name}: {option}"), (option, value)
                assert f"{option}: " in caught.value.hint


@every_method
def test_an_unknown_option_gets_those_there_are(method: Method) -> None:
    for call in (method.run, method):
        with pytest.raises(
            BadParameter, match=f"{method.name}: there is no option 'xyz'"
        ) as caught:
            call(object(), xyz=1)
        assert all(option in caught.value.hint for option in method.options)


@every_method
def test_numpy_and_other_sequences_are_taken(method: Method) -> None:
    made = {int: np.int64, float: np.float64, bool: np.bool_}
    for option, declared in method.options.items():
        kind = field(method, option).annotation
        if kind in made:
            found = method.validate_options({option: made[kind](declared.default)})
            assert found == {option: declared.default}
            assert type(found[option]) is kind
        if get_origin(kind) is list:
            item = 1.5 if option.endswith("_weights") else "a"
            for several in ((item,), np.array([item]), iter([item])):
                assert method.validate_options({option: several}) == {option: [item]}


def words(method: Method, option: str, value: str) -> list[str]:
    """A command that gives a method's option a value."""
    url = ["x"] if method.kind in {"similar", "suggest"} else []
    train = ["--train", "no.csv"] if method.kind == "classify" else []
    option_word = f"--{option.replace('_', '-')}={value}"
    return [method.kind, method.name, "no.weft", *url, *train, option_word]


def wrong_texts(method: Method, option: str) -> list[str]:
    kind = field(method, option).annotation
    outside = [str(value) for value in beyond(method, option)]
    infinite = ["nan", "inf"] if kind is float else []
    choice = [] if kind in (str, list) or get_origin(kind) is list else ["no-such"]
    return [*outside, *infinite, *choice] if kind is not bool else []


@every_method
def test_the_command_refuses_them(method: Method) -> None:
    """In one sentence, or by the usage line; before the collection is opened."""
    for option in set(method.options) - {"page"}:
        for text in wrong_texts(method, option):
            done = CliRunner().invoke(app, words(method, option, text))
            if done.exit_code == 2:
                assert f"--{option.replace('_', '-')}" in done.output, (option, text)
            else:
                assert isinstance(done.exception, BadParameter), (option, text)
                assert str(done.exception).startswith(f"{method.name}: {option}"), (option, text)


@pytest.mark.slow
def test_the_command_says_it_in_a_line() -> None:
    done = weft("rank", "unified", "no.weft", "--p", "nan")
    assert is_one_sentence(done)
    assert "unified: p should be a finite number, not nan" in done.stderr


def asked_method(route: Route) -> Method:
    """The method that a route asks, which its question is named after."""
    names = {f"_{m.kind}_{m.name.replace('-', '_')}": m for m in METHODS.values()}
    return next(m for ending, m in names.items() if route.params_class.__name__.endswith(ending))


@pytest.fixture(scope="module")
def get(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., httpx.Response]:
    """`get(route, params)`: what the application answers, without a server."""
    transport = httpx.ASGITransport(app=build_app(JobScheduler(tmp_path_factory.mktemp("no"))))

    async def request(route: Route, params: dict[str, str]) -> httpx.Response:
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            body = {"train": [["a", "b"]]} if route.verb == "POST" else None
            return await client.request(route.verb, f"/api/{route.path}", params=params, json=body)

    return lambda route, params: asyncio.run(request(route, params))


@pytest.mark.parametrize("route", ROUTED, ids=lambda route: route.path)
def test_the_api_refuses_them(route: Route, get: Callable[..., httpx.Response]) -> None:
    """Each by itself, so that it is the one that is refused: a problem of status 422."""
    method = asked_method(route)
    needed = {
        name: "modularity" if name == "other" else "x"
        for name, one in route.params_class.model_fields.items()
        if one.is_required() and name != route.params_class.body_field
    }
    for option, parameter in route.params_class.parameter_by_option.items():
        for text in wrong_texts(method, option):
            refused = get(route, {**needed, parameter: text})
            assert refused.status_code == 422
            assert refused.json()["detail"].startswith(parameter), (option, text)


def test_every_method_has_a_route() -> None:
    routed = {(m.kind, m.name) for m in map(asked_method, ROUTED)}
    own = {
        key
        for key, method in METHODS.items()
        if set(method.options) - {"page", "top"} and method.kind != "crawl"  # a job, not a route
    }
    assert own
    assert own <= routed
