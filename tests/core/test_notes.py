"""Notes on methods come with the package."""

import re

import pytest

import weft.communities
import weft.rank
import weft.topics  # noqa: F401
from weft.core.errors import UnknownName
from weft.core.methods import METHODS, Method
from weft.core.notes import notes
from weft.graph.options import schema


def test_what_is_told_of_a_method() -> None:
    told = notes("rank", "indegree")
    assert "share(v)" in told.formula
    assert told.cost.startswith("Without weights")
    assert told.fails.startswith("- ")


def test_what_nobody_wrote_is_an_error() -> None:
    with pytest.raises(UnknownName, match="no method is called 'indegre'") as error:
        notes("rank", "indegre")
    assert "indegree" in error.value.hint
    with pytest.raises(UnknownName):
        notes("cook", "indegree")


DIFFERING = [method for method in METHODS.values() if notes(method.kind, method.name).differs]


@pytest.mark.parametrize("method", DIFFERING, ids=lambda m: f"{m.kind} {m.name}")
def test_a_difference_names_an_option_that_gives_the_rule(method: Method) -> None:
    """Every option between backticks exists, and takes the value that stands there."""
    differs = notes(method.kind, method.name).differs
    assert differs.startswith("- ")
    found = re.findall(r"`--(?:option )?([a-z-]+)(?:[ =](\S+))?`", differs)
    assert found
    for option, value in found:
        name = option.replace("-", "_")
        if name in method.options:
            method.schema(**{name: value})
        else:
            schema()(**{name: value})


@pytest.mark.parametrize(
    ("kind", "name", "subjects"),
    [
        ("rank", "hits", {"Portals", "Mirrors", "In-links"}),
        ("rank", "hits-vectors", {"Portals", "Mirrors", "In-links"}),
        ("rank", "salsa", {"Portals", "Mirrors", "In-links"}),
        ("rank", "bharat-henzinger", {"Portals", "Mirrors", "In-links", "Pruning"}),
        ("rank", "clever", {"Portals", "Mirrors", "In-links", "Growth", "Rounds"}),
        ("topics", "hits", {"Portals", "Mirrors", "In-links", "Tightly-knit topics"}),
        ("topics", "eigen", {"Portals", "Mirrors", "In-links", "Tightly-knit topics"}),
        ("topics", "tgm", {"Portals", "Mirrors", "In-links", "Tightly-knit topics", "Subsets"}),
        ("topics", "atd", {"Portals", "Mirrors", "In-links", "Tightly-knit topics"}),
        ("topics", "auto", {"Tightly-knit topics"}),
        ("communities", "trawling", {"Portals", "Mirrors"}),
    ],
)
def test_where_a_paper_has_another_rule_the_card_says_so(
    kind: str, name: str, subjects: set[str]
) -> None:
    lines = notes(kind, name).differs.splitlines()
    assert subjects <= {re.split("[:,]", line.removeprefix("- "))[0] for line in lines}


def test_most_methods_differ_in_nothing() -> None:
    assert notes("rank", "pagerank").differs == ""


def test_a_rule_bears_the_name_of_who_proposed_it() -> None:
    """The base sets of Kleinberg are on the cards of others too, whose papers are not meant."""
    lines = notes("rank", "hits").differs.splitlines()
    assert [line for line in lines if "Kleinberg" not in line] == []
    shared = {line for line in lines if not line.startswith("- Crowds")}
    for name in ("salsa", "clever", "bharat-henzinger", "max"):
        assert shared <= {*notes("rank", name).differs.splitlines()}
    assert "4 to 8" not in notes("rank", "bharat-henzinger").differs
