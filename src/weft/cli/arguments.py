"""Arguments and options that several commands share."""

from collections.abc import Callable, Set
from dataclasses import fields, replace
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_origin, get_type_hints

import typer

from weft.core.errors import BadParameter
from weft.core.text import join_with_and, shorten
from weft.graph.selection import DEFAULT_SELECTION, UNCAPTURED_HELP, DropOrKeep, Selection

if TYPE_CHECKING:
    from dataclasses import Field

    from weft.core.register import Method

Folder = Annotated[
    Path, typer.Argument(metavar="COLLECTION", help="the collection's folder", show_default=False)
]
QueryArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="QUERY",
        help="search query in quotes; default: the whole collection",
        show_default=False,
    ),
]
Top = Annotated[int, typer.Option("--top", "-n", min=1, max=10_000, help="number of rows")]
Since = Annotated[str, typer.Option(help="captured on or after this date, such as 2004-05")]
Until = Annotated[str, typer.Option(help="captured before this date")]
MethodOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--option", metavar="NAME=VALUE", help="an option of the method", show_default=False
    ),
]

UncapturedOption = Annotated[DropOrKeep, typer.Option("--uncaptured", help=UNCAPTURED_HELP)]
FreshOption = Annotated[
    bool, typer.Option("--fresh", help="compute again, ignoring cached results")
]


def reject_conflicting_options(values: dict[str, object]) -> None:
    """Reject options that exclude each other."""
    given = [option for option, value in values.items() if value]
    if len(given) > 1:
        raise BadParameter(f"{join_with_and(given)} cannot be combined", hint="use one of them")


def parse_method_options(method: "Method", assignments: list[str]) -> dict[str, Any]:
    """Parse and validate the `name=value` assignments of --option."""
    known, values = method.options, dict[str, Any]()
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not (name and equals):
            raise BadParameter(
                f"{shorten(assignment, 200)!r} is not an option", hint="write --option name=value"
            )
        name = name.replace("-", "_")
        is_list = name in known and isinstance(known[name].default, list)
        values[name] = [*values.get(name, []), value] if is_list else value
    return method.validate_options(values, from_text=True)


def reject_words_of_method(method: "Method", selection: Selection) -> None:
    """Refuse a word of the selection that the method has as an option of its own."""
    for word in selection.changed_words(DEFAULT_SELECTION):
        if word in method.options:
            raise BadParameter(
                f"{method.name} has an option {word} of its own", hint=f"--option {word}=…"
            )


def with_selection(
    default: Selection = DEFAULT_SELECTION,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Replace the last parameter of a command, `selection`, by the words of a selection."""

    def attach(command: Callable[..., None]) -> Callable[..., None]:
        *others, _ = signature(command).parameters.values()
        words = selection_parameters({parameter.name for parameter in others}, default)

        @wraps(command)
        def run(**values: Any) -> None:
            given = {word.name: values.pop(word.name) for word in words}
            command(**values, selection=to_selection(given, default))

        run.__signature__ = Signature([*others, *words])  # type: ignore[attr-defined]
        run.__annotations__ = {}
        return run

    return attach


def selection_parameters(
    taken: Set[str], default: Selection = DEFAULT_SELECTION
) -> list[Parameter]:
    """The words of a selection, except those taken, as parameters that typer reads."""
    kinds = get_type_hints(Selection)
    return [
        _selection_parameter(field, kinds[field.name], getattr(default, field.name))
        for field in fields(Selection)
        if field.name not in taken
    ]


def _selection_parameter(field: "Field[Any]", kind: Any, default_value: Any) -> Parameter:
    metadata, is_list = field.metadata, get_origin(kind) is tuple
    option = typer.Option(
        help=metadata["description"],
        min=metadata.get("ge"),
        max=metadata.get("le"),
        metavar="<str>" if is_list else None,
        show_default=not is_list and default_value not in (None, ""),
    )
    annotation = Annotated[list[str], option] if is_list else Annotated[kind, option]
    default = [] if is_list else default_value
    return Parameter(field.name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def to_selection(values: dict[str, Any], default: Selection = DEFAULT_SELECTION) -> Selection:
    """The selection that typer parsed."""
    lists = {name: tuple(value) for name, value in values.items() if isinstance(value, list)}
    return replace(default, **{**values, **lists})


def join_query(words: list[str] | None) -> str:
    """Join the words of a query; reject a query of whitespace only."""
    query = " ".join(words or [])
    if words and not query.strip():
        raise BadParameter(
            "the query is empty", hint="give some words, or omit it for the whole collection"
        )
    return query
