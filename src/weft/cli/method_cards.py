"""`weft methods`: the table of registered methods, and the card of one."""

from textwrap import indent
from typing import Any

import pyarrow as pa
import typer

import weft.classify  # registers its methods, as the others do
import weft.communities
import weft.crawl
import weft.rank
import weft.similar
import weft.structure
import weft.topics
import weft.usage  # noqa: F401
from weft.cli.output import Format, write_rows
from weft.core.errors import UnknownName
from weft.core.register import (
    DIMENSION_TITLES,
    DIMENSION_VALUES,
    METHODS,
    Dimension,
    Method,
    format_citation,
    method_notes,
)


def print_methods(format_: Format, by: Dimension | None = None) -> None:
    """Print a row per method or, by a dimension, per value and method.

    A table to read has only that dimension; rows for programs have all.
    """
    methods = [method for _, method in sorted(METHODS.items())]
    if by is None:
        rows = [_method_row(method, format_) for method in methods]
    else:
        rows = [
            {by: value, **_method_row(method, format_)}
            for value in DIMENSION_VALUES[by]
            for method in methods
            if value in method.dimensions.values_of(by)
        ]
    table = pa.Table.from_pylist(rows)
    write_rows(table.drop_columns("cites") if by and format_ is Format.table else table, format_)


def _method_row(method: Method, format_: Format) -> dict[str, Any]:
    row = {"kind": method.kind, "method": method.name, "summary": method.summary}
    dimensions = {} if format_ is Format.table else method.dimensions.to_dict()
    if format_ is Format.csv:
        dimensions["applications"] = ", ".join(dimensions["applications"])
    return {**row, "cites": method.cites, **dimensions}


def print_method_card(name: str) -> None:
    """Print description, dimensions, formula, cost, limits, options and source of a method."""
    methods = [m for _, m in sorted(METHODS.items()) if m.name == name]
    methods.sort(key=lambda method: method.kind != "rank")  # of one name, the ranking is best known
    if not methods:
        raise UnknownName("method", name, sorted({m.name for m in METHODS.values()}))
    for method in methods:
        _print_card(method)


def option_syntax(option: str) -> str:
    """An option of a method as written on the command line."""
    return f"--{option.replace('_', '-')}"


def _print_card(method: Method) -> None:
    typer.echo(f"{method.kind} {method.name}\n\n{method.description}\n")
    for dimension, title in DIMENSION_TITLES.items():
        typer.echo(f"{title + ':':<17}{', '.join(method.dimensions.values_of(dimension))}")
    typer.echo()
    notes = method_notes(method.kind, method.name)
    for title, part in (
        ("Formula", notes.formula),
        ("Cost", notes.cost),
        ("When it fails", notes.limitations),
        ("Where it differs from the paper", notes.deviations),
    ):
        if part:
            typer.echo(f"{title}\n\n{indent(part, '  ')}\n")
    typer.echo("Options\n")
    for option, field in method.options_schema_model.model_fields.items():
        default = "" if field.default in ([], "") else f" (default {field.default})"
        typer.echo(f"  {option_syntax(option)}  {field.description}{default}")
    typer.echo(f"\nSource\n\n  {format_citation(method.cites)}\n")
