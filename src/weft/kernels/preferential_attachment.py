"""Random graphs that grow page by page: preferential attachment and the copying model."""

from typing import Any

import numpy as np

from weft.kernels.compiler import njit


@njit(nogil=True, cache=True)
def barabasi_albert_edges(n: int, m: int, rng: Any) -> Any:
    """Barabasi-Albert model: each new page gets `m` edges to pages chosen by degree.

    It starts from the complete graph of `m + 1` pages. Returns the endpoints of
    all edges in pairs; a random entry of that list is a page chosen by degree.
    """
    edge_count = m * (m + 1) // 2 + m * (n - m - 1)
    endpoints = np.empty(2 * edge_count, np.int32)
    at = 0
    for first in range(m + 1):
        for second in range(first):
            endpoints[at], endpoints[at + 1] = first, second
            at += 2
    for page in range(m + 1, n):
        row_start = at
        while at < row_start + 2 * m:
            chosen = endpoints[int(rng.random() * row_start)]
            is_new = True
            for k in range(row_start + 1, at, 2):
                is_new &= endpoints[k] != chosen
            if is_new:
                endpoints[at], endpoints[at + 1] = page, chosen
                at += 2
    return endpoints


@njit(nogil=True, cache=True)
def copying_model_links(n: int, d: int, random_link_probability: float, rng: Any) -> Any:
    """Copying model (Kumar et al. 2000): a new page copies the links of a random older page.

    Each of its `d` links goes to a random older page instead with the given
    probability. It starts from `d + 1` pages that all link to each other.
    Returns one row of targets per page.
    """
    targets = np.empty((n, d), np.int32)
    for page in range(d + 1):
        for k in range(d):
            targets[page, k] = k + (k >= page)
    for page in range(d + 1, n):
        model = int(rng.random() * page)
        for k in range(d):
            if rng.random() < random_link_probability:
                targets[page, k] = int(rng.random() * page)
            else:
                targets[page, k] = targets[model, k]
    return targets


@njit(nogil=True, cache=True)
def directed_scale_free_links(
    n: int, probabilities: Any, source: Any, target: Any, rng: Any
) -> Any:
    """Directed scale-free model (Bollobas et al. 2003): add links until there are `n` pages.

    A step adds, with probabilities alpha, beta and gamma, a page that links to
    an old one, a link between old pages, or a page that an old one links to.
    Old pages are chosen by in- or out-degree plus a constant. It starts from a
    cycle of three pages. Returns the number of links, or -1 if the arrays are
    full.
    """
    alpha, beta, delta_in, delta_out = probabilities
    pages, links = 3, 3
    for page in range(3):
        source[page], target[page] = page, (page + 1) % 3
    while pages < n:
        if links == source.size:
            return -1
        draw = rng.random()
        old_pages = pages
        if draw < alpha:
            link_source, link_target = (
                pages,
                _pick_by_degree(target, links, old_pages, delta_in, rng),
            )
            pages += 1
        elif draw < alpha + beta:
            link_source = _pick_by_degree(source, links, old_pages, delta_out, rng)
            link_target = _pick_by_degree(target, links, old_pages, delta_in, rng)
        else:
            link_source, link_target = (
                _pick_by_degree(source, links, old_pages, delta_out, rng),
                pages,
            )
            pages += 1
        source[links], target[links] = link_source, link_target
        links += 1
    return links


@njit(nogil=True, cache=True)
def _pick_by_degree(endpoints: Any, links: int, pages: int, bias: float, rng: Any) -> int:
    """A random page, with probability proportional to its degree at this end plus `bias`."""
    draw = rng.random() * (links + bias * pages)
    return int(endpoints[int(draw)]) if draw < links else int(rng.random() * pages)
