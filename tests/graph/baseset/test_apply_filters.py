"""Filters applied in order, each with the count of what it dropped."""

import numpy as np

from weft.core.arrays import CSR, Ids
from weft.graph.baseset.baseset import ROOT
from weft.graph.baseset.candidates import CandidatePages
from weft.graph.baseset.filters import LEGAL_PAGE_REASON, LinkArrays, LinkFilter, LinkVerdicts
from weft.graph.webgraph import WebGraph

NONE = np.zeros(0, np.int64)


def ids(*numbers: int) -> Ids:
    return np.array(numbers, np.int32)


def rows(*pairs: tuple[int, int]) -> CSR:
    ends = np.array(pairs, np.int32).T
    return WebGraph.from_arrays(10, ends[0], ends[1]).outlinks


def candidates(pages: Ids, **rejected: tuple[int, str, int]) -> CandidatePages:
    found = CandidatePages.from_roots(pages, ROOT, np.zeros_like(pages), np.zeros(len(pages)))
    found.rejected = {page: (reason, other) for page, reason, other in rejected.values()}
    return found


def ends(link_filter: LinkFilter, pages: Ids) -> list[tuple[int, int]]:
    source, target = (
        pages[end].tolist() for end in (link_filter.links.source, link_filter.links.target)
    )
    return list(zip(source, target, strict=True))


def test_only_dropped_links_are_noted() -> None:
    links = LinkArrays(ids(0, 1, 2), ids(1, 2, 0), np.ones(3, np.float32))
    link_filter = LinkFilter(links, np.ones(3, bool))
    link_filter.drop(np.zeros(3, bool), "nothing")
    link_filter.drop(np.arange(3) == 1, "noise")
    assert [str(part) for part in link_filter.dropped] == ["noise: 0 pages, 1 links left out"]
    assert link_filter.remaining.tolist() == [True, False, True]


def test_links_of_rejected_pages_are_counted_by_reason() -> None:
    pages = ids(2, 4, 9)
    pages_met = candidates(
        pages, one=(7, "noise", -1), two=(3, "quiet", -1), three=(5, "noise", -1)
    )
    web = rows((2, 4), (2, 3), (3, 7), (4, 8), (7, 2), (9, 2))
    verdicts = LinkVerdicts.from_page_verdicts(pages_met, redirect=False)
    assert verdicts.pages.tolist() == [2, 3, 4, 5, 7, 9]
    link_filter = verdicts.apply(web, NONE)
    assert ends(link_filter, pages) == [(2, 4), (9, 2)]
    assert [(part.reason, part.pages, part.links) for part in link_filter.dropped] == [
        ("noise", 2, 2),
        ("quiet", 1, 1),
    ]


def test_nofollow_comes_first_and_legal_pages_last() -> None:
    pages = ids(2, 4, 9)
    web = rows((2, 4), (2, 7), (4, 9), (9, 2), (9, 4))
    verdicts = LinkVerdicts.from_page_verdicts(
        candidates(pages, one=(7, "noise", -1)), redirect=False
    )
    verdicts.ignore_links_to(np.array([False, True, False]), LEGAL_PAGE_REASON)
    link_filter = verdicts.apply(web, np.array([1, 2]))
    assert ends(link_filter, pages) == [(9, 2)]
    assert [(part.reason, part.pages, part.links) for part in link_filter.dropped] == [
        ("marked nofollow", 0, 2),
        ("noise", 1, 0),
        ("leading to legal or contact pages", 0, 2),
    ]


def test_links_to_a_mirror_are_redirected_to_its_original() -> None:
    pages = ids(2, 4, 9)
    pages_met = candidates(pages, one=(7, "mirrors of other pages", 9), two=(3, "noise", -1))
    web = rows((2, 7), (3, 7), (4, 3), (7, 2))
    verdicts = LinkVerdicts.from_page_verdicts(pages_met, redirect=True)
    link_filter = verdicts.apply(web, NONE)
    assert ends(link_filter, pages) == [(2, 9)]
    assert [part.links for part in link_filter.dropped] == [1, 2]
    verdicts.ignore_links_to(np.array([False, False, True]), LEGAL_PAGE_REASON)
    assert ends(verdicts.apply(web, NONE), pages) == []
