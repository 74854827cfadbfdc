"""The JSON of every command and of the routes of structure: a number is a number."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from tests.command import run

import weft.communities
import weft.structure
import weft.topics  # noqa: F401  registers its methods, as the others do
from weft.core.register import METHODS
from weft.server.routes import ROUTES
from weft.server.session import Session
from weft.workspace.workspace import Workspace

NUMBER = re.compile(r"-?[\d,]*\.?\d+(e[+-]?\d+)?\s*%?", re.IGNORECASE)
TEXT = {"term", "terms", "label", "title", "anchor", "anchors", "snippet", "text", "page", "url"}
NAMES = {"pair"}  # of singular vectors: 1, 2+, 2-
PAGE, OTHER = "jaguarmagazine.example", "www.jaguarcars.example"
COMMANDS = [
    ["info"],
    ["info", "--problems"],
    ["search", "jaguar"],
    ["links", PAGE],
    ["rank", "--top", "5"],
    ["why", PAGE],
    ["why", PAGE, "--query", "jaguar", "--group", "topic"],
    ["known-for", PAGE],
    ["compare-methods", "--stability", "--trials", "2"],
    ["similar", PAGE],
    ["suggest", PAGE],
    ["compare-sites", PAGE, OTHER, "--keywords", "jaguar"],
    ["communities", "--matrix"],
    ["communities", "--members"],
    ["communities", "--of", PAGE],
    ["structure"],
    ["structure", "--page", PAGE],
    *(["structure", name] for kind, name in METHODS if kind == "structure"),
    *(["topics", name, "jaguar"] for kind, name in METHODS if kind == "topics"),
    *(
        ["communities", name]
        for kind, name in METHODS
        if kind == "communities" and not name.endswith("flow")
    ),
]


def disguised(value: Any, name: str = "") -> Iterator[str]:
    """The numbers that are strings in a document, where it has no text."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from disguised(part, key)
    elif isinstance(value, list):
        for part in value:
            yield from disguised(part, name)
    elif isinstance(value, str) and name not in TEXT | NAMES and NUMBER.fullmatch(value.strip()):
        yield f"{name}: {value!r}"


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_no_number_is_a_string(demo: Workspace, words: list[str]) -> None:
    named = 2 if len(words) > 1 and (words[0], words[1]) in METHODS else 1
    for form in ("json", "jsonl"):
        command = [*words[:named], demo.folder, *words[named:]]
        shown = run(*command, "--format", form).stdout
        documents = [json.loads(shown)] if form == "json" else map(json.loads, shown.splitlines())
        assert not [found for document in documents for found in disguised(document)]


@pytest.mark.parametrize(
    "path",
    [path for path, route in ROUTES.items() if "structure/" in path and route.response_class],
)
def test_no_number_of_an_answer_is_a_string(demo: Workspace, path: str, tmp_path: Any) -> None:
    route = ROUTES[path]
    given = {"url": PAGE} if "url" in route.params_class.model_fields else {}
    answer: Any = route.handler(Session(demo, tmp_path), route.params_class.model_validate(given))
    assert not list(disguised(answer.model_dump(mode="json")))


@pytest.mark.parametrize(
    ("words", "path", "given"),
    [
        (["search", "jaguar", "-n", 3], "search", {"query": "jaguar", "top": 3}),
        (["rank", "-n", 3], "rank/pagerank", {"top": 3}),
        (["rank", "hits", "--level", "host"], "rank/hits", {"level": "host", "top": 10}),
        (["structure", "bow-tie"], "structure/bow-tie", {"top": 10_000}),
        (["structure"], "structure/overview", {"top": 10_000}),
        (["similar", PAGE], "page/similar", {"url": PAGE}),
        (["similar", PAGE, "--vote", "site"], "page/similar", {"url": PAGE, "vote": "site"}),
        (["suggest", PAGE, "-n", 5], "page/suggest", {"url": PAGE}),
        (
            ["compare-sites", PAGE, OTHER, "-n", 20],
            "compare-sites",
            {"mine": PAGE, "theirs": OTHER},
        ),
    ],
)
def test_command_and_api_have_one_document(
    demo: Workspace, words: list[Any], path: str, given: dict[str, Any], tmp_path: Any
) -> None:
    """The API adds what only a server has, and keeps the folder and the time to itself."""
    named = 2 if len(words) > 1 and (words[0], words[1]) in METHODS else 1
    command = [*words[:named], demo.folder, *words[named:]]
    printed = json.loads(run(*command, "--format", "json").stdout)
    route, session = ROUTES[path], Session(demo, tmp_path)
    answer: Any = route.handler(session, route.params_class.model_validate(given))
    sent = answer.model_dump(mode="json")
    for document in (printed, sent):
        for key in ("collection", "time"):
            document.get("provenance", {}).pop(key, None)
    assert printed == {key: sent[key] for key in printed}
    assert sent.keys() - printed.keys() <= {"snapshot", "names", "pictures"}


def test_a_number_in_disguise_is_noticed() -> None:
    document = {"value": "218", "rows": [{"share": "12 %", "title": "1984"}], "links": "1,024"}
    assert list(disguised(document)) == ["value: '218'", "share: '12 %'", "links: '1,024'"]
