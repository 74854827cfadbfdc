"""Pages that come in, and pages that are sent away again."""

from collections.abc import Callable

import numpy as np

from weft.gather.page import Link, Page
from weft.graph.baseset import LINKED, ROOT
from weft.graph.growing import MIRRORED, STOPPED, Growing, weed
from weft.graph.levels import load
from weft.graph.options import BaseOptions
from weft.run.workspace import Workspace

Keep = Callable[..., Workspace]


def ids(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int32)


def begun() -> Growing:
    return Growing.of(ids(7, 3), ROOT, ids(1, 2), np.array([0.9, 0.5]))


def test_a_page_comes_in_once_through_the_first_that_leads_to_it() -> None:
    growing = begun()
    growing.take(ids(5, 3, 4, 5), ids(7, 7, 3, 3), LINKED)
    assert growing.numbers.tolist() == [7, 3, 4, 5]
    assert growing.via.tolist() == [-1, -1, 3, 7]
    assert growing.origin.tolist() == [ROOT, ROOT, LINKED, LINKED]
    assert growing.rank.tolist() == [1, 2, 0, 0]


def test_who_was_sent_away_does_not_come_back() -> None:
    growing = begun()
    growing.take(ids(4, 5), ids(7, 7), LINKED)
    growing.send_away(np.array([True, False]), "noise")
    growing.take(ids(4, 6), ids(3, 3), LINKED)
    assert growing.numbers.tolist() == [7, 3, 5, 6]
    assert growing.away == {4: ("noise", -1)}


LIST = tuple(Link(f"http://t{k}.com/") for k in range(6))


def page(url: str, *links: Link) -> Page:
    return Page(f"http://{url}", title=url[0], text="words", links=links)


def test_pages_are_weeded_by_rank_then_by_links_to_them(keep: Keep) -> None:
    fans = [page(f"f{k}.com/", Link("http://c.com/")) for k in range(3)]
    copies = [page(f"{name}.com/", *LIST) for name in "abc"]
    collection = keep(*copies, *fans, page("privacy.com/privacy.html")).collection
    graph = load(collection)
    a, b, c, legal = (
        collection.find(f"http://{url}")
        for url in ("a.com/", "b.com/", "c.com/", "privacy.com/privacy.html")
    )

    def left(growing: Growing, done: int = 0, **options: object) -> list[int]:
        weed(collection, graph, growing, done, BaseOptions(**options))  # type: ignore[arg-type]
        found: list[int] = growing.numbers.tolist()
        return found

    ranked = Growing.of(ids(b, a), ROOT, ids(1, 2), np.ones(2))
    assert left(ranked) == [b]
    assert ranked.away == {a: (MIRRORED, b)}
    ranked.take(ids(c, legal), ids(b, b), LINKED)
    assert left(ranked, 1) == [b]
    assert ranked.away == {a: (MIRRORED, b), c: (MIRRORED, b), legal: (STOPPED, -1)}
    unranked = Growing.of(ids(a, b, c), ROOT, ids(0, 0, 0), np.ones(3))
    assert left(unranked) == [c]
    legal_root = Growing.of(ids(legal), ROOT, ids(1), np.ones(1))
    assert left(legal_root) == [legal]
    assert left(Growing.of(ids(a, b, c), ROOT, ids(1, 2, 3), np.ones(3)), mirrors="keep") == [
        a,
        b,
        c,
    ]
    unwanted = Growing.of(ids(a, b), ROOT, ids(1, 2), np.ones(2))
    assert left(unwanted, without=("a.com",)) == [b]
    assert unwanted.away == {a: ("without a.com", -1)}
