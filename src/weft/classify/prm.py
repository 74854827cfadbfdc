"""A probabilistic relational model with existence uncertainty: links depend on both classes."""

from dataclasses import dataclass
from functools import partial
from typing import Annotated

import numpy as np
from pydantic import Field

from weft.classify.classes import Classes
from weft.classify.label_spreading import one_hot
from weft.classify.labelled_pages import LabelledPages
from weft.classify.link_method import classify_with_links
from weft.classify.text import fit_documents, has_words, learn_naive_bayes
from weft.core.arrays import CSR, Flags, Floats, Ids, pack_pairs, unpack_pairs
from weft.core.params import MaxIter, Tol
from weft.core.register import Dimensions, method
from weft.engine import Trace

HubLinks = Annotated[int, Field(ge=1, description="pages with this many links or more are hubs")]
UseAnchors = Annotated[bool, Field(description="use the words of anchors of links to a page")]
MESSAGE_DAMPING = 0.5
MIN_PROBABILITY = 1e-30
MAX_ANCHOR_WORDS = 5


@method(
    "classify",
    "prm",
    cites="getoor2001",
    dimensions=Dimensions(
        model="probabilistic model",
        metric="likelihood",
        algorithm="supervised learning",
        scope="multiple pages",
        applications=("page categorisation",),
        data="links and content",
    ),
)
def prm(
    labelled: LabelledPages,
    /,
    *,
    hub_links: HubLinks = 30,
    anchors: UseAnchors = True,
    tol: Tol = 1e-4,
    max_iter: MaxIter = 100,
) -> Classes:
    """Classify pages by a model of words and of which links exist.

    Whether a page links to another depends on the classes of both, and on
    whether the first is a hub; words and anchors depend on the class of their
    page. Loopy belief propagation finds the probabilities, which are exact
    where links form a tree. The links that do not exist count as a mean over all
    pages.

    Examples
    --------
    >>> pages = LabelledPages.from_lists(
    ...     ["a", "b", "c", "d", "x"],
    ...     ["ball", "goal", "bank", "loan", "?"],
    ...     ["sport", "sport", "money", "money", ""],
    ...     links=[("a", "b"), ("c", "d"), ("x", "a")],
    ... )
    >>> prm(pages)[0].class_
    'sport'
    """

    def run(known: LabelledPages, text: Floats, numbers: Ids) -> Floats:
        is_hub = np.diff(known.outlinks.starts) >= hub_links
        fixed = one_hot(known.training_ids, numbers, text.shape)
        local = np.log(np.maximum(text, MIN_PROBABILITY))
        local += hub_log_likelihood(is_hub, known.training_ids, fixed)
        if anchors:
            local += anchor_log_likelihood(known, numbers, text.shape)
        local[known.training_ids] = np.log(np.maximum(fixed, MIN_PROBABILITY))[known.training_ids]
        existence = learn_existence(known.outlinks, is_hub, fixed)
        beliefs, _ = propagate_beliefs(
            local, known.outlinks, is_hub, existence, tol=tol, max_iter=max_iter
        )
        return beliefs

    return classify_with_links(labelled, "prm", run)


def hub_log_likelihood(is_hub: Flags, examples: Ids, fixed: Floats) -> Floats:
    """The log of P(hub | class) of each page, add-one smoothed over the examples."""
    own = fixed[examples]
    hubs = (own[is_hub[examples]].sum(axis=0) + 1) / (own.sum(axis=0) + 2)
    return np.asarray(np.where(is_hub[:, None], np.log(hubs), np.log(1 - hubs)))


def anchor_log_likelihood(known: LabelledPages, numbers: Ids, shape: tuple[int, ...]) -> Floats:
    """The log of P(anchor words | class of the target) of each page, by naive Bayes.

    It is zero for pages without anchors. A page has at most five words' worth of
    evidence, since anchors repeat each other.
    """
    found = np.zeros(shape)
    ids = np.arange(len(known), dtype=np.int32)
    anchored = LabelledPages(known.pages, known.classes, known.read_anchors, known.read_languages)
    examples = anchored.documents(anchored.training_ids)
    learn = partial(learn_naive_bayes, max_words=MAX_ANCHOR_WORDS)
    if not has_words(examples):
        return found
    model = fit_documents(examples, anchored.training_classes, learn)
    columns = np.unique(numbers)
    for batch in anchored.batches(ids):
        documents = anchored.documents(batch, model.main_stemmer)
        odds = np.log(model.document_probabilities(documents)) - np.log(model.prior)
        found[np.ix_(batch, columns)] = odds
    return found


def learn_existence(outlinks: CSR, is_hub: Flags, fixed: Floats) -> Floats:
    """P(link | class of source, class of target, source is a hub), add-one smoothed.

    The axes are source, target and hub. Counted over the ordered pairs of examples.
    """
    source, target = outlinks.row_ids(), np.asarray(outlinks.ids)
    rates = list[Floats]()
    for hub in (False, True):
        chosen = is_hub[source] == hub
        links = fixed[source[chosen]].T @ fixed[target[chosen]]
        sources = fixed[is_hub == hub].sum(axis=0)
        pairs = sources[:, None] * fixed.sum(axis=0) - np.diag(sources)
        rates.append((links + 1) / (pairs + 2))
    return np.stack(rates, axis=2)


@dataclass(frozen=True, slots=True, eq=False)
class PairGroup:
    """Pairs of linked pages that share a factor psi(class of first, class of second)."""

    first: Ids
    second: Ids
    psi: Floats


def group_pairs(outlinks: CSR, is_hub: Flags, existence: Floats) -> list[PairGroup]:
    """Linked pairs by the links that they have, in both directions, and by which ends are hubs."""
    source, target = outlinks.row_ids(), np.asarray(outlinks.ids)
    low, high = np.minimum(source, target), np.maximum(source, target)
    keys, inverse = np.unique(pack_pairs(low, high), return_inverse=True)
    first, second = unpack_pairs(keys)
    forward, backward = (np.zeros(len(keys), np.int8) for _ in range(2))
    forward[inverse[source == low]] = 1
    backward[inverse[source == high]] = 1
    kind = forward + 2 * backward + 4 * is_hub[first] + 8 * is_hub[second]
    groups = list[PairGroup]()
    for value in np.unique(kind).tolist():
        chosen = kind == value
        there, back = (existence[:, :, int(bool(value & bit))] for bit in (4, 8))
        psi = there if value & 1 else 1 - there
        psi = psi * (back if value & 2 else 1 - back).T
        groups.append(PairGroup(first[chosen], second[chosen], psi))
    return groups


def propagate_beliefs(  # noqa: PLR0913  the model, and how to iterate it
    local: Floats,
    outlinks: CSR,
    is_hub: Flags,
    existence: Floats,
    *,
    tol: float = 1e-4,
    max_iter: int = 100,
    absent_links: bool = True,
) -> tuple[Floats, Trace]:
    """The probabilities of classes by loopy belief propagation, given log evidence of each page.

    All messages change at once, by half, in log space. With `absent_links`, the
    pages that a page is not linked with count too, as a mean field that each
    iteration renews. The time is linear in links and in pages.
    """
    groups = group_pairs(outlinks, is_hub, existence)
    n, k = local.shape
    messages = [
        (np.zeros((len(group.first), k)), np.zeros((len(group.first), k))) for group in groups
    ]
    beliefs = _normalize_log(local)
    change, iterations = np.inf, 0
    while iterations < max_iter and change >= tol:
        iterations += 1
        evidence = local
        if absent_links:
            evidence = local + _absent_link_evidence(beliefs, groups, is_hub, existence)
        total = evidence + _sum_messages(groups, messages, (n, k))
        change = 0.0
        for number, (group, (to_second, to_first)) in enumerate(zip(groups, messages, strict=True)):
            new = (
                _send(total[group.first] - to_first, group.psi),
                _send(total[group.second] - to_second, group.psi.T),
            )
            for old, sent in zip((to_second, to_first), new, strict=True):
                change = max(change, float(np.abs(np.exp(sent) - np.exp(old)).max(initial=0)))
            messages[number] = (
                MESSAGE_DAMPING * to_second + (1 - MESSAGE_DAMPING) * new[0],
                MESSAGE_DAMPING * to_first + (1 - MESSAGE_DAMPING) * new[1],
            )
        improved = _normalize_log(evidence + _sum_messages(groups, messages, (n, k)))
        change = max(change, float(np.abs(improved - beliefs).max(initial=0)))
        beliefs = improved
    converged = change < tol
    return beliefs, Trace(iterations, change, converged, "converged" if converged else "max_iter")


def _send(cavity: Floats, psi: Floats) -> Floats:
    """The log message of each pair: ln of the sum over the sender's classes, normalised."""
    powers = np.exp(cavity - cavity.max(axis=1, keepdims=True))
    sent = np.maximum(powers @ psi, MIN_PROBABILITY)
    return np.asarray(np.log(sent / sent.sum(axis=1, keepdims=True)))


def _sum_messages(
    groups: list[PairGroup], messages: list[tuple[Floats, Floats]], shape: tuple[int, int]
) -> Floats:
    """The sum of the messages to each page."""
    total = np.zeros(shape)
    for group, (to_second, to_first) in zip(groups, messages, strict=True):
        for ids, sent in ((group.second, to_second), (group.first, to_first)):
            for column in range(shape[1]):
                total[:, column] += np.bincount(ids, sent[:, column], shape[0])
    return total


def _absent_link_evidence(
    beliefs: Floats, groups: list[PairGroup], is_hub: Flags, existence: Floats
) -> Floats:
    """The log-probability that a page of each class has no link with the pages it has none with."""
    none = np.log1p(-existence)
    expected = np.stack([beliefs[is_hub == hub].sum(axis=0) for hub in (False, True)], axis=1)
    found = np.zeros_like(beliefs)
    for hub in (0, 1):
        own = is_hub == bool(hub)
        to_others = none[:, :, hub] @ expected.sum(axis=1)
        from_others = np.einsum("abh,ah->b", none, expected)
        found[own] = to_others + from_others
        # less the page itself
        found[own] -= beliefs[own] @ none[:, :, hub].T + beliefs[own] @ none[:, :, hub]
    for group in groups:
        for one, other in ((group.first, group.second), (group.second, group.first)):
            # less the pages that it is linked with, in both directions
            there, back = is_hub[one].astype(int), is_hub[other].astype(int)
            for hubs in np.unique(there * 2 + back).tolist():
                chosen = there * 2 + back == hubs
                table = none[:, :, hubs // 2] + none[:, :, hubs % 2].T
                linked = beliefs[other[chosen]] @ table.T
                for column in range(found.shape[1]):
                    found[:, column] -= np.bincount(one[chosen], linked[:, column], len(found))
    return found


def _normalize_log(scores: Floats) -> Floats:
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))
