"""Every route answers in the shape it promises, on a web, on nothing, and for every method."""

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from weft.core.errors import WeftError
from weft.core.methods import METHODS, Method
from weft.gather.page import Page
from weft.run.workspace import Workspace
from weft.show.api.desk import Desk
from weft.show.api.routes import ROUTES

Ask = Callable[..., Any]
every_method = pytest.mark.parametrize(
    "method", METHODS.values(), ids=lambda m: f"{m.kind} {m.name}"
)
FORMS = {
    "rank": ("rank/{}", "why/{}"),
    "topics": ("topics/{}", "topics/{}/map", "topics/{}/of"),
    "structure": ("structure/{}",),
    "communities": (
        "communities/{}",
        *(f"communities/{{}}/{of}" for of in ("map", "of", "agreement")),
    ),
    "similar": ("page/similar/{}",),
    "suggest": ("page/suggest/{}",),
}
OF_METHODS = tuple(form.partition("{")[0] for forms in FORMS.values() for form in forms)
FIXED = [path for path in ROUTES if not path.startswith(OF_METHODS)]
NEEDED = {
    "url": "http://a.example/",
    "query": "words",
    "kind": "rank",
    "name": "hits",
    "mine": "a.example",
    "theirs": "b.example",
    "other": "modularity",
}


@pytest.fixture(scope="module")
def small(keep_at: Callable[..., Workspace], tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A desk with two pages on it."""
    folder = tmp_path_factory.mktemp("small")
    pages = [
        Page(f"http://{name}.example/", title=name, text=f"words of {name} and more")
        for name in "ab"
    ]
    desk = Desk(keep_at(folder / "c.weft", *pages), folder)
    desk.update()
    return desk


def needed(path: str) -> dict[str, str]:
    known = ROUTES[path].asks.model_fields
    return {name: value for name, value in NEEDED.items() if name in known}


@every_method
def test_every_method_has_its_routes(method: Method, small: Desk, ask_at: Ask) -> None:
    for form in FORMS[method.kind]:
        path = form.format(method.name)
        asked = {k: v for k, v in needed(path).items() if k != "query"}
        if path.startswith("topics/") and path.endswith("/map"):
            asked["topic"] = "0"
        needs_topics = pytest.raises(WeftError, match="there are no topics")
        with needs_topics if method.name == "topic-pagerank" else nullcontext():
            assert ask_at(small, path, **asked)["snapshot"] == 1


@pytest.mark.parametrize("path", FIXED)
def test_fixed_routes_answer_on_two_pages(path: str, small: Desk, ask_at: Ask) -> None:
    assert ask_at(small, path, **needed(path))


EMPTY = ["collection", "hosts", "structure/ends", "graph/level", "methods", "structure/overview"]
EMPTY += [f"structure/{name}" for kind, name in METHODS if kind == "structure"]
EMPTY += ["structure/bow-tie/region", "communities/modularity", "communities/modularity/map"]


@pytest.mark.parametrize("path", EMPTY)
def test_an_empty_collection_has_answers_too(
    path: str, keep_at: Callable[..., Workspace], tmp_path: Path, ask_at: Ask
) -> None:
    desk = Desk(keep_at(tmp_path / "c.weft"), tmp_path)
    assert ask_at(desk, path)["snapshot"] == 1


def test_only_looking_things_up_is_quick() -> None:
    quick = {path for path, route in ROUTES.items() if route.quick}
    known = {"search", "page", "page/links", "methods", "methods/card"}
    assert quick == known | {"collection/brief"}


def test_every_picture_has_a_route(small: Desk, ask_at: Ask) -> None:
    for name in (name for kind, name in METHODS if kind == "structure"):
        path = f"structure/{name}/picture"
        drawn = ask_at(small, f"structure/{name}")["pictures"]
        assert bool(drawn) == (path in ROUTES)
        for picture in drawn:
            assert ask_at(small, path, picture=picture).media == "image/svg+xml"


def test_the_usual_methods_answer_without_a_name(ask: Ask) -> None:
    page = {"url": "http://jaguarmagazine.example/"}
    assert ask("page/similar", **page)["rows"] == ask("page/similar/combined", **page)["rows"]
    assert ask("page/suggest", **page)["to"] == ask("page/suggest/fused", **page)["to"]
