"""`weft structure [METHOD] COLLECTION`: describe the shape of the link graph."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weft.cli.fact_sheets import check_report_path, print_fact_sheet, write_report
from weft.cli.kinds import (
    CollectionOrEdges,
    Kind,
    SparkOption,
    StagingOption,
    Top,
    check_method,
    edge_table,
    reject_conflicting_options,
    require_master,
    run_on_spark,
)
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

if TYPE_CHECKING:
    from weft.graph.selection import Selection
    from weft.structure import Shape


def structure(
    method: str,
    options: dict[str, Any],
    folder: CollectionOrEdges,
    page: Annotated[
        str,
        typer.Option(
            metavar="URL", help="explain the region of a page in the bow-tie", show_default=False
        ),
    ] = "",
    table: Annotated[
        str, typer.Option(help="table to print; an unknown name lists all", show_default=False)
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
    spark: SparkOption = "",
    staging: StagingOption = "",
    *,
    selection: "Selection",
) -> None:
    """Describe the shape of the link graph.

    An overview, or one method: bow-tie, components, degrees, distances, and
    others. As a table: the facts and the first rows. As CSV or JSON lines: the
    whole table. As JSON: everything, with at most 10,000 rows of a table. Notes
    report what was sampled or left out. With --spark the links are an edge table in
    Parquet, with columns source and target.
    """
    from weft.report.structure import structure_report
    from weft.workspace.analyse import resolve_name
    from weft.workspace.workspace import Workspace

    reject_conflicting_options({"--page": page, "--table": table, "--out": out})
    if staging:
        require_master(spark)
    if spark:
        reject_conflicting_options({"--spark": spark, "--page": page, "--out": out})
        check_method("structure", method)
        with progress_bars(), edge_table(spark, staging, folder, selection) as edges:
            _print_shape(run_on_spark("structure", method, options, edges), table, top, format_)
        return
    check_report_path(out)
    workspace = Workspace(Path(folder))
    name = method or ("bow-tie" if page else "")
    if out and not name:
        with progress_bars():
            html = workspace.structure_report(selection)
        write_report(out, html)
        return
    with progress_bars():
        shape = workspace.structure(name, selection, **options)
    if out:
        write_report(out, structure_report(workspace.collection, [shape]))
    elif page:
        _print_page_region(
            shape, resolve_name(workspace.collection, selection.level, page), format_
        )
    else:
        _print_shape(shape, table, top, format_)
        return
    for note in shape.notes:
        print_note(escape_for_terminal(note))


def _print_shape(shape: "Shape", table: str, top: int, format_: Format) -> None:
    """Print the facts and tables of a shape, then its notes."""
    if format_ is Format.json:
        write_json(shape.to_document(table))
    elif format_ is Format.table:
        print_fact_sheet(shape, table, top, first="bow-tie" if shape.method == "overview" else "")
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
        "weft structure bow-tie links.parquet --spark local[4]",
    ),
)


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
