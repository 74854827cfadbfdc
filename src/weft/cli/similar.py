"""`weft similar|suggest [METHOD] COLLECTION URL`: similar pages, and missing links."""

from textwrap import wrap
from typing import TYPE_CHECKING, Any

import typer

from weft.cli.kinds import Folder, Kind, UrlArgument
from weft.cli.output import (
    Format,
    FormatOption,
    escape_for_terminal,
    print_note,
    progress_bars,
    write_result,
    write_rows,
)
from weft.core.text import pluralise, shorten, strip_scheme

if TYPE_CHECKING:
    from weft.graph.selection import Selection
    from weft.similar import SimilarPage, SimilarPages, Suggestion, Suggestions

MAX_LINE_CHARS = 88
MAX_ANCHOR_CHARS = 60
MAX_SHOWN_WITNESSES = 3
SHARED_LINK_PHRASES = {
    "co-citation": "{count} link{s} to both",
    "coupling": "both link to {count}",
    "indirect": "two clicks away through {count}",
    "indirect from": "two clicks from it through {count}",
}


def similar(
    method: str,
    options: dict[str, Any],
    folder: Folder,
    url: UrlArgument,
    format_: FormatOption = Format.table,
    *,
    selection: "Selection",
) -> None:
    """Find the pages most similar to a page.

    Two pages are similar if the same pages link to them (co-citation) and if
    they link to the same pages (bibliographic coupling). Each page is listed
    with the pages that connect the two.
    """
    from weft.workspace.workspace import Workspace

    workspace = Workspace(folder)
    with progress_bars():
        result = workspace.similar(url, method, selection, **options)
    if format_ is Format.table:
        _print_similar(result)
    elif format_ is Format.json:
        write_result(workspace, result.to_document())
    else:
        write_rows(result.to_table(), format_)
    _print_notes(result, "page")


def suggest(
    method: str,
    options: dict[str, Any],
    folder: Folder,
    url: UrlArgument,
    format_: FormatOption = Format.table,
    *,
    selection: "Selection",
) -> None:
    """Suggest missing links of a page.

    Lists pages that it should link to, and pages that should link to it, each
    with reasons and an anchor text. Nothing is changed.
    """
    from weft.workspace.workspace import Workspace

    workspace = Workspace(folder)
    with progress_bars():
        result = workspace.suggest(url, method, selection, **options)
    if format_ is Format.table:
        _print_suggestions("Missing links from the page", result.to)
        _print_suggestions("Missing links to the page", result.from_)
    elif format_ is Format.json:
        write_result(workspace, result.to_document())
    else:
        write_rows(result.to_table(), format_)
    _print_notes(result, "missing link")


KINDS = (
    Kind(
        "similar",
        "Find the pages most similar to a page.",
        similar,
        (
            "weft similar mine.weft example.com/",
            "weft similar mine.weft example.com/ --top 20",
            "weft similar mine.weft example.com --level host --format json",
        ),
        usage="COLLECTION URL [OPTIONS]",
        arguments=frozenset({"page"}),
    ),
    Kind(
        "suggest",
        "Suggest missing links of a page.",
        suggest,
        (
            "weft suggest mine.weft example.com/",
            "weft suggest mine.weft example.com/ --direction to --same-site",
            "weft suggest mine.weft example.com --level host --format csv",
        ),
        usage="COLLECTION URL [OPTIONS]",
        arguments=frozenset({"page"}),
    ),
)


def _print_similar(result: "SimilarPages") -> None:
    by_site = result.options.get("vote") == "site"
    unit = "site" if by_site else result.provenance["level"]
    for place, page in enumerate(result, start=1):
        parts = ", ".join(
            f"{name} {_format_score(value)}" for name, value in page.contributions.items() if value
        )
        contributions = f"  ({parts})" if len(page.contributions) > 1 else ""
        typer.echo(f"{place:>3} {_format_name(page)}   {_format_score(page.score)}{contributions}")
        for pattern, count in page.witness_counts.items():
            if count:
                _print_indented(_format_witnesses(page, pattern, count, unit))
        if page.shared_words:
            _print_indented(f"shared words: {', '.join(page.shared_words)}")


def _format_witnesses(page: "SimilarPage", pattern: str, shared_count: int, unit: str) -> str:
    """The number of pages that connect by a pattern, and the first of them with anchor texts."""
    witnesses = [w for w in page.witnesses if w.pattern == pattern][:MAX_SHOWN_WITNESSES]
    phrase = SHARED_LINK_PHRASES[pattern].format(
        count=pluralise(shared_count, unit), s="s" if shared_count == 1 else ""
    )
    names = [
        strip_scheme(witness.page)
        + (f' "{shorten(witness.other_anchor, MAX_ANCHOR_CHARS)}"' if witness.other_anchor else "")
        for witness in witnesses
    ]
    return f"{phrase}: {', '.join(names)}{', …' if shared_count > len(witnesses) else ''}"


def _print_suggestions(heading: str, links: "tuple[Suggestion, ...]") -> None:
    if not links:
        return
    typer.echo(typer.style(heading, bold=True))
    for place, link in enumerate(links, start=1):
        anchor = f'   anchor "{escape_for_terminal(link.anchor)}"' if link.anchor else ""
        typer.echo(f"{place:>3} {_format_name(link)}{anchor}")
        for reason in link.reason.split("; "):
            _print_indented(reason)
    typer.echo("")


def _format_name(item: "SimilarPage | Suggestion") -> str:
    uncaptured = "  [linked, not captured]" if item.kind == "uncaptured" else ""
    return escape_for_terminal(strip_scheme(item.page)) + uncaptured


def _print_indented(text: str) -> None:
    margin = " " * 4
    for line in wrap(
        escape_for_terminal(text), MAX_LINE_CHARS, break_long_words=False, break_on_hyphens=False
    ):
        typer.echo(margin + line)


def _format_score(value: float) -> str:
    return f"{value:.3g}"


def _print_notes(result: "SimilarPages | Suggestions", unit: str) -> None:
    for note in result.notes:
        print_note(escape_for_terminal(note))
    print_note(
        f"{pluralise(len(result), unit)} by {result.method}" if len(result) else f"no {unit} found"
    )
