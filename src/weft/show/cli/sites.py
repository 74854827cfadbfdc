"""The verb that compares two sites: `weft compare-sites COLLECTION MINE THEIRS`."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from weft.core.wording import address, count, shortened
from weft.show.cli.arguments import Folder
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
    from weft.structure import Shape

Row = dict[str, Any]
Part = Literal["terms", "pages", "concepts", "links", "domains", "matches", "keywords"]
LONGEST = 90
LONGEST_NAME = 255


@examples(
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
        Part | None, typer.Option(help="this alone; without it, all", show_default=False)
    ] = None,
    known: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WORDS|FILE",
            help="words and addresses that are expected anyway, or a file of them; may be repeated",
            show_default=False,
        ),
    ] = None,
    keywords: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WORDS",
            help="words to look for on their site, as for search; may be repeated",
            show_default=False,
        ),
    ] = None,
    top: Annotated[int, typer.Option("--top", "-n", min=1, max=10_000, help="rows of each")] = 5,
    threshold: Annotated[
        float, typer.Option(min=0, max=1, help="the least cosine of pages that match")
    ] = 0.2,
    least: Annotated[
        int, typer.Option(min=1, help="the fewest terms that a page must have to be unexpected")
    ] = 20,
    format_: Chosen = Format.table,
) -> None:
    """Show what another site has that mine lacks.

    Terms, concepts (terms that come together in sentences), whole pages, and
    links that lead elsewhere; and for each of my pages the page of theirs that
    is most like it. Unexpected is 1 what I do not say at all, 0 what I say as
    often as they. After Liu, Ma and Yu (2001).
    """
    from weft.run.workspace import Workspace

    with progress():
        found = Workspace(folder).compare_sites(
            mine,
            theirs,
            known=[_read(words) for words in known or []],
            keywords=keywords or [],
            top=top,
            threshold=threshold,
            least=least,
        )
    _show(found, part, format_)


def _read(words: str) -> str:
    """Words as given, or those of a file that is so called."""
    if len(words) <= LONGEST_NAME and "\0" not in words and Path(words).is_file():
        return Path(words).read_text("utf-8", "replace")
    return words


def _show(found: "Shape", part: Part | None, form: Format) -> None:
    """Sections to read as a table, one document as JSON, else the rows of one part."""
    if form is Format.json and part is None:
        tables = {name: table.to_pylist() for name, table in found.tables.items()}
        rest = {"options": dict(found.options), "provenance": dict(found.provenance)}
        write_json({"facts": dict(found.facts), **tables, "notes": list(found.notes), **rest})
    elif form is not Format.table:
        write_rows(found.to_table(part or "terms"), form)
        if part is None:
            note("these are the terms; --part shows the others, --format json all")
    else:
        for name in [part] if part else HEADINGS:
            _section(found, name, alone=part is not None)
    for told in found.notes:
        note(plain(told))


def _section(found: "Shape", part: Part, *, alone: bool) -> None:
    """The rows of one part below their heading; none where there are none."""
    rows = found.to_table(part).to_pylist()
    if rows or alone:
        typer.echo(typer.style(HEADINGS[part].format(**found.facts), bold=True))
        said = ""
        for row in rows:
            if row.get("keyword", "") != said:
                said = row["keyword"]
                typer.echo(f"  {plain(said)}: {_pages(row)}")
            typer.echo(LINES[part](row))
        typer.echo("" if rows else "  none\n")


def _term(row: Row) -> str:
    name = plain(row.get("term") or row["concept"])
    quoted = _quoted(row["example"], row)
    return f"  {row['unexpectedness']:.2f}  {name:<24} {_pages(row)}\n{quoted}"


def _pages(row: Row) -> str:
    return f"{count(row['their_pages'], 'page')} of theirs, {row['my_pages']:,} of mine"


def _page(row: Row) -> str:
    lines = [f"  {row['unexpectedness']:.2f}  {shortened(plain(row['title']), LONGEST)}"]
    lines += [f"        {_short(row['page'])}", f"        says {plain(row['unexpected'])}"]
    if row["nearest"]:
        lines.append(f"        nearest of mine {_short(row['nearest'])} ({row['cosine']:.2f})")
    return "\n".join(lines)


def _link(row: Row) -> str:
    name = _short(row.get("url") or row["domain"])
    said = [f'"{words}"' for words in filter(None, plain(row["anchors"]).split(" | "))]
    called = f"  {shortened(', '.join(said), LONGEST)}" if said else ""
    first = plain(row["examples"]).partition(" ")[0]
    return f"  {row['pages']:>5,}  {name}{called}\n         from {_short(first)}"


def _match(row: Row) -> str:
    new = f"; they also say {plain(row['unexpected'])}" if row["unexpected"] else ""
    return (
        f"  {row['cosine']:.2f}  {_short(row['mine'])}\n        {_short(row['theirs'])}\n"
        f"        path {row['path']:.2f}, title {row['title']:.2f}{new}"
    )


def _keyword(row: Row) -> str:
    return _quoted(row["page"], row)


def _quoted(page: str, row: Row) -> str:
    said = shortened(plain(row["snippet"]), LONGEST)
    return f"        {_short(page)}" + (f"\n        {said}" if said else "")


def _short(page: str) -> str:
    return plain(address(page))


HEADINGS: dict[Part, str] = {
    "terms": "What {theirs} says and {mine} does not: terms",
    "pages": "Their most unexpected pages",
    "concepts": "Terms that they say together",
    "links": "Pages that they link to and I do not (pages that link)",
    "domains": "Domains that they link to and I do not (pages that link)",
    "matches": "My pages, and theirs that are most like them (cosine)",
    "keywords": "Keywords on their site",
}
LINES: dict[Part, Callable[[Row], str]] = {
    "terms": _term,
    "pages": _page,
    "concepts": _term,
    "links": _link,
    "domains": _link,
    "matches": _match,
    "keywords": _keyword,
}
VERBS = (compare_sites,)
