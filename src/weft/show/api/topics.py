"""Answers about topics: those of a query with their evidence, and those that a page is in."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from weft.core.documents import plain
from weft.core.errors import UnknownName
from weft.graph.baseset import BaseSet
from weft.run.discover import snippets, why_none
from weft.run.report import report
from weft.show.api.asks import OneTopic, Report, Shown, TopicMap, TopicPart, TopicsOf, base_options
from weft.show.api.asks import Topics as TopicsAsk
from weft.show.api.desk import Desk, frozen
from weft.show.api.files import File, table_file
from weft.show.api.findings import (
    Aside,
    Base,
    Evidence,
    InAside,
    InTopic,
    Shared,
    Support,
    Topic,
    TopicFound,
    TopicsFound,
    TopicsOfPage,
)
from weft.show.api.rankings import ended, told
from weft.show.api.shapes import Left
from weft.topics import Topic as FoundTopic
from weft.topics import Topics
from weft.topics.evidence import Case, overlap
from weft.topics.evidence import Evidence as FoundEvidence

Question = TopicsAsk | OneTopic | TopicPart | TopicMap | TopicsOf | Report


def topics(desk: Desk, ask: TopicsAsk) -> TopicsFound | File:
    """The topics of a query, each with authorities, hubs, and what speaks for them."""
    every = discovered(desk, ask)
    found = replace(every, topics=every.topics[: ask.topics])
    case = Case(found)
    if ask.format != "json":
        return table_file(case.to_table(ask.top), desk.file(ask.format), "topics")
    provenance = dict(found.provenance)
    return TopicsFound(
        snapshot=desk.snapshot,
        query=ask.query,
        method=found.method,
        level=ask.level,
        options=plain(found.options),
        base=Base(
            **provenance["base"],
            story=list(found.base.story()),
            left_out=[Left(**left) for left in provenance["left_out"]],
            options=plain(provenance["base_options"]),
        ),
        total=len(every),
        topics=shown(desk, case, range(1, len(found) + 1), ask),
        overlap=[Shared(**row) for row in overlap(found).to_pylist()],
        aside=[Aside(**summary(topic), reason=topic.reason) for topic in found.aside],
        ended=ended(found.trace),
        note="" if len(every) else why_none(every)[0],
        provenance=told(provenance),
    )


def written(desk: Desk, ask: Report) -> File:
    """The topics of a query as one HTML page to keep or to send."""
    into = desk.file("html")
    found = discovered(desk, ask)
    into.write_text(report(desk.collection, found, top=ask.top, most=ask.topics), "utf-8")
    return File(into, "report.html")


def discovered(desk: Desk, ask: Question) -> Topics:
    """All topics of a query, found once."""
    base, options = base_options(ask), ask.chosen
    key = ("topics", ask.method_name, ask.query, ask.level, base, frozen(options))
    return desk.recall(
        key,
        lambda: desk.workspace.topics(
            ask.query, ask.method_name, level=ask.level, base=base, **options
        ),
    )


def summary(topic: FoundTopic) -> dict[str, Any]:
    """What a topic is called, and how large it is."""
    return {
        "label": topic.name,
        "terms": list(topic.label),
        "title": topic.title,
        "pages": len(topic),
        "strength": plain(float(topic.strength)),
        "facts": plain(topic.facts),
    }


def shown(desk: Desk, case: Case, numbers: Sequence[int], ask: Shown) -> list[Topic]:
    """Some topics with their pages, whose names and snippets are all looked up at once."""
    found = case.shown(ask.top, numbers=numbers) if numbers else {}
    told = {k: [one for part in found[k].values() for one in part] for k in numbers}
    every = [one for k in numbers for one in told[k]]
    names = _names(desk, case.base, every)
    wordy = {"all": numbers, "first": numbers[:1], "none": numbers[:0]}[ask.snippets]
    words = _snippets(desk, case.base, [one.page for k in wordy for one in told[k]])
    return [
        Topic(
            **summary(case.topics[k - 1]),
            topic=k,
            authorities=[_evidence(one, names, words) for one in found[k]["authority"]],
            hubs=[_evidence(one, names, words) for one in found[k]["hub"]],
        )
        for k in numbers
    ]


def _names(desk: Desk, base: BaseSet, found: Sequence[FoundEvidence]) -> dict[str, dict[str, str]]:
    """Page, title and kind of all pages that are spoken of, by page."""
    linked = (link.page for one in found for link in one.links)
    pages = list(dict.fromkeys([*(one.page for one in found), *linked]))
    if base.level != "page":
        return dict(zip(pages, desk.names(pages, base.level), strict=True))
    names = base.graph.names
    places = pc.index_in(pa.array(pages, names.type), names).to_numpy()
    return dict(zip(pages, desk.numbered(base.numbers[places]), strict=True))


def _snippets(desk: Desk, base: BaseSet, pages: Sequence[str]) -> dict[str, str]:
    each = list(dict.fromkeys(pages)) if base.level == "page" else []
    return dict(zip(each, snippets(desk.collection, base, each), strict=True)) if each else {}


def _evidence(
    one: FoundEvidence, names: dict[str, dict[str, str]], words: dict[str, str]
) -> Evidence:
    return Evidence(
        **names[one.page],
        place=one.place,
        score=one.score,
        count=one.count,
        sites=one.sites,
        said=list(one.said),
        links=[
            Support(**names[link.page], amount=link.amount, anchors=list(link.anchors))
            for link in one.links
        ],
        also=list(one.also),
        snippet=words.get(one.page, ""),
    )


def one_topic(desk: Desk, ask: OneTopic) -> TopicFound:
    """One topic with as many of its pages as wanted, each with a snippet."""
    found = discovered(desk, ask)
    chosen(found, ask.topic)
    [topic] = shown(desk, Case(found), [ask.topic], ask)
    return TopicFound(snapshot=desk.snapshot, topic=topic)


def chosen(found: Topics, number: int) -> FoundTopic:
    """One topic by its number, from one."""
    if number > len(found):
        known = f"there are {len(found)}" if len(found) else "there are none"
        raise UnknownName("topic", str(number), (), hint=known)
    return found[number - 1]


def of_page(desk: Desk, ask: TopicsOf) -> TopicsOfPage:
    """The topics of a query that a page is in, as authority or as hub; or why it is in none."""
    page = desk.named(ask.url, ask.level)
    found = discovered(desk, ask)
    stands, every = found.explain(page), (*found.topics, *found.aside)
    return TopicsOfPage(
        snapshot=desk.snapshot,
        page=page,
        origin=str(stands.origin or stands.absent),
        alone=stands.alone,
        rows=[InTopic(**_role(one, every[one.topic - 1])) for one in stands.found],
        aside=[
            InAside(**_role(one, every[one.topic - 1]), reason=every[one.topic - 1].reason)
            for one in stands.aside
        ],
    )


def _role(one: FoundEvidence, topic: FoundTopic) -> dict[str, Any]:
    """What a page is in a topic."""
    same = ("topic", "role", "score", "place", "count", "sites")
    return {"label": topic.name, **{name: getattr(one, name) for name in same}}
