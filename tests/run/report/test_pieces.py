"""Small pieces, by hand."""

import numpy as np
import pytest

from weft.run.report.pieces import (
    COLOURS,
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
from weft.topics.evidence import Evidence
from weft.topics.topic import Topic


def topic(
    strong: float = 1.0, label: tuple[str, ...] = (), title: str = "", **facts: object
) -> Topic:
    nothing = np.zeros(0)
    return Topic(np.zeros(0, np.int32), nothing, nothing, strong, label, title, facts)


def test_colours_come_round() -> None:
    assert [colour(n) for n in (0, 1, COLOURS, COLOURS + 1)] == ["", "t1", f"t{COLOURS}", "t1"]
    assert badge(3) == '<span class="badge">3</span>'


def test_names_are_text_and_never_nothing() -> None:
    assert called(topic(label=("<b>", "cats"))).startswith("<bdi>&lt;b&gt;")
    assert called(topic()) == "<bdi>(no words)</bdi>"


def test_a_hub_that_gave_the_name_is_not_told_again() -> None:
    assert first_hub(topic(label=("cats",), title="Cat links")) == "Cat links"
    assert first_hub(topic(title="Cat links", label=("Cat links",))) == ""


@pytest.mark.parametrize(
    ("strong", "told"),
    [(12345.6, "12,346"), (99.96, "100"), (3.14159, "3.14"), (0.00012, "0.00012")],
)
def test_strength_has_three_digits(strong: float, told: str) -> None:
    assert strength(topic(strong)) == told


def test_stability_where_it_is_known() -> None:
    assert stability(topic(stability=0.876)) == "88%"
    assert stability(topic(stability="the only answer")) == "the only answer"
    assert stability(topic()) == ""


@pytest.mark.parametrize(("title", "told"), [("Big cats", "Big cats"), ("Untitled", ""), ("", "")])
def test_a_title_that_says_there_is_none_is_none(title: str, told: str) -> None:
    assert headed(Evidence(1, "hub", 1, "http://a/", title, 1.0, 1, 1, (), (), ())) == told


def test_a_table_has_a_head_for_each_column() -> None:
    made = table(["page", "<score>"], [], "small")
    assert made.startswith('<table class="small"><thead><tr><th scope="col">page</th>')
    assert "&lt;score&gt;" in made
    assert made.endswith("<tbody></tbody></table>")


@pytest.mark.parametrize(("share", "width"), [(0.5, "50.0"), (-1, "0.0"), (7, "100.0")])
def test_a_bar_stays_in_its_place(share: float, width: str) -> None:
    assert f'width="{width}" height="6"></rect></svg>' in bar(share)
