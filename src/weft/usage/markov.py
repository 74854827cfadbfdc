"""Markov models of order k: the next page after the last k pages."""

from dataclasses import dataclass
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field

from weft.core.arrays import CSR, Floats, Ids, Offsets
from weft.core.params import SkipSeen, Top, ViewedPath
from weft.core.register import Dimensions, method
from weft.graph.transitions import Sessions
from weft.usage.context_tree import ContextTree
from weft.usage.predictor import NO_PATH, describe_prediction, predict_unseen, top_pages
from weft.usage.usage import Usage

Smoothing = Literal["witten-bell", "longest", "none"]
SmoothingRule = Annotated[
    Smoothing,
    Field(
        description="mix all orders (witten-bell), use the longest known context (longest), or "
        "contexts of the full order only (none)"
    ),
]
Order = Annotated[int, Field(ge=1, le=20, description="how many pages a context has")]
MinContextCount = Annotated[int, Field(ge=1, description="ignore contexts that occur less often")]
Boundaries = Annotated[bool, Field(description="model where sessions begin and end")]


@dataclass(frozen=True, slots=True, eq=False)
class MarkovModel:
    """The probability of the next page, given up to `order` pages before it.

    Order 0, which is left when no context is known, is the popularity of pages:
    of those that the last page links to, if any of these was viewed, else of
    all. `exit_share` is the share of views, and ends of sessions, that are ends.
    """

    contexts: ContextTree
    links: CSR
    views: Offsets
    view_count: int
    exit_share: float
    smoothing: Smoothing
    min_count: int

    @classmethod
    def fit(
        cls,
        sessions: Sessions,
        *,
        order: int = 2,
        smoothing: Smoothing = "witten-bell",
        min_count: int = 1,
        boundaries: bool = True,
    ) -> Self:
        """Count what follows each context of up to `order` pages.

        Examples
        --------
        >>> sessions = Sessions.from_paths(["abc", "abd", "abc"])
        >>> model = MarkovModel.fit(sessions, smoothing="none", boundaries=False)
        >>> model.predict(np.array([0, 1], np.int32), top=5)
        (array([2, 3], dtype=int32), array([0.66666667, 0.33333333]))
        """
        contexts = ContextTree.fit(sessions, order, boundaries=boundaries)
        views, total = sessions.transitions.views, float(contexts.totals[0])
        view_count = int(views.sum())
        exit_share = 1 - view_count / total if total else 0.0
        links = sessions.graph.outlinks
        return cls(contexts, links, views, view_count, exit_share, smoothing, min_count)

    def predict(self, path: Ids, top: int) -> tuple[Ids, Floats]:
        """The most probable next pages; what they lack to one is the probability of leaving."""
        parts: list[tuple[Ids, Floats]] = []
        for node, weight in self._mixture(path):
            if node:
                pages, counts = self.contexts.row(node)
                parts.append((pages, counts * (weight / self.contexts.totals[node])))
            else:
                known = [pages for pages, _ in parts]
                parts.append(self._popular_pages(path, weight, known, top))
        if not parts:
            return np.zeros(0, np.int32), np.zeros(0)
        pages, shares = parts[0] if len(parts) == 1 else _add_up(parts)
        is_page = pages != self.contexts.page_count
        return top_pages(pages[is_page], shares[is_page], top)

    def leave_probability(self, path: Ids) -> float:
        """The probability that the session ends after a path."""
        if not self.contexts.boundaries or not len(path):
            return 0.0
        total = 0.0
        for node, weight in self._mixture(path):
            if node:
                pages, counts = self.contexts.row(node)
                exits = float(counts[pages == self.contexts.page_count].sum())
                total += weight * exits / self.contexts.totals[node]
            else:
                total += weight * self.exit_share
        return float(total)

    def _mixture(self, path: Ids) -> list[tuple[int, float]]:
        """The contexts that a prediction mixes, longest first, and their weights.

        By Witten-Bell, a context that was seen N times with c different
        followers keeps N / (N + c), and shorter ones share the rest.
        """
        contexts = self.contexts
        nodes = contexts.match(path)
        if self.smoothing == "none":
            full = min(contexts.order, len(path) + contexts.boundaries)
            is_short = full < contexts.order and not contexts.boundaries
            if is_short or len(nodes) <= full:
                return []
            return [(nodes[-1], 1.0)]
        mixture, rest = [], 1.0
        for node in reversed(nodes[1:]):
            total = float(contexts.totals[node])
            if total < self.min_count:
                continue
            if self.smoothing == "longest":
                return [(node, 1.0)]
            distinct = int(contexts.followers.starts[node + 1] - contexts.followers.starts[node])
            mixture.append((node, rest * total / (total + distinct)))
            rest *= distinct / (total + distinct)
        return [*mixture, (0, rest)] if contexts.totals[0] else mixture

    def _popular_pages(
        self, path: Ids, weight: float, known: list[Ids], top: int
    ) -> tuple[Ids, Floats]:
        """Order 0: pages that the last page links to, or else all that can be among the first.

        These are the pages already known, and the `top` most viewed of the others.
        """
        weight *= 1 - self.exit_share if len(path) else 1.0
        linked = self.links.row(int(path[-1])) if len(path) else np.zeros(0, np.int32)
        views = self.views[linked]
        if views.any():
            return linked, views * (weight / views.sum())
        popular = self.contexts.row(0)[0][: top + 1 + sum(map(len, known))]
        pages = np.unique(np.concatenate([popular, *known]))
        pages = pages[pages != self.contexts.page_count]
        return pages, self.views[pages] * (weight / self.view_count)


def _add_up(parts: list[tuple[Ids, Floats]]) -> tuple[Ids, Floats]:
    """Each page once, with the sum of its shares."""
    pages, place = np.unique(np.concatenate([ids for ids, _ in parts]), return_inverse=True)
    shares = np.concatenate([share for _, share in parts])
    return pages, np.bincount(place, shares).astype(np.float64)


@method(
    "usage",
    "markov",
    cites="pitkow1999",
    dimensions=Dimensions(
        model="Markov model",
        metric="transition probabilities",
        algorithm="counting",
        scope="multiple pages",
        applications=("page recommendation", "link prediction", "adaptive web sites"),
        data="links and usage",
    ),
)
def markov(
    sessions: Sessions,
    *,
    path: ViewedPath = NO_PATH,
    top: Top = 10,
    order: Order = 2,
    smoothing: SmoothingRule = "witten-bell",
    min_count: MinContextCount = 1,
    boundaries: Boundaries = True,
    skip_seen: SkipSeen = False,
) -> Usage:
    """Predict the next page by the last pages of a path.

    A Markov model of order k: the share of the times that the last k pages were
    followed by a page. The beginning and the end of a session are states, so
    that an empty path gives the pages where sessions begin, and leaving has a
    probability too. `smoothing=witten-bell` mixes contexts of all lengths, down
    to the popularity of pages: of those that the last page links to, where links
    are known. `smoothing=longest` is the all-kth-order model: only the longest
    context that was seen counts.

    Examples
    --------
    >>> found = markov(["abc", "abd", "abc"], path=["a", "b"])
    >>> found["next page"], found.to_table()["page"].to_pylist()
    ('c', ['c', 'd', 'a', 'b'])
    """
    model = MarkovModel.fit(
        sessions, order=order, smoothing=smoothing, min_count=min_count, boundaries=boundaries
    )
    visited = sessions.graph.page_numbers(path)
    predict = predict_unseen if skip_seen else MarkovModel.predict
    facts = {
        "probability of leaving": model.leave_probability(visited),
        "longest context": len(model.contexts.match(visited)) - 1,
        "contexts": model.contexts.context_count,
        "size": model.contexts.size,
    }
    return describe_prediction("markov", sessions, visited, predict(model, visited, top), facts)
