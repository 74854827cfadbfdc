"""The verb that finds topics: `weft topics COLLECTION "query"`."""

from dataclasses import asdict, fields, replace
from inspect import Parameter, Signature, signature
from typing import TYPE_CHECKING, Annotated, Any, get_origin, get_type_hints

import typer

from weft.graph.options import BaseOptions
from weft.show.cli.arguments import Folder, Level, Option, method_options
from weft.show.cli.output import (
    Chosen,
    Format,
    chosen_format,
    count,
    examples,
    note,
    plain,
    progress,
    write_json,
    write_rows,
)

if TYPE_CHECKING:
    from weft.run.workspace import Workspace
    from weft.topics import Topic, Topics
    from weft.topics.evidence import Case, Evidence

KEYWORD = Parameter.KEYWORD_ONLY
WIDEST = 56
SAID = 2


def topics(
    folder: Folder,
    query: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="QUERY",
            help="in quotes, as for search; without one, the whole collection",
            show_default=False,
        ),
    ] = None,
    method: Annotated[str, typer.Option(help="how to find topics; see `weft methods`")] = "atd",
    top: Annotated[
        int, typer.Option("--top", "-n", min=1, max=10_000, help="authorities and hubs of each")
    ] = 5,
    most: Annotated[
        int, typer.Option("--topics", min=1, max=10_000, help="how many topics to show")
    ] = 10,
    level: Annotated[Level, typer.Option(help="what a topic is made of")] = Level.page,
    option: Option = None,
    format_: Chosen = None,
    **base: Any,
) -> None:
    """Find what the pages on a query are about, and who is heard on each topic.

    For each topic the authorities, which many good hubs point to, and the
    hubs, which point to many good authorities. The last options say which
    pages are looked at, and which links count.
    """
    import weft.topics  # noqa: F401  registers its methods
    from weft.core.methods import find
    from weft.run.workspace import Workspace

    workspace = Workspace(folder)
    with progress():
        found = workspace.topics(
            " ".join(query or []),
            method,
            level=level.value,
            base=BaseOptions(**{name: _frozen(value) for name, value in base.items()}),
            **method_options(find("topics", method), option or []),
        )
    show_topics(workspace, found, top, most, format_)


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def base_options() -> list[Parameter]:
    """The options of a base set as those of a command, from their one declaration."""
    kinds, made = get_type_hints(BaseOptions), []
    for told in fields(BaseOptions):
        kind, limits = kinds[told.name], told.metadata
        several = get_origin(kind) is tuple
        asked = typer.Option(
            help=limits["description"],
            min=limits.get("ge"),
            max=limits.get("le"),
            metavar="<str>" if several else None,
            show_default=not several,
        )
        own = Annotated[list[str], asked] if several else Annotated[kind, asked]
        default = [] if several else told.default
        made.append(Parameter(told.name, KEYWORD, default=default, annotation=own))
    return made


*_own, _ = signature(topics).parameters.values()
topics.__signature__ = Signature([*_own, *base_options()])  # type: ignore[attr-defined]
examples(
    "weft topics mine.weft jaguar",
    "weft topics mine.weft jaguar --top 10 --topics 3 --root 500",
    "weft topics mine.weft '\"big cats\" site:org' --method tgm --format json",
    "weft topics web.weft --level host",
)(topics)


def show_topics(
    workspace: "Workspace", found: "Topics", top: int, most: int, format_: Format | None
) -> None:
    """Topics to read on a terminal, one document as JSON, else a row per page."""
    from weft.topics.evidence import Case

    shown = Case(replace(found, topics=found.topics[:most]))
    form = chosen_format(format_)
    if form is Format.table:
        _list(shown, top)
    elif form is Format.json:
        write_json(_document(workspace, shown, top))
    else:
        write_rows(shown.to_table(top), form)
    _tell(found, most)


def _list(case: "Case", top: int) -> None:
    for number, topic in enumerate(case.topics, start=1):
        typer.echo(
            typer.style(f"Topic {number}  {plain(topic.name) or '(no words)'}", bold=True)
            + f"   {_size(topic)}"
        )
        if topic.title and topic.title != topic.name:
            typer.echo(f"  {plain(topic.title)}")
        for heading, found in (
            ("authorities", case.of(number, "authority", top)),
            ("hubs", case.of(number, "hub", top)),
        ):
            width = min(max((len(_short(one.page)) for one in found), default=0), WIDEST)
            for one in found:
                typer.echo(f"  {heading if one.place == 1 else '':<11} {_line(one, width)}")
        typer.echo("")


def _line(one: "Evidence", width: int) -> str:
    """A page of a topic: its place, name, score, and what speaks for it."""
    role = "hub" if one.role == "authority" else "authority"
    speaks = f"{'←' if one.role == 'authority' else '→'} {count(one.count, role)}"
    if one.role == "authority" and one.said:
        speaks += ": " + ", ".join(f'"{plain(words)[:60]}"' for words in one.said[:SAID])
    also = f"  (also in topic {', '.join(map(str, one.also))})" if one.also else ""
    score = f"{one.score:.2f}".removeprefix("0")
    return f"{one.place:>3} {_short(one.page):<{width}} {score:>5}  {speaks}{also}"


def _short(page: str) -> str:
    return plain(page).removeprefix("http://").removeprefix("https://")


def _size(topic: "Topic") -> str:
    facts = topic.facts
    told = [count(len(topic), "page")]
    if "sites" in facts:
        told.append(count(facts["sites"], "site"))
    more = [str(facts[name]) for name in ("stability", "note") if facts.get(name)]
    if facts.get("tightly knit"):
        more.append(f"tightly knit: {facts['tightly knit']}")
    return "; ".join([", ".join(told), *map(plain, more)])


def _document(workspace: "Workspace", case: "Case", top: int) -> dict[str, Any]:
    """All that is known, as one document."""
    from weft.topics.evidence import overlap

    found = case.topics
    return {
        "query": found.base.query,
        "method": found.method,
        "options": dict(found.options),
        "topics": [
            {**_summary(topic), "topic": number, **_pages(workspace, case, number, top)}
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
        "facts": dict(topic.facts),
    }


def _pages(workspace: "Workspace", case: "Case", number: int, top: int) -> dict[str, Any]:
    """The authorities and hubs of a topic with their evidence, and a snippet of each."""
    from weft.run.discover import snippets

    made: dict[str, Any] = {}
    for name, found in (
        ("authorities", case.of(number, "authority", top)),
        ("hubs", case.of(number, "hub", top)),
    ):
        pages = [one.page for one in found]
        at_pages = case.base.level == "page"
        said = snippets(workspace.collection, case.base, pages) if at_pages else [""] * len(pages)
        made[name] = [
            {**asdict(one), "snippet": words} for one, words in zip(found, said, strict=True)
        ]
    return made


def _tell(found: "Topics", most: int) -> None:
    """Say what the topics were found in, what was left out, and what was set aside."""
    story = found.provenance["base"]
    if not found.topics:
        _explain_nothing(found)
    elif len(found) > most:
        note(f"{count(len(found) - most, 'more topic')} (--topics)")
    for topic in found.aside:
        named = f"{plain(topic.name)}, {_size(topic)}: " if "sites" in topic.facts else ""
        note(f"set aside: {named}{topic.reason}")
    for left in found.provenance["left_out"]:
        gone = [
            count(left[kind], kind.removesuffix("s")) for kind in ("pages", "links") if left[kind]
        ]
        note(f"{left['reason']}: {' and '.join(gone) or 'nothing'} left out")
    if story["pages"]:
        root = f"{count(story['root'], 'page')} found, " if story["root"] else ""
        unread = f", {story['seen']:,} of them seen but not fetched" if story["seen"] else ""
        around = f"{count(story['pages'], found.base.level)} in the base set{unread}"
        note(f"{root}{around}, {count(story['links'], 'link')}; topics by {found.method}")


def _explain_nothing(found: "Topics") -> None:
    """Say why there is no topic, and what may help."""
    base, story = found.base, found.provenance["base"]
    if not story["pages"]:
        what = f"no page is found by {plain(base.query)}" if base.query else "there are no pages"
        cure = "try fewer or other words" if base.query else "weft add puts some in"
    elif not story["links"]:
        what = "no topic: the pages have no links between them that count"
        cure = "--between page counts links inside a site too"
    else:
        what = f"no topic: no group of pages is large and dense enough for {found.method}"
        cure = f"see `weft methods {found.method}` for what --option can change"
    note(f"{what} ({cure})")


VERBS = (topics,)
