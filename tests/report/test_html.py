"""The document and the small pieces of HTML."""

import base64
import hashlib
import re

import numpy as np
import pytest

from weft.core.html import html_element
from weft.report.html import (
    TOPIC_COLOUR_COUNT,
    citation_mark,
    definition_list,
    format_stability,
    format_strength,
    html_document,
    html_table,
    page_title,
    reference_list,
    representative_titles,
    share_bar_svg,
    topic_badge,
    topic_colour_class,
    topic_name,
)
from weft.topics.evidence import Evidence
from weft.topics.topic import Topic


def topic(
    strength: float = 1.0, label: tuple[str, ...] = (), title: str = "", **facts: object
) -> Topic:
    nothing = np.zeros(0)
    return Topic(np.zeros(0, np.int32), nothing, nothing, strength, label, title, facts)


def test_colours_repeat() -> None:
    assert [topic_colour_class(n) for n in (0, 1, TOPIC_COLOUR_COUNT, TOPIC_COLOUR_COUNT + 1)] == [
        "",
        "t1",
        f"t{TOPIC_COLOUR_COUNT}",
        "t1",
    ]
    assert topic_badge(3) == '<span class="badge">3</span>'


def test_names_are_escaped_and_never_empty() -> None:
    assert topic_name(topic(label=("<b>", "cats"))).startswith("<bdi>&lt;b&gt;")
    assert topic_name(topic()) == "<bdi>(no label)</bdi>"


def test_titles_that_gave_the_name_are_not_repeated() -> None:
    assert representative_titles(topic(label=("cats",), title="Cat links")) == "Cat links"
    assert representative_titles(topic(title="Cat links", label=("Cat links",))) == ""


@pytest.mark.parametrize(
    ("strength", "text"),
    [(12345.6, "12,346"), (99.96, "100"), (3.14159, "3.14"), (0.00012, "0.00012")],
)
def test_strength_has_three_digits(strength: float, text: str) -> None:
    assert format_strength(topic(strength)) == text


def test_stability_where_it_is_known() -> None:
    assert format_stability(topic(stability=0.876)) == "88%"
    assert format_stability(topic(stability="unique solution")) == "unique solution"
    assert format_stability(topic()) == ""


@pytest.mark.parametrize(("title", "shown"), [("Big cats", "Big cats"), ("Untitled", ""), ("", "")])
def test_placeholder_titles_are_empty(title: str, shown: str) -> None:
    assert page_title(Evidence(1, "hub", 1, "http://a/", title, 1.0, 1, 1, (), (), ())) == shown


def test_a_table_has_a_head_for_each_column() -> None:
    made = html_table(["page", "<score>"], [], "small")
    assert made.startswith('<table class="small"><thead><tr><th scope="col">page</th>')
    assert "&lt;score&gt;" in made
    assert made.endswith("<tbody></tbody></table>")


@pytest.mark.parametrize(("share", "width"), [(0.5, "50.0"), (-1, "0.0"), (7, "100.0")])
def test_a_bar_is_clipped(share: float, width: str) -> None:
    assert f'width="{width}" height="6"></rect></svg>' in share_bar_svg(share)


def test_definitions_without_empty_values() -> None:
    made = definition_list({"method": "hits", "base set": ""})
    assert made == "<dl><dt>method</dt><dd>hits</dd></dl>"


def test_citations_lead_to_references() -> None:
    assert citation_mark(2) == '<a href="#work-2">[2]</a>'
    assert reference_list({"kleinberg1999": 2}).startswith('<ol class="works"><li id="work-2">')


def test_the_policy_has_the_hash_of_the_style() -> None:
    page = html_document("A & B", "1.0", [html_element("p", "words")])
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)
    assert style is not None
    known = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert f"sha256-{known}" in page
    assert "<title>A &amp; B · Weft</title>" in page
    assert page.endswith("<p>words</p></main></body></html>\n")
