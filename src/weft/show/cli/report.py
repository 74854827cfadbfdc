"""The verb that writes topics down: `weft report COLLECTION "query"`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weft.core.wording import count
from weft.show.cli.arguments import Folder, Fresh, Option, Words, with_base_options
from weft.show.cli.discover import (
    AtLevel,
    Method,
    Most,
    TopPages,
    find_topics,
)
from weft.show.cli.output import examples, note, plain

if TYPE_CHECKING:
    from weft.run.workspace import Workspace
    from weft.topics import Topics

STANDARD = Path("-")


@examples(
    "weft report mine.weft jaguar",
    "weft report mine.weft jaguar --out jaguar.html --top 20 --topics 5",
    "weft report web.weft --level host -o - > hosts.html",
)
@with_base_options()
def report(
    folder: Folder,
    query: Words = None,
    method: Method = "auto",
    top: TopPages = 10,
    most: Most = 10,
    level: AtLevel = "page",
    option: Option = None,
    fresh: Fresh = False,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="the file to write; - for standard output")
    ] = Path("report.html"),
    **base: Any,
) -> None:
    """Write the topics of a query to one HTML page, to keep, print or send.

    The page holds everything: topics with their authorities and hubs, the
    links between them as pictures, what was left out and why, how it was done,
    and where it comes from. It has no script and loads nothing.
    """
    from weft.graph.formats import check_place
    from weft.run.workspace import Workspace

    if out != STANDARD:
        check_place(out)
    workspace = Workspace(folder)
    found = find_topics(workspace, query, method, level, option, base, fresh=fresh)
    write_report(workspace, found, out, top, most)


def write_report(
    workspace: "Workspace", found: "Topics", out: Path, top: int = 10, most: int = 10
) -> None:
    """Write the report on some topics to a file, and say so."""
    from weft.run.discover import why_none
    from weft.run.report import report as written

    page = written(workspace.collection, found, top=top, most=most).encode()
    if out == STANDARD:
        typer.echo(page, nl=False)
    else:
        out.write_bytes(page)
    told = count(min(len(found), most), "topic")
    if not found.topics:
        told = plain(" (".join(why_none(found))) + ")"
    note(told if out == STANDARD else f"{plain(out)}: {told}, {len(page) / 1e3:,.0f} kB")


VERBS = (report,)
