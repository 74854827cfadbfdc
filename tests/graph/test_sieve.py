"""The sieve: filters one after the other, each telling what it left out."""

import numpy as np

from weft.graph.filters import Links
from weft.graph.sieve import Sieve


def sieve(*pairs: tuple[int, int]) -> Sieve:
    ends = np.array(pairs, np.int32).T
    return Sieve(Links(ends[0], ends[1], np.ones(len(pairs), np.float32)))


def test_what_is_left_out_is_told_once() -> None:
    some = sieve((0, 1), (1, 2), (2, 0), (3, 2))
    some.drop(np.zeros(4, bool), "nothing")
    some.drop_pages(np.arange(4) == 2, "noise")
    assert [str(told) for told in some.told] == ["noise: 1 pages, 3 links left out"]
    assert list(zip(some.links.source, some.links.target, strict=True)) == [(0, 1)]
    some.drop_pages(np.arange(4) == 3, "quiet")
    assert some.told[-1].pages == 1
    assert some.told[-1].links == 0


def test_links_to_a_mirror_lead_to_its_original() -> None:
    some = sieve((0, 1), (1, 2), (3, 1))
    some.redirect(np.array([-1, 3, -1, -1], np.int32))
    assert some.links.source.tolist() == [0, 1, 3]
    assert some.links.target.tolist() == [3, 2, 3]
