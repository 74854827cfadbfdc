"""Verbs that look into a collection: search, links, export, methods."""

from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Annotated

import typer

from weft.core.dimensions import Dimension
from weft.core.errors import BadParameter
from weft.core.wording import count
from weft.graph.options import Direction, Level, What
from weft.show.cli.arguments import Folder, Since, Top, Until
from weft.show.cli.output import (
    Chosen,
    Format,
    examples,
    note,
    plain,
    progress,
    write_rows,
)

if TYPE_CHECKING:
    from weft.store.collection import Hits


@examples(
    "weft search mine.weft jaguar",
    "weft search mine.weft '\"e-type\" OR xk120 -atari site:example.com' -n 50",
    "weft search mine.weft jaguar --since 2003 --until 2005 -f csv",
)
def search(
    folder: Folder,
    query: Annotated[
        list[str],
        typer.Argument(
            metavar="QUERY",
            help='in quotes: words, "phrases", begin*, AND OR NOT -, site: lang:',
            show_default=False,
        ),
    ],
    top: Top = 10,
    since: Since = "",
    until: Until = "",
    snippets: Annotated[bool, typer.Option(help="show where the words stand")] = True,
    format_: Chosen = Format.table,
) -> None:
    """Find pages by their words, and by the words of links to them."""
    from weft.run.workspace import Workspace

    words, workspace = " ".join(query), Workspace(folder)
    hits = workspace.search(words, top, since=since, until=until, snippets=snippets)
    show_hits(hits, format_)


def show_hits(hits: "Hits", format_: Format) -> None:
    """Print what was found: as a list to read, or as rows."""
    if not hits.total:
        note(f"no page is found by {plain(hits.query)} (try fewer or other words)")
    if format_ is not Format.table:
        write_rows(hits.to_table(), format_)
        return
    if not hits.total:
        return
    typer.echo(f"{count(hits.total, 'page')} for {plain(hits.query)}")
    snippets = hits.marked or [None] * len(hits)
    for row, snippet in zip(hits.to_table().to_pylist(), snippets, strict=True):
        typer.echo(
            f"\n{row['score']:7.2f}  {typer.style(plain(row['title'] or row['url']), bold=True)}"
        )
        typer.echo(f"         {plain(row['url'])}")
        if snippet is not None and snippet.text:
            typer.echo(_hanging(_highlighted(snippet.text, snippet.marks)))


def _hanging(words: str) -> str:
    """A snippet in lines of readable length under its title."""
    return fill(
        words, 100, initial_indent=" " * 9, subsequent_indent=" " * 9, break_long_words=False
    )


def _highlighted(text: str, marks: tuple[tuple[int, int], ...]) -> str:
    parts, at = [], 0
    for start, end in marks:
        parts += [
            plain(text[at:start]),
            typer.style(plain(text[start:end]), bold=True, fg="yellow"),
        ]
        at = end
    return "".join([*parts, plain(text[at:])])


@examples(
    "weft links mine.weft example.com/",
    "weft links mine.weft example.com/ --direction in -n 100 -f csv",
)
def links(
    folder: Folder,
    url: Annotated[
        str, typer.Argument(metavar="URL", help="a page of the collection", show_default=False)
    ],
    direction: Annotated[
        Direction, typer.Option(help="into the page, out of it, or both")
    ] = "both",
    top: Top = 50,
    format_: Chosen = Format.table,
) -> None:
    """Show the links of a page, both ways, with their anchors."""
    from weft.run.workspace import Workspace

    table = Workspace(folder).links(url, direction)
    if format_ is Format.table:
        _list_links(table.slice(0, top).to_pylist())
    else:
        write_rows(table.slice(0, top), format_)
    if len(table) > top:
        note(f"{len(table) - top:,} more (--top)")
    if not len(table):
        note("no links")


def _list_links(rows: list[dict[str, str]]) -> None:
    """Links as people read them: which way, what the link says, the other end."""
    for row in rows:
        arrow = {"in": "from", "out": "to"}[row["direction"]]
        said = typer.style(plain(row["anchor"])[:60], bold=True)
        known = "" if row["kind"] == "fetched" else f"  ({row['kind']})"
        typer.echo(
            f"{arrow:>4}  {plain(row['url'])}{known}" + (f"\n      {said}" if row["anchor"] else "")
        )


@examples(
    "weft export mine.weft edges.csv",
    "weft export mine.weft hosts.gexf --level host",
    "weft export mine.weft pages.parquet --what pages",
)
def export(
    folder: Folder,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="its ending says the format: .csv .tsv .parquet .jsonl .gexf .graphml",
            show_default=False,
        ),
    ],
    what: Annotated[What, typer.Option(help="the links, as edges, or the pages")] = "edges",
    level: Annotated[Level, typer.Option(help="what a node is")] = "page",
    since: Since = "",
    until: Until = "",
) -> None:
    """Write the links, as source, target and weight, or the pages to a file."""
    from weft.run.workspace import Workspace

    with progress():
        workspace = Workspace(folder)
        written = workspace.export(file, what, level, since=since, until=until)
    note(f"{count(written, what.removesuffix('s'))} written to {file}")


@examples("weft methods", "weft methods indegree", "weft methods --by application")
def methods(
    name: Annotated[str, typer.Argument(metavar="METHOD", help="one method, for its card")] = "",
    by: Annotated[
        Dimension | None,
        typer.Option(help="group the methods by a dimension, or by what they are for"),
    ] = None,
    format_: Chosen = Format.table,
) -> None:
    """List the methods, or show the card of one."""
    from weft.show.cli.cards import show_card, show_methods

    if name and by:
        raise BadParameter(f"--by groups all methods, not {name} alone", hint="give one of them")
    if not name:
        show_methods(format_, by)
    elif format_ is Format.table:
        show_card(name)
    else:
        raise BadParameter("a card is text", hint=f"leave out --format {format_}")


VERBS = (search, links, export, methods)
