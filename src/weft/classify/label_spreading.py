"""Spread what is known of some pages over links: classes, or features."""

from typing import Any

import numpy as np

from weft.classify.classes import Classes
from weft.classify.labelled_pages import LabelledPages
from weft.classify.link_method import classify_with_links
from weft.classify.text import Teleport
from weft.core.arrays import CSR, Floats, Ids, Weights
from weft.core.params import MaxIter, Tol
from weft.core.register import Dimensions, method

TELEPORT = 0.1


@method(
    "classify",
    "label-spreading",
    cites="zhou2004",
    dimensions=Dimensions(
        model="direct and indirect reference",
        metric="likelihood",
        algorithm="supervised learning",
        scope="whole web",
        applications=("page categorisation",),
    ),
)
def label_spreading(
    labelled: LabelledPages,
    /,
    *,
    teleport: Teleport = TELEPORT,
    tol: Tol = 1e-6,
    max_iter: MaxIter = 200,
) -> Classes:
    """Classify pages by the classes of the examples around them.

    Each example spreads its class along links, in both directions, and keeps a
    share `teleport` of its own: F = teleport Y + (1 - teleport) S F, where S is
    the adjacency matrix divided by the square roots of both degrees. Words do
    not count, except for pages that no example reaches, which are classified by
    `naive-bayes`.

    Examples
    --------
    >>> pages = LabelledPages.from_lists(
    ...     ["a", "b", "c"], ["ball", "bank", "?"], ["sport", "money", ""], links=[("c", "a")]
    ... )
    >>> [(page.page, page.class_) for page in label_spreading(pages)]
    [('c', 'sport')]
    """

    def run(known: LabelledPages, text: Floats, numbers: Ids) -> Floats:
        links = symmetric_links(known.outlinks)
        seeds = one_hot(known.training_ids, numbers, text.shape)
        spread = np.asarray(smooth(links, seeds, teleport, max_iter, tol))
        reached = spread.sum(axis=1) > 0
        found = text.copy()
        found[reached] = spread[reached] / spread[reached].sum(axis=1, keepdims=True)
        return found

    return classify_with_links(labelled, "label-spreading", run)


def one_hot(ids: Ids, numbers: Ids, shape: tuple[int, ...]) -> Floats:
    """One for the class of each page that has one, and zero elsewhere."""
    found = np.zeros(shape)
    found[ids, numbers] = 1
    return found


def symmetric_links(outlinks: CSR, *, loops: float = 0.0) -> Any:
    """Links as edges without direction, divided by the square roots of both degrees.

    `loops` is the weight of an edge from each page to itself.
    """
    from scipy.sparse import csr_array, diags_array, eye_array  # noqa: PLC0415  slow to load

    n = len(outlinks.starts) - 1
    ids = np.asarray(outlinks.ids)
    links = csr_array((np.ones(len(ids), np.float32), ids, np.asarray(outlinks.starts)), (n, n))
    edges = links.maximum(links.T)
    if loops:
        edges = edges + loops * eye_array(n, dtype=np.float32)
    degrees: Floats = np.asarray(edges.sum(axis=1)).ravel()
    roots = diags_array(np.where(degrees > 0, np.maximum(degrees, 1e-30) ** -0.5, 0))
    return (roots @ edges @ roots).tocsr().astype(np.float32)


def smooth(
    links: Any, values: Weights, teleport: float, max_iter: int, tol: float = 0.0
) -> Weights:
    """Iterate F = teleport · values + (1 - teleport) · links · F, as personalised PageRank does."""
    found = values
    for _ in range(max_iter):
        improved = (1 - teleport) * (links @ found) + teleport * values
        change = float(np.abs(improved - found).max(initial=0)) if tol else np.inf
        found = improved
        if change < tol:
            break
    return found
