"""The sieve: filters one after the other, each telling what it left out."""

import numpy as np

from weft.core.arrays import Ids, Rows
from weft.graph.baseset import ROOT
from weft.graph.filters import Links
from weft.graph.growing import Growing
from weft.graph.sieve import LEGAL, Fate, Sieve
from weft.graph.webgraph import WebGraph

NONE = np.zeros(0, np.int64)


def ids(*numbers: int) -> Ids:
    return np.array(numbers, np.int32)


def rows(*pairs: tuple[int, int]) -> Rows:
    ends = np.array(pairs, np.int32).T
    return WebGraph.from_arrays(10, ends[0], ends[1]).outlinks


def growing(pages: Ids, **away: tuple[int, str, int]) -> Growing:
    made = Growing.of(pages, ROOT, np.zeros_like(pages), np.zeros(len(pages)))
    made.away = {page: (reason, other) for page, reason, other in away.values()}
    return made


def ends(sieve: Sieve, pages: Ids) -> list[tuple[int, int]]:
    source, target = (pages[end].tolist() for end in (sieve.links.source, sieve.links.target))
    return list(zip(source, target, strict=True))


def test_what_is_left_out_is_told_once() -> None:
    links = Links(ids(0, 1, 2), ids(1, 2, 0), np.ones(3, np.float32))
    sieve = Sieve(links, np.ones(3, bool))
    sieve.drop(np.zeros(3, bool), "nothing")
    sieve.drop(np.arange(3) == 1, "noise")
    assert [str(told) for told in sieve.told] == ["noise: 0 pages, 1 links left out"]
    assert sieve.left.tolist() == [True, False, True]


def test_links_of_pages_sent_away_are_told_reason_by_reason() -> None:
    pages = ids(2, 4, 9)
    met = growing(pages, one=(7, "noise", -1), two=(3, "quiet", -1), three=(5, "noise", -1))
    web = rows((2, 4), (2, 3), (3, 7), (4, 8), (7, 2), (9, 2))
    fate = Fate.of(met, redirect=False)
    assert fate.pages.tolist() == [2, 3, 4, 5, 7, 9]
    sieve = fate.sieve(web, NONE)
    assert ends(sieve, pages) == [(2, 4), (9, 2)]
    assert [(told.reason, told.pages, told.links) for told in sieve.told] == [
        ("noise", 2, 2),
        ("quiet", 1, 1),
    ]


def test_marks_come_first_and_links_to_legal_pages_last() -> None:
    pages = ids(2, 4, 9)
    web = rows((2, 4), (2, 7), (4, 9), (9, 2), (9, 4))
    fate = Fate.of(growing(pages, one=(7, "noise", -1)), redirect=False)
    fate.shun(np.array([False, True, False]), LEGAL)
    sieve = fate.sieve(web, np.array([1, 2]))
    assert ends(sieve, pages) == [(9, 2)]
    assert [(told.reason, told.pages, told.links) for told in sieve.told] == [
        ("marked nofollow", 0, 2),
        ("noise", 1, 0),
        ("leading to legal or contact pages", 0, 2),
    ]


def test_links_to_a_mirror_lead_to_its_original() -> None:
    pages = ids(2, 4, 9)
    met = growing(pages, one=(7, "mirrors of other pages", 9), two=(3, "noise", -1))
    web = rows((2, 7), (3, 7), (4, 3), (7, 2))
    fate = Fate.of(met, redirect=True)
    sieve = fate.sieve(web, NONE)
    assert ends(sieve, pages) == [(2, 9)]
    assert [told.links for told in sieve.told] == [1, 2]
    fate.shun(np.array([False, False, True]), LEGAL)
    assert ends(fate.sieve(web, NONE), pages) == []
