"""The report on topics, as an HTML page: overview, base set, a section a topic, methods."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from weft.core.html import Markup, html_element, join_html, page_link
from weft.core.text import join_with_and, pluralise, shorten, strip_scheme, text_direction
from weft.report.contents import TopicPageEntry, TopicSection, TopicsReport
from weft.report.html import (
    citation_mark,
    definition_list,
    format_stability,
    format_strength,
    html_document,
    html_table,
    page_header,
    page_title,
    reference_list,
    representative_titles,
    share_bar_svg,
    topic_badge,
    topic_colour_class,
    topic_name,
)
from weft.report.methods import describe_methods, reproduction_command
from weft.report.pictures import draw_hub_authority_links, draw_share_bar
from weft.topics.topic import Topic, explain_no_topics

MAX_ANCHORS = 3
MAX_MICRO_HUBS, MAX_MICRO_HUB_LINKS = 5, 12
MAX_OVERLAP_ROWS = 20
MAX_QUERY_CHARS = 120


def render_topics_report(report: TopicsReport) -> str:
    """Render a report as an HTML page that runs no script and loads nothing."""
    version = report.topics.provenance["weft"]
    return html_document(_report_title(report), version, _render_parts(report))


def _render_parts(report: TopicsReport) -> Iterator[Markup]:
    yield page_header(report.collection_name, _report_title(report), _lead_sentence(report))
    if report.sections:
        yield _overview_section(report)
    yield _base_set_section(report)
    yield from (render_topic_section(section, report.level) for section in report.sections)
    yield from render_closing_sections(report)


def _report_title(report: TopicsReport) -> str:
    base = report.topics.base
    if base.query:
        return f"Topics of “{shorten(base.query, MAX_QUERY_CHARS)}”"
    pages = [strip_scheme(page) for page in report.topics.provenance["base_options"]["pages"]]
    if pages:
        return f"Topics around {join_with_and(pages[:3])}"
    return f"Topics of {report.collection_name}"


def _lead_sentence(report: TopicsReport) -> str:
    topics = report.topics
    if not topics.topics:
        reason, hint = explain_no_topics(topics)
        return f"{reason[0].upper()}{reason[1:]}. What may help: {hint}."
    pages = pluralise(report.base_set_size, report.level)
    shown = ""
    if len(report.sections) < len(topics):
        shown = f"; the first {len(report.sections):,} are shown"
    return f"{pluralise(len(topics), 'topic')} in {pages}{shown}."


def _overview_section(report: TopicsReport) -> Markup:
    strongest = max(section.topic.strength for section in report.sections) or 1.0
    stable = any(format_stability(section.topic) for section in report.sections)
    headings = ["", "topic", f"{report.level}s", "sites", *["stability"] * stable, "strength"]
    rows = [
        _overview_row(section, report.level, strongest, with_stability=stable)
        for section in report.sections
    ]
    return html_element(
        "section", html_element("h2", "At a glance"), html_table(headings, rows, "overview")
    )


def _overview_row(
    section: TopicSection, level: str, strongest: float, *, with_stability: bool
) -> Markup:
    topic, number = section.topic, section.number
    title, sites = representative_titles(topic), topic.facts.get("sites")
    return html_element(
        "tr",
        html_element("td", topic_badge(number)),
        html_element(
            "th",
            html_element("a", topic_name(topic), href=f"#topic-{number}"),
            html_element("bdi", title, class_="from") if title else "",
            scope="row",
        ),
        _count_cell(len(topic), level, "size"),
        _count_cell(sites, "site") if sites is not None else html_element("td"),
        html_element("td", format_stability(topic), class_="stability") if with_stability else "",
        html_element("td", share_bar_svg(topic.strength / strongest), format_strength(topic)),
        class_=topic_colour_class(number),
    )


def _count_cell(number: int, noun: str, css_class: str = "") -> Markup:
    """A number, with its noun as a label for narrow screens, which hide the headings."""
    count, _, label = pluralise(number, noun).partition(" ")
    return html_element("td", count, class_=f"number {css_class}".strip(), data_label=label)


def _base_set_section(report: TopicsReport) -> Markup:
    parts = [html_element("h2", "The base set"), html_element("p", _describe_base_set(report))]
    if len(report.origin_shares) > 1:
        caption = f"{report.level.capitalize()}s by origin"
        parts.append(draw_share_bar(caption, report.origin_shares, report.base_set_size))
    if report.sections:
        caption = f"{report.level.capitalize()}s by topic"
        parts.append(draw_share_bar(caption, report.topic_shares, report.base_set_size))
    return html_element("section", *parts)


def _describe_base_set(report: TopicsReport) -> str:
    """Say how the base set was built, and how large it is."""
    counts, base, level = report.topics.provenance["base"], report.topics.base, report.level
    pages, links = pluralise(counts["pages"], level), pluralise(counts["links"], "link")
    size = f"{pages}, with {links} that count"
    search = f"The search for “{shorten(base.query, MAX_QUERY_CHARS)}” found"
    if counts["root"] and base.query:
        some = counts["found"] > counts["root"]
        roots = f"{counts['root']:,} of the first of these" if some else "These"
        text = (
            f"{search} {pluralise(counts['found'], level)}."
            f" {roots} and the {level}s around them make the base set: {size}."
        )
    elif base.query:
        text = f"{search} nothing."
    elif len(report.origin_shares) > 1:
        text = f"The given {level}s and those around them make the base set: {size}."
    else:
        text = f"The base set is the whole collection, except what was left out: {size}."
    if counts["uncaptured"]:
        text += f" {pluralise(counts['uncaptured'], level)} of it are linked, not captured."
    return text


def render_topic_section(section: TopicSection, level: str) -> Markup:
    """Render a topic: name and facts, its links as a picture, authorities and hubs."""
    topic, number = section.topic, section.number
    title, links = representative_titles(topic), section.hub_authority_links
    return html_element(
        "section",
        html_element("h2", topic_badge(number), " ", topic_name(topic)),
        html_element("p", _topic_facts_line(topic, level), class_="facts"),
        html_element("p", "Such as: ", html_element("bdi", title, class_="from")) if title else "",
        draw_hub_authority_links(links, f"Topic {number}") if links.weights.size else "",
        html_element(
            "div",
            _topic_pages_table("Authorities", section.authorities, level),
            _topic_pages_table("Hubs", section.hubs, level),
            class_="roles",
        ),
        _named_list("Sub-topics", [_subtopic_item(part, level) for part in topic.subtopics]),
        _named_list(
            "Linked, not captured: worth fetching", list(map(_page_item, section.uncaptured))
        ),
        _micro_hub_list(topic),
        id=f"topic-{number}",
        class_=f"topic {topic_colour_class(number)}",
    )


def _topic_facts_line(topic: Topic, level: str) -> str:
    facts = topic.facts
    tightly_knit = facts.get("tightly knit")
    items = [
        pluralise(len(topic), level),
        pluralise(facts["sites"], "site") if "sites" in facts else "",
        format_stability(topic),
        f"strength {format_strength(topic)}",
        facts.get("note"),
        f"tightly knit: {tightly_knit}" if tightly_knit else "",
    ]
    return " · ".join(str(item) for item in items if item)


def _topic_pages_table(heading: str, entries: Sequence[TopicPageEntry], level: str) -> Markup:
    """The authorities or the hubs of a topic."""
    title = html_element("h3", heading)
    if not entries:
        return html_element("div", title, html_element("p", "None."))
    rows = [_topic_page_row(entry, entries[0].evidence.score) for entry in entries]
    return html_element("div", title, html_table(["", level, "score"], rows, "entries"))


def _topic_page_row(entry: TopicPageEntry, best_score: float) -> Markup:
    evidence = entry.evidence
    title, address = page_title(evidence), shorten(strip_scheme(evidence.page), 160)
    snippet = entry.snippet.removeprefix(evidence.title).strip()
    others = [
        html_element("a", f"topic {number}", href=f"#topic-{number}")
        for number in evidence.other_topics
    ]
    lines = [
        page_link(evidence.page, html_element("bdi", title or address), class_="title"),
        html_element("span", address, class_="address") if title else "",
        "" if entry.captured else html_element("span", "linked, not captured", class_="address"),
        html_element("span", snippet, class_="snippet", dir=text_direction(snippet))
        if snippet
        else "",
        html_element("span", _evidence_text(entry), class_="evidence"),
        html_element("span", "also in ", join_html(others, ", "), class_="also") if others else "",
    ]
    bar = share_bar_svg(evidence.score / best_score)
    return html_element(
        "tr",
        html_element("td", evidence.place, class_="number"),
        html_element("td", *lines),
        html_element("td", f"{evidence.score:.3f}", bar, class_="score"),
    )


def _evidence_text(entry: TopicPageEntry) -> Markup:
    """The hubs that link to an authority and their anchor texts, or the targets of a hub."""
    evidence = entry.evidence
    sites = pluralise(evidence.sites, "site")
    if evidence.role == "hub":
        return join_html([f"links to {pluralise(evidence.count, 'page')} on {sites}"])
    anchors = [
        html_element("q", html_element("bdi", shorten(text, 80)))
        for text in evidence.anchors[:MAX_ANCHORS]
    ]
    linked = f"linked by {pluralise(evidence.count, 'page')} of the topic from {sites}"
    return join_html([linked, join_html(anchors, ", ")], ": ")


def _named_list(heading: str, items: Sequence[Markup]) -> Markup:
    """A list with its heading; nothing if it is empty."""
    if not items:
        return Markup("")
    return html_element(
        "div", html_element("h3", heading), html_element("ul", *items), class_="blocks"
    )


def _subtopic_item(topic: Topic, level: str) -> Markup:
    size = f" ({pluralise(len(topic), level)})"
    return html_element("li", topic_name(topic), size)


def _page_item(url: str) -> Markup:
    return html_element("li", page_link(url, html_element("bdi", shorten(strip_scheme(url), 160))))


def _micro_hub_list(topic: Topic) -> Markup:
    """The best micro-hubs of a topic, where the method finds blocks of links."""
    items = []
    for block in topic.facts.get("micro-hubs", ())[:MAX_MICRO_HUBS]:
        address = html_element("bdi", shorten(strip_scheme(block.page), 160))
        links = [
            page_link(target, html_element("bdi", shorten(anchor or strip_scheme(target), 80)))
            for target, anchor in zip(block.targets, block.anchors, strict=True)
        ][:MAX_MICRO_HUB_LINKS]
        page = page_link(block.page, address, class_="title")
        items.append(html_element("li", page, ": ", join_html(links, ", ")))
    if not items:
        return Markup("")
    heading = html_element("h3", "Best blocks of links")
    return html_element("div", heading, html_element("ul", *items), class_="blocks")


def render_closing_sections(report: TopicsReport) -> Iterator[Markup]:
    """Render the sections after the topics: overlap, what was left out, methods, provenance."""
    if len(report.sections) > 1:
        yield _section("Overlap between topics", _overlap_table(report))
    yield _section("What was set aside", _set_aside_list(report))
    yield _section("What was left out", _left_out_table(report))
    yield _section("Methods", *_methods_with_citations(report))
    yield html_element("footer", html_element("h2", "Provenance"), _provenance_list(report))


def _section(heading: str, *parts: Markup) -> Markup:
    return html_element("section", html_element("h2", heading), *parts)


def _overlap_table(report: TopicsReport) -> Markup:
    if not report.overlaps:
        return html_element("p", f"No {report.level} is in two topics.")
    rows = [
        html_element(
            "tr",
            html_element("td", _topic_link(row["topic"]), " ", _topic_link(row["other"])),
            html_element("td", f"{row['pages']:,}", class_="number"),
            html_element("td", share_bar_svg(row["share"]), f"{row['share']:.0%}"),
        )
        for row in report.overlaps[:MAX_OVERLAP_ROWS]
    ]
    headings = ["topics", f"{report.level}s in both", "share of the smaller"]
    more = len(report.overlaps) - len(rows)
    note = html_element("p", f"And {pluralise(more, 'smaller overlap')}.") if more else ""
    return join_html([html_table(headings, rows, "small"), note])


def _topic_link(number: int) -> Markup:
    return html_element(
        "a", topic_badge(number), href=f"#topic-{number}", class_=topic_colour_class(number)
    )


def _set_aside_list(report: TopicsReport) -> Markup:
    items = []
    for topic in report.topics.set_aside:
        name: Markup | str = ""
        if "sites" in topic.facts:  # a topic of its own, not a remark on what was too small
            size = f" ({pluralise(len(topic), report.level)})"
            name = html_element("span", html_element("b", topic_name(topic)), size)
        items.append(html_element("li", join_html([name, topic.reason], ": ")))
    return html_element("ul", *items) if items else html_element("p", "Nothing was set aside.")


def _left_out_table(report: TopicsReport) -> Markup:
    rows = [_left_out_row(dropped) for dropped in report.topics.provenance["left_out"]]
    if not rows:
        return html_element("p", "Nothing was left out.")
    return html_table(["reason", f"{report.level}s", "links"], rows, "small")


def _left_out_row(dropped: Mapping[str, Any]) -> Markup:
    reason = html_element("td", dropped["reason"])
    if not dropped["pages"] and not dropped["links"]:
        return html_element("tr", reason, html_element("td", "nothing", colspan="2"))
    counts = [
        html_element("td", f"{dropped[kind]:,}" if dropped[kind] else "", class_="number")
        for kind in ("pages", "links")
    ]
    return html_element("tr", reason, *counts)


def _methods_with_citations(report: TopicsReport) -> Iterator[Markup]:
    """The methods in prose, and the works cited by number."""
    works: dict[str, int] = {}
    sentences: list[str] = []
    for sentence in describe_methods(report.topics):
        text = sentence.text
        if sentence.cites:
            mark = citation_mark(works.setdefault(sentence.cites, len(works) + 1))
            text = join_html([text.removesuffix("."), " ", mark, "."])
        sentences.append(text)
    yield html_element("p", join_html(sentences, " "))
    yield reference_list(works)


def _provenance_list(report: TopicsReport) -> Markup:
    topics, provenance = report.topics, report.topics.provenance
    date = f", of {report.history[-1]['time'][:10]}" if report.history else ""
    command = reproduction_command(topics, report.collection_name, report.top, report.max_topics)
    base_options = provenance["base_options"] if report.level == "page" else {}
    return definition_list(
        {
            "collection": f"{report.collection_name}: {pluralise(report.collection_size, 'page')}",
            "snapshot": f"{provenance['snapshot']}{date}",
            "digest": f"sha256:{provenance['digest']}",
            "version": f"Weft {provenance['weft']}",
            "method": f"{topics.method}: {_format_options(topics.options)}",
            "base set": _format_options(base_options),
            "repeat": html_element("code", command),
        }
    )


def _format_options(options: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in options.items() if value or value == 0)
