"""Validate options against their annotations: the same rules for every interface."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, wraps
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Annotated, Any, Literal, ParamSpec, TypeVar, get_args, get_origin

from weft.core.errors import BadParameter, did_you_mean, list_known_names
from weft.core.text import shorten

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic_core import ErrorDetails

P = ParamSpec("P")
R = TypeVar("R")
FieldDefinitions = Mapping[str, tuple[Any, Any]]
MAX_SAFE_INTEGER = 2**53
MAX_VALUE_CHARS = 200
LIMIT_PHRASES = {"gt": "above", "ge": "at least", "lt": "below", "le": "at most"}


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
