"""`weft topics [METHOD] COLLECTION [QUERY]`: find the topics of a query."""

from dataclasses import asdict, replace
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
)
from weft.cli.output import (
    Format,
    FormatOption,
    escape_for_terminal,
    print_note,
    progress_bars,
    settings,
    write_json,
    write_rows,
)
from weft.core.text import describe_dropped, pluralise, strip_scheme

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weft.core.arrays import Ids
    from weft.graph.selection import Selection
    from weft.groups import Group, Groups, MicroHub
    from weft.groups.evidence import Evidence, EvidenceCollector

MAX_NAME_CHARS = 56
MAX_SHOWN_ANCHORS = 2
MAX_PATH_CHARS = 32
MAX_ALSO_FOUND = 3
UNCAPTURED_MARK = "○"

TopPages = Annotated[
    int,
    typer.Option("--top", "-n", min=1, max=10_000, help="number of authorities and hubs of each"),
]
MaxTopics = Annotated[int, typer.Option("--topics", min=1, max=10_000, help="number of topics")]


def topics(
    method: str,
    options: dict[str, Any],
    folder: Folder,
    query: QueryArgument = None,
    top: TopPages = 5,
    shown: MaxTopics = 10,
    uncaptured: UncapturedOption = "drop",
    edited: EditedOption = True,
    fresh: FreshOption = False,
    format_: FormatOption = Format.table,
    *,
    selection: "Selection",
) -> None:
    """Find the topics of a query, with authorities and hubs.

    For each topic: the authorities, which many good hubs link to, and the hubs,
    which link to many good authorities. Without a query, the topics of the whole
    collection. The options from --level on say which part of the collection is
    looked at, and which links count.
    """
    from weft.workspace.workspace import Workspace

    workspace = Workspace(folder)
    with progress_bars():
        result = workspace.topics(
            join_query(query),
            method,
            selection,
            uncaptured=uncaptured,
            edited=edited,
            cache=not fresh,
            **options,
        )
    print_topics(result, top, shown, format_)


KIND = Kind(
    "topics",
    "Find the topics of a query, with authorities and hubs.",
    topics,
    (
        "weft topics mine.weft jaguar",
        "weft topics mine.weft jaguar --top 10 --topics 3 --root-size 500",
        "weft topics mine.weft '\"big cats\" site:org' --format json",
        "weft topics web.weft --level host",
    ),
    usage="COLLECTION [QUERY]... [OPTIONS]",
)


def print_topics(result: "Groups", top: int, max_topics: int, format_: Format) -> None:
    """Print topics to read, as one JSON document, or as a row per page."""
    from weft.groups.evidence import EvidenceCollector

    shown = EvidenceCollector(replace(result, groups=result.groups[:max_topics]))
    if format_ is Format.table:
        if len(result):
            _print_best_results(result, 2 * top)
        _print_topic_list(shown, top, result.also_found(top, 2 * top))
    elif format_ is Format.json:
        write_json(result.to_document(top, max_topics))
    else:
        write_rows(shown.to_table(top), format_)
    _print_notes(result, max_topics)


def _print_best_results(topics: "Groups", top: int) -> None:
    """Print the leading search results, each with the number of its topic."""
    group_of_page = topics.group_of_page
    for place, page in enumerate(topics.leading_results(top).tolist(), start=1):
        heading = typer.style("Best results", bold=True) if place == 1 else " " * 12
        group = int(group_of_page[page]) + 1
        topic = f"  (topic {group})" if group else ""
        typer.echo(f"{heading}  {place:>3} {_format_result(topics, page)}{topic}")
    if len(topics.best_results(1)):
        typer.echo("")


def _format_result(topics: "Groups", page: int) -> str:
    """The title and the address of a search result."""
    titles = topics.base.titles
    title = escape_for_terminal((titles[page] if len(titles) else "") or "")[:MAX_NAME_CHARS]
    return f"{title}  {escape_for_terminal(strip_scheme(topics.base.pages[page]))}"


def _print_results(heading: str, pages: "Ids", topics: "Groups", count: int) -> None:
    """Print search results, the best first, after a heading: `count` of them, and how many more."""
    lines = [_format_result(topics, page) for page in pages[:count].tolist()]
    lines += [f"and {len(pages) - count:,} more"] if len(pages) > count else []
    for place, line in enumerate(lines):
        typer.echo(f"{' ' * len(heading) if place else heading} {line}")


def _print_topic_list(
    evidence: "EvidenceCollector", top: int, also_found: "Mapping[int, Ids]"
) -> None:
    """Print each topic, with authorities that are not among the best results above."""
    results = 2 * top
    pages_by_topic = evidence.for_groups(top + results)
    for number, roles in pages_by_topic.items():
        listed = set(evidence.groups.listed_authorities(number, top, results).tolist())
        roles["authority"] = [page for page in roles["authority"] if page.page_number in listed]
        roles["hub"] = roles["hub"][:top]
    for number, topic in enumerate(evidence.groups, start=1):
        if topic.in_passing or evidence.groups.results_first:
            continue
        typer.echo(
            typer.style(
                f"Topic {number}  {escape_for_terminal(topic.name) or '(no words)'}", bold=True
            )
            + f"   {_format_topic_size(topic, evidence.base.level)}"
        )
        if topic.title and topic.title != topic.name:
            typer.echo(f"  {escape_for_terminal(topic.title)}")
        _print_pages("authorities", pages_by_topic[number]["authority"])
        _print_results("  also found     ", also_found[number], evidence.groups, MAX_ALSO_FOUND)
        _print_pages("hubs", pages_by_topic[number]["hub"])
        _print_more(evidence, topic, top)
        typer.echo("")
    if evidence.groups.results_first:
        _print_topic_lines("Topics", evidence, in_passing=False)
    _print_topic_lines("Mentioned in passing", evidence, in_passing=True)
    _print_other_results(evidence.groups, also_found[0])
    by_role = [pages for roles in pages_by_topic.values() for pages in roles.values()]
    shows_uncaptured = any(len(topic.uncaptured) for topic in evidence.groups)
    if shows_uncaptured or any(page.uncaptured for pages in by_role for page in pages):
        print_note(f"{UNCAPTURED_MARK} linked, not captured")


def _print_pages(heading: str, pages: "list[Evidence]") -> None:
    """Print the authorities or hubs of a topic."""
    width = min(max((len(_format_name(page)) for page in pages), default=0), MAX_NAME_CHARS)
    for page in pages:
        typer.echo(f"  {heading if page.place == 1 else '':<11} {_format_page(page, width)}")


def _print_other_results(topics: "Groups", pages: "Ids") -> None:
    """Print search results that are in no topic or mention the query in passing."""
    if len(topics) and len(pages):
        typer.echo(typer.style("Other results", bold=True))
        _print_results(" ", pages, topics, len(pages))
        typer.echo("")


def _print_topic_lines(heading: str, evidence: "EvidenceCollector", *, in_passing: bool) -> None:
    """Print the topics that mention the query in passing, or the others, a line each."""
    numbered = enumerate(evidence.groups, start=1)
    found = [(k, topic) for k, topic in numbered if topic.in_passing == in_passing]
    for place, (number, topic) in enumerate(found):
        before = " " * len(heading) if place else typer.style(heading, bold=True)
        name = escape_for_terminal(topic.name) or "(no words)"
        pages = f": {escape_for_terminal(topic.title)}" if topic.title else ""
        typer.echo(f"{before}  {number} {name} ({len(topic):,}){pages}")
    if found:
        typer.echo("")


def _print_more(evidence: "EvidenceCollector", topic: "Group", top: int) -> None:
    """Print the pages worth fetching, the sub-topics and the micro-hubs of a topic."""
    for place, page in enumerate(topic.uncaptured[:top].tolist(), start=1):
        heading = "to fetch" if place == 1 else ""
        typer.echo(f"  {heading:<11} {place:>3} {_format_uncaptured(evidence, page)}")
    if topic.subgroups:
        typer.echo(f"  sub-topics  {_format_subtopics(topic)}")
    for place, hub in enumerate(topic.micro_hubs[:top], start=1):
        heading = "micro-hubs" if place == 1 else ""
        typer.echo(f"  {heading:<11} {place:>3} {_format_micro_hub(hub)}")


def _format_uncaptured(evidence: "EvidenceCollector", page: int) -> str:
    """A page that was linked, not captured."""
    return f"{UNCAPTURED_MARK} {escape_for_terminal(strip_scheme(evidence.base.pages[page]))}"


def _format_subtopics(topic: "Group") -> str:
    """The labels and sizes of the sub-topics of a topic."""
    return "; ".join(
        f"{escape_for_terminal(part.name) or '(no words)'} ({len(part):,})"
        for part in topic.subgroups
    )


def _format_page(page: "Evidence", width: int) -> str:
    """A page of a topic: its place, name, score, number of links, and anchor texts."""
    links = f"{'←' if page.role == 'authority' else '→'} {pluralise(page.count, 'page')}"
    if page.role == "authority" and page.anchors:
        links += ": " + ", ".join(
            f'"{escape_for_terminal(anchor)[:60]}"' for anchor in page.anchors[:MAX_SHOWN_ANCHORS]
        )
    also = (
        f"  (also in topic {', '.join(map(str, page.other_groups))})" if page.other_groups else ""
    )
    score = f"{page.score:.2f}".removeprefix("0")
    return f"{page.place:>3} {_format_name(page):<{width}} {score:>5}  {links}{also}"


def _format_name(page: "Evidence") -> str:
    mark = f"{UNCAPTURED_MARK} " if page.uncaptured else ""
    return mark + escape_for_terminal(strip_scheme(page.page))


def _format_micro_hub(hub: "MicroHub") -> str:
    """A micro-hub: its page, path in the page, score, number of links, and anchor texts."""
    anchors = ", ".join(
        f'"{escape_for_terminal(anchor)[:60]}"'
        for anchor in list(filter(None, hub.anchors))[:MAX_SHOWN_ANCHORS]
    )
    path = escape_for_terminal(hub.path)
    inner = path if len(path) <= MAX_PATH_CHARS else f"…/{path[-MAX_PATH_CHARS:].partition('/')[2]}"
    where = f" {inner}" if path else ""
    score = f"{hub.score:.2f}".removeprefix("0")
    links = f"{pluralise(hub.count, 'link')}{f': {anchors}' if anchors else ''}"
    return f"{escape_for_terminal(strip_scheme(hub.page))}{where} {score:>5}  → {links}"


def _format_topic_size(topic: "Group", level: str) -> str:
    more = [topic.stability.description] if topic.stability else []
    more += [topic.note] if topic.note else []
    if topic.sites and topic.sites.tightly_knit:
        more.append(f"tightly knit: {topic.sites.tightly_knit}")
    return "; ".join([_format_page_and_site_counts(topic, level), *map(escape_for_terminal, more)])


def _format_page_and_site_counts(topic: "Group", level: str) -> str:
    counts = [pluralise(len(topic), level)]
    if topic.sites and level == "page":
        counts.append(pluralise(topic.sites.count, "site"))
    return ", ".join(counts)


def _print_what_was_left_out(result: "Groups") -> None:
    """Print each topic that was set aside, and each reason why pages and links do not count."""
    level = result.base.level
    for topic in result.set_aside:
        size = _format_page_and_site_counts(topic, level)
        name = (
            f"{escape_for_terminal(topic.name) or '(no words)'}, {size}: "
            if not topic.is_remainder
            else ""
        )
        print_note(f"set aside: {name}{topic.reason}")
    if len(result.base) or result.base.absent:
        for dropped in result.base.dropped:
            print_note(describe_dropped(**asdict(dropped), level=level))


def _print_counts_left_out(result: "Groups") -> None:
    """Print in at most two lines how much is in no topic or was left out."""
    others = [topic.reason for topic in result.set_aside if topic.is_remainder]
    if others:
        print_note("; ".join(others))
    aside = sum(not topic.is_remainder for topic in result.set_aside)
    left_out = result.base.dropped if len(result.base) or result.base.absent else ()
    pages = sum(dropped.pages for dropped in left_out)
    links = sum(dropped.links for dropped in left_out)
    counts = [f"{pluralise(aside, 'topic')} set aside"] if aside else []
    if pages or links:
        size = f"{pluralise(pages, result.base.level)} and {pluralise(links, 'link')}"
        counts.append(f"{size} left out")
    if counts:
        print_note(f"{', '.join(counts)} (weft -v topics says which, and why)")


def _print_notes(result: "Groups", max_topics: int) -> None:
    """Print in a few lines what was left out, and the size of the base set."""
    from weft.groups.groups import explain_no_groups

    base, level = result.base.counts(), result.base.level
    if not result.groups:
        reason, hint = explain_no_groups(result)
        print_note(f"{escape_for_terminal(reason)} ({hint})")
    elif len(result) > max_topics:
        print_note(f"{pluralise(len(result) - max_topics, 'more topic')} (--topics)")
    for note in result.notes:
        print_note(escape_for_terminal(note))
    (_print_what_was_left_out if settings.verbose else _print_counts_left_out)(result)
    if base["pages"]:
        of = f"{base['root']:,} of " if base["found"] > base["root"] else ""
        root = f"{of}{pluralise(base['found'], 'page')} found, " if base["root"] else ""
        uncaptured = f", {base['uncaptured']:,} of them linked but not captured"
        pages = f"{pluralise(base['pages'], level)} in the base set"
        pages += uncaptured if base["uncaptured"] else ""
        print_note(f"{root}{pages}, {pluralise(base['links'], 'link')}; topics by {result.method}")
