"""The HTML document of a report, and the small pieces that its parts share."""

from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from importlib.resources import files

from weft.core.html import Markup, html_element, join_html
from weft.core.register import format_citation
from weft.core.text import shorten
from weft.topics.evidence import Evidence
from weft.topics.titles import PLACEHOLDER_TITLE
from weft.topics.topic import Topic

TOPIC_COLOUR_COUNT = 10
MAX_TITLE_CHARS = 160


def html_document(title: str, weft_version: str, parts: Iterable[Markup]) -> str:
    """Put parts into an HTML page with the style of reports.

    Its content security policy allows this style, by its hash, and nothing else.
    """
    style = Markup((files("weft.report") / "style.css").read_text("utf-8"))
    digest = b64encode(sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    head = html_element(
        "head",
        html_element("meta", charset="utf-8"),
        html_element("meta", http_equiv="Content-Security-Policy", content=policy),
        html_element("meta", name="referrer", content="no-referrer"),
        html_element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        html_element("meta", name="color-scheme", content="light dark"),
        html_element("meta", name="generator", content=f"Weft {weft_version}"),
        html_element("title", f"{title} · Weft"),
        html_element("style", style),
    )
    body = html_element("body", html_element("main", join_html(parts, "\n")))
    return f"<!doctype html>\n{html_element('html', head, body, lang='en')}\n"


def page_header(collection_name: str, title: str, lead: str) -> Markup:
    """The header of a report: collection, title, and a sentence that sums it up."""
    return html_element(
        "header",
        html_element("p", f"Weft report · {collection_name}", class_="above"),
        html_element("h1", title),
        html_element("p", lead, class_="lead"),
    )


def html_table(headings: Sequence[str], rows: Sequence[Markup], css_class: str) -> Markup:
    """A table with a heading for each column."""
    head = html_element("tr", *(html_element("th", heading, scope="col") for heading in headings))
    return html_element(
        "table",
        html_element("thead", head),
        html_element("tbody", join_html(rows, "\n")),
        class_=css_class,
    )


def definition_list(facts: Mapping[str, object]) -> Markup:
    """A list of names with their values; empty values are left out."""
    items = [
        join_html([html_element("dt", name), html_element("dd", value)])
        for name, value in facts.items()
        if value
    ]
    return html_element("dl", *items)


def citation_mark(number: int) -> Markup:
    """A link to a numbered reference: `[1]`."""
    return html_element("a", f"[{number}]", href=f"#work-{number}")


def reference_list(numbers: Mapping[str, int]) -> Markup:
    """The works cited, by their BibTeX keys and numbers."""
    works = [
        html_element("li", format_citation(key), id=f"work-{number}")
        for key, number in numbers.items()
    ]
    return html_element("ol", *works, class_="works")


def share_bar_svg(share: float) -> Markup:
    """A horizontal bar that is filled to a share between 0 and 1."""
    return html_element(
        "svg",
        html_element("rect", class_="rest", width="100", height="6"),
        html_element("rect", width=f"{100 * min(max(share, 0.0), 1.0):.1f}", height="6"),
        class_="bar",
        viewBox="0 0 100 6",
        preserveAspectRatio="none",
        aria_hidden="true",
    )


def topic_colour_class(number: int) -> str:
    """The CSS class of the colour of a topic; colours repeat after ten topics."""
    return f"t{(number - 1) % TOPIC_COLOUR_COUNT + 1}" if number else ""


def topic_badge(number: int) -> Markup:
    """The number of a topic on its colour."""
    return html_element("span", number, class_="badge")


def topic_name(topic: Topic) -> Markup:
    """The name of a topic."""
    return html_element("bdi", shorten(topic.name, MAX_TITLE_CHARS) or "(no label)")


def representative_titles(topic: Topic) -> str:
    """The titles of two representative pages of a topic, unless they are its name."""
    return shorten(topic.title, MAX_TITLE_CHARS) if topic.title != topic.name else ""


def format_stability(topic: Topic) -> str:
    """The stability of a topic, where known."""
    stability = topic.facts.get("stability", "")
    return f"{stability:.0%}" if isinstance(stability, float) else str(stability)


def format_strength(topic: Topic) -> str:
    """The strength of a topic, to three digits."""
    return f"{topic.strength:,.0f}" if topic.strength >= 100 else f"{topic.strength:.3g}"


def page_title(evidence: Evidence) -> str:
    """The title of a page, empty if it is a placeholder such as *Untitled*."""
    is_placeholder = PLACEHOLDER_TITLE.fullmatch(evidence.title)
    return "" if is_placeholder else shorten(evidence.title, MAX_TITLE_CHARS)
