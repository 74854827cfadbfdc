"""Every method is classified, in terms that are declared once."""

from dataclasses import replace
from typing import Any

import pytest

import weft.communities
import weft.rank
import weft.structure
import weft.suggest
import weft.topics  # noqa: F401
from weft.core.dimensions import TITLES, VALUES, Dimension, Dimensions
from weft.core.methods import METHODS, Method

HITS = Dimensions(
    model="hubs and authorities",
    metric="hub and authority scores",
    algorithm="HITS",
    scope="single page",
    applications=("web search",),
)
# the survey's Table 1; of Haveliwala the algorithm is PageRank, which the table gives as HITS
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
    for dimension, known in VALUES.items():
        values = method.dimensions.along(dimension)
        assert values
        assert set(values) <= set(known)
        assert len(set(values)) == len(values)


def test_no_term_is_without_a_method() -> None:
    assert set(VALUES) == set(TITLES)
    for dimension, known in VALUES.items():
        used = {v for m in METHODS.values() for v in m.dimensions.along(dimension)}
        assert set(known) == used, dimension


@pytest.mark.parametrize(("kind", "name"), SURVEYED)
def test_methods_stand_where_the_survey_puts_them(kind: str, name: str) -> None:
    own = METHODS[kind, name].dimensions
    for dimension, values in SURVEYED[kind, name].items():
        assert values <= set(own.along(dimension))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"model": "hubs and authoritys"}, "'hubs and authoritys' is no model; choose from single"),
        ({"scope": "galaxy"}, "'galaxy' is no scope; choose from single page, multiple pages"),
        ({"applications": ("web search", "astrology")}, "'astrology' is no application"),
        ({"applications": ()}, "'nothing' is no application"),
    ],
)
def test_a_wrong_term_fails_where_the_method_is_declared(
    wrong: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        replace(HITS, **wrong)
