"""Titles without the boilerplate of their hosts."""

import pytest

from weft.graph.baseset.baseset import BaseSet
from weft.graph.webgraph import WebGraph
from weft.groups.titles import Titles, is_index_title, remove_title_part

DOCS = ["Floats", "Words: a list", "Strings", "Lists", "Python 3.11 documentation"]


def titles(*pages: tuple[str, str]) -> Titles:
    """The titles of pages, given as pairs of name and title."""
    names = [name for name, _ in pages]
    graph = WebGraph.from_arrays(names, [], [])
    return Titles.from_base_set(
        BaseSet.from_graph(graph, read_titles=lambda: [title for _, title in pages])
    )


def site(host: str, *words: str) -> list[tuple[str, str]]:
    return [(f"http://{host}/{k}", title) for k, title in enumerate(words)]


def own_titles(page_titles: Titles) -> list[str]:
    return [
        page_titles.strip_boilerplate(page_titles[page], page) for page in range(len(page_titles))
    ]


@pytest.mark.parametrize("end", [" \u2014 ", " - ", " | ", " :: ", ": ", " \u00b7 ", " \u00bb "])
def test_parts_of_many_titles_are_boilerplate(end: str) -> None:
    before = site("a.org", *(f"Docs{end}{title}" for title in DOCS[:4]))
    behind = site("b.org", *(f"{title}{end}Docs" for title in DOCS[:4]))
    assert own_titles(titles(*before, *behind)) == [*DOCS[:4], *DOCS[:4]]


def test_parts_before_and_behind_and_the_name_alone() -> None:
    pages = site("a.org", *(f"A: B: {title} - C" for title in DOCS[:4]), "B", "A: B - C", "D")
    assert own_titles(titles(*pages)) == [*DOCS[:4], "", "", "D"]


def test_few_titles_have_no_boilerplate() -> None:
    two = site("a.org", "Floats - Docs", "Strings - Docs")
    assert own_titles(titles(*two)) == ["Floats - Docs", "Strings - Docs"]
    rare = site("a.org", *(f"{k} - Docs" for k in range(3)), *("Other" for _ in range(10)))
    assert own_titles(titles(*rare))[:2] == ["0 - Docs", "1 - Docs"]


def test_boilerplate_belongs_to_one_host() -> None:
    pages = [*site("a.org", *(f"{title} - Docs" for title in DOCS)), *site("b.org", "Zoo - Docs")]
    assert own_titles(titles(*pages))[-1] == "Zoo - Docs"


def test_an_anchor_is_cut_like_a_title() -> None:
    page_titles = titles(*site("a.org", *(f"{title} - Docs" for title in DOCS)))
    assert page_titles.strip_boilerplate("Docs", 0) == ""
    assert page_titles.strip_boilerplate("the floats - Docs", 0) == "the floats"
    assert page_titles.strip_boilerplate("Docs of floats", 0) == "Docs of floats"


def test_placeholder_titles_are_empty() -> None:
    page_titles = titles(*site("a.org", "Untitled Document", "No title", "a  b"))
    assert [page_titles[page] for page in range(3)] == ["", "", "a b"]


def test_without_titles() -> None:
    page_titles = Titles.from_base_set(BaseSet.from_any([("a", "b")]))
    assert (page_titles[0], page_titles.strip_boilerplate("a - b", 0), len(page_titles)) == (
        "",
        "a - b",
        0,
    )


def test_a_part_needs_a_separator() -> None:
    assert remove_title_part("Docs Floats", "Docs") == "Docs Floats"
    assert remove_title_part("MyDocs: Floats", "Docs") == "MyDocs: Floats"
    assert remove_title_part("std::Docs", "Docs") == "std::Docs"


@pytest.mark.parametrize(
    "title",
    ["Index", "Python Module Index - Celery", "Wiki : Alphabetical Index : V", "Table of Contents"],
)
def test_titles_of_indexes(title: str) -> None:
    assert is_index_title(title)


@pytest.mark.parametrize(
    "title", ["Human Development Index", "Indexes", "Searching", "Contents of a cell"]
)
def test_other_titles(title: str) -> None:
    assert not is_index_title(title)
