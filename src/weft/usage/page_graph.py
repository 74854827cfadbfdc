"""A small undirected graph of pages, its maximal cliques and its connected components."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from weft.core.arrays import Ids

MAX_CLIQUES = 10_000
# a clique, the pages that extend it, and those that would repeat a clique found before
Branch = tuple[tuple[int, ...], set[int], set[int]]


@dataclass(frozen=True, slots=True, eq=False)
class PageGraph:
    """The neighbours of each page that has any."""

    neighbours: dict[int, set[int]]

    @classmethod
    def from_pairs(cls, first: Ids, second: Ids) -> "PageGraph":
        """From the pairs of pages that are joined."""
        neighbours = dict[int, set[int]]()
        for i, j in zip(first.tolist(), second.tolist(), strict=True):
            neighbours.setdefault(i, set()).add(j)
            neighbours.setdefault(j, set()).add(i)
        return cls({page: neighbours[page] for page in sorted(neighbours)})


def connected_pages(graph: PageGraph) -> list[tuple[int, ...]]:
    """The connected components, each in page order.

    Examples
    --------
    >>> import numpy as np
    >>> connected_pages(PageGraph.from_pairs(np.array([0, 3, 1]), np.array([1, 4, 2])))
    [(0, 1, 2), (3, 4)]
    """
    seen, found = set[int](), list[tuple[int, ...]]()
    for page in graph.neighbours:
        if page in seen:
            continue
        component, waiting = {page}, [page]
        while waiting:
            new = graph.neighbours[waiting.pop()] - component
            component |= new
            waiting += new
        seen |= component
        found.append(tuple(sorted(component)))
    return found


def maximal_cliques(
    graph: PageGraph, max_cliques: int = MAX_CLIQUES
) -> tuple[list[tuple[int, ...]], bool]:
    """The maximal cliques, each in page order, and whether these are all.

    Examples
    --------
    >>> import numpy as np
    >>> maximal_cliques(PageGraph.from_pairs(np.array([0, 0, 1, 2]), np.array([1, 2, 2, 3])))
    ([(0, 1, 2), (2, 3)], True)
    """
    found = list(islice(_iter_cliques(graph.neighbours), max_cliques + 1))
    return sorted(found[:max_cliques]), len(found) <= max_cliques


def _iter_cliques(neighbours: dict[int, set[int]]) -> Iterator[tuple[int, ...]]:
    """Bron and Kerbosch's algorithm, from each page in order of degeneracy.

    Branches are cut by the pivot of Tomita: the page with most neighbours among
    the candidates. The stack replaces recursion.
    """
    position = {page: at for at, page in enumerate(_degeneracy_order(neighbours))}
    for page, at in position.items():
        later = {other for other in neighbours[page] if position[other] > at}
        first: Branch = ((page,), later, neighbours[page] - later)
        stack = [first]
        while stack:
            clique, candidates, excluded = stack.pop()
            if not candidates and not excluded:
                yield tuple(sorted(clique))
                continue
            if not candidates:
                continue
            pivot = max(
                sorted(candidates | excluded), key=lambda p: len(neighbours[p] & candidates)
            )
            for other in sorted(candidates - neighbours[pivot]):
                near = neighbours[other]
                stack.append(((*clique, other), candidates & near, excluded & near))
                candidates = candidates - {other}
                excluded = excluded | {other}


def _degeneracy_order(neighbours: dict[int, set[int]]) -> list[int]:
    """Repeatedly the page with the fewest neighbours among those left."""
    degrees = {page: len(others) for page, others in neighbours.items()}
    by_degree = dict[int, set[int]]()
    for page, degree in degrees.items():
        by_degree.setdefault(degree, set()).add(page)
    order, left = list[int](), set(degrees)
    while left:
        lowest = next(degree for degree in sorted(by_degree) if by_degree[degree])
        page = min(by_degree[lowest])
        by_degree[lowest].discard(page)
        left.discard(page)
        order.append(page)
        for other in neighbours[page] & left:
            by_degree[degrees[other]].discard(other)
            degrees[other] -= 1
            by_degree.setdefault(degrees[other], set()).add(other)
    return order
