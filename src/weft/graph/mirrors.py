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
