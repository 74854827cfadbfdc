"""Relaxation labelling: the classes of pages and of their neighbours explain each other."""

from typing import Annotated, Any

import numpy as np
from pydantic import Field

from weft.classify.classes import Classes
from weft.classify.label_spreading import one_hot
from weft.classify.labelled_pages import LabelledPages
from weft.classify.link_method import classify_with_links
from weft.core.arrays import CSR, Floats, Ids
from weft.core.params import MaxIter, Tol
from weft.core.register import Dimensions, method

Cocitation = Annotated[
    bool, Field(description="also use the classes of pages that are linked beside a page")
]
MAX_LINK_EVIDENCE = 10
MAX_BRIDGE_LINKS = 100
MIN_PROBABILITY = 1e-12
DAMPING = 0.5


@method(
    "classify",
    "relaxation",
    cites="chakrabarti1998hypertext",
    dimensions=Dimensions(
        model="probabilistic model",
        metric="likelihood",
        algorithm="supervised learning",
        scope="multiple pages",
        applications=("page categorisation",),
        data="links and content",
    ),
)
def relaxation(
    labelled: LabelledPages,
    /,
    *,
    cocitation: Cocitation = False,
    tol: Tol = 1e-4,
    max_iter: MaxIter = 50,
) -> Classes:
    """Classify pages by words and the classes of their neighbours.

    Starts from the probabilities by words, of naive Bayes. How often pages of one
    class link to pages of another is counted on the links between examples.
    Then each page is judged again, by its words and by what its neighbours
    probably are, until nothing changes. A page with more than ten links lets
    them count as ten. With `cocitation`, pages that are linked from the same
    page count as neighbours too.

    Examples
    --------
    >>> pages = LabelledPages.from_lists(
    ...     ["a", "b", "c", "d", "x"],
    ...     ["ball", "goal", "bank", "loan", "?"],
    ...     ["sport", "sport", "money", "money", ""],
    ...     links=[("a", "b"), ("c", "d"), ("x", "a")],
    ... )
    >>> relaxation(pages)[0].class_
    'sport'
    """

    def run(known: LabelledPages, text: Floats, numbers: Ids) -> Floats:
        bridges = [find_bridges(known.outlinks)] if cocitation else []
        fixed = one_hot(known.training_ids, numbers, text.shape)
        neighbours = [known.outlinks, known.inlinks, *bridges]
        models = [(rows, link_class_model(rows, fixed)) for rows in neighbours]
        found, _ = relax(text, models, known.training_ids, fixed, tol, max_iter)
        return found

    return classify_with_links(labelled, "relaxation", run)


def link_class_model(rows: CSR, fixed: Floats) -> Floats:
    """P(c'|c): the share of class c' among neighbours of pages of class c, add-one smoothed.

    Counted where both ends are examples.
    """
    counts = fixed.T @ (to_matrix(rows) @ fixed)
    counts += 1
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))


def relax(
    text: Floats,
    models: list[tuple[CSR, Floats]],
    examples: Ids,
    fixed: Floats,
    tol: float,
    max_iter: int,
) -> tuple[Floats, int]:
    """Iterate the probabilities of all pages to a fixed point, and count the iterations.

    P(c) ∝ P(c | text) · product over neighbours j of sum over c' of P(c'|c) P_j(c').
    All pages change at once; where the changes grow, they are halved.
    """
    start = np.log(np.maximum(text, MIN_PROBABILITY))
    matrices = [(to_matrix(rows), model) for rows, model in models]
    degrees = sum(np.diff(rows.starts) for rows, _ in models)
    weight = np.minimum(1, MAX_LINK_EVIDENCE / np.maximum(degrees, 1))[:, None]
    found = text.copy()
    found[examples] = fixed[examples]
    step, change, last_change, iterations = 1.0, np.inf, np.inf, 0
    while iterations < max_iter and change >= tol:
        iterations += 1
        evidence = sum(
            matrix @ np.log(np.maximum(found @ model.T, MIN_PROBABILITY))
            for matrix, model in matrices
        )
        scores = start + weight * evidence
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        improved = powers / powers.sum(axis=1, keepdims=True)
        improved[examples] = fixed[examples]
        change = float(np.abs(improved - found).max(initial=0))
        if change > last_change:
            step = DAMPING
        found = step * improved + (1 - step) * found
        last_change = change
    return found, iterations


def find_bridges(outlinks: CSR) -> CSR:
    """For each page the pages that some page links to beside it, each once.

    Pages with more than a hundred links join nothing: they are too broad.
    """
    links = to_matrix(outlinks)
    links = links[np.diff(outlinks.starts) <= MAX_BRIDGE_LINKS]
    joined = (links.T @ links).tocsr()
    joined.setdiag(0)
    joined.eliminate_zeros()
    return CSR(joined.indptr.astype(np.int64), joined.indices.astype(np.int32))


def to_matrix(rows: CSR) -> Any:
    """A sparse matrix with a one for each link."""
    from scipy.sparse import csr_array  # noqa: PLC0415  slow to load

    n, ids = len(rows.starts) - 1, np.asarray(rows.ids)
    return csr_array((np.ones(len(ids)), ids, np.asarray(rows.starts)), (n, n))
