"""`weft report COLLECTION [QUERY]`: topics as an HTML page."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli.completion import complete_method
from weft.cli.fact_sheets import check_report_path
from weft.cli.kinds import (
    Folder,
    FreshOption,
    MethodOptions,
    QueryArgument,
    UncapturedOption,
    join_query,
    parse_method_options,
    reject_words_of_method,
    with_selection,
)
from weft.cli.output import escape_for_terminal, print_note, progress_bars, with_examples
from weft.cli.topics import MaxTopics, TopPages
from weft.core.text import pluralise
from weft.graph.selection import Selection

if TYPE_CHECKING:
    from weft.groups import Groups
    from weft.workspace.workspace import Workspace

STDOUT = Path("-")


@with_examples(
    "weft report mine.weft jaguar",
    "weft report mine.weft jaguar --out jaguar.html --top 20 --topics 5",
    "weft report web.weft --level host -o - > hosts.html",
)
@with_selection()
def report(
    folder: Folder,
    query: QueryArgument = None,
    method: Annotated[
        str,
        typer.Option(help="topic method; see `weft methods`", autocompletion=complete_method),
    ] = "auto",
    top: TopPages = 10,
    shown: MaxTopics = 10,
    option: MethodOptions = None,
    uncaptured: UncapturedOption = "drop",
    fresh: FreshOption = False,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="the file to write; - for standard output")
    ] = Path("report.html"),
    *,
    selection: Selection,
) -> None:
    """Write the topics of a query to an HTML page.

    The page contains the topics with their authorities and hubs, drawings of
    the links between them, what was left out and why, the method and its
    sources. It runs no scripts and loads no other files.
    """
    from weft.workspace.analyse import find_registered
    from weft.workspace.workspace import Workspace

    if out != STDOUT:
        check_report_path(out)
    registered = find_registered("topics", method)
    options = parse_method_options(registered, option or [])
    reject_words_of_method(registered, selection)
    workspace = Workspace(folder)
    with progress_bars():
        result = workspace.topics(
            join_query(query), method, selection, uncaptured=uncaptured, cache=not fresh, **options
        )
    write_report(workspace, result, out, top, shown)


def write_report(
    workspace: "Workspace", result: "Groups", out: Path, top: int = 10, max_topics: int = 10
) -> None:
    """Write a report on topics to a file or standard output, and print its size."""
    from weft.groups.groups import explain_no_groups
    from weft.report import topics_report

    page = topics_report(workspace.collection, result, top=top, max_topics=max_topics).encode()
    if out == STDOUT:
        typer.echo(page, nl=False)
    else:
        out.write_bytes(page)
    summary = pluralise(min(len(result), max_topics), "topic")
    if not result.groups:
        summary = escape_for_terminal(" (".join(explain_no_groups(result))) + ")"
    print_note(
        summary
        if out == STDOUT
        else f"{escape_for_terminal(out)}: {summary}, {len(page) / 1e3:,.0f} kB"
    )


COMMANDS = (report,)
