"""A chapter tells what is known of its topic, and nothing that is not."""

import re
from dataclasses import replace

import numpy as np
import pytest

from weft.run.report.chapter import HEARD, MOST_BLOCKS, MOST_LINKS, chapter
from weft.run.report.contents import Entry, Section, Ties
from weft.topics.dom_hubs import MicroHub
from weft.topics.evidence import Evidence
from weft.topics.spoken import Role
from weft.topics.topic import Topic

HUB = Evidence(2, "hub", 1, "http://hub.org/", "Cat links", 0.8, 4, 3, (), (), ())
BEST = Evidence(
    2, "authority", 1, "http://cats.org/", "Cats", 0.5, 6, 5, tuple("abcdef"), (), (1, 4)
)
NEXT = replace(BEST, place=2, page="http://more.org/x", title="", score=0.25, said=(), also=())


def section(**facts: object) -> Section:
    scores = np.array([0.5, 0.25])
    topic = Topic(np.array([3, 5], np.int32), scores, scores, 7.5, ("cats",), "Cat links", facts)
    ties = Ties([], [], np.zeros((0, 0)))
    found = [Entry(BEST, "Cats live in trees", fetched=True), Entry(NEXT, "", fetched=False)]
    return Section(2, topic, found, [Entry(HUB, "", fetched=True)], ties)


def words(html: str) -> str:
    return " ".join(re.sub("<[^>]*>", " ", html).split())


def test_it_has_number_name_and_place() -> None:
    html = chapter(section(), "page")
    assert html.startswith('<section id="topic-2" class="topic t2">')
    assert words(html).startswith("2 cats 2 pages · strength 7.5 Best hub: Cat links")


def test_facts_are_told_where_they_are_known() -> None:
    told = words(chapter(section(sites=1, note="blended", **{"tightly knit": "a clan"}), "host"))
    assert "2 hosts · 1 site · strength 7.5 · blended · tightly knit: a clan" in told


def test_what_speaks_for_a_page() -> None:
    html = chapter(section(), "page")
    told = words(html)
    assert "linked by 6 hubs from 5 sites: a , b , c also in topic 1 , topic 4" in told
    assert html.count("<q>") == HEARD
    assert "links to 4 authorities on 3 sites" in told
    assert re.findall('href="#topic-([0-9]+)"', html) == ["1", "4"]


def test_a_snippet_does_not_repeat_the_title_and_pages_without_title_show_their_address() -> None:
    html = chapter(section(), "page")
    assert '<span class="snippet" dir="ltr">live in trees</span>' in html
    assert "<bdi>more.org/x</bdi>" in html
    assert html.count("seen in links, not fetched") == 1


def test_bars_are_shares_of_the_best() -> None:
    found = re.findall(r'<rect width="([0-9.]+)"', chapter(section(), "page"))
    assert found == ["100.0", "50.0", "100.0"]


def test_no_more_blocks_than_can_be_read() -> None:
    assert "Best blocks of links" not in chapter(section(), "page")
    targets = [f"http://t{k}.org/" for k in range(MOST_LINKS + 5)]
    anchors = ("words", *[""] * (len(targets) - 1))
    block = MicroHub("http://hub.org/", "p", 1.0, 17, tuple(targets), anchors, "")
    html = chapter(section(**{"micro-hubs": [block] * (MOST_BLOCKS + 2)}), "page")
    assert html.count("<li>") == MOST_BLOCKS
    assert html.count("http://t0.org/") == MOST_BLOCKS
    assert "t1.org" in words(html)
    assert targets[MOST_LINKS] not in html


@pytest.mark.parametrize("role", ["authority", "hub"])
def test_a_role_that_nobody_has(role: Role) -> None:
    empty = (
        replace(section(), authorities=[]) if role == "authority" else replace(section(), hubs=[])
    )
    assert words(chapter(empty, "page")).count("None.") == 1
