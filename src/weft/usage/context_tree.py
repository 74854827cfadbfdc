"""Context trees: what visitors view next, after contexts of several lengths."""

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from weft.core.arrays import CSR, Floats, Ids, Offsets, pack_pairs, unpack_pairs
from weft.graph.transitions import Sessions


class NextViews(NamedTuple):
    """Each view, and each end of a session, with what was viewed before it.

    The views before are `pages[first:end]` of the sessions; what follows is a
    page, or `page_count` for the end of a session.
    """

    first: Offsets
    end: Offsets
    follower: Ids

    def take(self, which: Offsets) -> "NextViews":
        """Some of them."""
        return NextViews(self.first[which], self.end[which], self.follower[which])


@dataclass(frozen=True, slots=True, eq=False)
class ContextTree:
    """How often each page was viewed next after each context of up to `order` pages.

    A context is a node; the empty one is node 0. A child has one page more, in
    front: `keys` are the pairs of parent and that page, sorted, and the node of
    a pair is its place there plus one. So the contexts that match a path are
    found from its last page on, one at a time, exactly and without any text.
    Row k of `followers` has the pages viewed after context k, most frequent
    first; `counts` are parallel to them, and `totals` their sums.

    With `boundaries`, the number `page_count` stands for the start of a
    session in a context, and for its end as a follower.
    """

    page_count: int
    order: int
    boundaries: bool
    keys: Offsets
    followers: CSR
    counts: Floats
    totals: Floats

    @classmethod
    def fit(
        cls, sessions: Sessions, order: int, *, boundaries: bool = True, min_count: int = 1
    ) -> Self:
        """Count the contexts of sessions.

        A run of pages, context and follower together, that occurs less often
        than `min_count` is left out. A view that path completion inserted is
        part of contexts, but follows none: it is no click.

        Examples
        --------
        >>> tree = ContextTree.fit(Sessions.from_paths(["abc", "abd", "abc"]), 2, boundaries=False)
        >>> [tree.followers.row(k).tolist() for k in tree.match([0, 1])]
        [[0, 1, 2, 3], [2, 3], [2, 3]]
        """
        page_count = len(sessions.graph.pages)
        events = _list_next_views(sessions, boundaries=boundaries)
        node = np.zeros(len(events.end), np.int64)
        keys, pairs, node_count = [np.zeros(0, np.int64)], [], 1
        for depth in range(order + 1):
            if depth:
                known = np.flatnonzero(events.end - depth >= events.first - boundaries)
                events, node = events.take(known), node[known]
                node = pack_pairs(node, _context_pages(sessions, events, depth))
            events, node = _drop_rare(events, node, min_count)
            if depth:
                contexts, place = np.unique(node, return_inverse=True)
                keys.append(contexts)
                node = place + node_count
                node_count += len(contexts)
            pairs.append(pack_pairs(node, events.follower))
        followers = _count_followers(np.concatenate(pairs), node_count)
        return cls(page_count, order, boundaries, np.concatenate(keys), *followers)

    @property
    def context_count(self) -> int:
        """The number of contexts of at least one page."""
        return len(self.keys)

    @property
    def size(self) -> int:
        """The number of counts: pairs of a context and a page viewed next."""
        return len(self.followers.ids) - int(self.followers.starts[1])

    def match(self, path: npt.ArrayLike) -> list[int]:
        """The contexts that are the last pages of a path, from the empty one to the longest."""
        latest_first = np.asarray(path, np.int64)[: -self.order - 1 : -1].tolist()
        if self.boundaries and len(latest_first) < self.order:
            latest_first.append(self.page_count)
        nodes = [0]
        for page in latest_first:
            key = (nodes[-1] << 32) | page
            place = int(self.keys.searchsorted(key))
            if place == len(self.keys) or self.keys[place] != key:
                break
            nodes.append(place + 1)
        return nodes

    def row(self, node: int) -> tuple[Ids, Floats]:
        """The pages viewed after a context, most frequent first, and how often."""
        row = slice(int(self.followers.starts[node]), int(self.followers.starts[node + 1]))
        return self.followers.ids[row], self.counts[row]


def _list_next_views(sessions: Sessions, *, boundaries: bool) -> NextViews:
    """All views but inferred ones, and with `boundaries` the end of each session."""
    session, starts = sessions.session_ids, sessions.starts
    end = np.flatnonzero(~sessions.inferred)
    views = NextViews(starts[session[end]], end, sessions.pages[end])
    if not boundaries:
        return views
    viewed = np.flatnonzero(np.diff(starts))
    leaving = np.full(len(viewed), len(sessions.graph.pages), np.int32)
    exits = NextViews(starts[viewed], starts[viewed + 1], leaving)
    return NextViews(
        np.concatenate([views.first, exits.first]),
        np.concatenate([views.end, exits.end]),
        np.concatenate([views.follower, exits.follower]),
    )


def _context_pages(sessions: Sessions, events: NextViews, depth: int) -> Ids:
    """The page `depth` views before; before the first one, the start of the session."""
    at = events.end - depth
    pages = np.full(len(at), len(sessions.graph.pages), np.int32)
    inside = at >= events.first
    pages[inside] = sessions.pages[at[inside]]
    return pages


def _drop_rare(events: NextViews, context: Offsets, min_count: int) -> tuple[NextViews, Offsets]:
    """Drop events whose context and follower occur together less than `min_count` times."""
    if min_count <= 1:
        return events, context
    number = np.unique(context, return_inverse=True)[1]
    _, place, counts = np.unique(
        pack_pairs(number, events.follower), return_inverse=True, return_counts=True
    )
    kept = np.flatnonzero(counts[place] >= min_count)
    return events.take(kept), context[kept]


def _count_followers(pairs: Offsets, node_count: int) -> tuple[CSR, Floats, Floats]:
    """Rows of followers by node, most frequent first, their counts, and the sum of each row."""
    keys, counts = np.unique(pairs, return_counts=True)
    node, follower = unpack_pairs(keys)
    order = np.lexsort((follower, -counts, node))
    starts = np.searchsorted(node, np.arange(node_count + 1)).astype(np.int64)
    totals = np.bincount(node, counts, node_count).astype(np.float64)
    return CSR(starts, follower[order]), counts[order].astype(np.float64), totals
