"""Base sets by hand, and what becomes of them in one graph."""

from pathlib import Path

import numpy as np
import pytest
from benchmarks.topics.mixed import mixed
from benchmarks.topics.sets import LinkSet, read_set, url_words

from weft.graph.baseset.baseset import LINKED_FROM, LINKS_TO, ROOT

NODES = """3

0 (7) [R]
http://www.goat-cheese.com
Goat &amp; Sheep
2 1

1 (8) [O]
http://both.org/x
Empty title field
1 1

2 (9) [I]
http://me.org/links.html
My links
0 2

"""


@pytest.fixture
def cheese(tmp_path: Path) -> LinkSet:
    folder = tmp_path / "cheese"
    folder.mkdir()
    (folder / "nodes").write_text(NODES, "latin-1")
    (folder / "adj_list").write_text("0: 1 -1\n1: -1\n2: 0 1 1 2 -1\n")
    return read_set(folder)


def film(*links: tuple[int, int]) -> LinkSet:
    """Five pages, of which the last is also a page about cheese."""
    pages = [*(f"http://film{k}.org/" for k in range(4)), "http://both.org/x"]
    ends = np.array(links or [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4)], np.int32).T
    origin = np.array([ROOT, ROOT, LINKED_FROM, LINKED_FROM, LINKED_FROM], np.int32)
    whole = {"film": np.ones(5, bool)}
    return LinkSet("film", pages, ["Film"] * 5, origin, ends[0], ends[1], whole)


def test_a_set_is_read(cheese: LinkSet) -> None:
    assert cheese.query == "cheese"
    assert list(cheese.titles) == ["Goat & Sheep", "", "My links"]
    assert cheese.origin.tolist() == [ROOT, LINKED_FROM, LINKS_TO]
    links = list(zip(cheese.source.tolist(), cheese.target.tolist(), strict=True))
    assert links == [(0, 1), (2, 0), (2, 1)]
    assert cheese.on_topic().tolist() == [True, False, False]


def test_a_page_of_two_sets_is_one_page_of_both(cheese: LinkSet) -> None:
    case = mixed([cheese, film()])
    assert len(case.base) == 7
    both = case.base.graph.page_number("http://both.org/x")
    assert case.sets["cheese"][both]
    assert case.sets["film"][both]
    assert case.base.query == "cheese film"
    assert case.base.titles[both] == "Film"
    roots = [case.base.pages[page] for page in case.base.roots.tolist()]
    assert roots == ["http://www.goat-cheese.com", "http://film0.org/", "http://film1.org/"]
    assert case.base.text_score.tolist() == [1, 0, 0, 1, 1, 0, 0]


def test_nothing_is_rewired_unless_asked(cheese: LinkSet) -> None:
    case = mixed([cheese, film()])
    assert case.base.graph.link_count == 8


def test_rewired_links_cross_and_follow_the_seed() -> None:
    one = film(*[(a, b) for a in range(4) for b in range(4) if a != b])
    other = LinkSet(
        "tea",
        [f"http://tea{k}.org/" for k in range(5)],
        *([""] * 5, one.origin, one.source, one.target),
        {"tea": np.ones(5, bool)},
    )

    def crossing(seed: int) -> set[tuple[str, str]]:
        table = mixed([one, other], 0.5, seed).base.graph.to_arrow()
        links = zip(table["source"].to_pylist(), table["target"].to_pylist(), strict=True)
        return {(s, t) for s, t in links if ("film" in s) != ("film" in t)}

    assert 6 <= len(crossing(0)) <= 12
    assert crossing(0) == crossing(0)
    assert crossing(0) != crossing(1)


def test_words_of_an_address() -> None:
    assert url_words("http://www.a.org/goat_milk-1/links.html") == ["goat", "milk", "links"]
