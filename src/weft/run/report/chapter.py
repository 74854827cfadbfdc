"""One topic of a report: its facts, its picture, its authorities and hubs."""

from collections.abc import Sequence

from weft.core.markup import Markup, join, link, tag
from weft.core.wording import address, count, direction, shortened
from weft.run.report.contents import Entry, Section
from weft.run.report.picture import curves
from weft.run.report.pieces import (
    badge,
    bar,
    called,
    colour,
    first_hub,
    headed,
    stability,
    strength,
    table,
)
from weft.topics.topic import Topic

HEARD = 3
MOST_BLOCKS, MOST_LINKS = 5, 12


def chapter(section: Section, thing: str) -> Markup:
    """A topic; `thing` is what a page of it is: a page, a host or a domain."""
    topic, number = section.topic, section.number
    title = first_hub(topic)
    return tag(
        "section",
        tag("h2", badge(number), " ", called(topic)),
        tag("p", _facts(topic, thing), class_="facts"),
        tag("p", "Best hub: ", tag("bdi", title, class_="from")) if title else "",
        curves(section.ties, f"Topic {number}") if section.ties.weight.size else "",
        tag(
            "div",
            _entries("Authorities", section.authorities, thing),
            _entries("Hubs", section.hubs, thing),
            class_="roles",
        ),
        _blocks(topic),
        id=f"topic-{number}",
        class_=f"topic {colour(number)}",
    )


def _facts(topic: Topic, thing: str) -> str:
    facts = topic.facts
    knit = facts.get("tightly knit")
    told = [
        count(len(topic), thing),
        count(facts["sites"], "site") if "sites" in facts else "",
        stability(topic),
        f"strength {strength(topic)}",
        facts.get("note"),
        f"tightly knit: {knit}" if knit else "",
    ]
    return " · ".join(str(fact) for fact in told if fact)


def _blocks(topic: Topic) -> Markup:
    """The best micro-hubs of a topic, where the method finds blocks of pages."""
    told = [
        tag(
            "li",
            link(block.page, tag("bdi", shortened(address(block.page), 160)), class_="title"),
            ": ",
            join(
                [
                    link(target, tag("bdi", shortened(words or address(target), 80)))
                    for target, words in zip(block.targets, block.anchors, strict=True)
                ][:MOST_LINKS],
                ", ",
            ),
        )
        for block in topic.facts.get("micro-hubs", ())[:MOST_BLOCKS]
    ]
    return (
        tag("div", tag("h3", "Best blocks of links"), tag("ul", *told), class_="blocks")
        if told
        else Markup("")
    )


def _entries(heading: str, entries: Sequence[Entry], thing: str) -> Markup:
    """The authorities or the hubs of a topic as a table."""
    head = tag("h3", heading)
    if not entries:
        return tag("div", head, tag("p", "None."))
    rows = [_row(entry, entries[0].case.score) for entry in entries]
    return tag("div", head, table(["", thing, "score"], rows, "entries"))


def _row(entry: Entry, best: float) -> Markup:
    one = entry.case
    title, where = headed(one), shortened(address(one.page), 160)
    begins = entry.snippet.removeprefix(one.title).strip()
    also = [tag("a", f"topic {k}", href=f"#topic-{k}") for k in one.also]
    told = [
        link(one.page, tag("bdi", title or where), class_="title"),
        tag("span", where, class_="address") if title else "",
        "" if entry.fetched else tag("span", "seen in links, not fetched", class_="address"),
        tag("span", begins, class_="snippet", dir=direction(begins)) if begins else "",
        tag("span", _evidence(entry), class_="evidence"),
        tag("span", "also in ", join(also, ", "), class_="also") if also else "",
    ]
    return tag(
        "tr",
        tag("td", one.place, class_="number"),
        tag("td", *told),
        tag("td", f"{one.score:.3f}", bar(one.score / best), class_="score"),
    )


def _evidence(entry: Entry) -> Markup:
    """Who points to an authority and in what words, or where a hub points."""
    one = entry.case
    sites = count(one.sites, "site")
    if one.role == "hub":
        return join([f"links to {count(one.count, 'authority')} on {sites}"])
    said = [tag("q", tag("bdi", shortened(words, 80))) for words in one.said[:HEARD]]
    return join([f"linked by {count(one.count, 'hub')} from {sites}", join(said, ", ")], ": ")
