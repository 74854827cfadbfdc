"""The end of a report: overlap, what is not in the topics and why, methods, where it comes from."""

from collections.abc import Iterator, Mapping
from typing import Any

from weft.core.markup import Markup, join, tag
from weft.core.methods import reference
from weft.core.wording import count
from weft.run.report.contents import Report
from weft.run.report.methods import methods, repeat
from weft.run.report.pieces import badge, bar, called, colour, table

MOST_PAIRS = 20


def closing(report: Report) -> Iterator[Markup]:
    """The parts that come after the topics."""
    if len(report.sections) > 1:
        yield tag("section", tag("h2", "Overlap between topics"), _overlap(report))
    yield tag("section", tag("h2", "What was set aside"), _aside(report))
    yield tag("section", tag("h2", "What was left out"), _left_out(report))
    yield tag("section", tag("h2", "Methods"), *_methods(report))
    yield tag("footer", tag("h2", "Where it comes from"), _provenance(report))


def _overlap(report: Report) -> Markup:
    if not report.shared:
        return tag("p", f"No {report.thing} is in two topics.")
    rows = [
        tag(
            "tr",
            tag("td", _pointer(row["topic"]), " ", _pointer(row["other"])),
            tag("td", f"{row['pages']:,}", class_="number"),
            tag("td", bar(row["share"]), f"{row['share']:.0%}"),
        )
        for row in report.shared[:MOST_PAIRS]
    ]
    heads = ["topics", f"{report.thing}s in both", "share of the smaller"]
    more = len(report.shared) - len(rows)
    rest = tag("p", f"And {count(more, 'smaller overlap')}.") if more else ""
    return join([table(heads, rows, "small"), rest])


def _pointer(number: int) -> Markup:
    return tag("a", badge(number), href=f"#topic-{number}", class_=colour(number))


def _aside(report: Report) -> Markup:
    told = []
    for topic in report.found.aside:
        alone = "sites" in topic.facts
        size = f" ({count(len(topic), report.thing)})" if alone else ""
        name = tag("span", tag("b", called(topic)), size) if alone else ""
        told.append(tag("li", join([name, topic.reason], ": ")))
    return tag("ul", *told) if told else tag("p", "Nothing was set aside.")


def _left_out(report: Report) -> Markup:
    rows = [_left(left) for left in report.found.provenance["left_out"]]
    heads = ["reason", f"{report.thing}s", "links"]
    return table(heads, rows, "small") if rows else tag("p", "Nothing was left out.")


def _left(left: Mapping[str, Any]) -> Markup:
    counts = [
        tag("td", f"{left[kind]:,}" if left[kind] else "", class_="number")
        for kind in ("pages", "links")
    ]
    some = left["pages"] or left["links"]
    return tag("tr", tag("td", left["reason"]), *(counts if some else [_NOTHING]))


_NOTHING = tag("td", "nothing", colspan="2")


def _methods(report: Report) -> Iterator[Markup]:
    """The methods in prose, and the works that they cite by number."""
    works: dict[str, int] = {}
    told: list[str] = []
    for sentence in methods(report.found):
        words = sentence.words
        if sentence.cites:
            number = works.setdefault(sentence.cites, len(works) + 1)
            mark = tag("a", f"[{number}]", href=f"#work-{number}")
            words = join([words.removesuffix("."), " ", mark, "."])
        told.append(words)
    yield tag("p", join(told, " "))
    yield tag(
        "ol",
        *(tag("li", reference(key), id=f"work-{number}") for key, number in works.items()),
        class_="works",
    )


def _provenance(report: Report) -> Markup:
    found, told = report.found, report.found.provenance
    when = f", of {report.history[-1]['time'][:10]}" if report.history else ""
    facts = {
        "collection": f"{report.name}: {count(report.size, 'page')}",
        "snapshot": f"{told['snapshot']}{when}",
        "digest": f"sha256:{told['digest']}",
        "version": f"Weft {told['weft']}",
        "method": f"{found.method}: {_spelled(found.options)}",
        "base set": _spelled(told["base_options"]) if report.thing == "page" else "",
        "repeat": tag("code", repeat(found, report.name, report.top, report.most)),
    }
    return tag(
        "dl", *(join([tag("dt", name), tag("dd", fact)]) for name, fact in facts.items() if fact)
    )


def _spelled(options: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in options.items() if value or value == 0)
