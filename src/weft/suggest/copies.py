"""Pages that are copies of others: nearly all of their links agree."""

from typing import Any

import numpy as np

from weft.core.arrays import Flags, Ids
from weft.graph.among import places
from weft.graph.rare import LEAST, SHARE
from weft.suggest.around import Around


def not_copies(around: Around, known: Ids, candidates: Ids, most: int) -> Ids:
    """The first of the candidates that are copies neither of known pages nor of each other.

    As in a base set, pages with five links or more are copies where over four
    fifths of the links of the larger agree; on one site, only with one title.
    """
    taken: list[int] = []
    for page in candidates.tolist():
        if len(taken) == most:
            break
        others = np.concatenate([known, np.array(taken, np.int32)])
        if not _copied(around, page, others):
            taken.append(page)
    return np.array(taken, np.int32)


def _copied(around: Around, page: int, others: Ids) -> bool:
    rows = around.graph.outlinks
    starts = np.asarray(rows.starts)
    own = int(starts[page + 1] - starts[page])
    if own < LEAST:
        return False
    many = starts[others + 1] - starts[others]
    likely = others[_agree(np.minimum(many, own), np.maximum(many, own))]
    likely = likely[_may(around, page, likely)] if len(likely) else likely
    if not len(likely):
        return False
    at, _ = places(rows, likely)
    mine = np.zeros(len(around.graph), bool)
    mine[rows.ids[starts[page] : starts[page + 1]]] = True
    many = starts[likely + 1] - starts[likely]
    owner = np.repeat(np.arange(len(likely)), many)
    shared = np.bincount(owner[mine[rows.ids[at]]], minlength=len(likely))
    return bool(_agree(shared, np.maximum(many, own)).any())


def _agree(part: Any, whole: Any) -> Flags:
    found: Flags = SHARE[1] * part > SHARE[0] * whole
    return found


def _may(around: Around, page: int, others: Ids) -> Flags:
    """Pages of another site, or of the same title."""
    foreign: Flags = around.sites[others] != around.sites[page]
    inside = others[~foreign]
    [title] = around.titles(np.array([page], np.int32))
    titled = foreign.copy()
    titled[~foreign] = [bool(title) and other == title for other in around.titles(inside)]
    return titled
