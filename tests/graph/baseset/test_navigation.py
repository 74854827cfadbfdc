"""Navigation links: links on most captured pages of a site."""

from collections.abc import Callable

import numpy as np
import pytest

from weft.gather.page import Link, Page
from weft.graph.baseset.baseset import BaseSet
from weft.graph.baseset.expand import build_query_base_set
from weft.graph.baseset.filters import known_outlinks_mask, navigation_thresholds
from weft.graph.webgraph import WebGraph
from weft.workspace.workspace import Workspace

Keep = Callable[..., Workspace]
REASON = "repeated on most pages of a site"


def page(url: str, text: str, *targets: str) -> Page:
    return Page(f"http://{url}", text=text, links=tuple(Link(f"http://{t}") for t in targets))


def site(size: int, linking: int, name: str = "big.com") -> list[Page]:
    """A site of some captured pages, of which the first link to the root page."""
    return [
        page(f"{name}/{k:03}", "nothing", *(["root.com/"] if k < linking else []))
        for k in range(size)
    ]


def menu_links(base: BaseSet) -> int:
    return sum(part.links for part in base.dropped if part.reason == REASON)


def test_ten_of_two_hundred_and_ten_pages_are_not_most(keep: Keep) -> None:
    """All ten that link to the root are in the base set, the other pages of the site are not."""
    base = build_query_base_set(
        keep(page("root.com/", "a jaguar"), *site(210, 10)).collection, "jaguar", per_domain=0
    )
    assert len(base) == 11
    assert menu_links(base) == 0
    assert base.graph.link_count == 10


@pytest.mark.parametrize(
    ("size", "linking", "gone"), [(210, 106, 9), (210, 105, 0), (5, 3, 2), (5, 2, 0), (4, 4, 0)]
)
def test_pages_outside_the_base_set_count(keep: Keep, size: int, linking: int, gone: int) -> None:
    """Ten of the pages that link to the root are sampled."""
    collection = keep(page("root.com/", "a jaguar"), *site(size, linking)).collection
    assert (
        menu_links(build_query_base_set(collection, "jaguar", max_inlinks=10, per_domain=0)) == gone
    )


def test_pages_that_were_never_captured_do_not_make_a_site_larger(keep: Keep) -> None:
    other = page("other.com/", "nothing", *(f"big.com/other{k}" for k in range(100)))
    collection = keep(page("root.com/", "a jaguar"), *site(6, 4), other).collection
    assert menu_links(build_query_base_set(collection, "jaguar")) == 3


def test_user_folders_of_a_host_are_sites_of_their_own(keep: Keep) -> None:
    member, host = site(6, 4, "big.com/~ann"), site(100, 0)
    collection = keep(page("root.com/", "a jaguar"), *member, *host).collection
    assert menu_links(build_query_base_set(collection, "jaguar")) == 3
    between = site(6, 4, "www.big.com/~ann")
    collection = keep(page("root.com/", "a jaguar"), *between, *site(9, 5), name="two").collection
    assert menu_links(build_query_base_set(collection, "jaguar", per_domain=0)) == 3 + 4


def test_one_query_after_the_other_counts_the_same(keep: Keep) -> None:
    """What was counted for one base set serves the next."""
    pages = [
        page("root.com/", "a jaguar"),
        *site(8, 5),
        *site(8, 5, "vast.org"),
        *site(9, 4, "c.net"),
    ]
    pages += [page("den.com/", "a lynx"), page("x.org/1", "nothing", "den.com/")]
    collection = keep(*pages).collection
    first = [
        menu_links(build_query_base_set(collection, query))
        for query in ("lynx", "jaguar", "jaguar")
    ]
    assert first == [0, 8, 8]


def test_half_of_five_pages_or_more() -> None:
    assert navigation_thresholds(np.array([0, 1, 4, 5, 6, 7])).tolist() == [0, 1, 4, 2, 3, 3]


def test_uncaptured_pages_without_links_are_not_captured() -> None:
    graph = WebGraph.from_links([("a", "x"), ("b", "y")])
    assert known_outlinks_mask(graph).tolist() == [True, False, True, False]
    uncaptured = np.array([False, False, False, True])
    known = WebGraph(graph.pages, graph.outlinks, graph.inlinks, uncaptured=uncaptured)
    assert known_outlinks_mask(known).tolist() == [True, True, True, False]
