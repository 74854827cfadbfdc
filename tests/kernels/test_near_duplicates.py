"""Mirrors, against comparing every pair."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from weft.kernels.near_duplicates import find_near_duplicates

Sets = list[set[int]]
sets = st.lists(st.sets(st.integers(0, 6), max_size=7), min_size=1, max_size=12)
looks = st.lists(st.tuples(st.integers(0, 2), st.integers(-1, 1)), min_size=12, max_size=12)


def rows(links: Sets, n: int) -> tuple[np.ndarray, np.ndarray]:
    sizes = [len(own) for own in links] + [0] * (n - len(links))
    ids = [n - 7 + link for own in links for link in sorted(own)]
    return np.cumsum([0, *sizes]), np.array(ids, np.int32)


@given(sets, looks, st.randoms())
def test_the_earliest_kept_page_is_found(
    links: Sets, owners_and_titles: list[tuple[int, int]], random: object
) -> None:
    """Rare links are half of all, so that some pairs that agree are never compared."""
    n = len(links) + 7
    rare = [{link for link in own if random.random() < 0.5} for own in links]  # type: ignore[attr-defined]
    owner, title = (
        np.array(column[: len(links)], np.int32) for column in zip(*owners_and_titles, strict=True)
    )
    wanted: list[int] = []
    for page, own in enumerate(links):
        wanted.append(-1)
        for other in range(page):
            apart = owner[other] != owner[page] or title[other] == title[page] >= 0
            larger = max(len(own), len(links[other]))
            agree = 5 * len(own & links[other]) > 4 * larger
            if wanted[other] < 0 and apart and agree and rare[page] & rare[other]:
                wanted[page] = other
                break
    pages = np.arange(len(links), dtype=np.int32)
    found = find_near_duplicates(rows(links, n), rows(rare, n), pages, (owner, title), (4, 5))
    assert found.tolist() == wanted


def test_pages_come_in_any_order() -> None:
    links = [{0, 1, 2}, {4, 5, 6}, {0, 1, 2}]
    plain = np.arange(3, dtype=np.int32), np.full(3, -1, np.int32)
    pages = np.array([2, 1, 0], np.int32)
    assert find_near_duplicates(
        rows(links, 10), rows(links, 10), pages, plain, (4, 5)
    ).tolist() == [-1, -1, 0]
    none = np.zeros(0, np.int32)
    assert (
        find_near_duplicates(rows(links, 10), rows(links, 10), none, (none, none), (4, 5)).tolist()
        == []
    )
