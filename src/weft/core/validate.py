"""Check options against their declared types: one set of rules for every interface."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, wraps
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Annotated, Any, Literal, ParamSpec, TypeVar, get_args, get_origin

from weft.core.errors import BadParameter, close_to
from weft.core.wording import shortened

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic_core import ErrorDetails

P = ParamSpec("P")
R = TypeVar("R")
Fields = Mapping[str, tuple[Any, Any]]
LARGEST = 2**53
LONGEST = 200
LIMITS = {"gt": "above", "ge": "at least", "lt": "below", "le": "at most"}


def options_model(name: str, fields: Fields) -> "type[BaseModel]":
    """A pydantic model of options, each with its type and default.

    Numbers are finite, whole numbers fit a float, and nothing else is accepted.
    """
    from pydantic import create_model  # noqa: PLC0415  what checks no options needs none

    made: dict[str, Any] = {
        option: (_ended(kind), usual) for option, (kind, usual) in fields.items()
    }
    rules: Any = {"extra": "forbid", "allow_inf_nan": False, "arbitrary_types_allowed": True}
    return create_model(name, __config__=rules, **made)


def _ended(kind: Any) -> Any:
    """The type of an option; a whole number without an upper limit gets one."""
    from pydantic import Field  # noqa: PLC0415
    from pydantic.fields import FieldInfo  # noqa: PLC0415

    field = FieldInfo.from_annotation(kind)
    known = any(hasattr(limit, side) for limit in field.metadata for side in ("le", "lt"))
    return kind if field.annotation is not int or known else Annotated[kind, Field(le=LARGEST)]


def check_options(
    owner: str, model: "type[BaseModel]", given: Mapping[str, Any], *, texts: bool = False
) -> dict[str, Any]:
    """Every option of a model, as given or by default, or an error that names the wrong one.

    Types are strict: a string is no number and a bool no integer. NumPy's
    scalars and arrays count as Python's, an integer as a float, and any
    iterable of values as a list. With `texts`, as on a command line, numbers
    are read from strings.
    """
    from pydantic import ValidationError  # noqa: PLC0415

    fields = model.model_fields
    plain = {
        name: _plain(value, fields[name].annotation) if name in fields else value
        for name, value in given.items()
    }
    try:
        return dict(model.model_validate(plain, strict=not texts))
    except ValidationError as error:
        raise _refusal(owner, model, error.errors(include_url=False)[0]) from None


def _plain(value: Any, kind: Any) -> Any:
    """NumPy's values as Python's, and for a list or a tuple whatever holds several values."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    holder = get_origin(kind)
    if holder not in (list, tuple) or isinstance(value, str | bytes | Mapping):
        return value
    return holder(_plain(one, None) for one in value) if isinstance(value, Iterable) else value


def _refusal(owner: str, model: "type[BaseModel]", wrong: "ErrorDetails") -> BadParameter:
    """The error for an option: its value, what it may be, and what may have been meant."""
    name, known = str(wrong["loc"][0]), list(model.model_fields)
    every = f"its options: {', '.join(known)}" if known else "it has no options"
    if wrong["type"] == "extra_forbidden":
        told = shortened(name, LONGEST)
        cure = f"{close_to(name, known)}{every}"
        return BadParameter(f"{owner}: there is no option {told!r}", hint=cure)
    field, value = model.model_fields[name], wrong["input"]
    near = close_to(str(value), map(str, get_args(field.annotation)))
    means = f"{name}: {field.description}{_range(field.metadata)}" if field.description else every
    place = name + "".join(f"[{at}]" for at in wrong["loc"][1:])
    what = wrong["msg"].removeprefix("Input ")
    told = shortened(repr(value), LONGEST)
    return BadParameter(f"{owner}: {place} {what}, not {told}", hint=f"{near}{means}")


def _range(limits: Iterable[Any]) -> str:
    """The limits of a number in words."""
    told = [
        f"{words} {getattr(limit, side)}"
        for limit in limits
        for side, words in LIMITS.items()
        if getattr(limit, side, LARGEST) != LARGEST
    ]
    return f" ({', '.join(told)})" if told else ""


def validated(function: Callable[P, R]) -> Callable[P, R]:
    """Check the arguments of a function by their annotations each time it is called.

    For functions that are no registered methods. Options that it passes on, as
    `**options`, are checked by the method that they are for.
    """
    form = signature(function)
    named = {n: one for n, one in form.parameters.items() if n != "self"}
    passes_on = any(one.kind is Parameter.VAR_KEYWORD for one in named.values())
    fields = {n: _field(one) for n, one in named.items() if one.kind is not Parameter.VAR_KEYWORD}

    @cache
    def model() -> "type[BaseModel]":
        checkable = {n: (_checkable(kind), usual) for n, (kind, usual) in fields.items()}
        return options_model(function.__name__, checkable)

    @wraps(function)
    def run(*words: P.args, **options: P.kwargs) -> R:
        unknown = {} if passes_on else {n: v for n, v in options.items() if n not in fields}
        bound = form.bind(*words, **{n: v for n, v in options.items() if n not in unknown})
        given = {n: v for n, v in bound.arguments.items() if n in fields}
        if not unknown and all(_plainly(v, fields[n][0]) for n, v in given.items()):
            return function(*bound.args, **bound.kwargs)
        checked = check_options(function.__name__, model(), given | unknown)
        bound.arguments.update({n: checked[n] for n in given})
        return function(*bound.args, **bound.kwargs)

    return run


def _field(one: Parameter) -> tuple[Any, Any]:
    """The type and the default of a parameter."""
    if one.kind is Parameter.VAR_POSITIONAL:
        return list[one.annotation], []  # type: ignore[name-defined]
    return one.annotation, ... if one.default is Parameter.empty else one.default


def _plainly(value: Any, kind: Any) -> bool:
    """Whether a value is right at a glance, which spares loading pydantic."""
    if get_origin(kind) is Literal:
        return isinstance(value, str) and value in get_args(kind)
    return kind in (str, int, bool) and type(value) is kind


def _checkable(kind: Any) -> Any:
    """A type that pydantic checks at once: any iterable as a list, a class by its instances."""
    if get_origin(kind) in (Iterable, Sequence):
        return list[_checkable(get_args(kind)[0])]  # type: ignore[misc]
    own = isinstance(kind, type) and kind not in (str, int, float, bool, Any)
    return Annotated[kind, Instance()] if own else kind


class Instance:
    """A class of ours, of which pydantic is to know no more than its instances."""

    def __get_pydantic_core_schema__(self, kind: Any, _handler: Any) -> Any:
        """Is it an instance."""
        from pydantic_core.core_schema import is_instance_schema  # noqa: PLC0415

        return is_instance_schema(kind)
