"""Commands that look into a collection: search, links, export, methods."""

from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli.completion import complete_method, complete_page
from weft.cli.kinds import Folder, Since, Top, Until, with_selection
from weft.cli.output import (
    Format,
    FormatOption,
    escape_for_terminal,
    print_note,
    progress_bars,
    with_examples,
    write_json,
    write_rows,
)
from weft.core.errors import BadParameter
from weft.core.register import Dimension
from weft.core.text import pluralise
from weft.graph.selection import (
    EXPORT_HELP,
    Direction,
    ExportKind,
    GraphFormat,
    GroupKindOrNone,
    Selection,
)

if TYPE_CHECKING:
    from weft.store.collection import SearchResults

EXPORT_NOUNS: dict[ExportKind, str] = {
    "edges": "edge",
    "hosts": "host",
    "domains": "domain",
    "anchors": "link",
    "text": "page",
    "captures": "capture",
}


@with_examples(
    "weft search mine.weft jaguar",
    "weft search mine.weft '\"e-type\" OR xk120 -atari site:example.com' -n 50",
    "weft search mine.weft jaguar --since 2003 --until 2005 -f csv",
    "weft search mine.weft jaguar --facets",
    "weft search mine.weft jaguar --where language=de --where year=2004",
)
def search(
    folder: Folder,
    query: Annotated[
        list[str],
        typer.Argument(
            metavar="QUERY",
            help='in quotes: words, "phrases", prefix*, AND OR NOT -, site: lang:',
            show_default=False,
        ),
    ],
    top: Top = 10,
    since: Since = "",
    until: Until = "",
    where: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="only pages with this value; may be repeated"),
    ] = None,
    facets: Annotated[bool, typer.Option("--facets", help="count the values instead")] = False,
    snippets: Annotated[bool, typer.Option(help="show the passages that match")] = True,
    format_: FormatOption = Format.table,
) -> None:
    """Find pages by their words.

    Searches title, text, URL and the anchor text of links to a page. With
    --facets it counts the sites, languages, years, types, HTTP statuses and
    tags of the pages found. --where takes one of them, such as language=de.
    """
    from weft.workspace.workspace import Workspace

    words, workspace = " ".join(query), Workspace(folder)
    wanted = _parse_where(where or [])
    if facets:
        found = workspace.facets(words, since=since, until=until, where=wanted, top=top)
        if format_ is Format.json:
            write_json(found.to_document())
        else:
            write_rows(found.to_table(), format_)
        return
    hits = workspace.search(words, top, since=since, until=until, where=wanted, snippets=snippets)
    print_hits(hits, format_)


def _parse_where(given: list[str]) -> dict[str, list[str]]:
    """Values by attribute, from NAME=VALUE."""
    values = dict[str, list[str]]()
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            hint = "write NAME=VALUE, such as language=de"
            raise BadParameter(f"{text!r} is no filter", hint=hint)
        values.setdefault(name, []).append(value)
    return values


def print_hits(hits: "SearchResults", format_: Format) -> None:
    """Print search results, as a list to read or as rows."""
    if not hits.total:
        print_note(f"no page matches {escape_for_terminal(hits.query)} (try fewer or other words)")
    if format_ is Format.json:
        write_json(hits.to_document())
        return
    if format_ is not Format.table:
        write_rows(hits.to_table(), format_)
        return
    if not hits.total:
        return
    typer.echo(f"{pluralise(hits.total, 'page')} for {escape_for_terminal(hits.query)}")
    snippets = hits.snippets or [None] * len(hits)
    for row, snippet in zip(hits.to_table().to_pylist(), snippets, strict=True):
        title = typer.style(escape_for_terminal(row["title"] or row["url"]), bold=True)
        typer.echo(f"\n{row['score']:7.2f}  {title}")
        typer.echo(f"         {escape_for_terminal(row['url'])}")
        if snippet is not None and snippet.text:
            typer.echo(_wrap_snippet(_highlight_matches(snippet.text, snippet.marks)))


def _wrap_snippet(text: str) -> str:
    """Wrap a snippet to 100 columns, indented under its title."""
    return fill(
        text, 100, initial_indent=" " * 9, subsequent_indent=" " * 9, break_long_words=False
    )


def _highlight_matches(text: str, marks: tuple[tuple[int, int], ...]) -> str:
    parts, position = [], 0
    for start, end in marks:
        parts += [
            escape_for_terminal(text[position:start]),
            typer.style(escape_for_terminal(text[start:end]), bold=True, fg="yellow"),
        ]
        position = end
    return "".join([*parts, escape_for_terminal(text[position:])])


@with_examples(
    "weft links mine.weft example.com/",
    "weft links mine.weft example.com/ --direction in -n 100 -f csv",
)
def links(
    folder: Folder,
    url: Annotated[
        str,
        typer.Argument(
            metavar="URL",
            help="a page of the collection",
            show_default=False,
            autocompletion=complete_page,
        ),
    ],
    direction: Annotated[
        Direction, typer.Option(help="links to the page, from it, or both")
    ] = "both",
    top: Top = 50,
    format_: FormatOption = Format.table,
) -> None:
    """Show the links of a page in both directions."""
    from weft.workspace.workspace import Workspace

    table = Workspace(folder).links(url, direction)
    if format_ is Format.table:
        _print_links(table.slice(0, top).to_pylist())
    else:
        write_rows(table.slice(0, top), format_)
    if len(table) > top:
        print_note(f"{pluralise(len(table) - top, 'more link')} (--top)")
    if not len(table):
        print_note("no links")


def _print_links(rows: list[dict[str, str]]) -> None:
    """Print links to read: direction, the page at the other end, anchor text."""
    for row in rows:
        preposition = {"in": "from", "out": "to"}[row["direction"]]
        anchor = typer.style(escape_for_terminal(row["anchor"])[:60], bold=True)
        kind = "" if row["kind"] == "captured" else f"  ({row['kind']})"
        typer.echo(
            f"{preposition:>4}  {escape_for_terminal(row['url'])}{kind}"
            + (f"\n      {anchor}" if row["anchor"] else "")
        )


@with_examples(
    "weft export mine.weft edges.csv",
    "weft export mine.weft hosts.gexf --level host --rank pagerank",
    "weft export mine.weft pages.parquet --what pages --rank hits --group topics",
    "weft export mine.weft - --what text --search 'lang:en site:example.com' --format jsonl",
    "weft export mine.weft jaguar.csv --query jaguar --between host",
    "weft export mine.weft in.gexf --level host --only-tag decision=in",
    "weft export mine.weft web-pages.parquet --what web-pages",
)
@with_selection()
def export(
    folder: Folder,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="format by suffix: .csv .tsv .parquet .jsonl .gexf .graphml; - is stdout",
            show_default=False,
        ),
    ],
    what: Annotated[ExportKind, typer.Option(help=EXPORT_HELP["what"])] = "edges",
    format_: Annotated[
        GraphFormat | None,
        typer.Option("--format", help="the format; default: by suffix, csv on standard output"),
    ] = None,
    rank: Annotated[
        list[str] | None, typer.Option(metavar="METHOD", help=EXPORT_HELP["rank"])
    ] = None,
    group: Annotated[GroupKindOrNone, typer.Option(help=EXPORT_HELP["group"])] = "auto",
    search: Annotated[str, typer.Option(metavar="QUERY", help=EXPORT_HELP["search"])] = "",
    *,
    selection: Selection,
) -> None:
    """Write pages, links, texts, captures or topics to a file.

    The options from --level on say which part of the collection is written.
    In GEXF and GraphML nodes have sizes, colours and positions.
    """
    from weft.workspace.workspace import Workspace

    with progress_bars():
        written = Workspace(folder).export(
            file, what, selection, format=format_, rank=rank or (), group=group, search=search
        )
    noun = selection.level if what == "pages" else EXPORT_NOUNS.get(what, "row")
    where = "standard output" if str(file) == "-" else file
    print_note(f"{pluralise(written, noun)} written to {where}")


@with_examples("weft methods", "weft methods indegree", "weft methods --by application")
def methods(
    name: Annotated[
        str,
        typer.Argument(
            metavar="METHOD", help="show the card of this method", autocompletion=complete_method
        ),
    ] = "",
    by: Annotated[
        Dimension | None, typer.Option(help="group the methods by this dimension")
    ] = None,
    format_: FormatOption = Format.table,
) -> None:
    """List all methods, or show the card of one."""
    from weft.cli.method_cards import print_method_card, print_methods

    if name and by:
        raise BadParameter(f"--by groups all methods, not {name} alone", hint="use one of them")
    if not name:
        print_methods(format_, by)
    elif format_ is Format.table:
        print_method_card(name)
    else:
        raise BadParameter(
            f"a method card is text, not {format_}", hint=f"leave out --format {format_}"
        )


COMMANDS = (search, links, export, methods)
