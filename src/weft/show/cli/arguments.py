"""Arguments and options that several verbs share."""

from collections.abc import Callable, Collection
from dataclasses import fields
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_origin, get_type_hints

import typer

from weft.core.errors import BadParameter
from weft.core.wording import listed, shortened
from weft.graph.options import BETWEEN, USUAL, BaseOptions, Between, Level

if TYPE_CHECKING:
    from dataclasses import Field

    from weft.core.methods import Method

Folder = Annotated[
    Path, typer.Argument(metavar="COLLECTION", help="the collection's folder", show_default=False)
]
Words = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="QUERY",
        help="in quotes, as for search; without one, the whole collection",
        show_default=False,
    ),
]
Top = Annotated[int, typer.Option("--top", "-n", min=1, max=10_000, help="how many rows")]
Since = Annotated[str, typer.Option(help="captured on or after this date, such as 2004-05")]
Until = Annotated[str, typer.Option(help="captured before this date")]


AtLevel = Annotated[Level, typer.Option("--level", help="what is ranked")]
Query = Annotated[
    str,
    typer.Option(
        "--query", help="only pages found by these words, and those around them", show_default=False
    ),
]
Without = Annotated[
    list[str] | None,
    typer.Option(
        "--without",
        metavar="PATTERN",
        help="a host with all below it, or URLs with * and ?, to leave out; may be repeated",
        show_default=False,
    ),
]
Across = Annotated[
    Between,
    typer.Option(
        "--between",
        help=f"{BETWEEN}; auto without a query: page",
    ),
]
Option = Annotated[
    list[str] | None,
    typer.Option(
        "--option", metavar="NAME=VALUE", help="an option of the method", show_default=False
    ),
]

Fresh = Annotated[
    bool, typer.Option("--fresh", help="find them anew, even if they were found before")
]


def only_one(asked: dict[str, object]) -> None:
    """Refuse options that each ask for another answer."""
    given = [option for option, value in asked.items() if value]
    if len(given) > 1:
        raise BadParameter(f"{listed(given)} ask for different answers", hint="give one of them")


def method_options(method: "Method", given: list[str]) -> dict[str, Any]:
    """Options of a method from `name=value`, as values of their types."""
    known, values = method.options, dict[str, Any]()
    for word in given:
        name, sign, value = word.partition("=")
        if not (name and sign):
            told = shortened(word, 200)
            raise BadParameter(f"{told!r} is no option", hint="write --option name=value")
        name = name.replace("-", "_")
        several = name in known and isinstance(known[name].default, list)
        values[name] = [*values.get(name, []), value] if several else value
    return method.checked(values, texts=True)


def with_base_options(
    usual: BaseOptions = USUAL, taken: Collection[str] = ()
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a verb the options of a base set, from their one declaration, as its last.

    A name that is taken, such as `seed` by a method, stays what it is.
    """
    kinds = get_type_hints(BaseOptions)
    made = [
        _base_option(told, kinds[told.name], getattr(usual, told.name))
        for told in fields(BaseOptions)
        if told.name not in taken
    ]

    def attach(verb: Callable[..., None]) -> Callable[..., None]:
        *others, _ = signature(verb).parameters.values()
        verb.__signature__ = Signature([*others, *made])  # type: ignore[attr-defined]
        return verb

    return attach


def _base_option(told: "Field[Any]", kind: Any, usual: Any) -> Parameter:
    limits, several = told.metadata, get_origin(kind) is tuple
    asked = typer.Option(
        help=limits["description"],
        min=limits.get("ge"),
        max=limits.get("le"),
        metavar="<str>" if several else None,
        show_default=not several and usual is not None,
    )
    own = Annotated[list[str], asked] if several else Annotated[kind, asked]
    default = [] if several else usual
    return Parameter(told.name, Parameter.KEYWORD_ONLY, default=default, annotation=own)


def base_of(given: dict[str, Any]) -> BaseOptions:
    """The options of a base set as a verb was given them."""
    lists = {name: tuple(value) for name, value in given.items() if isinstance(value, list)}
    return BaseOptions(**{**given, **lists})
