"""The page of a report: every part as HTML."""

from collections.abc import Iterator

from weft.core.markup import Markup, tag
from weft.core.wording import address, count, listed, shortened
from weft.run.discover import why_none
from weft.run.report.chapter import chapter
from weft.run.report.closing import closing
from weft.run.report.contents import Report, Section
from weft.run.report.document import document
from weft.run.report.picture import shares
from weft.run.report.pieces import badge, bar, called, colour, first_hub, stability, strength, table


def page(report: Report) -> str:
    """A report as one HTML page, which may load nothing and run nothing."""
    return document(_title(report), report.found.provenance["weft"], _parts(report))


def _parts(report: Report) -> Iterator[Markup]:
    yield tag(
        "header",
        tag("p", f"Weft report · {report.name}", class_="above"),
        tag("h1", _title(report)),
        tag("p", _lead(report), class_="lead"),
    )
    if report.sections:
        yield _overview(report)
    yield _base(report)
    yield from (chapter(section, report.thing) for section in report.sections)
    yield from closing(report)


def _title(report: Report) -> str:
    base = report.found.base
    if base.query:
        return f"Topics of “{shortened(base.query, 120)}”"
    begun = [address(one) for one in report.found.provenance["base_options"]["pages"]]
    return f"Topics around {listed(begun[:3])}" if begun else f"Topics of {report.name}"


def _lead(report: Report) -> str:
    found = report.found
    if not found.topics:
        what, cure = why_none(found)
        return f"{what[0].upper()}{what[1:]}. What may help: {cure}."
    words = f"{count(len(found), 'topic')} in {count(report.pages, report.thing)}"
    if len(report.sections) < len(found):
        words += f"; the first {len(report.sections):,} are shown"
    return f"{words}."


def _overview(report: Report) -> Markup:
    strongest = max(section.topic.strength for section in report.sections) or 1.0
    stable = any(stability(section.topic) for section in report.sections)
    heads = ["", "topic", f"{report.thing}s", "sites", *["stability"] * stable, "strength"]
    rows = [_line(section, report.thing, strongest, stable=stable) for section in report.sections]
    return tag("section", tag("h2", "At a glance"), table(heads, rows, "overview"))


def _line(section: Section, thing: str, strongest: float, *, stable: bool) -> Markup:
    topic, number = section.topic, section.number
    title, sites = first_hub(topic), topic.facts.get("sites")
    return tag(
        "tr",
        tag("td", badge(number)),
        tag(
            "th",
            tag("a", called(topic), href=f"#topic-{number}"),
            tag("bdi", title, class_="from") if title else "",
            scope="row",
        ),
        _counted(len(topic), thing, "told"),
        _counted(sites, "site") if sites is not None else tag("td"),
        tag("td", stability(topic), class_="steady") if stable else "",
        tag("td", bar(topic.strength / strongest), strength(topic)),
        class_=colour(number),
    )


def _counted(number: int, thing: str, kind: str = "") -> Markup:
    """A number, and what it counts for screens that have no room for heads of columns."""
    figure, _, things = count(number, thing).partition(" ")
    return tag("td", figure, class_=f"number {kind}".strip(), data_label=things)


def _base(report: Report) -> Markup:
    parts = [tag("h2", "The base set"), tag("p", _story(report))]
    if len(report.came) > 1:
        parts.append(shares(f"How the {report.thing}s came in", report.came, report.pages))
    if report.sections:
        parts.append(shares(f"Where the {report.thing}s ended", report.ended, report.pages))
    return tag("section", *parts)


def _story(report: Report) -> str:
    """How the base set came about, in words."""
    told, base, thing = report.found.provenance["base"], report.found.base, report.thing
    grown = f"{count(told['pages'], thing)}, with {count(told['links'], 'link')} that count"
    if told["root"] and base.query:
        words = (
            f"The search for “{shortened(base.query, 120)}” found {count(told['found'], thing)}."
        )
        some = told["found"] > told["root"]
        first = f"{told['root']:,} of the first of these" if some else "These"
        words += f" {first} and the {thing}s around them make the base set: {grown}."
    elif base.query:
        words = f"The search for “{shortened(base.query, 120)}” found nothing."
    elif len(report.came) > 1:
        words = f"The {thing}s given and those around them make the base set: {grown}."
    else:
        words = f"The base set is the whole collection, but for what was left out: {grown}."
    if told["seen"]:
        words += f" {count(told['seen'], thing)} of it were seen in links, but not fetched."
    return words
