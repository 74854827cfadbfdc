"""`weft usage [METHOD] COLLECTION [URL…]`: what visitors do, from access logs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weft.cli.fact_sheets import check_report_path, print_fact_sheet, write_report
from weft.cli.kinds import Folder, Kind, Top, reject_conflicting_options
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
    from weft.core.register import Method

Urls = Annotated[
    list[str] | None,
    typer.Argument(metavar="[URL]…", help="a page, or the pages viewed so far", show_default=False),
]
TableOption = Annotated[
    str, typer.Option(help="table to print; an unknown name lists all", show_default=False)
]
OutOption = Annotated[
    Path | None,
    typer.Option("--out", "-o", help="write an HTML report on all of it", show_default=False),
]


def usage(
    method: str,
    options: dict[str, Any],
    folder: Folder,
    urls: Urls = None,
    table: TableOption = "",
    top: Top = 20,
    out: OutOption = None,
    format_: FormatOption = Format.table,
) -> None:
    """Show what visitors do, from access logs.

    An overview, or one method: sessions, paths, the next page, profiles,
    recommendations, proposed index pages, information scent. Logs are added
    with `weft add`. As a table: facts and the first rows. As CSV or JSON lines:
    the whole table. As JSON: everything, with at most 10,000 rows of a table.
    """
    from weft.core.register import find_method
    from weft.workspace.workspace import Workspace

    reject_conflicting_options({"--table": table, "--out": out})
    check_report_path(out)
    workspace = Workspace(folder)
    given = options | place_urls(find_method("usage", method), urls or [])
    if out:
        if method != KIND.default_method() or urls:
            raise BadParameter("a report is on all methods", hint="omit the method and the pages")
        with progress_bars():
            html = workspace.usage_report()
        write_report(out, html)
        return
    with progress_bars():
        found = workspace.usage(method, **given)
    if format_ is Format.json:
        write_json(found.to_document(table))
    elif format_ is Format.table:
        print_fact_sheet(found, table, top)
    else:
        write_rows(found.to_table(table), format_)
    for note in found.notes:
        print_note(escape_for_terminal(note))


def place_urls(method: "Method", urls: list[str]) -> dict[str, Any]:
    """The option that the URLs after a collection are for: a path, or a page."""
    if "path" in method.options:
        return {"path": urls} if urls else {}
    if "page" in method.options and len(urls) <= 1:
        return {"page": urls[0]} if urls else {}
    if urls:
        takes = "one URL" if "page" in method.options else "no URL"
        raise BadParameter(
            f"{method.name} takes {takes}", hint=f"`weft usage {method.name} --help`"
        )
    return {}


KIND = Kind(
    "usage",
    "Show what visitors do, from access logs.",
    usage,
    (
        "weft usage site.weft",
        "weft usage site.weft --table 'dead ends'",
        "weft usage site.weft --out usage.html",
    ),
    usage="COLLECTION [URL]… [OPTIONS]",
    arguments=frozenset({"page", "path"}),
)
