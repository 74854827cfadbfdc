"""`weft structure [METHOD] COLLECTION`: describe the shape of the link graph."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weft.cli.arguments import (
    Folder,
    Top,
    reject_conflicting_options,
)
from weft.cli.kinds import Kind
from weft.cli.output import (
    Format,
    FormatOption,
    escape_for_terminal,
    print_note,
    progress_bars,
    write_json,
    write_rows,
)
from weft.core.errors import BadParameter
from weft.core.text import pluralise

if TYPE_CHECKING:
    import pyarrow as pa

    from weft.graph.selection import Selection
    from weft.structure import Shape

BAR_WIDTH = 20
HTML_SUFFIXES = (".html", ".htm")


def structure(
    method: str,
    options: dict[str, Any],
    folder: Folder,
    page: Annotated[
        str,
        typer.Option(
            metavar="URL",
            help="explain the region of a page in the bow-tie",
            show_default=False,
        ),
    ] = "",
    table: Annotated[
        str,
        typer.Option(help="table to print; an unknown name lists all", show_default=False),
    ] = "",
    top: Top = 20,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="write an HTML report on all methods, or on the given one",
            show_default=False,
        ),
    ] = None,
    format_: FormatOption = Format.table,
    *,
    selection: "Selection",
) -> None:
    """Describe the shape of the link graph.

    An overview, or one method: bow-tie, components, degrees, distances, and
    others. As a table: the facts and the first rows. As CSV or JSON lines: the
    whole table. As JSON: everything, with at most 10,000 rows of a table. Notes
    report what was sampled or left out.
    """
    from weft.report.structure import structure_report
    from weft.workspace.analyse import resolve_name
    from weft.workspace.workspace import Workspace

    reject_conflicting_options({"--page": page, "--table": table, "--out": out})
    _check_report_path(out)
    workspace = Workspace(folder)
    name = method or ("bow-tie" if page else "")
    if out and not name:
        with progress_bars():
            html = workspace.structure_report(selection)
        _write_report(out, html)
        return
    with progress_bars():
        shape = workspace.structure(name, selection, **options)
    if out:
        _write_report(out, structure_report(workspace.collection, [shape]))
    elif page:
        _print_page_region(
            shape, resolve_name(workspace.collection, selection.level, page), format_
        )
    elif format_ is Format.json:
        write_json(shape.to_document(table))
    elif format_ is Format.table:
        _print_shape(shape, table, top)
    else:
        write_rows(shape.to_table(table), format_)
    for note in shape.notes:
        print_note(escape_for_terminal(note))


KIND = Kind(
    "structure",
    "Describe the shape of the link graph.",
    structure,
    (
        "weft structure mine.weft",
        "weft structure mine.weft --level host",
        "weft structure mine.weft --format json",
        "weft structure mine.weft --out structure.html",
    ),
)


def _check_report_path(file: Path | None) -> None:
    """Reject a report file that does not end in .html, or whose folder does not exist."""
    if file is None:
        return
    from weft.graph.formats import check_output_path

    if file.suffix.lower() not in HTML_SUFFIXES:
        hint = "reports are HTML; print rows with --format csv"
        raise BadParameter(f"{file.name} does not end in .html", hint=hint)
    check_output_path(file)


def _write_report(file: Path, html: str) -> None:
    """Write a report to a file, and print its size."""
    file.write_text(html, "utf-8")
    print_note(f"{escape_for_terminal(file)}: {len(html.encode()) / 1e3:,.0f} kB")


def _print_page_region(shape: "Shape", page: str, format_: Format) -> None:
    """Print the bow-tie region of a page and a path that proves it, or one JSON document."""
    from weft.structure.bowtie import REGIONS, BowTie

    if not isinstance(shape, BowTie):
        raise BadParameter(f"{shape.method} has no regions", hint="use the method bow-tie")
    if format_ is Format.csv:
        raise BadParameter("the region of a page is not a table", hint="use --format json or table")
    place = shape.explain(page)
    if format_ is not Format.table:
        write_json(asdict(place), format_)
        return
    typer.echo(f"{escape_for_terminal(place.page)}: {place.region}, {REGIONS[place.region]}")
    for number, step in enumerate(place.path):
        arrow = "" if not number else "— " if place.undirected else "→ "
        typer.echo(f"  {arrow}{escape_for_terminal(step)}")


def _print_shape(shape: "Shape", table: str, top: int) -> None:
    """Print the facts, unless --table is given, and the first rows of a table with bars."""
    from weft.structure.shape import format_fact

    is_overview = not table and shape.method == "overview"
    shown = "bow-tie" if is_overview else table or next(iter(shape.tables))
    if not table:
        width = max(map(len, shape.facts), default=0)
        for name, value in shape.facts.items():
            typer.echo(
                f"{escape_for_terminal(name):<{width}}  {escape_for_terminal(format_fact(value))}"
            )
    rows = shape.to_table(shown)
    write_rows(_add_share_bars(rows.slice(0, top)), Format.table)
    if len(rows) > top:
        print_note(f"{pluralise(len(rows) - top, 'more row')} (--top, or --format csv for all)")
    others = [name for name in shape.tables if name not in (shown, "facts")]
    if others and not table:
        print_note(f"more tables (--table): {', '.join(others)}")


def _add_share_bars(rows: "pa.Table") -> "pa.Table":
    """Append a column of bars if the table has a column `share`."""
    import pyarrow as pa

    if "share" not in rows.column_names:
        return rows
    bars = [
        "█" * round(BAR_WIDTH * share) or "▏" * (share > 0) for share in rows["share"].to_pylist()
    ]
    return rows.append_column("", pa.array(bars, pa.string()))
