"""Candidate pages: added once, rejected with a reason."""

from collections.abc import Callable

import numpy as np

from weft.gather.page import Link, Page
from weft.graph.baseset.baseset import LINKED_FROM, ROOT
from weft.graph.baseset.candidates import (
    MIRROR_REASON,
    STOPLISTED_PAGE_REASON,
    CandidatePages,
    reject_unwanted,
)
from weft.graph.levels import load_graph
from weft.graph.selection import Selection
from weft.workspace.workspace import Workspace

Keep = Callable[..., Workspace]


def ids(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int32)


def two_roots() -> CandidatePages:
    return CandidatePages.from_roots(ids(7, 3), ROOT, ids(1, 2), np.array([0.9, 0.5]))


def test_a_page_is_added_once_via_the_first_page_that_links_to_it() -> None:
    candidates = two_roots()
    candidates.add_pages(ids(5, 3, 4, 5), ids(7, 7, 3, 3), LINKED_FROM)
    assert candidates.page_numbers.tolist() == [7, 3, 4, 5]
    assert candidates.via.tolist() == [-1, -1, 3, 7]
    assert candidates.origin.tolist() == [ROOT, ROOT, LINKED_FROM, LINKED_FROM]
    assert candidates.rank.tolist() == [1, 2, 0, 0]


def test_a_rejected_page_is_not_added_again() -> None:
    candidates = two_roots()
    candidates.add_pages(ids(4, 5), ids(7, 7), LINKED_FROM)
    candidates.reject(np.array([True, False]), "noise")
    candidates.add_pages(ids(4, 6), ids(3, 3), LINKED_FROM)
    assert candidates.page_numbers.tolist() == [7, 3, 5, 6]
    assert candidates.rejected == {4: ("noise", -1)}


LIST = tuple(Link(f"http://t{k}.com/") for k in range(6))


def page(url: str, *links: Link) -> Page:
    return Page(f"http://{url}", title=url[0], text="words", links=links)


def test_mirrors_are_rejected_by_rank_then_by_inlinks(keep: Keep) -> None:
    fans = [page(f"f{k}.com/", Link("http://c.com/")) for k in range(3)]
    copies = [page(f"{name}.com/", *LIST) for name in "abc"]
    collection = keep(*copies, *fans, page("privacy.com/privacy.html")).collection
    graph = load_graph(collection)
    a, b, c, legal = (
        collection.find_page(f"http://{url}")
        for url in ("a.com/", "b.com/", "c.com/", "privacy.com/privacy.html")
    )

    def left(candidates: CandidatePages, start: int = 0, **options: object) -> list[int]:
        reject_unwanted(collection, graph, candidates, start, Selection(**options))  # type: ignore[arg-type]
        found: list[int] = candidates.page_numbers.tolist()
        return found

    ranked = CandidatePages.from_roots(ids(b, a), ROOT, ids(1, 2), np.ones(2))
    assert left(ranked) == [b]
    assert ranked.rejected == {a: (MIRROR_REASON, b)}
    ranked.add_pages(ids(c, legal), ids(b, b), LINKED_FROM)
    assert left(ranked, 1) == [b]
    assert ranked.rejected == {
        a: (MIRROR_REASON, b),
        c: (MIRROR_REASON, b),
        legal: (STOPLISTED_PAGE_REASON, -1),
    }
    unranked = CandidatePages.from_roots(ids(a, b, c), ROOT, ids(0, 0, 0), np.ones(3))
    assert left(unranked) == [c]
    legal_root = CandidatePages.from_roots(ids(legal), ROOT, ids(1), np.ones(1))
    assert left(legal_root) == [legal]
    assert left(
        CandidatePages.from_roots(ids(a, b, c), ROOT, ids(1, 2, 3), np.ones(3)), mirrors="keep"
    ) == [
        a,
        b,
        c,
    ]
    unwanted = CandidatePages.from_roots(ids(a, b), ROOT, ids(1, 2), np.ones(2))
    assert left(unwanted, exclude=("a.com",)) == [b]
    assert unwanted.rejected == {a: ("without a.com", -1)}
