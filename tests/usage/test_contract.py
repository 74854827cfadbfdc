"""What every usage method promises: cards, options, empty and tiny data, the same twice."""

from typing import Any

import pytest

import weft.usage  # noqa: F401  registers its methods
from weft.core.register import METHODS, Method, format_citation, method_notes
from weft.usage import ScentData, Usage

USAGE = [method for method in METHODS.values() if method.kind == "usage"]
every_method = pytest.mark.parametrize("method", USAGE, ids=lambda method: method.name)
SESSIONS: dict[str, list[list[str]]] = {
    "no session": [],
    "an empty session": [[]],
    "one view": [["a"]],
    "two sessions": [["a", "b", "a"], ["b", "c"]],
}
LINKS: dict[str, list[tuple[str, ...]]] = {
    "no session": [],
    "an empty session": [("a", "a")],
    "one view": [("a", "b")],
    "two sessions": [("a", "b", "big cats"), ("b", "c"), ("c", "a", "")],
}


def data_for(method: Method, case: str) -> Any:
    return LINKS[case] if method.input_type is ScentData else SESSIONS[case]


def test_there_are_methods() -> None:
    names = {method.name for method in USAGE}
    assert names >= {"profiles", "arhp", "recommend", "index-pages", "scent", "need", "absorption"}


@every_method
@pytest.mark.parametrize("case", SESSIONS)
def test_small_data_give_a_result(method: Method, case: str) -> None:
    first, second = (method(data_for(method, case)) for _ in range(2))
    assert isinstance(first, Usage)
    assert isinstance(second, Usage)
    assert "\n" not in repr(first)
    assert first.to_document() == second.to_document()
    assert first.to_table() is first.tables[next(iter(first.tables))]
    if case == "no session":
        assert first.notes


@every_method
def test_every_method_has_its_card_and_citation(method: Method) -> None:
    notes = method_notes("usage", method.name)
    assert notes.formula
    assert notes.cost
    assert notes.limitations
    assert format_citation(method.cites)
    assert len(method.summary) <= 60
    for option, described in method.options_schema_model.model_fields.items():
        assert described.description, option
