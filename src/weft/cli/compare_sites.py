"""`weft compare-sites COLLECTION MINE THEIRS`: what another site has and mine lacks."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from weft.cli.kinds import Folder
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
from weft.core.text import pluralise, shorten, strip_scheme

if TYPE_CHECKING:
    from weft.structure import Shape

Row = dict[str, Any]
ComparisonPart = Literal["terms", "pages", "concepts", "links", "domains", "matches", "keywords"]
MAX_LINE_CHARS = 90
MAX_FILE_NAME_CHARS = 255


@with_examples(
    "weft compare-sites mine.weft example.com other.org",
    "weft compare-sites mine.weft example.com other.org --part pages --top 20",
    "weft compare-sites mine.weft example.com/~ann example.com/~bob --known 'jazz guitar'",
    "weft compare-sites mine.weft example.com other.org --keywords 'data mining' --format json",
)
def compare_sites(
    folder: Folder,
    mine: Annotated[
        str,
        typer.Argument(
            metavar="MINE", help="my site: a host, a domain or a folder", show_default=False
        ),
    ],
    theirs: Annotated[
        str, typer.Argument(metavar="THEIRS", help="the other site", show_default=False)
    ],
    part: Annotated[
        ComparisonPart | None,
        typer.Option(help="show this part only; default: all", show_default=False),
    ] = None,
    known: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WORDS|FILE",
            help="known words or URLs, or a file of them; may be repeated",
            show_default=False,
        ),
    ] = None,
    keywords: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WORDS",
            help="search for these words on their site; may be repeated",
            show_default=False,
        ),
    ] = None,
    top: Annotated[
        int, typer.Option("--top", "-n", min=1, max=10_000, help="rows of each part")
    ] = 5,
    threshold: Annotated[
        float, typer.Option(min=0, max=1, help="minimum cosine similarity of matching pages")
    ] = 0.2,
    min_terms: Annotated[
        int, typer.Option(min=1, help="minimum number of terms of an unexpected page")
    ] = 20,
    format_: FormatOption = Format.table,
) -> None:
    """Show what another site has and mine lacks.

    Compares terms, concepts (terms that occur together in sentences), pages and
    outgoing links, and finds their most similar page for each of mine. The
    unexpectedness of a term is 1 if it is only on their site, and 0 if it is as
    frequent on mine. After Liu, Ma and Yu (2001).
    """
    from weft.workspace.workspace import Workspace

    with progress_bars():
        comparison = Workspace(folder).compare_sites(
            mine,
            theirs,
            known=[_read_words_or_file(words) for words in known or []],
            keywords=keywords or [],
            top=top,
            threshold=threshold,
            min_terms=min_terms,
        )
    _print_comparison(comparison, part, format_)


def _read_words_or_file(words: str) -> str:
    """The text of a file of that name if there is one, else the words."""
    if len(words) <= MAX_FILE_NAME_CHARS and "\0" not in words and Path(words).is_file():
        return Path(words).read_text("utf-8", "replace")
    return words


def _print_comparison(shape: "Shape", part: ComparisonPart | None, format_: Format) -> None:
    """Print sections to read, one JSON document, or the rows of one part."""
    if format_ is Format.json and part is None:
        write_json(shape.to_document())
    elif format_ is not Format.table:
        write_rows(shape.to_table(part or "terms"), format_)
        if part is None:
            print_note("only the terms; --part prints another part, --format json all")
    else:
        for name in [part] if part else HEADINGS:
            _print_section(shape, name, show_empty=part is not None)
    for note in shape.notes:
        print_note(escape_for_terminal(note))


def _print_section(shape: "Shape", part: ComparisonPart, *, show_empty: bool) -> None:
    """Print one part with its heading; keywords also with their page counts."""
    rows = shape.to_table(part).to_pylist()
    if rows or show_empty:
        typer.echo(typer.style(HEADINGS[part].format(**shape.facts), bold=True))
        keyword = ""
        for row in rows:
            if row.get("keyword", "") != keyword:
                keyword = row["keyword"]
                typer.echo(f"  {escape_for_terminal(keyword)}: {_format_page_counts(row)}")
            typer.echo(ROW_FORMATTERS[part](row))
        typer.echo("" if rows else "  none\n")


def _format_term(row: Row) -> str:
    name = escape_for_terminal(row.get("term") or row["concept"])
    example = _format_snippet(row["example"], row)
    return f"  {row['unexpectedness']:.2f}  {name:<24} {_format_page_counts(row)}\n{example}"


def _format_page_counts(row: Row) -> str:
    return f"{pluralise(row['their_pages'], 'page')} of theirs, {row['my_pages']:,} of mine"


def _format_page(row: Row) -> str:
    title = shorten(escape_for_terminal(row["title"]), MAX_LINE_CHARS)
    lines = [
        f"  {row['unexpectedness']:.2f}  {title}",
        f"        {_format_address(row['page'])}",
        f"        terms: {escape_for_terminal(row['unexpected'])}",
    ]
    if row["nearest"]:
        lines.append(
            f"        nearest of mine: {_format_address(row['nearest'])} ({row['cosine']:.2f})"
        )
    return "\n".join(lines)


def _format_link(row: Row) -> str:
    name = _format_address(row.get("url") or row["domain"])
    texts = escape_for_terminal(row["anchors"]).split(" | ")
    anchors = shorten(", ".join(f'"{text}"' for text in texts if text), MAX_LINE_CHARS)
    source = escape_for_terminal(row["examples"]).partition(" ")[0]
    named = f"{name}  {anchors}" if anchors else name
    return f"  {row['pages']:>5,}  {named}\n         from {_format_address(source)}"


def _format_match(row: Row) -> str:
    terms = escape_for_terminal(row["unexpected"])
    unexpected = f"; only on their page: {terms}" if terms else ""
    return (
        f"  {row['cosine']:.2f}  {_format_address(row['mine'])}\n"
        f"        {_format_address(row['theirs'])}\n"
        f"        path {row['path']:.2f}, title {row['title']:.2f}{unexpected}"
    )


def _format_keyword(row: Row) -> str:
    return _format_snippet(row["page"], row)


def _format_snippet(page: str, row: Row) -> str:
    snippet = shorten(escape_for_terminal(row["snippet"]), MAX_LINE_CHARS)
    return f"        {_format_address(page)}" + (f"\n        {snippet}" if snippet else "")


def _format_address(page: str) -> str:
    return escape_for_terminal(strip_scheme(page))


HEADINGS: dict[ComparisonPart, str] = {
    "terms": "Unexpected terms of {theirs}, compared with {mine}",
    "pages": "Unexpected pages of theirs",
    "concepts": "Unexpected concepts: terms that occur together",
    "links": "Pages that only they link to (number of linking pages)",
    "domains": "Domains that only they link to (number of linking pages)",
    "matches": "My pages with their most similar pages (cosine similarity)",
    "keywords": "Keywords on their site",
}
ROW_FORMATTERS: dict[ComparisonPart, Callable[[Row], str]] = {
    "terms": _format_term,
    "pages": _format_page,
    "concepts": _format_term,
    "links": _format_link,
    "domains": _format_link,
    "matches": _format_match,
    "keywords": _format_keyword,
}
COMMANDS = (compare_sites,)
