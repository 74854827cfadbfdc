"""Queries with senses: frozen, split in halves, and judged by rules anyone can check."""

import re
from collections import Counter
from collections.abc import Callable, Mapping

import pytest
from benchmarks.topics.senses import Answer, Judge, Query, queries

from weft.gather.page import Page
from weft.workspace.workspace import Workspace

TITLES = {
    "http://gold.org/a": "Gold ore",
    "http://gold.org/b": "Gold ore and veins",
    "http://race.org/": "Gold medal",
    "http://run.org/": "Gold medal winners",
}
SENSES = {"metal ore": "ore", "medal sport": "medal"}


def test_halves_are_equal_and_patterns_valid() -> None:
    every = queries()
    halves = Counter((query.collection, query.split) for query in every)
    assert len(every) == len({(query.collection, query.text) for query in every}) == 72
    for collection in ("docs", "wikispeedia", "webkb"):
        assert halves[collection, "tuning"] == halves[collection, "test"] >= 9
    for query in every:
        assert len(query.senses) >= 3
        for pattern in query.senses.values():
            re.compile(pattern)


@pytest.fixture
def judge(keep: Callable[..., Workspace]) -> Judge:
    pages = [Page(url, title=title, text="gold " * 3) for url, title in TITLES.items()]
    pages.append(Page("http://z.org/", title="Silver", text="once gold"))
    found = keep(*pages)
    table = found.collection.pages
    return Judge("toy", found, table["url"].to_pylist(), table["title"].to_pylist())


def measured(judge: Judge, *topics: tuple[str, list[str]]) -> Mapping[str, float]:
    answers = []
    for label, urls in topics:
        pages = [judge.urls.index(url) for url in urls]
        answers.append(Answer(label, pages, pages))
    return judge.measure(Query("toy", "gold", "test", SENSES), answers)


def test_a_sense_needs_half_of_the_first_pages(judge: Judge) -> None:
    ore, medal = list(TITLES)[:2], list(TITLES)[2:]
    assert measured(judge, ("", ore))["senses"] == 0.5
    assert measured(judge, ("", ore), ("", medal))["senses"] == 1
    assert measured(judge, ("", [ore[0], medal[0], "http://z.org/"]))["senses"] == 0


def test_labels_say_more_than_the_query_and_no_site(judge: Judge) -> None:
    ore = list(TITLES)[:2]
    assert measured(judge, ("Ore", ore))["label"] == 1
    assert measured(judge, ("Gold", ore))["label"] == 0
    assert measured(judge, ("Veins", ore))["label"] == 0  # on one page, in no name of a sense
    assert measured(judge, ("Ore · Home page", ore))["label"] == 0
    race = ["http://race.org/", "http://run.org/"]
    assert measured(judge, ("Medal", race))["label"] == 1
    assert measured(judge, ("Medal race", race))["label"] == 0  # race.org is a site


def test_pages_about_the_query_and_hits_covered(judge: Judge) -> None:
    assert measured(judge, ("", [*TITLES]))["about"] == 1
    assert measured(judge, ("", [*TITLES, "http://z.org/"]))["about"] == 0.8
    assert measured(judge, ("", [*TITLES]))["covered"] == 0.8
