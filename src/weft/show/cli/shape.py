"""The verb that describes the whole graph: `weft structure COLLECTION bow-tie`."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weft.core.errors import BadParameter
from weft.graph.options import Level
from weft.show.cli.arguments import (
    Across,
    Folder,
    Option,
    Query,
    Top,
    Without,
    method_options,
    only_one,
)
from weft.show.cli.output import (
    Chosen,
    Format,
    examples,
    note,
    plain,
    progress,
    write_json,
    write_rows,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from weft.structure import Shape

BAR = 20
LONG = 10_000
PAGES = (".html", ".htm")


@examples(
    "weft structure mine.weft",
    "weft structure mine.weft bow-tie --level host",
    "weft structure mine.weft --page example.com/",
    "weft structure mine.weft bow-tie --option seen=keep --format json",
    "weft structure mine.weft bow-tie --table pages --format csv",
    "weft structure mine.weft components --table largest",
    "weft structure mine.weft reciprocity --level domain",
    "weft structure mine.weft --out structure.html",
)
def structure(
    folder: Folder,
    part: Annotated[
        str,
        typer.Argument(
            metavar="PART",
            help="bow-tie, components, degrees, …, as `weft methods` lists them; else an overview",
            show_default=False,
        ),
    ] = "",
    page: Annotated[
        str,
        typer.Option(
            metavar="URL",
            help="why this page, or host or domain with --level, is where it is in the bow-tie",
            show_default=False,
        ),
    ] = "",
    table: Annotated[
        str,
        typer.Option(help="which table to print; a wrong name says which", show_default=False),
    ] = "",
    top: Top = 20,
    level: Annotated[Level, typer.Option(help="what the graph is made of")] = "page",
    query: Query = "",
    without: Without = None,
    between: Across = "auto",
    option: Option = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="write all parts, or the one named, to an HTML page with pictures",
            show_default=False,
        ),
    ] = None,
    format_: Chosen = Format.table,
) -> None:
    """Describe the shape of the whole graph: an overview, or one part of it.

    As a table the facts, and the first rows of one; as CSV or JSON lines the whole
    table; as JSON everything but tables of more than 10,000 rows, which
    --table prints. What was sampled, or left out, is said beside it.
    """
    import weft.structure  # noqa: F401  registers its methods
    from weft.core.methods import find
    from weft.run.names import named
    from weft.run.report.structure import structure_report
    from weft.run.workspace import Workspace

    only_one({"--page": page, "--table": table, "--out": out})
    _check(out)
    workspace = Workspace(folder)
    name = part or ("bow-tie" if page else "")
    if option and not name:
        raise BadParameter("an overview has no options", hint="name the part that has them")
    if out and not name:
        with progress():
            written = workspace.structure_report(
                level=level, query=query, without=without or (), between=between
            )
        _write_report(out, written)
        return
    with progress():
        found = workspace.structure(
            name,
            level=level,
            query=query,
            without=without or (),
            between=between,
            **(method_options(find("structure", name), option) if option else {}),
        )
    if out:
        _write_report(out, structure_report(workspace.collection, [found]))
    elif page:
        _show_page(found, named(workspace.collection, level, page), format_)
    elif format_ is Format.json:
        write_json(_document(found, table))
    elif format_ is Format.table:
        _show(found, table, top)
    else:
        write_rows(found.to_table(table), format_)
    for words in found.notes:
        note(plain(words))


def _check(file: Path | None) -> None:
    """Refuse a file whose ending promises what a report is not, or that has no place."""
    if file is None:
        return
    from weft.graph.formats import check_place

    if file.suffix.lower() not in PAGES:
        cure = "end it in .html, or print rows with --format csv"
        raise BadParameter(f"{file.name} is to be an HTML page", hint=cure)
    check_place(file)


def _write_report(file: Path, page: str) -> None:
    """Write a report to a file, and say so."""
    file.write_text(page, "utf-8")
    note(f"{plain(file)}: {len(page.encode()) / 1e3:,.0f} kB")


def _show_page(found: "Shape", page: str, form: Format) -> None:
    """A page's place with the path that shows it, a step on each line, or as one document."""
    from weft.structure.bowtie import REGIONS, BowTie

    if not isinstance(found, BowTie):
        raise BadParameter(f"{found.method} has no place for a page", hint="the bow-tie has")
    if form is Format.csv:
        raise BadParameter("a page's place is no table", hint="use --format json, or table")
    place = found.why(page)
    if form is not Format.table:
        write_json(asdict(place), form)
        return
    typer.echo(f"{plain(place.page)}: {place.region}, {REGIONS[place.region]}")
    for number, step in enumerate(place.path):
        sign = "" if not number else "— " if place.both_ways else "→ "
        typer.echo(f"  {sign}{plain(step)}")


def _show(found: "Shape", table: str, top: int) -> None:
    """The facts, unless a table is asked for, and the first rows of a table with bars."""
    from weft.structure.shape import said

    overall = not table and found.method == "overview"
    shown = "bow-tie" if overall else table or next(iter(found.tables))
    if not table:
        width = max(map(len, found.facts), default=0)
        for name, value in found.facts.items():
            typer.echo(f"{plain(name):<{width}}  {plain(said(value))}")
    rows = found.to_table(shown)
    write_rows(_with_bars(rows.slice(0, top)), Format.table)
    if len(rows) > top:
        note(f"{len(rows) - top:,} more rows; --top shows more, --format csv all")
    others = [name for name in found.tables if name not in (shown, "facts")]
    if others and not table:
        note(f"more with --table: {', '.join(others)}")


def _with_bars(rows: "pa.Table") -> "pa.Table":
    """The same with a bar for each share, where there are shares."""
    import pyarrow as pa

    if "share" not in rows.column_names:
        return rows
    bars = ["█" * round(BAR * share) or "▏" * (share > 0) for share in rows["share"].to_pylist()]
    return rows.append_column("", pa.array(bars, pa.string()))


def _document(found: "Shape", table: str) -> dict[str, Any]:
    """All that is known, as one document."""
    chosen = {table: found.to_table(table)} if table else found.tables
    short = {name: rows for name, rows in chosen.items() if table or len(rows) <= LONG}
    return {
        "method": found.method,
        "facts": dict(found.facts),
        "tables": {name: rows.to_pylist() for name, rows in short.items()},
        "long tables": {name: len(rows) for name, rows in chosen.items() if name not in short},
        "notes": list(found.notes),
        "options": dict(found.options),
        "provenance": dict(found.provenance),
    }


VERBS = (structure,)
