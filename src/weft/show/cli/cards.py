"""The register of methods on a terminal."""

from textwrap import indent

import pyarrow as pa
import typer

import weft.communities  # registers its methods, as the others do
import weft.rank
import weft.structure
import weft.suggest
import weft.topics  # noqa: F401
from weft.core.errors import UnknownName
from weft.core.methods import METHODS, Method, reference
from weft.core.notes import notes
from weft.show.cli.output import Format, write_rows


def show_methods(chosen: Format | None) -> None:
    """Every method in a line."""
    rows = [
        {"kind": m.kind, "method": m.name, "summary": m.summary, "cites": m.cites}
        for _, m in sorted(METHODS.items())
    ]
    write_rows(pa.Table.from_pylist(rows), chosen)


def show_card(name: str) -> None:
    """What a method is, its formula, cost and pitfalls, its options, and whom it is due to."""
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
    told = notes(method.kind, method.name)
    for title, part in (
        ("Formula", told.formula),
        ("Cost", told.cost),
        ("When it fails", told.fails),
    ):
        typer.echo(f"{title}\n\n{indent(part, '  ')}\n")
    typer.echo("Options\n")
    for option, field in method.schema.model_fields.items():
        usual = "" if field.default in ([], "") else f" (default {field.default})"
        typer.echo(f"  {spelled(method, option)}  {field.description}{usual}")
    typer.echo(f"\nSource\n\n  {reference(method.cites)}\n")
