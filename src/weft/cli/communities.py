"""`weft communities [METHOD] COLLECTION [QUERY]`: find groups of linked pages."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weft.cli.kinds import (
    EditedOption,
    Folder,
    FreshOption,
    Kind,
    QueryArgument,
    UncapturedOption,
    join_query,
    reject_conflicting_options,
)
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

if TYPE_CHECKING:
    from weft.graph.selection import Selection
    from weft.groups import Group, Groups

MAX_LINE_CHARS = 72


def communities(
    method: str,
    options: dict[str, Any],
    folder: Folder,
    query: QueryArgument = None,
    top: Annotated[
        int,
        typer.Option(
            "--top", "-n", min=1, max=10_000, help="number of authorities and hubs of each"
        ),
    ] = 3,
    shown: Annotated[
        int, typer.Option("--communities", min=1, max=100_000, help="number of communities")
    ] = 10,
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
    edited: EditedOption = True,
    fresh: FreshOption = False,
    format_: FormatOption = Format.table,
    *,
    selection: "Selection",
) -> None:
    """Find groups of pages that link among themselves.

    For each community: its authorities, which many of its pages link to; its hubs,
    which link to many of them; the number of internal, outgoing and incoming links.
    """
    from weft.workspace.analyse import resolve_name
    from weft.workspace.workspace import Workspace

    reject_conflicting_options(
        {"--matrix": matrix, "--members": members, "--of": of, "--with": with_}
    )
    with progress_bars():
        workspace = Workspace(folder)
        result = workspace.communities(
            join_query(query),
            method,
            selection,
            uncaptured=uncaptured,
            edited=edited,
            cache=not fresh,
            **options,
        )
    if with_ is not None:
        _print_label_agreement(result, with_, format_)
    elif of:
        _print_membership(result, resolve_name(workspace.collection, selection.level, of), format_)
    elif members:
        limited = replace(result, groups=result.groups[:shown])
        write_rows(limited.to_table("members"), format_)
    elif matrix:
        _print_link_matrix(result, shown, format_)
    else:
        _print_communities(result, top, shown, format_)
    _print_notes(result, None if of or with_ else shown)


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


def _print_communities(result: "Groups", top: int, max_communities: int, format_: Format) -> None:
    """Print communities to read, as one JSON document, or as a row for each."""
    if format_ is Format.json:
        write_json(result.to_document(top, max_communities, snippets="none"))
    elif format_ is not Format.table:
        write_rows(result.to_table().slice(0, max_communities), format_)
    elif result.default_table == "bridge_pages":
        _print_bridge_pages(result, max_communities)
    else:
        for number, community in enumerate(result.groups[:max_communities], start=1):
            _print_community(result, number, community, top)


def _print_bridge_pages(result: "Groups", max_pages: int) -> None:
    """Print pages that several communities link to, with these communities."""
    for bridge in result.bridge_pages[:max_pages]:
        page = escape_for_terminal(strip_scheme(result.base.pages[bridge.page]))
        communities = pluralise(len(bridge.groups), "community")
        typer.echo(
            typer.style(page, bold=True) + f"   {communities}, {pluralise(bridge.inlinks, 'link')}"
        )
        for number in bridge.groups:
            name = escape_for_terminal(result[number - 1].name)
            typer.echo(f"  community {number}  {shorten(name, MAX_LINE_CHARS)}")
        typer.echo("")


def _print_community(result: "Groups", number: int, community: "Group", top: int) -> None:
    name = escape_for_terminal(community.name) or "(no words)"
    size = pluralise(len(community), result.base.level)
    links = ""
    if counts := community.links:
        inside = f"{pluralise(counts.internal, 'link')} inside"
        links = f"; {inside}, {counts.outgoing:,} leave, {counts.incoming:,} arrive"
    typer.echo(typer.style(f"Community {number}  {name}", bold=True) + f"   {size}{links}")
    if community.title and community.title != community.name:
        typer.echo(f"  {escape_for_terminal(community.title)}")
    for role, pages in (("authorities", community.authorities(top)), ("hubs", community.hubs(top))):
        for place, page in enumerate(pages.tolist()):
            named = shorten(
                escape_for_terminal(strip_scheme(result.base.pages[page])), MAX_LINE_CHARS
            )
            typer.echo(f"  {role if not place else '':<11} {place + 1:>3} {named}")
    typer.echo("")


def _print_link_matrix(result: "Groups", max_communities: int, format_: Format) -> None:
    """Print the number of links from each community (row) to each (column), or a row per pair."""
    import pyarrow as pa

    if format_ is not Format.table:
        first = replace(result, groups=result.groups[:max_communities])
        write_rows(first.to_table("matrix"), format_)
        return
    cells = result.link_matrix(max_communities)
    names = [
        f"{k} {shorten(escape_for_terminal(c.name), 24)}" for k, c in enumerate(result, start=1)
    ]
    columns = {"from \\ to": pa.array(names[: len(cells)], pa.string())}
    columns |= {str(k + 1): pa.array(cells[:, k], pa.int64()) for k in range(len(cells))}
    write_rows(pa.table(columns), format_)


def _print_membership(result: "Groups", page: str, format_: Format) -> None:
    membership = result.explain(page)
    if format_ is Format.table:
        typer.echo("\n".join(escape_for_terminal(line) for line in membership.lines()))
    elif format_ is Format.json:
        write_json(membership.to_document())
    else:
        write_rows(membership.to_table(), format_)


def _print_label_agreement(communities: "Groups", path: Path, format_: Format) -> None:
    from weft.communities.agreement import compare_with_labels, read_labels

    result = compare_with_labels(communities, read_labels(path))
    if format_ is Format.json:
        write_json(asdict(result))
    else:
        write_rows(result.to_table(), format_)
    total = pluralise(result.total_pages, communities.base.level)
    print_note(f"{result.compared_pages:,} of {total} have a label and a community")


def _print_notes(result: "Groups", max_shown: int | None) -> None:
    """Print the notes of the method, what was left out, and the size of the graph."""
    from weft.groups.groups import explain_no_groups

    base, level = result.base, result.base.level
    if not result.groups:
        reason, hint = explain_no_groups(result)
        print_note(f"{escape_for_terminal(reason)} ({hint})")
    for note in result.notes:
        print_note(escape_for_terminal(note))
    count, noun = len(result), "community"
    if result.default_table == "bridge_pages":
        count, noun = len(result.bridge_pages), "page"
    if max_shown is not None and count > max_shown:
        print_note(f"{pluralise(count - max_shown, f'more {noun}')} (--communities)")
    for dropped in base.dropped:
        print_note(describe_dropped(**asdict(dropped), level=level))
    counts = base.counts()
    uncaptured = f", {counts['uncaptured']:,} of them linked but not captured"
    pages = pluralise(len(base), level) + (uncaptured if counts["uncaptured"] else "")
    value = result.facts.get("modularity")
    modularity = f", modularity {value:.3f}" if isinstance(value, float) else ""
    print_note(
        f"{pages}, {pluralise(counts['links'], 'link')}; "
        f"{pluralise(len(result), 'community')} by {result.method}{modularity}"
    )
