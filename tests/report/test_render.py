"""The page of a report, and the small parts that templates share."""

import base64
import hashlib
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from jinja2 import UndefinedError

from weft.groups import Group, VoteStability
from weft.report.render import (
    TOPIC_COLOUR_COUNT,
    format_stability,
    format_strength,
    number_citations,
    page_title,
    render_report,
    representative_titles,
    template_environment,
    topic_colour_class,
    topic_name,
)

PARTS: Any = template_environment().get_template("parts.html.j2").module
PAGE = {"title": "A & B", "collection_name": "c.weft", "lead": "words", "version": "1.0"}


def topic(strength: float = 1.0, label: tuple[str, ...] = (), title: str = "") -> Group:
    nothing = np.zeros(0)
    return Group(np.zeros(0, np.int32), nothing, nothing, strength, label, title)


def test_colours_repeat() -> None:
    assert [topic_colour_class(n) for n in (0, 1, TOPIC_COLOUR_COUNT, TOPIC_COLOUR_COUNT + 1)] == [
        "",
        "t1",
        f"t{TOPIC_COLOUR_COUNT}",
        "t1",
    ]
    assert PARTS.badge(3) == '<span class="badge">3</span>'


def test_names_are_never_empty() -> None:
    assert topic_name(topic(label=("cats",))) == "cats"
    assert topic_name(topic()) == "(no label)"


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
    steady = replace(topic(), stability=VoteStability(10, 9, 1.0))
    assert format_stability(steady) == "stable"
    assert format_stability(topic()) == ""


@pytest.mark.parametrize(("title", "shown"), [("Big cats", "Big cats"), ("Untitled", ""), ("", "")])
def test_placeholder_titles_are_empty(title: str, shown: str) -> None:
    assert page_title(title) == shown


@pytest.mark.parametrize(("share", "width"), [(0.25, "25.0"), (-1, "0.0"), (7, "100.0")])
def test_a_bar_is_as_long_as_its_share_and_clipped(share: float, width: str) -> None:
    assert PARTS.share_bar(share).endswith(f'<rect width="{width}" height="6"/></svg>')


def test_provenance_without_empty_values() -> None:
    made = PARTS.provenance({"method": "hits", "base set": ""}, "weft report 'a b'")
    assert "<dt>method</dt><dd>hits</dd>" in made
    assert "base set" not in made
    assert "<code>weft report &#39;a b&#39;</code>" in made


def test_works_are_numbered_in_the_order_of_citation() -> None:
    works = number_citations(["wu", "", "kleinberg1999", "wu"])
    assert works == {"wu": 1, "kleinberg1999": 2}
    assert PARTS.citation_mark(2) == '<a href="#work-2">[2]</a>'
    assert '<li id="work-2">Kleinberg' in PARTS.references(works)


@pytest.mark.parametrize(
    "page", ["javascript:alert(1)", " http://a.org/", "data:text/html,x", "http://a.org/\nx", ""]
)
def test_what_is_no_web_address_is_no_link(page: str) -> None:
    assert PARTS.page_link(page, "<b>", "title").strip() == (
        '<span class="title"><bdi>&lt;b&gt;</bdi></span>'
    )


def test_a_web_address_is_a_link_without_referrer() -> None:
    assert PARTS.page_link('https://a.org/?"><x>', "words").strip() == (
        '<a href="https://a.org/?&#34;&gt;&lt;x&gt;" rel="noreferrer nofollow"><bdi>words</bdi></a>'
    )


def test_the_policy_has_the_hash_of_the_style() -> None:
    page = render_report("layout.html.j2", **PAGE)
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)
    assert style is not None
    known = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert f"sha256-{known}" in page
    assert "<title>A &amp; B · Weft</title>" in page


def test_control_characters_are_left_out() -> None:
    page = render_report("layout.html.j2", **{**PAGE, "lead": "a\x1b\u202eb\udc00"})
    assert '<p class="lead">ab?</p>' in page


def test_a_value_that_is_missing_is_an_error() -> None:
    with pytest.raises(UndefinedError, match="collection_name"):
        render_report("layout.html.j2", title="", lead="", version="")


def test_every_template_escapes_what_it_prints() -> None:
    environment = template_environment()
    for name in environment.list_templates():
        source, *_ = environment.loader.get_source(environment, name)  # type: ignore[union-attr]
        assert "autoescape" not in source
        assert not re.search(r"\|\s*(?:safe|forceescape)\b", source)
