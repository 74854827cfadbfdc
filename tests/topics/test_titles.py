"""Titles without what their sites put on many of them."""

import pytest

from weft.graph.baseset import BaseSet
from weft.graph.webgraph import WebGraph
from weft.topics.titles import Titles, without

DOCS = ["Floats", "Words: a list", "Strings", "Lists", "Python 3.11 documentation"]


def titles(*told: tuple[str, str]) -> Titles:
    """Those of pages with such names."""
    names = [name for name, _ in told]
    graph = WebGraph.from_arrays(names, [], [])
    return Titles.of(BaseSet.whole(graph, read_titles=lambda: [title for _, title in told]))


def site(host: str, *words: str) -> list[tuple[str, str]]:
    return [(f"http://{host}/{k}", title) for k, title in enumerate(words)]


def owns(made: Titles) -> list[str]:
    return [made.own(made[page], page) for page in range(len(made))]


@pytest.mark.parametrize("end", [" \u2014 ", " - ", " | ", " :: ", ": ", " \u00b7 ", " \u00bb "])
def test_what_many_titles_of_a_site_carry_is_left_out(end: str) -> None:
    before = site("a.org", *(f"Docs{end}{title}" for title in DOCS[:4]))
    behind = site("b.org", *(f"{title}{end}Docs" for title in DOCS[:4]))
    assert owns(titles(*before, *behind)) == [*DOCS[:4], *DOCS[:4]]


def test_parts_before_and_behind_and_the_name_alone() -> None:
    told = site("a.org", *(f"A: B: {title} - C" for title in DOCS[:4]), "B", "A: B - C", "D")
    assert owns(titles(*told)) == [*DOCS[:4], "", "", "D"]


def test_few_titles_make_nothing_usual() -> None:
    two = site("a.org", "Floats - Docs", "Strings - Docs")
    assert owns(titles(*two)) == ["Floats - Docs", "Strings - Docs"]
    rare = site("a.org", *(f"{k} - Docs" for k in range(3)), *("Other" for _ in range(10)))
    assert owns(titles(*rare))[:2] == ["0 - Docs", "1 - Docs"]


def test_what_is_usual_on_one_site_is_not_on_another() -> None:
    told = [*site("a.org", *(f"{title} - Docs" for title in DOCS)), *site("b.org", "Zoo - Docs")]
    assert owns(titles(*told))[-1] == "Zoo - Docs"


def test_an_anchor_is_cut_like_a_title() -> None:
    made = titles(*site("a.org", *(f"{title} - Docs" for title in DOCS)))
    assert made.own("Docs", 0) == ""
    assert made.own("the floats - Docs", 0) == "the floats"
    assert made.own("Docs of floats", 0) == "Docs of floats"


def test_titles_that_say_there_is_none() -> None:
    made = titles(*site("a.org", "Untitled Document", "No title", "a  b"))
    assert [made[page] for page in range(3)] == ["", "", "a b"]


def test_without_titles() -> None:
    made = Titles.of(BaseSet.of([("a", "b")]))
    assert (made[0], made.own("a - b", 0), len(made)) == ("", "a - b", 0)


def test_a_part_is_set_apart_by_a_sign() -> None:
    assert without("Docs Floats", "Docs") == "Docs Floats"
    assert without("MyDocs: Floats", "Docs") == "MyDocs: Floats"
    assert without("std::Docs", "Docs") == "std::Docs"
