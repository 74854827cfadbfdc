"""Mirror pages: pages that share nearly all of their outlinks."""

from dataclasses import dataclass

import numpy as np

from weft.core.arrays import CSR, Ids
from weft.graph.link_facts import MIRROR_SHARE


@dataclass(frozen=True, slots=True, eq=False)
class PageTraits:
    """The owners and titles of pages as numbers; a title of -1 is none.

    Pages of one owner share its menus, so that two of them are mirrors only
    with the same title.
    """

    owner: Ids
    title: Ids

    @classmethod
    def uniform(cls, page_count: int) -> "PageTraits":
        """The same traits for all pages, so that links alone decide."""
        return cls(np.zeros(page_count, np.int32), np.zeros(page_count, np.int32))


def find_mirrors(outlinks: CSR, rare_links: CSR, pages: Ids, traits: PageTraits) -> Ids:
    """The position of the earlier page that each page mirrors, -1 for none.

    Two pages with at least five links are mirrors where they share more than
    4/5 of the links of the larger one. Pages are compared in the order given,
    with those that mirror no other: no page is dropped for its likeness to a
    dropped page. Mirrors share one of the `rare_links` of each page, which
    limits the pairs to compare.
    """
    from weft.kernels.near_duplicates import find_near_duplicates  # noqa: PLC0415  which loads a compiler

    links, rare = (
        (np.asarray(rows.starts), np.asarray(rows.ids)) for rows in (outlinks, rare_links)
    )
    mirrored: Ids = find_near_duplicates(
        links, rare, pages, (traits.owner, traits.title), MIRROR_SHARE
    )
    return mirrored


def find_identically_linked_pages(outlinks: CSR, pages: Ids) -> Ids:
    """The position of the first page with exactly the same links, -1 for none before it.

    This is the only way in which pages with fewer than five links are mirrors.

    Examples
    --------
    >>> rows = CSR(np.array([0, 1, 2, 3]), np.array([2, 2, 0], np.int32))
    >>> find_identically_linked_pages(rows, np.arange(3, dtype=np.int32)).tolist()
    [-1, 0, -1]
    """
    first, mirrored = dict[bytes, int](), np.full(len(pages), -1, np.int32)
    for k, page in enumerate(pages.tolist()):
        links = np.asarray(outlinks.ids[outlinks.starts[page] : outlinks.starts[page + 1]])
        earlier = first.setdefault(links.tobytes(), k)
        mirrored[k] = earlier if earlier < k else -1
    return mirrored
