"""The register of methods: how they are classified, registered, looked up and described."""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache, cached_property, wraps
from importlib import import_module
from importlib.resources import files
from inspect import Parameter, cleandoc, signature
from typing import TYPE_CHECKING, Any, Concatenate, Literal, ParamSpec, Protocol, TypeVar, get_args

from weft.core.errors import BadParameter, UnknownName
from weft.core.validation import check_options, options_model

if TYPE_CHECKING:
    import pyarrow as pa
    from pydantic import BaseModel

P = ParamSpec("P")
R = TypeVar("R", bound="Result")

# The dimensions and their terms follow the survey of Desikan, Srivastava, Kumar and Tan (2002).

KnowledgeModel = Literal[
    "single node",
    "hubs and authorities",
    "direct and indirect reference",
    "co-citation and co-reference",
    "bipartite core",
    "community",
    "whole graph",
    "Markov model",
    "maximal flow",
    "probabilistic model",
    "vector space",
]
Metric = Literal[
    "in-degree",
    "hub and authority scores",
    "PageRank",
    "page reputation",
    "distance between pages",
    "bibliometric measures",
    "similarity",
    "term weights",
    "density of links",
    "likelihood",
    "whole-graph properties",
]
Algorithm = Literal[
    "counting",
    "HITS",
    "PageRank",
    "eigenvectors",
    "graph traversal",
    "best-first search",
    "maximal flow",
    "expectation-maximisation",
    "sampling",
    "clustering",
    "enumeration",
    "keyword propagation",
    "cosine similarity",
    "rank fusion",
    "distribution fitting",
]
AnalysisScope = Literal["single page", "multiple pages", "whole web"]
Application = Literal[
    "web search",
    "topic distillation",
    "page categorisation",
    "web communities",
    "web crawling",
    "personalisation",
    "page recommendation",
    "link prediction",
    "adaptive web sites",
    "modelling the web graph",
]
InputData = Literal["links", "links and content", "links and document structure", "content"]
Dimension = Literal["model", "metric", "algorithm", "scope", "data", "application"]

DIMENSION_VALUES: dict[Dimension, tuple[str, ...]] = {
    "model": get_args(KnowledgeModel),
    "metric": get_args(Metric),
    "algorithm": get_args(Algorithm),
    "scope": get_args(AnalysisScope),
    "data": get_args(InputData),
    "application": get_args(Application),
}
DIMENSION_TITLES: dict[Dimension, str] = {
    "model": "Knowledge model",
    "metric": "Metric",
    "algorithm": "Algorithm",
    "scope": "Analysis scope",
    "data": "Data",
    "application": "Application",
}


@dataclass(frozen=True, slots=True)
class Dimensions:
    """How a method is classified: model, metric, algorithm, scope, applications and data."""

    model: KnowledgeModel
    metric: Metric
    algorithm: Algorithm
    scope: AnalysisScope
    applications: tuple[Application, ...]
    data: InputData = "links"

    def __post_init__(self) -> None:
        for dimension, known in DIMENSION_VALUES.items():
            values = self.values_of(dimension)
            unknown = [value for value in values if value not in known]
            if unknown or not values:
                wrong = unknown[0] if unknown else "nothing"
                raise ValueError(f"{wrong!r} is no {dimension}; choose from {', '.join(known)}")

    def values_of(self, dimension: Dimension) -> tuple[str, ...]:
        """The values in one dimension: a single one, or one or more applications."""
        return self.applications if dimension == "application" else (getattr(self, dimension),)

    def to_dict(self) -> dict[str, Any]:
        """All dimensions by name."""
        return {**asdict(self), "applications": list(self.applications)}


class Result(Protocol):
    """What every method returns: it has a one-line repr and turns into a table."""

    def to_table(self) -> "pa.Table":
        """One row per item, best first."""


@dataclass(frozen=True)
class Method:
    """A registered method: its function, citation and classification."""

    name: str
    kind: str
    run: Callable[..., Result]
    cites: str
    dimensions: Dimensions

    @property
    def summary(self) -> str:
        """The first line of the docstring."""
        return (self.run.__doc__ or "").partition("\n")[0]

    @property
    def description(self) -> str:
        """The docstring without its examples."""
        return cleandoc(self.run.__doc__ or "").partition("\n\nExamples\n")[0]

    @property
    def input_type(self) -> type:
        """The type of the first parameter: what to load for this method."""
        annotation: type = next(iter(signature(self.run).parameters.values())).annotation
        return annotation

    @cached_property
    def options(self) -> dict[str, Parameter]:
        """The keyword-only parameters: the options of command, API and library alike."""
        return {option.name: option for option in _keyword_only_params(self.run)}

    @cached_property
    def options_schema_model(self) -> "type[BaseModel]":
        """A pydantic model of the options, for validation and JSON schema."""
        fields = {n: (p.annotation, p.default) for n, p in self.options.items()}
        return options_model(self.name, fields)

    def validate_options(
        self, options: Mapping[str, object], *, from_text: bool = False
    ) -> dict[str, Any]:
        """Validate the given options; with `from_text`, parse them from a command line."""
        checked = check_options(self.name, self.options_schema_model, options, from_text=from_text)
        return {name: checked[name] for name in options}

    def __call__(self, data: object, **options: object) -> Result:
        """Validate the options and run the method."""
        return self.run(data, **options)


METHODS: dict[tuple[str, str], Method] = {}
PACKAGES = {"suggest": "similar"}  # kinds whose methods are in a package of another name


def method(
    kind: str, name: str, *, cites: str, dimensions: Dimensions
) -> Callable[[Callable[Concatenate[Any, P], R]], Callable[Concatenate[Any, P], R]]:
    """Register a function as a method.

    The function is wrapped: it accepts anything that its input type can be
    made from, such as a NetworkX graph for a `WebGraph`, and its options are
    validated against their annotations on every call. The result records the
    options used and the level of the graph: page, host or domain.
    """

    def register(
        function: Callable[Concatenate[Any, P], R],
    ) -> Callable[Concatenate[Any, P], R]:
        if (kind, name) in METHODS:
            raise ValueError(f"{kind} {name} is declared twice")

        @wraps(function)
        def run(data: Any, /, *args: P.args, **options: P.kwargs) -> R:
            if args:
                hint = f"write {next(iter(declared.options), 'option')}=..."
                raise BadParameter(f"{name} takes its options by name only", hint=hint)
            checked = check_options(name, declared.options_schema_model, options)
            converted = input_type.from_any(data) if hasattr(input_type, "from_any") else data
            result: R = function(converted, **checked)  # type: ignore[call-arg]
            if "options" not in getattr(result, "__dataclass_fields__", ()):
                return result
            provenance = {"level": converted.level}
            return replace(result, options=checked, provenance=provenance)  # type: ignore[type-var]

        declared = METHODS[kind, name] = Method(name, kind, run, cites, dimensions)
        input_type: Any = declared.input_type
        return run

    return register


def inherit_options(parent: Callable[..., Any]) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Give a method that builds on another the options of that one, with their defaults.

    Its own options come after them. The function is called with all of them,
    given or not.
    """
    inherited = _keyword_only_params(parent)
    defaults = {option.name: option.default for option in inherited}

    def decorate(function: Callable[..., R]) -> Callable[..., R]:
        own = signature(function)
        first = next(iter(own.parameters.values()))

        @wraps(function)
        def run(data: Any, /, **given: Any) -> R:
            return function(data, **{**defaults, **given})

        merged = own.replace(parameters=[first, *inherited, *_keyword_only_params(function)])
        run.__signature__ = merged  # type: ignore[attr-defined]
        return run

    return decorate


def _keyword_only_params(function: Callable[..., Any]) -> list[Parameter]:
    parameters = signature(function).parameters.values()
    return [p for p in parameters if p.kind is Parameter.KEYWORD_ONLY]


def import_methods(kind: str) -> None:
    """Import the package that registers the methods of a kind."""
    import_module(f"weft.{PACKAGES.get(kind, kind)}")


def find_method(kind: str, name: str) -> Method:
    """Look up a method by kind and name."""
    if (kind, name) not in METHODS:
        raise UnknownName("method", name, sorted(n for k, n in METHODS if k == kind))
    return METHODS[kind, name]


@dataclass(frozen=True, slots=True)
class MethodNotes:
    """The formula of a method, its cost, its limitations, and deviations from the paper.

    Each deviation names the option that restores the rule of the paper. It is
    empty where none is known.
    """

    formula: str
    cost: str
    limitations: str
    deviations: str = ""


def method_notes(kind: str, name: str) -> MethodNotes:
    """The notes on a method.

    Examples
    --------
    >>> method_notes("rank", "indegree").cost.splitlines()[-1]
    'Memory: one or two numbers per page; with weights, one page number per link as well.'
    """
    notes = _load_methods_file()
    known = notes.get(kind, {})
    if name not in known:
        raise UnknownName("method", name, sorted(known))
    card = known[name]
    shared = "".join(notes["base sets"][rules] for rules in card.get("base set", "").split())
    formula, cost, limitations, deviations = (
        text.strip("\n").rstrip()
        for text in (
            card["formula"],
            card["cost"],
            card["limitations"],
            f"{shared}{card.get('deviations', '')}",
        )
    )
    return MethodNotes(formula, cost, limitations, deviations)


@cache
def _load_methods_file() -> dict[str, dict[str, Any]]:
    return tomllib.loads((files("weft.core") / "methods.toml").read_text("utf-8"))


def format_citation(key: str) -> str:
    """A citation in plain text, from the works that methods cite."""
    works = _load_methods_file()["references"]
    if key not in works:
        raise UnknownName("reference", key, works)
    work = works[key]
    venue = work.get("journal") or work.get("booktitle") or work.get("school") or ""
    return f"{work['author']} ({work['year']}). {work['title']}. {venue}".strip()
