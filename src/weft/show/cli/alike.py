"""Verbs about one page: similar, suggest."""

from dataclasses import asdict
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from weft.core.wording import address, count, shortened
from weft.graph.options import Level
from weft.show.cli.arguments import Folder, Option, Top, method_options
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
    from weft.suggest import Likeness, Similar, Suggestion, Suggestions

Url = Annotated[
    str,
    typer.Argument(
        metavar="URL", help="a page, or a host or domain with --level", show_default=False
    ),
]
AtLevel = Annotated[Level, typer.Option("--level", help="what is compared: pages, hosts, domains")]
WIDEST = 88
LONGEST = 60
SHOWN = 3
TIED = {
    "co-citation": "{many} link{s} to both",
    "coupling": "both link to {many}",
    "indirect": "two clicks away through {many}",
    "indirect from": "two clicks from it through {many}",
}


@examples(
    "weft similar mine.weft example.com/",
    "weft similar mine.weft example.com/ --text --top 20",
    "weft similar mine.weft example.com/ --method co-citation --option strength=jaccard",
    "weft similar mine.weft example.com/ --option vote=site",
    "weft similar mine.weft example.com --level host --format json",
)
def similar(
    folder: Folder,
    url: Url,
    method: Annotated[str, typer.Option(help="how to compare; see `weft methods`")] = "combined",
    text: Annotated[
        bool, typer.Option("--text", help="count the words that pages share as well")
    ] = False,
    top: Top = 10,
    level: AtLevel = "page",
    option: Option = None,
    format_: Chosen = Format.table,
) -> None:
    """Find the pages most like a page, and say who ties them.

    Two pages are alike that are linked from the same pages and link to the
    same pages; the score is the sum of both, two for pages with the very same
    links. Below each page stand those that tie it most tellingly.
    """
    import weft.suggest  # noqa: F401  registers its methods
    from weft.core.methods import find
    from weft.run.workspace import Workspace

    asked = method_options(find("similar", method), option or []) | ({"text": True} if text else {})
    with progress():
        found = Workspace(folder).similar(url, method, level=level, **{"top": top, **asked})
    if format_ is Format.table:
        _list_similar(found)
    elif format_ is Format.json:
        write_json(_document(found, pages=[asdict(one) for one in found]))
    else:
        write_rows(found.to_table(), format_)
    _tell(found, "page")


@examples(
    "weft suggest mine.weft example.com/",
    "weft suggest mine.weft example.com/ --direction to --same-site",
    "weft suggest mine.weft example.com/ --method adamic-adar --top 5",
    "weft suggest mine.weft example.com/ --method katz --option b=0.001",
    "weft suggest mine.weft example.com --level host --format csv",
)
def suggest(
    folder: Folder,
    url: Url,
    method: Annotated[str, typer.Option(help="how to find links; see `weft methods`")] = "fused",
    direction: Annotated[
        Literal["both", "to", "from"],
        typer.Option(help="links that it should have, that should lead to it, or both"),
    ] = "both",
    same_site: Annotated[
        bool, typer.Option("--same-site", help="pages of the same site alone")
    ] = False,
    top: Annotated[
        int, typer.Option("--top", "-n", min=1, max=1_000, help="how many links each way")
    ] = 5,
    level: AtLevel = "page",
    option: Option = None,
    format_: Chosen = Format.table,
) -> None:
    """Suggest the links that a page lacks, each with its reason and what it might say.

    Pages that it should link to, and pages that should link to it. Only
    suggestions: nothing is changed. Pages that were linked to but never
    fetched are marked as seen.
    """
    import weft.suggest  # noqa: F401  registers its methods
    from weft.core.methods import find
    from weft.run.workspace import Workspace

    asked = {"direction": direction, "same_site": same_site, "top": top}
    asked |= method_options(find("suggest", method), option or [])
    with progress():
        found = Workspace(folder).suggest(url, method, level=level, **asked)
    if format_ is Format.table:
        _list_links("Links that it should have", found.to)
        _list_links("Links that should lead to it", found.from_)
    elif format_ is Format.json:
        ways = {"to": found.to, "from": found.from_}
        write_json(
            _document(found, **{way: [asdict(one) for one in each] for way, each in ways.items()})
        )
    else:
        write_rows(found.to_table(), format_)
    _tell(found, "missing link")


def _document(found: "Similar | Suggestions", **rows: Any) -> dict[str, Any]:
    return {
        "page": found.page,
        "method": found.method,
        "options": dict(found.options),
        **rows,
        "notes": list(found.notes),
        "provenance": dict(found.provenance),
    }


def _list_similar(found: "Similar") -> None:
    sites = found.options.get("vote") == "site"
    what = "site" if sites else found.provenance["level"]
    for place, one in enumerate(found, start=1):
        parts = ", ".join(f"{part} {_number(value)}" for part, value in one.parts.items() if value)
        why = f"  ({parts})" if len(one.parts) > 1 else ""
        typer.echo(f"{place:>3} {_name(one)}   {_number(one.score)}{why}")
        for pattern, many in one.shared.items():
            if many:
                _indented(_ties(one, pattern, many, what))
        if one.words:
            _indented(f"both say {', '.join(one.words)}")


def _ties(one: "Likeness", pattern: str, many: int, what: str) -> str:
    """How many tie a page by a pattern, and the first of them with what their links say."""
    ties = [tie for tie in one.witnesses if tie.pattern == pattern][:SHOWN]
    told = TIED[pattern].format(many=count(many, what), s="s" if many == 1 else "")
    said = [f' "{shortened(tie.other, LONGEST)}"' if tie.other else "" for tie in ties]
    named = [address(tie.page) + words for tie, words in zip(ties, said, strict=True)]
    return f"{told}: {', '.join(named)}{', …' if many > len(ties) else ''}"


def _list_links(heading: str, links: "tuple[Suggestion, ...]") -> None:
    if not links:
        return
    typer.echo(typer.style(heading, bold=True))
    for place, one in enumerate(links, start=1):
        said = f'   say "{plain(one.anchor)}"' if one.anchor else ""
        typer.echo(f"{place:>3} {_name(one)}{said}")
        for reason in one.reason.split("; "):
            _indented(reason)
    typer.echo("")


def _name(one: "Likeness | Suggestion") -> str:
    seen = "  [seen, not fetched]" if one.kind == "seen" else ""
    return plain(address(one.page)) + seen


def _indented(words: str) -> None:
    margin = " " * 4
    for line in wrap(plain(words), WIDEST, break_long_words=False, break_on_hyphens=False):
        typer.echo(margin + line)


def _number(value: float) -> str:
    return f"{value:.3g}"


def _tell(found: "Similar | Suggestions", what: str) -> None:
    for told in found.notes:
        note(plain(told))
    note(f"{count(len(found), what)} by {found.method}" if len(found) else f"no {what} found")


VERBS = (similar, suggest)
