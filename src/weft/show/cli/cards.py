"""The register of methods on a terminal."""

from textwrap import indent
from typing import Any

import pyarrow as pa
import typer

import weft.communities  # registers its methods, as the others do
import weft.rank
import weft.structure
import weft.suggest
import weft.topics  # noqa: F401
from weft.core.dimensions import TITLES, VALUES, Dimension
from weft.core.errors import UnknownName
from weft.core.methods import METHODS, Method, reference
from weft.core.notes import notes
from weft.show.cli.output import Format, write_rows


def show_methods(form: Format, by: Dimension | None = None) -> None:
    """Every method in a line; by a dimension, in a line for each of its values there.

    A table to read has that dimension alone, rows for programs have all.
    """
    every = [method for _, method in sorted(METHODS.items())]
    if by is None:
        rows = [_line(method, form) for method in every]
    else:
        rows = [
            {by: value, **_line(method, form)}
            for value in VALUES[by]
            for method in every
            if value in method.dimensions.along(by)
        ]
    table = pa.Table.from_pylist(rows)
    write_rows(table.drop_columns("cites") if by and form is Format.table else table, form)


def _line(method: Method, form: Format) -> dict[str, Any]:
    line = {"kind": method.kind, "method": method.name, "summary": method.summary}
    own = {} if form is Format.table else method.dimensions.row()
    if form is Format.csv:
        own["applications"] = ", ".join(own["applications"])
    return {**line, "cites": method.cites, **own}


def show_card(name: str) -> None:
    """What a method is and how it is classified, its formula, cost and pitfalls, its options."""
    found = [m for m in METHODS.values() if m.name == name]
    if not found:
        raise UnknownName(
            "method", name, [m.name for m in METHODS.values()], hint="see `weft methods`"
        )
    for method in found:
        _show(method)


def spelled(method: Method, option: str) -> str:
    """An option of a method as its command takes it."""
    name = option.replace("_", "-")
    return f"--{name}" if method.kind == "rank" else f"--option {name}=..."


def _show(method: Method) -> None:
    typer.echo(f"{method.kind} {method.name}\n\n{method.words}\n")
    for dimension, title in TITLES.items():
        typer.echo(f"{title + ':':<17}{', '.join(method.dimensions.along(dimension))}")
    typer.echo()
    told = notes(method.kind, method.name)
    for title, part in (
        ("Formula", told.formula),
        ("Cost", told.cost),
        ("When it fails", told.fails),
        ("Where it differs from the paper", told.differs),
    ):
        if part:
            typer.echo(f"{title}\n\n{indent(part, '  ')}\n")
    typer.echo("Options\n")
    for option, field in method.schema.model_fields.items():
        usual = "" if field.default in ([], "") else f" (default {field.default})"
        typer.echo(f"  {spelled(method, option)}  {field.description}{usual}")
    typer.echo(f"\nSource\n\n  {reference(method.cites)}\n")
