"""Every route answers with its schema: for every method, and on an empty collection."""

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from weft.core.errors import WeftError
from weft.core.register import METHODS, Method
from weft.gather.page import Page
from weft.server.routes import ROUTES
from weft.server.session import Session
from weft.workspace.workspace import Workspace

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
    "classify": ("classify/{}",),
    "crawl": (),
    "usage": ("usage/{}",),
}
OF_METHODS = tuple(form.partition("{")[0] for forms in FORMS.values() for form in forms)
NEEDS_CRAWL = "crawl/picture"
NEEDS_TAGS = "curate/proposals"
FIXED = [path for path in ROUTES if not path.startswith((*OF_METHODS, NEEDS_CRAWL, NEEDS_TAGS))]
NEEDED: dict[str, Any] = {
    "train": [("http://a.example/", "one"), ("http://b.example/", "two")],
    "url": "http://a.example/",
    "query": "words",
    "kind": "rank",
    "name": "hits",
    "mine": "a.example",
    "theirs": "b.example",
    "other": "modularity",
}
OWN: dict[str, dict[str, Any]] = {
    "complete": {"text": "a"},
    "group-edits": {"kind": "topics"},
    "export/hosts": {"query": ""},  # a query finds pages
    "export/domains": {"query": ""},
}


@pytest.fixture(scope="module")
def small(keep_at: Callable[..., Workspace], tmp_path_factory: pytest.TempPathFactory) -> Session:
    """A session on a collection of two pages."""
    folder = tmp_path_factory.mktemp("small")
    pages = [
        Page(f"http://{name}.example/", title=name, text=f"words of {name} and more")
        for name in "ab"
    ]
    paths = folder / "paths.csv"
    paths.write_text("session,url\n1,http://a.example/\n1,http://b.example/\n")
    workspace = keep_at(folder / "c.weft", *pages)
    workspace.add(paths)
    session = Session(workspace, folder)
    session.refresh_snapshot()
    return session


def needed_params(path: str) -> dict[str, Any]:
    known = ROUTES[path].params_class.model_fields
    return {name: value for name, value in NEEDED.items() if name in known} | OWN.get(path, {})


@every_method
def test_every_method_has_its_routes(method: Method, small: Session, ask_session: Ask) -> None:
    for form in FORMS[method.kind]:
        path = form.format(method.name)
        params = {k: v for k, v in needed_params(path).items() if k != "query"}
        needs_topics = pytest.raises(WeftError, match="there are no topics")
        with needs_topics if method.name == "topic-pagerank" else nullcontext():
            assert ask_session(small, path, **params)["snapshot"] == 2


@pytest.mark.parametrize("path", FIXED)
def test_fixed_routes_answer_on_two_pages(path: str, small: Session, ask_session: Ask) -> None:
    assert ask_session(small, path, **needed_params(path))


EMPTY = [
    "collection",
    "crawl",
    "curate/tags",
    "curate/entities",
    "curate/candidates",
    "hosts",
    "structure/counts",
    "graph/level",
    "methods",
    "structure/overview",
]
EMPTY += [f"structure/{name}" for kind, name in METHODS if kind == "structure"]
EMPTY += ["structure/bow-tie/region", "communities/modularity", "communities/modularity/map"]


@pytest.mark.parametrize("path", EMPTY)
def test_an_empty_collection_is_no_error(
    path: str, keep_at: Callable[..., Workspace], tmp_path: Path, ask_session: Ask
) -> None:
    session = Session(keep_at(tmp_path / "c.weft"), tmp_path)
    assert ask_session(session, path)["snapshot"] == 1


def test_quick_routes_are_lookups() -> None:
    quick = {path for path, route in ROUTES.items() if route.quick}
    known = {"search", "page", "page/links", "methods", "methods/card", "crawl"}
    known |= {"curate/tags", "curate/candidates", "page/captures", "page/text"}
    known |= {"complete", "group-edits"}
    assert quick == known | {"collection/summary"}


def test_every_picture_has_a_route(small: Session, ask_session: Ask) -> None:
    for name in (name for kind, name in METHODS if kind == "structure"):
        path = f"structure/{name}/picture"
        drawn = ask_session(small, f"structure/{name}")["pictures"]
        assert bool(drawn) == (path in ROUTES)
        for picture in drawn:
            assert ask_session(small, path, picture=picture).media_type == "image/svg+xml"


def test_default_methods_need_no_name(ask: Ask) -> None:
    page = {"url": "http://jaguarmagazine.example/"}
    assert ask("page/similar", **page)["rows"] == ask("page/similar/combined", **page)["rows"]
    assert ask("page/suggest", **page)["to"] == ask("page/suggest/fused", **page)["to"]
