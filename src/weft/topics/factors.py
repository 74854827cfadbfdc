"""One topic for each factor behind the links, or behind words and links."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from weft.core.arrays import Floats, Ids
from weft.core.dimensions import Dimensions
from weft.core.methods import method, options_of
from weft.graph.baseset import BaseSet
from weft.rank.factors import divided
from weft.rank.phits import phits as rank_by_links
from weft.rank.plsa_phits import plsa_phits as rank_by_both
from weft.topics.tkc import with_sites
from weft.topics.topic import Topic, Topics

FACTORS = Dimensions(
    model="probabilistic model",
    metric="likelihood",
    algorithm="expectation-maximisation",
    scope="multiple pages",
    applications=("topic distillation", "page categorisation"),
)


@method("topics", "phits", cites="cohn2000", dimensions=FACTORS)
@options_of(rank_by_links)
def phits(base: BaseSet, /, **options: Any) -> Topics:
    """Find one topic for each factor that makes links likely.

    A page is an authority of the factor that most of its in-links are due to,
    and scores P(c|z) P(z|c), which is high for the characteristic pages; hubs
    go by their links likewise, so that a page may be a hub of one topic and
    an authority of another. Topics stand by their share of all links.

    Examples
    --------
    >>> two = [("a", "x"), ("b", "x"), ("b", "y"), ("c", "z"), ("d", "z")]
    >>> phits(two, factors=2)
    <2 topics by phits>
    """
    ranking = rank_by_links(base.graph, **options)
    found = ranking.details["factors"]
    target, source = (found.share[:, None] * each for each in (found.target, found.source))
    authority = found.target * divided(target, target.sum(axis=0))
    hub = found.source * divided(source, source.sum(axis=0))
    note = {} if ranking.certainty.unique else {"note": ranking.certainty.note}
    made = by_factor(
        found.share, (authority, home(target)), (hub, home(source)), [note] * len(authority)
    )
    return Topics("phits", base, with_sites(base, made), ranking.trace)


@method(
    "topics",
    "plsa-phits",
    cites="cohn2001",
    dimensions=replace(FACTORS, data="links and content"),
)
@options_of(rank_by_both)
def plsa_phits(base: BaseSet, /, **options: Any) -> Topics:
    """Find one topic for each factor that words and links share.

    A page belongs to the factor that it mixes in most, and is an authority of
    the one it is most cited for, with P(c|z) P(z|c) for its score. The model
    has no hubs: here a page's score as a hub is its share of the factor times
    the authority of the pages it links to. The likeliest words of each factor
    are among the facts. Topics stand by how many pages mix them in.

    Examples
    --------
    >>> two = [("a", "x"), ("b", "x"), ("b", "y"), ("c", "z"), ("d", "z")]
    >>> plsa_phits(two, factors=2)
    <2 topics by plsa-phits>
    """
    ranking = rank_by_both(base, **options)
    found = ranking.details["factors"]
    share = found.mixture.sum(axis=1) / max(found.mixture.any(axis=0).sum(), 1)
    target = share[:, None] * found.target
    authority = found.target * divided(target, target.sum(axis=0))
    hub = found.mixture * base.graph.flow().backward(authority.T).T
    note = {} if ranking.certainty.unique else {"note": ranking.certainty.note}
    facts = [{"terms": terms, **note} for terms in ranking.details["terms"]]
    made = by_factor(share, (authority, home(target)), (hub, home(found.mixture)), facts)
    return Topics("plsa-phits", base, with_sites(base, made), ranking.trace)


def home(belongs: Floats) -> Ids:
    """The factor that each page belongs to most, the first of equals; -1 where to none."""
    digits = np.round(divided(belongs, belongs.max(axis=0, initial=0)), 9)
    return np.where(digits.any(axis=0), digits.argmax(axis=0), -1).astype(np.int32)


def by_factor(
    share: Floats,
    authorities: tuple[Floats, Ids],
    hubs: tuple[Floats, Ids],
    facts: Sequence[Mapping[str, Any]],
) -> list[Topic]:
    """The topics that factors make, from their scores and from where each page is at home."""
    made = []
    for z in range(len(share)):
        own = [homes == z for _, homes in (authorities, hubs)]
        members = np.flatnonzero(own[0] | own[1]).astype(np.int32)
        scores = [
            np.where(mine, each[z], 0.0)[members]
            for mine, (each, _) in zip(own, (authorities, hubs), strict=True)
        ]
        if len(members):
            made.append(Topic(members, scores[0], scores[1], float(share[z]), facts=facts[z]))
    return made
