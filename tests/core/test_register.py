"""Methods: their dimensions, registration, options and notes."""

import re
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Annotated, Any

import pyarrow as pa
import pytest
from pydantic import Field

import weft.classify
import weft.communities
import weft.crawl
import weft.rank
import weft.similar
import weft.structure
import weft.topics
import weft.usage  # noqa: F401
from weft.core.errors import BadParameter, UnknownName
from weft.core.register import (
    DIMENSION_TITLES,
    DIMENSION_VALUES,
    METHODS,
    Dimension,
    Dimensions,
    Method,
    find_method,
    format_citation,
    inherit_options,
    method,
    method_notes,
    methods_of,
)
from weft.graph.selection import selection_model

HITS = Dimensions(
    model="hubs and authorities",
    metric="hub and authority scores",
    algorithm="HITS",
    scope="single page",
    applications=("web search",),
)
# Table 1 of the survey, except that Haveliwala's algorithm is PageRank, not HITS
SURVEYED: dict[tuple[str, str], dict[Dimension, set[str]]] = {
    ("rank", "pagerank"): {
        "model": {"Markov model"},
        "metric": {"PageRank"},
        "algorithm": {"PageRank"},
        "scope": {"single page"},
        "application": {"web search"},
    },
    ("rank", "hits"): {
        "model": {"hubs and authorities"},
        "metric": {"hub and authority scores"},
        "algorithm": {"HITS"},
        "scope": {"single page"},
        "application": {"web search", "topic distillation"},
    },
    ("rank", "bharat-henzinger"): {
        "model": {"hubs and authorities"},
        "metric": {"hub and authority scores"},
        "algorithm": {"HITS"},
        "scope": {"single page"},
        "application": {"topic distillation"},
    },
    ("rank", "reputation"): {
        "metric": {"page reputation"},
        "algorithm": {"PageRank"},
        "application": {"topic distillation", "page categorisation"},
    },
    ("rank", "salsa"): {
        "metric": {"hub and authority scores"},
        "algorithm": {"HITS"},
        "scope": {"single page"},
        "application": {"web search"},
    },
    ("communities", "agora"): {"scope": {"multiple pages"}, "application": {"web communities"}},
    ("communities", "friends"): {
        "metric": {"similarity"},
        "scope": {"multiple pages"},
        "data": {"links and content"},
        "application": {"web communities"},
    },
    ("communities", "flow"): {
        "model": {"maximal flow"},
        "metric": {"density of links"},
        "algorithm": {"maximal flow"},
        "scope": {"multiple pages"},
        "application": {"web communities", "web crawling"},
    },
    ("structure", "clicks"): {
        "model": {"Markov model"},
        "algorithm": {"best-first search"},
        "scope": {"multiple pages"},
        "application": {"web communities", "web search"},
    },
    ("rank", "phits"): {
        "model": {"probabilistic model"},
        "metric": {"likelihood"},
        "scope": {"multiple pages"},
        "application": {"web search", "page categorisation"},
    },
    ("topics", "dom-hits"): {
        "model": {"hubs and authorities"},
        "metric": {"hub and authority scores"},
        "algorithm": {"HITS"},
        "scope": {"multiple pages"},
        "application": {"topic distillation"},
    },
    ("rank", "topic-pagerank"): {
        "metric": {"PageRank"},
        "algorithm": {"PageRank"},
        "scope": {"multiple pages"},
        "application": {"topic distillation"},
    },
}


@pytest.mark.parametrize("method", METHODS.values(), ids=lambda m: f"{m.kind} {m.name}")
def test_every_method_has_every_dimension(method: Method) -> None:
    for dimension, known in DIMENSION_VALUES.items():
        values = method.dimensions.values_of(dimension)
        assert values
        assert set(values) <= set(known)
        assert len(set(values)) == len(values)


def test_every_term_is_used() -> None:
    assert set(DIMENSION_VALUES) == set(DIMENSION_TITLES)
    for dimension, known in DIMENSION_VALUES.items():
        used = {v for m in METHODS.values() for v in m.dimensions.values_of(dimension)}
        assert set(known) == used, dimension


@pytest.mark.parametrize(("kind", "name"), SURVEYED)
def test_methods_are_classified_as_in_the_survey(kind: str, name: str) -> None:
    own = METHODS[kind, name].dimensions
    for dimension, values in SURVEYED[kind, name].items():
        assert values <= set(own.values_of(dimension))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"model": "hubs and authoritys"}, "'hubs and authoritys' is no model; choose from single"),
        ({"scope": "galaxy"}, "'galaxy' is no scope; choose from single page, multiple pages"),
        ({"applications": ("web search", "astrology")}, "'astrology' is no application"),
        ({"applications": ()}, "'nothing' is no application"),
    ],
)
def test_an_unknown_term_is_an_error(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(HITS, **wrong)


INDEGREE = Dimensions(
    model="single node",
    metric="in-degree",
    algorithm="counting",
    scope="single page",
    applications=("web search",),
)
Depth = Annotated[int, Field(ge=1, description="how deep")]
More = Annotated[int, Field(description="how many more")]


class Count:
    """A result of one row."""

    def __init__(self, depth: int) -> None:
        self.depth = depth

    def to_table(self) -> pa.Table:
        """One row."""
        return pa.table({"depth": [self.depth]})


@pytest.fixture
def toy() -> Iterator[None]:
    @method("test", "toy", cites="kleinberg1999", dimensions=INDEGREE)
    def toy(data: str, *, depth: Depth = 2) -> Count:
        """Count."""
        return Count(depth + len(data))

    yield
    del METHODS["test", "toy"]


@pytest.mark.usefixtures("toy")
def test_options_come_from_the_signature() -> None:
    found = find_method("test", "toy")
    assert found.input_type is str
    assert found.options_schema_model.model_json_schema()["properties"]["depth"]["minimum"] == 1
    assert found("ab", depth=3).to_table().to_pydict() == {"depth": [5]}
    assert found("ab").to_table().to_pydict() == {"depth": [4]}


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize("wrong", [{"depth": 0}, {"depth": "deep"}, {"width": 1}])
def test_bad_options_are_errors_with_hints(wrong: dict[str, object]) -> None:
    with pytest.raises(BadParameter, match="toy: ") as caught:
        find_method("test", "toy")("ab", **wrong)
    [(option, value)] = wrong.items()
    hint = "known: depth" if option == "width" else "depth: how deep (at least 1)"
    assert caught.value.hint == hint
    assert (f"no option '{option}'" if option == "width" else repr(value)) in str(caught.value)


@pytest.mark.usefixtures("toy")
def test_options_are_given_by_name() -> None:
    with pytest.raises(BadParameter, match="by name only") as caught:
        find_method("test", "toy").run("ab", 3)
    assert caught.value.hint == "write depth=..."


@pytest.mark.usefixtures("toy")
def test_options_are_parsed_from_text() -> None:
    found = find_method("test", "toy")
    assert found.validate_options({"depth": "3"}, from_text=True) == {"depth": 3}
    with pytest.raises(BadParameter, match="not '3'"):
        found.validate_options({"depth": "3"})


@pytest.mark.usefixtures("toy")
def test_a_name_is_declared_once() -> None:
    with pytest.raises(ValueError, match="declared twice"):
        method("test", "toy", cites="kleinberg1999", dimensions=INDEGREE)(Count)


def test_an_unknown_name_gets_a_suggestion() -> None:
    import weft.rank  # noqa: F401, PLC0415

    with pytest.raises(UnknownName) as caught:
        find_method("rank", "indegre")
    assert "indegree" in caught.value.hint


def test_references() -> None:
    assert format_citation("kleinberg1999").startswith("Kleinberg")
    with pytest.raises(UnknownName):
        format_citation("nobody2000")


@pytest.mark.usefixtures("toy")
def test_options_are_inherited_with_their_defaults() -> None:
    @method("test", "borrower", cites="kleinberg1999", dimensions=INDEGREE)
    @inherit_options(find_method("test", "toy").run)
    def inheritor(data: str, /, *, more: More = 1, **options: int) -> Count:
        """Count one more."""
        return Count(options["depth"] + len(data) + more)

    try:
        found = find_method("test", "borrower")
        assert found.options_schema_model.model_fields["depth"].default == 2
        assert list(found.options) == ["depth", "more"]
        assert found("ab", depth=3).to_table().to_pydict() == {"depth": [6]}
        assert found("ab", more=5).to_table().to_pydict() == {"depth": [9]}
        with pytest.raises(BadParameter, match="depth"):
            found("ab", depth=0)
    finally:
        del METHODS["test", "borrower"]
    assert inheritor.__doc__ == "Count one more."


def test_notes_on_a_method() -> None:
    notes = method_notes("rank", "indegree")
    assert "share(v)" in notes.formula
    assert notes.cost.startswith("Without weights")
    assert notes.limitations.startswith("- ")


def test_missing_notes_are_an_error() -> None:
    with pytest.raises(UnknownName, match="no method is called 'indegre'") as error:
        method_notes("rank", "indegre")
    assert "indegree" in error.value.hint
    with pytest.raises(UnknownName):
        method_notes("cook", "indegree")


# Crawlers and classifiers are adapted to what a collection offers, which no option undoes, and of
# some papers on usage only the abstract is known.
WITHOUT_RULES_TO_RESTORE = ("classify", "crawl", "usage")
DEVIATING = [
    method
    for method in METHODS.values()
    if method_notes(method.kind, method.name).deviations
    and method.kind not in WITHOUT_RULES_TO_RESTORE
]


@pytest.mark.parametrize("method", DEVIATING, ids=lambda m: f"{m.kind} {m.name}")
def test_a_deviation_names_an_option_that_restores_the_rule(method: Method) -> None:
    """Every option in backticks exists and accepts the value given with it.

    A method that is in no paper has no rule to restore.
    """
    deviations = method_notes(method.kind, method.name).deviations
    assert deviations.startswith("- ")
    found = re.findall(r"`--([a-z-]+)(?: (\S+))?`", deviations)
    assert found or deviations.startswith("- No paper has this method.")
    for option, value in found:
        name = option.replace("-", "_")
        if name in method.options:
            method.options_schema_model(**{name: value})
        else:
            selection_model()(**{name: value})


@pytest.mark.parametrize(
    ("kind", "name", "subjects"),
    [
        ("rank", "hits", {"Portals", "Mirrors", "In-links"}),
        ("rank", "hits-vectors", {"Portals", "Mirrors", "In-links"}),
        ("rank", "salsa", {"Portals", "Mirrors", "In-links"}),
        ("rank", "bharat-henzinger", {"Portals", "Mirrors", "In-links", "Pruning"}),
        ("rank", "clever", {"Portals", "Mirrors", "In-links", "Growth", "Iterations"}),
        ("topics", "hits", {"Portals", "Mirrors", "In-links", "Tightly-knit topics"}),
        ("topics", "eigen", {"Portals", "Mirrors", "In-links", "Tightly-knit topics"}),
        ("topics", "tgm", {"Portals", "Mirrors", "In-links", "Tightly-knit topics", "Subsets"}),
        ("topics", "atd", {"Portals", "Mirrors", "In-links", "Tightly-knit topics"}),
        ("topics", "leiden-votes", {"Tightly-knit topics", "Off-topic pages"}),
        ("topics", "auto", {"The base set is evidence"}),
        ("communities", "trawling", {"Portals", "Mirrors"}),
    ],
)
def test_deviations_have_the_expected_subjects(kind: str, name: str, subjects: set[str]) -> None:
    lines = method_notes(kind, name).deviations.splitlines()
    assert subjects <= {re.split("[:,]", line.removeprefix("- "))[0] for line in lines}


@pytest.mark.parametrize("method", METHODS.values(), ids=lambda m: f"{m.kind} {m.name}")
def test_notes_name_only_options_that_exist(method: Method) -> None:
    known = {"level", *method.options, *selection_model().model_fields}
    for text in asdict(method_notes(method.kind, method.name)).values():
        for option in re.findall(r"--(?:no-)?([a-z-]+)", text):
            assert option.replace("-", "_") in known


def test_most_methods_have_no_deviations() -> None:
    assert method_notes("rank", "pagerank").deviations == ""


def test_shared_deviations_name_their_author() -> None:
    """The rules of Kleinberg's base set are on the cards of other papers too."""
    lines = method_notes("rank", "hits").deviations.splitlines()
    assert [line for line in lines if "Kleinberg" not in line] == []
    shared = {line for line in lines if not line.startswith("- Crowds")}
    for name in ("salsa", "clever", "bharat-henzinger", "max"):
        assert shared <= {*method_notes("rank", name).deviations.splitlines()}
    assert "4 to 8" not in method_notes("rank", "bharat-henzinger").deviations


def test_methods_are_listed_by_name_whatever_was_imported_first() -> None:
    registered = [name for kind, name in METHODS if kind == "rank"]
    assert registered != sorted(registered)
    assert list(methods_of("rank")) == sorted(registered)
