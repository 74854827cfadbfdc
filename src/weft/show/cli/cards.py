"""The register of methods on a terminal."""

import inspect

import pyarrow as pa
import typer

import weft.rank  # noqa: F401  registers its methods
from weft.core.errors import UnknownName
from weft.core.methods import METHODS, reference
from weft.show.cli.output import Format, write_rows


def show_methods(chosen: Format | None) -> None:
    """Every method in a line."""
    rows = [
        {"kind": m.kind, "method": m.name, "summary": m.summary, "cites": m.cites}
        for m in METHODS.values()
    ]
    write_rows(pa.Table.from_pylist(rows), chosen)


def show_card(name: str) -> None:
    """What a method is, its options, and whom it is due to."""
    found = [m for m in METHODS.values() if m.name == name]
    if not found:
        raise UnknownName(
            "method", name, [m.name for m in METHODS.values()], hint="see `weft methods`"
        )
    for method in found:
        words = inspect.cleandoc(method.run.__doc__ or "").partition("\n\nExamples\n")[0]
        typer.echo(f"{method.kind} {method.name}\n\n{words}\n")
        for option, field in method.schema.model_fields.items():
            typer.echo(
                f"  --{option.replace('_', '-')}  {field.description} (default {field.default})"
            )
        typer.echo(f"\n  {reference(method.cites)}\n")
