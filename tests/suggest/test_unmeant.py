"""Menus, footers and paid links mean nothing; what others link to as well is meant."""

import numpy as np
import pytest

from weft.core.arrays import Ids
from weft.graph.baseset import BaseSet
from weft.graph.webgraph import WebGraph
from weft.suggest.around import Around
from weft.suggest.unmeant import carried, known, paid

MENU = "http://a.org/menu"


def site(name: str, pages: int, target: str, linking: int) -> list[tuple[str, str]]:
    """A site of pages with links, of which some link to a target."""
    own = [f"http://{name}/{k}" for k in range(pages)]
    ring = [(page, own[(k + 1) % pages]) for k, page in enumerate(own)]
    return ring + [(page, target) for page in own[:linking]]


def in_menus(links: list[tuple[str, str]], page: str) -> bool:
    graph = WebGraph.from_links(links)
    return bool(carried(Around(BaseSet.whole(graph)), graph.numbers([page]))[0])


@pytest.mark.parametrize(
    ("pages", "linking", "meant"), [(6, 4, False), (6, 3, True), (4, 4, True), (40, 21, False)]
)
def test_over_half_of_a_site_of_five_pages_or_more(pages: int, linking: int, meant: bool) -> None:  # noqa: FBT001
    assert in_menus(site("a.org", pages, MENU, linking), MENU) is not meant


def test_who_else_links_there_means_it() -> None:
    links = site("a.org", 8, MENU, 8)
    assert not in_menus([*links, ("http://b.org/", MENU)], MENU)
    two = [*links, *site("c.org", 8, MENU, 8)]
    assert in_menus([*two, ("http://b.org/", MENU)], MENU)


def test_a_page_that_nothing_links_to_is_in_no_menu() -> None:
    assert not in_menus([("a", "b")], "a")


@pytest.mark.parametrize(("marked", "wanted"), [(0, False), (1, False), (2, True), (5, True)])
def test_a_third_of_the_links_or_more(marked: int, wanted: bool) -> None:  # noqa: FBT001
    graph = WebGraph.from_links([(f"p{k}", "ad") for k in range(5)])
    ad = graph.numbers(["ad"])

    def read() -> Ids:
        return np.where(np.arange(len(graph)) == ad[0], marked, 0).astype(np.int32)

    base = BaseSet.whole(graph)
    assert paid(Around(base, read_marked=read), ad).tolist() == [wanted]
    assert not paid(Around(base), ad).any()


@pytest.mark.parametrize(
    ("sites", "linking", "wanted"), [(200, 50, True), (200, 49, False), (90, 80, False)]
)
def test_what_a_quarter_of_many_sites_link_to(sites: int, linking: int, wanted: bool) -> None:  # noqa: FBT001
    links = [(f"http://s{k}.org/", f"http://s{(k + 1) % sites}.org/") for k in range(sites)]
    links += [(f"http://s{k}.org/", "http://search.org/") for k in range(linking)]
    graph = WebGraph.from_links(links)
    found = known(Around(BaseSet.whole(graph)), graph.numbers(["http://search.org/"]))
    assert found.tolist() == [wanted]
