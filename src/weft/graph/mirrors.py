"""Pages that mirror others: nearly all of their links agree."""

from dataclasses import dataclass

import numpy as np

from weft.core.arrays import Ids, Rows
from weft.graph.rare import SHARE


@dataclass(frozen=True, slots=True, eq=False)
class Looks:
    """What tells pages apart besides their links: whose they are, and their titles as numbers.

    Pages of one owner share its menus, so that two of them mirror each other
    only with the same title; a title of -1 is none.
    """

    owner: Ids
    title: Ids

    @classmethod
    def alike(cls, pages: int) -> "Looks":
        """Of pages that only their links tell apart."""
        return cls(np.zeros(pages, np.int32), np.zeros(pages, np.int32))


def mirrors(outlinks: Rows, rare: Rows, pages: Ids, looks: Looks) -> Ids:
    """For each page the place of the earlier one that it mirrors, -1 for none.

    Two pages with five links or more mirror each other where over four fifths
    of the links of the larger agree. Pages are looked at in the order given,
    and only those that stay are mirrored: nothing is left out for being like a
    page that was left out itself. `rare` has the rarest links of every page,
    one of which two that mirror each other share.
    """
    from weft.engine.mirrored import mirrored  # noqa: PLC0415  which loads a compiler

    every, few = ((np.asarray(rows.starts), np.asarray(rows.ids)) for rows in (outlinks, rare))
    found: Ids = mirrored(every, few, pages, (looks.owner, looks.title), SHARE)
    return found


def same_links(outlinks: Rows, pages: Ids) -> Ids:
    """For each page the place of the first one with the same links, -1 for none before it.

    Pages with fewer than five links mirror each other in no other way.

    Examples
    --------
    >>> rows = Rows(np.array([0, 1, 2, 3]), np.array([2, 2, 0], np.int32))
    >>> same_links(rows, np.arange(3, dtype=np.int32)).tolist()
    [-1, 0, -1]
    """
    first, found = dict[bytes, int](), np.full(len(pages), -1, np.int32)
    for place, page in enumerate(pages.tolist()):
        links = np.asarray(outlinks.ids[outlinks.starts[page] : outlinks.starts[page + 1]])
        before = first.setdefault(links.tobytes(), place)
        found[place] = before if before < place else -1
    return found
