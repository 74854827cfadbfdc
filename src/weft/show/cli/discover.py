"""The verb that finds topics: `weft topics COLLECTION "query"`."""

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weft.core.errors import BadParameter
from weft.core.wording import address, count, left_out
from weft.graph.options import Level
from weft.show.cli.arguments import (
    Folder,
    Fresh,
    Option,
    Words,
    base_of,
    method_options,
    with_base_options,
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
    from weft.run.workspace import Workspace
    from weft.topics import MicroHub, Topic, Topics
    from weft.topics.evidence import Case, Evidence
    from weft.topics.spoken import Role

LISTS: "dict[str, Role]" = {"authorities": "authority", "hubs": "hub"}
WIDEST = 56
SAID = 2
INSIDE = 32
HOLLOW = "○"

Method = Annotated[str, typer.Option(help="how to find topics; see `weft methods`")]
TopPages = Annotated[
    int, typer.Option("--top", "-n", min=1, max=10_000, help="authorities and hubs of each")
]
Most = Annotated[int, typer.Option("--topics", min=1, max=10_000, help="how many topics to show")]
AtLevel = Annotated[Level, typer.Option("--level", help="what a topic is made of")]


@examples(
    "weft topics mine.weft jaguar",
    "weft topics mine.weft jaguar --top 10 --topics 3 --root 500",
    "weft topics mine.weft '\"big cats\" site:org' --method tgm --format json",
    "weft topics web.weft --level host",
)
@with_base_options()
def topics(
    folder: Folder,
    query: Words = None,
    method: Method = "auto",
    top: TopPages = 5,
    most: Most = 10,
    level: AtLevel = "page",
    option: Option = None,
    fresh: Fresh = False,
    format_: Chosen = Format.table,
    **base: Any,
) -> None:
    """Find what the pages on a query are about, and who is heard on each topic.

    For each topic the authorities, which many good hubs point to, and the
    hubs, which point to many good authorities. The last options say which
    pages are looked at, and which links count.
    """
    from weft.run.workspace import Workspace

    workspace = Workspace(folder)
    found = find_topics(workspace, query, method, level, option, base, fresh=fresh)
    show_topics(workspace, found, top, most, format_)


def find_topics(
    workspace: "Workspace",
    query: list[str] | None,
    method: str,
    level: Level,
    option: list[str] | None,
    base: dict[str, Any],
    *,
    fresh: bool = False,
) -> "Topics":
    """The topics that the words of a command ask for."""
    import weft.topics  # noqa: F401  registers its methods
    from weft.core.methods import find

    if query and not "".join(query).strip():
        cure = "give some words, or leave it out for the whole collection"
        raise BadParameter("the query is empty", hint=cure)
    with progress():
        return workspace.topics(
            " ".join(query or []),
            method,
            level=level,
            base=base_of(base),
            cache=not fresh,
            **method_options(find("topics", method), option or []),
        )


def show_topics(
    workspace: "Workspace", found: "Topics", top: int, most: int, format_: Format
) -> None:
    """Topics to read as a table, one document as JSON, else a row per page."""
    from weft.topics.evidence import Case

    shown = Case(replace(found, topics=found.topics[:most]))
    if format_ is Format.table:
        _list(shown, top)
    elif format_ is Format.json:
        write_json(_document(workspace, shown, top))
    else:
        write_rows(shown.to_table(top), format_)
    _tell(found, most)


def _list(case: "Case", top: int) -> None:
    shown = case.shown(top)
    for number, topic in enumerate(case.topics, start=1):
        typer.echo(
            typer.style(f"Topic {number}  {plain(topic.name) or '(no words)'}", bold=True)
            + f"   {_size(topic, case.base.level)}"
        )
        if topic.title and topic.title != topic.name:
            typer.echo(f"  {plain(topic.title)}")
        for heading, found in (
            ("authorities", shown[number]["authority"]),
            ("hubs", shown[number]["hub"]),
        ):
            width = min(max((len(_name(one)) for one in found), default=0), WIDEST)
            for one in found:
                typer.echo(f"  {heading if one.place == 1 else '':<11} {_line(one, width)}")
        for place, hub in enumerate(topic.facts.get("micro-hubs", ())[:top], start=1):
            typer.echo(f"  {'micro-hubs' if place == 1 else '':<11} {place:>3} {_block(hub)}")
        typer.echo("")
    if any(one.seen for both in shown.values() for found in both.values() for one in found):
        note(f"{HOLLOW} only seen in links, not fetched")


def _line(one: "Evidence", width: int) -> str:
    """A page of a topic: its place, name, score, and what speaks for it."""
    role = "hub" if one.role == "authority" else "authority"
    speaks = f"{'←' if one.role == 'authority' else '→'} {count(one.count, role)}"
    if one.role == "authority" and one.said:
        speaks += ": " + ", ".join(f'"{plain(words)[:60]}"' for words in one.said[:SAID])
    also = f"  (also in topic {', '.join(map(str, one.also))})" if one.also else ""
    score = f"{one.score:.2f}".removeprefix("0")
    return f"{one.place:>3} {_name(one):<{width}} {score:>5}  {speaks}{also}"


def _name(one: "Evidence") -> str:
    return f"{HOLLOW} {plain(address(one.page))}" if one.seen else plain(address(one.page))


def _block(hub: "MicroHub") -> str:
    """A block of a page: where it is, its score, and what its links say."""
    said = ", ".join(f'"{plain(words)[:60]}"' for words in list(filter(None, hub.anchors))[:SAID])
    path = plain(hub.path)
    inner = path if len(path) <= INSIDE else f"…/{path[-INSIDE:].partition('/')[2]}"
    where = f" {inner}" if path else ""
    score = f"{hub.score:.2f}".removeprefix("0")
    links = f"{count(hub.count, 'link')}{f': {said}' if said else ''}"
    return f"{plain(address(hub.page))}{where} {score:>5}  → {links}"


def _size(topic: "Topic", level: str) -> str:
    facts = topic.facts
    more = [str(facts[name]) for name in ("stability", "note") if facts.get(name)]
    if facts.get("tightly knit"):
        more.append(f"tightly knit: {facts['tightly knit']}")
    return "; ".join([_pages_and_sites(topic, level), *map(plain, more)])


def _pages_and_sites(topic: "Topic", level: str) -> str:
    told = [count(len(topic), level)]
    if "sites" in topic.facts and level == "page":
        told.append(count(topic.facts["sites"], "site"))
    return ", ".join(told)


def _document(workspace: "Workspace", case: "Case", top: int) -> dict[str, Any]:
    """All that is known, as one document."""
    from weft.topics.evidence import overlap

    found, shown = case.topics, case.shown(top)
    return {
        "query": found.base.query,
        "method": found.method,
        "options": dict(found.options),
        "topics": [
            {**_summary(topic), "topic": number, **_pages(workspace, case, shown[number])}
            for number, topic in enumerate(found, start=1)
        ],
        "overlap": overlap(found).to_pylist(),
        "aside": [{**_summary(topic), "reason": topic.reason} for topic in found.aside],
        "provenance": dict(found.provenance),
    }


def _summary(topic: "Topic") -> dict[str, Any]:
    return {
        "label": topic.name,
        "terms": list(topic.label),
        "title": topic.title,
        "pages": len(topic),
        "strength": topic.strength,
        "facts": _facts(topic),
    }


def _facts(topic: "Topic") -> dict[str, Any]:
    """The facts of a topic, with all that is known of its micro-hubs."""
    facts = dict(topic.facts)
    if "micro-hubs" in facts:
        facts["micro-hubs"] = [asdict(hub) for hub in facts["micro-hubs"]]
    return facts


def _pages(
    workspace: "Workspace", case: "Case", both: "dict[Role, list[Evidence]]"
) -> dict[str, Any]:
    """The authorities and hubs of a topic with their evidence, and a snippet of each."""
    from weft.run.discover import snippets

    every = [one.page for found in both.values() for one in found]
    read = every if case.base.level == "page" else []
    said = dict(zip(read, snippets(workspace.collection, case.base, read), strict=True))
    return {
        name: [{**asdict(one), "snippet": said.get(one.page, "")} for one in both[role]]
        for name, role in LISTS.items()
    }


def _tell(found: "Topics", most: int) -> None:
    """Say what the topics were found in, what was left out, and what was set aside."""
    from weft.run.discover import why_none

    story = found.provenance["base"]
    if not found.topics:
        what, cure = why_none(found)
        note(f"{plain(what)} ({cure})")
    elif len(found) > most:
        note(f"{count(len(found) - most, 'more topic')} (--topics)")
    if found.provenance["note"]:
        note(found.provenance["note"])
    for topic in found.aside:
        size = _pages_and_sites(topic, found.base.level)
        named = f"{plain(topic.name) or '(no words)'}, {size}: " if "sites" in topic.facts else ""
        note(f"set aside: {named}{topic.reason}")
    met = story["pages"] or found.base.absent
    for left in found.provenance["left_out"] if met else ():
        note(left_out(**left, level=found.base.level))
    if story["pages"]:
        of = f"{story['root']:,} of " if story["found"] > story["root"] else ""
        root = f"{of}{count(story['found'], 'page')} found, " if story["root"] else ""
        unread = f", {story['seen']:,} of them seen but not fetched" if story["seen"] else ""
        around = f"{count(story['pages'], found.base.level)} in the base set{unread}"
        note(f"{root}{around}, {count(story['links'], 'link')}; topics by {found.method}")


VERBS = (topics,)
