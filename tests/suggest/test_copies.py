"""Copies of pages are found by their links."""

from weft.graph.baseset import BaseSet
from weft.graph.webgraph import WebGraph
from weft.suggest.around import Around
from weft.suggest.copies import not_copies

TARGETS = [f"http://t.org/{k}" for k in range(6)]
ONE, MIRROR, OTHER = "http://a.org/list", "http://b.org/list", "http://c.org/list"
SAME_SITE = "http://a.org/menu"
LINKS = [(page, target) for page in (ONE, MIRROR, SAME_SITE) for target in TARGETS]
LINKS += [(OTHER, target) for target in TARGETS[:3]] + [(OTHER, f"http://o.org/{k}") for k in "123"]


def kept(
    known: list[str], candidates: list[str], titles: dict[str, str], most: int = 9
) -> list[str]:
    graph = WebGraph.from_links(LINKS)
    base = BaseSet.whole(graph, read_titles=lambda: [titles.get(p, "") for p in graph.pages])
    found = not_copies(Around(base), graph.numbers(known), graph.numbers(candidates), most)
    return [graph.pages[int(page)] for page in found]


def test_a_mirror_on_another_site_is_a_copy() -> None:
    assert kept([ONE], [MIRROR, OTHER], {}) == [OTHER]


def test_on_one_site_only_with_one_title() -> None:
    assert kept([ONE], [SAME_SITE], {}) == [SAME_SITE]
    assert kept([ONE], [SAME_SITE], {ONE: "Links", SAME_SITE: "Links"}) == []
    assert kept([ONE], [SAME_SITE], {ONE: "Links", SAME_SITE: "Menu"}) == [SAME_SITE]


def test_of_two_copies_the_better_stays() -> None:
    assert kept([TARGETS[0]], [ONE, MIRROR, OTHER], {}) == [ONE, OTHER]


def test_no_more_than_wanted() -> None:
    assert kept([TARGETS[0]], [ONE, OTHER], {}, 1) == [ONE]


def test_pages_with_few_links_are_no_copies() -> None:
    assert kept([TARGETS[0]], TARGETS[1:], {}) == TARGETS[1:]
