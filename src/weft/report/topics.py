"""The report on topics, as an HTML page."""

from collections.abc import Mapping
from typing import Any

from weft.core.text import join_with_and, pluralise, shorten, strip_scheme
from weft.groups.group import explain_no_groups
from weft.report.contents import TopicsReport
from weft.report.methods import describe_methods, reproduction_command
from weft.report.render import number_citations, render_report

MAX_OVERLAP_ROWS = 20
MAX_QUERY_CHARS = 120


def render_topics_report(report: TopicsReport) -> str:
    """Render a report as an HTML page that runs no script and loads nothing."""
    topics = report.topics
    sentences = describe_methods(topics)
    return render_report(
        "topics.html.j2",
        title=_report_title(report),
        collection_name=report.collection_name,
        lead=_lead_sentence(report),
        version=topics.provenance["weft"],
        report=report,
        base_set=_describe_base_set(report),
        max_overlap_rows=MAX_OVERLAP_ROWS,
        left_out=topics.provenance["left_out"],
        sentences=sentences,
        works=number_citations(sentence.cites for sentence in sentences),
        provenance=_provenance_facts(report),
        command=reproduction_command(topics, report.collection_name, report.top, report.max_topics),
    )


def _report_title(report: TopicsReport) -> str:
    base = report.topics.base
    if base.query:
        return f"Topics of “{shorten(base.query, MAX_QUERY_CHARS)}”"
    pages = [strip_scheme(page) for page in report.topics.provenance["selection"]["pages"]]
    if pages:
        return f"Topics around {join_with_and(pages[:3])}"
    return f"Topics of {report.collection_name}"


def _lead_sentence(report: TopicsReport) -> str:
    topics = report.topics
    if not topics.groups:
        reason, hint = explain_no_groups(topics)
        return f"{reason[0].upper()}{reason[1:]}. What may help: {hint}."
    pages = pluralise(report.base_set_size, report.level)
    shown = ""
    if len(report.sections) < len(topics):
        shown = f"; the first {len(report.sections):,} are shown"
    return f"{pluralise(len(topics), 'topic')} in {pages}{shown}."


def _describe_base_set(report: TopicsReport) -> str:
    """Say how the base set was built, and how large it is."""
    counts, base, level = report.topics.base.counts(), report.topics.base, report.level
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


def _provenance_facts(report: TopicsReport) -> dict[str, str]:
    topics, provenance = report.topics, report.topics.provenance
    date = f", of {report.history[-1]['time'][:10]}" if report.history else ""
    selection = provenance["selection"] if report.level == "page" else {}
    return {
        "collection": f"{report.collection_name}: {pluralise(report.collection_size, 'page')}",
        "snapshot": f"{provenance['snapshot']}{date}",
        "digest": f"sha256:{provenance['digest']}",
        "version": f"Weft {provenance['weft']}",
        "method": f"{topics.method}: {_format_options(topics.options)}",
        "base set": _format_options(selection),
    }


def _format_options(options: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in options.items() if value or value == 0)
