"""The register of methods: how they are declared, validated, looked up, described, and run.

Which backend they run on is the choice of the caller, kept here.
"""

import tomllib
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import asdict, dataclass, replace
from functools import cache, cached_property, wraps
from importlib import import_module
from importlib.resources import files
from inspect import Parameter, cleandoc, signature
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Concatenate,
    Literal,
    ParamSpec,
    Protocol,
    TypeVar,
    cast,
    get_args,
    get_origin,
)

from weft.core.errors import BadParameter, UnknownName, did_you_mean, list_known_names
from weft.core.text import shorten

if TYPE_CHECKING:
    import pyarrow as pa
    from pydantic import BaseModel
    from pydantic_core import ErrorDetails


GPU_BACKENDS = frozenset({"cupy"})
chosen_backend: ContextVar[str] = ContextVar("backend", default="")


@contextmanager
def keep_off_gpu(method: str) -> Iterator[None]:
    """Run a method that has no GPU form on the CPU, and warn of it, if a GPU was chosen."""
    if chosen_backend.get() not in GPU_BACKENDS:
        yield
        return
    warnings.warn(f"{method} has no GPU form: it runs on the CPU", stacklevel=4)
    token = chosen_backend.set("")
    try:
        yield
    finally:
        chosen_backend.reset(token)


P = ParamSpec("P")
R = TypeVar("R")
FieldDefinitions = Mapping[str, tuple[Any, Any]]
MAX_SAFE_INTEGER = 2**53
MAX_VALUE_CHARS = 200
LIMIT_PHRASES = {"gt": "above", "ge": "at least", "lt": "below", "le": "at most"}
T = TypeVar("T", bound="Result")

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
    "transition probabilities",
    "information scent",
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
    "supervised learning",
    "sequence mining",
    "spreading activation",
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
InputData = Literal[
    "links",
    "links and content",
    "links and document structure",
    "content",
    "usage",
    "links and usage",
    "links, content and usage",
]
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
PACKAGES = {"suggest": "similar"}  # kinds whose methods are in a package of another name


def options_model(name: str, fields: FieldDefinitions) -> "type[BaseModel]":
    """Make a pydantic model of options, each with its type and default.

    Numbers must be finite, integers exact as floats, and unknown options are
    refused.
    """
    from pydantic import create_model  # noqa: PLC0415  loaded only where options are checked

    bounded: dict[str, Any] = {
        option: (_bound_integer(annotation), default)
        for option, (annotation, default) in fields.items()
    }
    config: Any = {"extra": "forbid", "allow_inf_nan": False, "arbitrary_types_allowed": True}
    return create_model(name, __config__=config, **bounded)


def _bound_integer(annotation: Any) -> Any:
    """Give an integer type without an upper bound the largest integer that a float holds."""
    from pydantic import Field  # noqa: PLC0415
    from pydantic.fields import FieldInfo  # noqa: PLC0415

    field = FieldInfo.from_annotation(annotation)
    bounded = any(hasattr(limit, side) for limit in field.metadata for side in ("le", "lt"))
    return (
        annotation
        if field.annotation is not int or bounded
        else Annotated[annotation, Field(le=MAX_SAFE_INTEGER)]
    )


def check_options(
    owner: str, model: "type[BaseModel]", given: Mapping[str, Any], *, from_text: bool = False
) -> dict[str, Any]:
    """Validate options: all of a model, with defaults, or an error that names the first bad one.

    Types are strict: a string is not a number, and a bool not an integer.
    NumPy scalars and arrays count as Python values, an integer as a float, and
    any iterable as a list. With `from_text`, as on a command line, numbers are
    parsed from strings.
    """
    from pydantic import ValidationError  # noqa: PLC0415

    fields = model.model_fields
    plain = {
        name: _to_python_value(value, fields[name].annotation) if name in fields else value
        for name, value in given.items()
    }
    try:
        return dict(model.model_validate(plain, strict=not from_text))
    except ValidationError as error:
        raise _option_error(owner, model, error.errors(include_url=False)[0]) from None


def _to_python_value(value: Any, annotation: Any) -> Any:
    """Convert NumPy values to Python, and any iterable where a list or tuple is expected."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    holder = get_origin(annotation)
    if holder not in (list, tuple) or isinstance(value, str | bytes | Mapping):
        return value
    return (
        holder(_to_python_value(item, None) for item in value)
        if isinstance(value, Iterable)
        else value
    )


def _option_error(owner: str, model: "type[BaseModel]", detail: "ErrorDetails") -> BadParameter:
    """The error for a bad option: its value, what is allowed, and the most similar name."""
    name, known = str(detail["loc"][0]), list(model.model_fields)
    if detail["type"] == "extra_forbidden":
        message = f"{owner}: there is no option {shorten(name, MAX_VALUE_CHARS)!r}"
        hint = did_you_mean(name, known) + (list_known_names(name, known) or "it has no options")
        return BadParameter(message, hint=hint)
    field, value = model.model_fields[name], detail["input"]
    hint = did_you_mean(str(value), map(str, get_args(field.annotation)))
    if field.description:
        hint += f"{name}: {field.description}{_describe_range(field.metadata)}"
    position = name + "".join(f"[{index}]" for index in detail["loc"][1:])
    problem = detail["msg"].removeprefix("Input ")
    got = shorten(repr(value), MAX_VALUE_CHARS)
    return BadParameter(f"{owner}: {position} {problem}, not {got}", hint=hint.strip())


def _describe_range(constraints: Iterable[Any]) -> str:
    """The bounds of a number in words."""
    bounds = [
        f"{words} {getattr(limit, side)}"
        for limit in constraints
        for side, words in LIMIT_PHRASES.items()
        if getattr(limit, side, MAX_SAFE_INTEGER) != MAX_SAFE_INTEGER
    ]
    return f" ({', '.join(bounds)})" if bounds else ""


def validate_call(function: Callable[P, R]) -> Callable[P, R]:
    """Validate the arguments of a function against its annotations on every call.

    For functions that are not registered methods. Options that it passes on,
    as `**options`, are checked by the method that receives them.
    """
    declared = signature(function)
    parameters = {n: p for n, p in declared.parameters.items() if n != "self"}
    passes_on = any(p.kind is Parameter.VAR_KEYWORD for p in parameters.values())
    fields = {
        n: _field_definition(p)
        for n, p in parameters.items()
        if p.kind is not Parameter.VAR_KEYWORD
    }

    @cache
    def arguments_model() -> "type[BaseModel]":
        checked = {
            n: (_pydantic_annotation(kind), default) for n, (kind, default) in fields.items()
        }
        return options_model(function.__name__, checked)

    @wraps(function)
    def run(*args: P.args, **options: P.kwargs) -> R:
        unknown = {} if passes_on else {n: v for n, v in options.items() if n not in fields}
        bound = declared.bind(*args, **{n: v for n, v in options.items() if n not in unknown})
        given = {n: v for n, v in bound.arguments.items() if n in fields}
        if not unknown and all(_is_trivially_valid(v, fields[n][0]) for n, v in given.items()):
            return function(*bound.args, **bound.kwargs)
        checked = check_options(function.__name__, arguments_model(), given | unknown)
        bound.arguments.update({n: checked[n] for n in given})
        return function(*bound.args, **bound.kwargs)

    return run


def _field_definition(parameter: Parameter) -> tuple[Any, Any]:
    """The type and default of a parameter, as pydantic wants them."""
    if parameter.kind is Parameter.VAR_POSITIONAL:
        return list[parameter.annotation], []  # type: ignore[name-defined]
    return parameter.annotation, ... if parameter.default is Parameter.empty else parameter.default


def _is_trivially_valid(value: Any, annotation: Any) -> bool:
    """Whether a value is obviously valid, so that pydantic need not be loaded."""
    if get_origin(annotation) is Literal:
        return isinstance(value, str) and value in get_args(annotation)
    return annotation in (str, int, bool) and type(value) is annotation


def _pydantic_annotation(annotation: Any) -> Any:
    """A type that pydantic can check: iterables as lists, our classes by isinstance."""
    if get_origin(annotation) in (Iterable, Sequence):
        return list[_pydantic_annotation(get_args(annotation)[0])]  # type: ignore[misc]
    is_class = isinstance(annotation, type) and annotation not in (str, int, float, bool, Any)
    return Annotated[annotation, InstanceCheck()] if is_class else annotation


class InstanceCheck:
    """Marks a class that pydantic checks by isinstance alone."""

    def __get_pydantic_core_schema__(self, kind: Any, _handler: Any) -> Any:
        """Accept instances of the class."""
        from pydantic_core.core_schema import is_instance_schema  # noqa: PLC0415

        return is_instance_schema(kind)


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
    """A registered method: its function, citation and classification.

    `spark` names the implementation on Apache Spark, if there is one, as "module:function",
    and `on_gpu` says that a GPU can run it.
    """

    name: str
    kind: str
    run: Callable[..., Result]
    cites: str
    dimensions: Dimensions
    spark: str = ""
    on_gpu: bool = False

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

    def require_spark(self) -> None:
        """Refuse a method that has no implementation on Spark."""
        if not self.spark:
            able = [known.name for known in methods_of(self.kind).values() if known.spark]
            hint = f"on Spark run {', '.join(able)}" if able else "run it on one machine"
            raise BadParameter(f"{self.name} does not run on Spark", hint=hint)

    def run_on_spark(self, edges: object, options: Mapping[str, Any]) -> Result:
        """Run the implementation on Spark, which is imported here, with checked options."""
        self.require_spark()
        module, _, function = self.spark.partition(":")
        result: Result = getattr(import_module(module), function)(edges, **options)
        return result

    def __call__(self, data: object, **options: object) -> Result:
        """Validate the options and run the method."""
        return self.run(data, **options)


METHODS: dict[tuple[str, str], Method] = {}


def method(
    kind: str,
    name: str,
    *,
    cites: str,
    dimensions: Dimensions,
    spark: str = "",
    on_gpu: bool = False,
) -> Callable[[Callable[Concatenate[Any, P], T]], Callable[Concatenate[Any, P], T]]:
    """Register a function as a method.

    The function is wrapped: it accepts anything that its input type can be
    made from, such as a NetworkX graph for a `WebGraph`, and its options are
    validated against their annotations on every call. The result records the
    options used, and the level of a graph: page, host or domain. `on_gpu` says
    that it takes vectors from its link operator and brings them back; others
    run on the CPU whatever backend was chosen.
    """

    def register(function: Callable[Concatenate[Any, P], T]) -> Callable[Concatenate[Any, P], T]:
        if (kind, name) in METHODS:
            raise ValueError(f"{kind} {name} is declared twice")

        @wraps(function)
        def run(data: Any, /, *args: P.args, **options: P.kwargs) -> T:
            if args:
                hint = f"write {next(iter(declared.options), 'option')}=..."
                raise BadParameter(f"{name} takes its options by name only", hint=hint)
            checked = check_options(name, declared.options_schema_model, options)
            if getattr(data, "runs_on_spark", False):
                on_spark: Any = declared.run_on_spark(data, checked)
                return cast(T, replace(on_spark, options=checked))
            converted = input_type.from_any(data) if hasattr(input_type, "from_any") else data
            with nullcontext() if on_gpu else keep_off_gpu(name):
                result: T = function(converted, **checked)  # type: ignore[call-arg]
            if "options" not in getattr(result, "__dataclass_fields__", ()):
                return result
            provenance = {"level": converted.level} if hasattr(converted, "level") else {}
            return replace(result, options=checked, provenance=provenance)  # type: ignore[type-var]

        declared = METHODS[kind, name] = Method(name, kind, run, cites, dimensions, spark, on_gpu)
        input_type: Any = declared.input_type
        return run

    return register


def inherit_options(parent: Callable[..., Any]) -> Callable[[Callable[..., T]], Callable[..., T]]:
    """Give a method that builds on another the options of that one, with their defaults.

    Its own options come after them. The function is called with all of them,
    given or not.
    """
    inherited = _keyword_only_params(parent)
    defaults = {option.name: option.default for option in inherited}

    def decorate(function: Callable[..., T]) -> Callable[..., T]:
        own = signature(function)
        first = next(iter(own.parameters.values()))

        @wraps(function)
        def run(data: Any, /, **given: Any) -> T:
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


def methods_of(kind: str) -> dict[str, Method]:
    """The registered methods of a kind in the order of their names, however they were imported."""
    return {name: known for (k, name), known in sorted(METHODS.items()) if k == kind}


def find_method(kind: str, name: str) -> Method:
    """Look up a method by kind and name."""
    if (kind, name) not in METHODS:
        raise UnknownName("method", name, methods_of(kind))
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
