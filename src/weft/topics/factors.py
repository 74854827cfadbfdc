"""Topics from the factors of PHITS and of PLSA-PHITS."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from weft.core.arrays import Floats, Ids
from weft.core.register import Dimensions, inherit_options, method
from weft.graph.baseset.baseset import BaseSet
from weft.groups.group import Group, add_site_diversity
from weft.groups.groups import Groups
from weft.rank.expectation_maximization import safe_divide
from weft.rank.phits import phits as rank_phits
from weft.rank.plsa_phits import plsa_phits as rank_plsa_phits

FACTOR_DIMENSIONS = Dimensions(
    model="probabilistic model",
    metric="likelihood",
    algorithm="expectation-maximisation",
    scope="multiple pages",
    applications=("topic distillation", "page categorisation"),
)


@method("topics", "phits", cites="cohn2000", dimensions=FACTOR_DIMENSIONS)
@inherit_options(rank_phits)
def phits(base: BaseSet, /, **options: Any) -> Groups:
    """Find a topic for each latent factor of the links (PHITS).

    A page is an authority of the factor z with the largest P(z|c), and its
    score is P(c|z) P(z|c), which is high for the characteristic pages of z.
    Hubs are assigned likewise by their out-links, so a page may be a hub of one
    topic and an authority of another. Topics are ordered by P(z), their share
    of all links.

    Examples
    --------
    >>> two = [("a", "x"), ("b", "x"), ("b", "y"), ("c", "z"), ("d", "z")]
    >>> phits(two, factors=2)
    <2 topics by phits>
    """
    ranking = rank_phits(base.graph, **options)
    factors = ranking.details["factors"]
    target_joint, source_joint = (
        factors.prior[:, None] * conditional for conditional in (factors.target, factors.source)
    )
    authority = factors.target * safe_divide(target_joint, target_joint.sum(axis=0))
    hub = factors.source * safe_divide(source_joint, source_joint.sum(axis=0))
    topics = topics_from_factors(
        factors.prior,
        (authority, dominant_factor(target_joint)),
        (hub, dominant_factor(source_joint)),
        note="" if ranking.certainty.unique else ranking.certainty.note,
    )
    return Groups("topics", "phits", base, add_site_diversity(base, topics), ranking.trace)


@method(
    "topics",
    "plsa-phits",
    cites="cohn2001",
    dimensions=replace(FACTOR_DIMENSIONS, data="links and content"),
)
@inherit_options(rank_plsa_phits)
def plsa_phits(base: BaseSet, /, **options: Any) -> Groups:
    """Find a topic for each latent factor of words and links.

    A page belongs to the factor with the largest share in its mixture, and is
    an authority of the factor z it is most cited for, with score P(c|z) P(z|c).
    The model has no hubs: here the hub score of a page is its share of the
    factor times the authority of the pages it links to. The facts have the most
    likely words of each factor. Topics are ordered by their mean share in the
    mixtures of pages.

    Examples
    --------
    >>> two = [("a", "x"), ("b", "x"), ("b", "y"), ("c", "z"), ("d", "z")]
    >>> plsa_phits(two, factors=2)
    <2 topics by plsa-phits>
    """
    ranking = rank_plsa_phits(base, **options)
    factors = ranking.details["factors"]
    share = factors.mixture.sum(axis=1) / max(factors.mixture.any(axis=0).sum(), 1)
    target_joint = share[:, None] * factors.target
    authority = factors.target * safe_divide(target_joint, target_joint.sum(axis=0))
    hub = factors.mixture * base.graph.operator().matvec(authority.T).T
    topics = topics_from_factors(
        share,
        (authority, dominant_factor(target_joint)),
        (hub, dominant_factor(factors.mixture)),
        [{"terms": terms} for terms in ranking.details["terms"]],
        note="" if ranking.certainty.unique else ranking.certainty.note,
    )
    return Groups("topics", "plsa-phits", base, add_site_diversity(base, topics), ranking.trace)


def dominant_factor(weights: Floats) -> Ids:
    """The factor of largest weight for each page, the first on ties; -1 if all are zero."""
    relative = np.round(safe_divide(weights, weights.max(axis=0, initial=0)), 9)
    return np.where(relative.any(axis=0), relative.argmax(axis=0), -1).astype(np.int32)


def topics_from_factors(
    factor_shares: Floats,
    authorities: tuple[Floats, Ids],
    hubs: tuple[Floats, Ids],
    facts: Sequence[Mapping[str, Any]] = (),
    note: str = "",
) -> list[Group]:
    """Build topics from the scores (factor by page) and the dominant factor of each page."""
    topics = []
    for z in range(len(factor_shares)):
        is_own = [dominant == z for _, dominant in (authorities, hubs)]
        members = np.flatnonzero(is_own[0] | is_own[1]).astype(np.int32)
        scores = [
            np.where(is_member, values[z], 0.0)[members]
            for is_member, (values, _) in zip(is_own, (authorities, hubs), strict=True)
        ]
        if len(members):
            own_facts = facts[z] if facts else {}
            share = float(factor_shares[z])
            topics.append(Group(members, scores[0], scores[1], share, note=note, facts=own_facts))
    return topics
