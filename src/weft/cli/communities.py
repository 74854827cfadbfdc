"""`weft communities [METHOD] COLLECTION [QUERY]`: find groups of linked pages."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weft.cli.arguments import (
    BetweenOption,
    Exclude,
    Folder,
    FreshOption,
    QueryArgument,
    UncapturedOption,
    join_query,
    reject_conflicting_options,
)
from weft.cli.kinds import Kind
from weft.cli.output import (
    Format,
    FormatOption,
    escape_for_terminal,
    print_note,
    progress_bars,
    write_json,
    write_rows,
)
from weft.core.text import describe_dropped, pluralise, shorten, strip_scheme
from weft.graph.baseset.options import Level

if TYPE_CHECKING:
    from weft.communities import AgoraCommunities, Communities, Community

MAX_LINE_CHARS = 72


def communities(
    method: str,
    options: dict[str, Any],
    folder: Folder,
    query: QueryArgument = None,
    top: Annotated[
        int,
        typer.Option("--top", "-n", min=1, max=10_000, help="number of centres and hubs of each"),
    ] = 3,
    shown: Annotated[
        int, typer.Option("--communities", min=1, max=100_000, help="number of communities")
    ] = 10,
    level: Annotated[Level, typer.Option(help="communities of pages, hosts or domains")] = "page",
    exclude: Exclude = None,
    between: BetweenOption = "auto",
    matrix: Annotated[
        bool, typer.Option("--matrix", help="show the number of links between communities")
    ] = False,
    members: Annotated[
        bool, typer.Option("--members", help="list all pages of each community")
    ] = False,
    of: Annotated[
        str,
        typer.Option(
            "--of", metavar="URL", help="show which communities a page is in", show_default=False
        ),
    ] = "",
    with_: Annotated[
        Path | None,
        typer.Option(
            "--with",
            metavar="FILE",
            help="compare with page labels in a CSV file",
            show_default=False,
        ),
    ] = None,
    uncaptured: UncapturedOption = "drop",
    fresh: FreshOption = False,
    format_: FormatOption = Format.table,
) -> None:
    """Find groups of pages that link among themselves.

    For each community: its centres, which many of its pages link to; its hubs,
    which link to many of them; the number of internal, outgoing and incoming links.
    """
    from weft.workspace.workspace import Workspace

    reject_conflicting_options(
        {"--matrix": matrix, "--members": members, "--of": of, "--with": with_}
    )
    with progress_bars():
        result = Workspace(folder).communities(
            join_query(query),
            method,
            level=level,
            exclude=tuple(exclude or ()),
            between=between,
            uncaptured=uncaptured,
            cache=not fresh,
            **options,
        )
    if with_ is not None:
        _print_label_agreement(result, with_, format_)
    elif of:
        _print_membership(result, of, format_)
    elif members:
        limited = replace(result, communities=result.communities[:shown])
        write_rows(limited.to_table("members"), format_)
    elif matrix:
        _print_link_matrix(result, shown, format_)
    else:
        _print_communities(result, top, shown, format_)
    _print_notes(result, shown)


KIND = Kind(
    "communities",
    "Find groups of pages that link among themselves.",
    communities,
    (
        "weft communities mine.weft",
        "weft communities mine.weft jaguar",
        "weft communities web.weft --level host --matrix",
        "weft communities web.weft --with labels.csv",
        "weft communities mine.weft --of www.example.org",
    ),
    usage="COLLECTION [QUERY]... [OPTIONS]",
)


def _print_communities(
    result: "Communities", top: int, max_communities: int, format_: Format
) -> None:
    """Print communities to read, as one JSON document, or as a row for each."""
    from weft.communities import AgoraCommunities

    if format_ is Format.json:
        write_json(communities_document(result, top, max_communities))
    elif format_ is Format.table and isinstance(result, AgoraCommunities):
        _print_bridge_pages(result, max_communities)
    elif format_ is Format.table:
        for number, community in enumerate(result.communities[:max_communities], start=1):
            _print_community(result, number, community, top)
    else:
        write_rows(result.to_table().slice(0, max_communities), format_)


def _print_bridge_pages(result: "AgoraCommunities", max_pages: int) -> None:
    """Print pages that several communities link to, with these communities."""
    for bridge in result.bridge_pages[:max_pages]:
        page = escape_for_terminal(strip_scheme(result.base.pages[bridge.page]))
        communities = pluralise(len(bridge.communities), "community")
        typer.echo(
            typer.style(page, bold=True) + f"   {communities}, {pluralise(bridge.inlinks, 'link')}"
        )
        for number in bridge.communities:
            name = escape_for_terminal(result[number - 1].name)
            typer.echo(f"  community {number}  {shorten(name, MAX_LINE_CHARS)}")
        typer.echo("")


def _print_community(result: "Communities", number: int, community: "Community", top: int) -> None:
    name = escape_for_terminal(community.name) or "(no words)"
    size = pluralise(len(community), result.base.level)
    links = (
        f"{pluralise(community.internal_links, 'link')} inside, {community.outgoing_links:,} leave"
    )
    typer.echo(
        typer.style(f"Community {number}  {name}", bold=True)
        + f"   {size}; {links}, {community.incoming_links:,} arrive"
    )
    if community.title and community.title != community.name:
        typer.echo(f"  {escape_for_terminal(community.title)}")
    for role, pages in (("centres", community.centres(top)), ("hubs", community.hubs(top))):
        for place, page in enumerate(pages.tolist()):
            named = shorten(
                escape_for_terminal(strip_scheme(result.base.pages[page])), MAX_LINE_CHARS
            )
            typer.echo(f"  {role if not place else '':<8} {place + 1:>3} {named}")
    typer.echo("")


def communities_document(result: "Communities", top: int, max_communities: int) -> dict[str, Any]:
    """The result as one JSON document."""
    from weft.communities import AgoraCommunities

    pages = result.base.pages
    document = {
        "query": result.base.query,
        "method": result.method,
        "options": dict(result.options),
        "facts": dict(result.facts),
        "communities": [
            {
                "community": number,
                "label": community.name,
                "terms": list(community.label),
                "title": community.title,
                "pages": len(community),
                "internal_links": community.internal_links,
                "outgoing_links": community.outgoing_links,
                "incoming_links": community.incoming_links,
                "strength": community.strength,
                "centres": result.base.page_names(community.centres(top)),
                "hubs": result.base.page_names(community.hubs(top)),
                "facts": dict(community.facts),
                "evidence": {
                    name: _numbers_to_names(pages, numbers.tolist())
                    for name, numbers in community.evidence.items()
                },
            }
            for number, community in enumerate(result.communities[:max_communities], start=1)
        ],
        "notes": list(result.notes),
        "provenance": dict(result.provenance),
    }
    if isinstance(result, AgoraCommunities):
        document["bridge_pages"] = result.to_table().slice(0, max_communities).to_pylist()
    return document


def _numbers_to_names(pages: Any, numbers: list[Any]) -> list[Any]:
    """The names of pages; links become pairs of names."""
    return [
        _numbers_to_names(pages, number) if isinstance(number, list) else pages[number]
        for number in numbers
    ]


def _print_link_matrix(result: "Communities", max_communities: int, format_: Format) -> None:
    """Print the number of links from each community (row) to each (column), or a row per pair."""
    import pyarrow as pa

    if format_ is not Format.table:
        write_rows(result.to_table("matrix"), format_)
        return
    cells = result.link_matrix(max_communities)
    names = [
        f"{k} {shorten(escape_for_terminal(c.name), 24)}" for k, c in enumerate(result, start=1)
    ]
    columns = {"from \\ to": pa.array(names[: len(cells)], pa.string())}
    columns |= {str(k + 1): pa.array(cells[:, k], pa.int64()) for k in range(len(cells))}
    write_rows(pa.table(columns), format_)


def _print_membership(result: "Communities", page: str, format_: Format) -> None:
    from weft.workspace.communities import find_page_name

    place = result.explain(find_page_name(result, page))
    if format_ is Format.table:
        typer.echo("\n".join(escape_for_terminal(line) for line in place.lines()))
    elif format_ is Format.json:
        write_json(asdict(place))
    else:
        write_rows(place.to_table(), format_)


def _print_label_agreement(communities: "Communities", path: Path, format_: Format) -> None:
    from weft.workspace.communities import compare_with_labels, read_labels

    result = compare_with_labels(communities, read_labels(path))
    if format_ is Format.json:
        write_json(asdict(result))
    else:
        write_rows(result.to_table(), format_)
    total = pluralise(result.total_pages, communities.base.level)
    print_note(f"{result.compared_pages:,} of {total} have a label and a community")


def _print_notes(result: "Communities", max_shown: int) -> None:
    """Print the notes of the method, what was left out, and the size of the graph."""
    from weft.communities import AgoraCommunities

    provenance, level = result.provenance, result.base.level
    for note in (provenance["note"], *result.notes):
        if note:
            print_note(escape_for_terminal(note))
    count, noun = len(result), "community"
    if isinstance(result, AgoraCommunities):
        count, noun = len(result.bridge_pages), "page"
    if count > max_shown:
        print_note(f"{pluralise(count - max_shown, f'more {noun}')} (--communities)")
    for dropped in provenance["left_out"]:
        print_note(describe_dropped(**dropped, level=level))
    base = provenance["base"]
    uncaptured = f", {base['uncaptured']:,} of them linked but not captured"
    pages = pluralise(base["pages"], level) + (uncaptured if base["uncaptured"] else "")
    value = result.facts.get("modularity")
    modularity = f", modularity {value:.3f}" if isinstance(value, float) else ""
    print_note(
        f"{pages}, {pluralise(base['links'], 'link')}; "
        f"{pluralise(len(result), 'community')} by {result.method}{modularity}"
    )
