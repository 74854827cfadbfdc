"""The verb that finds communities: `weft communities COLLECTION "query"`."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weft.core.wording import address, count, left_out, shortened
from weft.graph.options import Level
from weft.show.cli.arguments import (
    Across,
    Folder,
    Fresh,
    Option,
    Without,
    Words,
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
    from weft.communities import Agora, Communities, Community

WIDEST = 72


@examples(
    "weft communities mine.weft",
    "weft communities mine.weft jaguar --method hits",
    "weft communities web.weft --level host --matrix",
    "weft communities web.weft --with labels.csv",
    "weft communities mine.weft --of www.example.org --option resolution=2",
)
def communities(
    folder: Folder,
    query: Words = None,
    method: Annotated[
        str, typer.Option(help="how to find communities; see `weft methods`")
    ] = "modularity",
    top: Annotated[
        int, typer.Option("--top", "-n", min=1, max=10_000, help="centres and hubs of each")
    ] = 3,
    most: Annotated[
        int, typer.Option("--communities", min=1, max=100_000, help="how many to show")
    ] = 10,
    level: Annotated[Level, typer.Option(help="what a community is made of")] = "page",
    option: Option = None,
    without: Without = None,
    between: Across = "auto",
    matrix: Annotated[
        bool, typer.Option("--matrix", help="how many links lead from each to each")
    ] = False,
    members: Annotated[
        bool, typer.Option("--members", help="all pages of each, a row for each")
    ] = False,
    of: Annotated[
        str, typer.Option("--of", metavar="URL", help="where one page stands", show_default=False)
    ] = "",
    with_: Annotated[
        Path | None,
        typer.Option(
            "--with",
            metavar="FILE",
            help="pages and their labels, a row for each, to compare with",
            show_default=False,
        ),
    ] = None,
    fresh: Fresh = False,
    format_: Chosen = Format.table,
) -> None:
    """Find groups of pages that link among themselves.

    For each community its centres, which many of its pages link to, its hubs,
    which link to many of them, and how many links stay inside, leave and arrive.
    """
    import weft.communities  # noqa: F401  registers its methods
    from weft.core.methods import find
    from weft.run.workspace import Workspace

    only_one({"--matrix": matrix, "--members": members, "--of": of, "--with": with_})
    with progress():
        found = Workspace(folder).communities(
            " ".join(query or []),
            method,
            level=level,
            without=tuple(without or ()),
            between=between,
            cache=not fresh,
            **method_options(find("communities", method), option or []),
        )
    if with_ is not None:
        _compare(found, with_, format_)
    elif of:
        _place(found, of, format_)
    elif members:
        shown = replace(found, communities=found.communities[:most])
        write_rows(shown.to_table("members"), format_)
    elif matrix:
        _matrix(found, most, format_)
    else:
        _show(found, top, most, format_)
    _tell(found, most)


def _show(found: "Communities", top: int, most: int, format_: Format) -> None:
    """Communities to read as a table, one document as JSON, else a row for each."""
    from weft.communities import Agora

    if format_ is Format.json:
        write_json(document(found, top, most))
    elif format_ is Format.table and isinstance(found, Agora):
        _between(found, most)
    elif format_ is Format.table:
        for number, community in enumerate(found.communities[:most], start=1):
            _card(found, number, community, top)
    else:
        write_rows(found.to_table().slice(0, most), format_)


def _between(found: "Agora", most: int) -> None:
    """Each page between communities, with those it is between, and who links to it."""
    for meeting in found.between[:most]:
        page = plain(address(found.base.pages[meeting.page]))
        homes = count(len(meeting.communities), "community")
        typer.echo(typer.style(page, bold=True) + f"   {homes}, {count(meeting.inlinks, 'link')}")
        for number in meeting.communities:
            named = plain(found[number - 1].name)
            typer.echo(f"  community {number}  {shortened(named, WIDEST)}")
        typer.echo("")


def _card(found: "Communities", number: int, community: "Community", top: int) -> None:
    name = plain(community.name) or "(no words)"
    size = count(len(community), found.base.level)
    links = f"{count(community.inside, 'link')} inside, {community.leaving:,} leave"
    typer.echo(
        typer.style(f"Community {number}  {name}", bold=True)
        + f"   {size}; {links}, {community.arriving:,} arrive"
    )
    if community.title and community.title != community.name:
        typer.echo(f"  {plain(community.title)}")
    for role, pages in (("centres", community.centres(top)), ("hubs", community.hubs(top))):
        for place, page in enumerate(pages.tolist()):
            named = shortened(plain(address(found.base.pages[page])), WIDEST)
            typer.echo(f"  {role if not place else '':<8} {place + 1:>3} {named}")
    typer.echo("")


def document(found: "Communities", top: int, most: int) -> dict[str, Any]:
    """All that is known, as one document."""
    from weft.communities import Agora

    pages = found.base.pages
    made = {
        "query": found.base.query,
        "method": found.method,
        "options": dict(found.options),
        "facts": dict(found.facts),
        "communities": [
            {
                "community": number,
                "label": community.name,
                "terms": list(community.label),
                "title": community.title,
                "pages": len(community),
                "inside": community.inside,
                "leaving": community.leaving,
                "arriving": community.arriving,
                "strength": community.strength,
                "centres": found.base.named(community.centres(top)),
                "hubs": found.base.named(community.hubs(top)),
                "facts": dict(community.facts),
                "evidence": {
                    what: _named(pages, some.tolist()) for what, some in community.evidence.items()
                },
            }
            for number, community in enumerate(found.communities[:most], start=1)
        ],
        "notes": list(found.notes),
        "provenance": dict(found.provenance),
    }
    if isinstance(found, Agora):
        made["between"] = found.to_table().slice(0, most).to_pylist()
    return made


def _named(pages: Any, numbers: list[Any]) -> list[Any]:
    """Pages by their names, and links as pairs of these."""
    return [_named(pages, each) if isinstance(each, list) else pages[each] for each in numbers]


def _matrix(found: "Communities", most: int, format_: Format) -> None:
    """The links from each community, a row, to each, a column; else a row for each pair."""
    import pyarrow as pa

    if format_ is not Format.table:
        write_rows(found.to_table("matrix"), format_)
        return
    cells = found.matrix(most)
    names = [f"{k} {shortened(plain(c.name), 24)}" for k, c in enumerate(found, start=1)]
    columns = {"from \\ to": pa.array(names[: len(cells)], pa.string())}
    columns |= {str(k + 1): pa.array(cells[:, k], pa.int64()) for k in range(len(cells))}
    write_rows(pa.table(columns), format_)


def _place(found: "Communities", page: str, format_: Format) -> None:
    from weft.run.grouping import named_page

    place = found.explain(named_page(found, page))
    if format_ is Format.table:
        typer.echo("\n".join(plain(line) for line in place.lines()))
    elif format_ is Format.json:
        write_json(asdict(place))
    else:
        write_rows(place.to_table(), format_)


def _compare(found: "Communities", path: Path, format_: Format) -> None:
    from weft.run.grouping import compare_with, read_labels

    result = compare_with(found, read_labels(path))
    if format_ is Format.json:
        write_json(asdict(result))
    else:
        write_rows(result.to_table(), format_)
    note(f"{count(result.pages, found.base.level)} of {result.of:,} are in both")


def _tell(found: "Communities", most: int) -> None:
    """Say what they were found in, what was left out, and what the method has to say."""
    from weft.communities import Agora

    told = found.provenance
    for words in (told["note"], *found.notes):
        if words:
            note(plain(words))
    many, thing = len(found), "community"
    if isinstance(found, Agora):
        many, thing = len(found.between), "page"
    if many > most:
        note(f"{count(many - most, f'more {thing}')} (--communities)")
    for left in told["left_out"]:
        note(left_out(**left, level=found.base.level))
    story = told["base"]
    size = f"{count(story['pages'], found.base.level)}, {count(story['links'], 'link')}"
    unread = f", {story['seen']:,} seen but not fetched" if story["seen"] else ""
    value = found.facts.get("modularity")
    quality = f", modularity {value:.3f}" if isinstance(value, float) else ""
    note(f"{size}{unread}; {count(len(found), 'community')} by {found.method}{quality}")


VERBS = (communities,)
