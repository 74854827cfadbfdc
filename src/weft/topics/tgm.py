"""Topics at the ends of singular vectors, by the topic goodness measure (TGM)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import numpy as np
from pydantic import Field

from weft.core.params import VectorPairs, Weighted
from weft.core.register import Dimensions, method
from weft.engine import CLOSED_FORM
from weft.graph.baseset.baseset import BaseSet
from weft.groups.group import Group, add_site_diversity
from weft.groups.groups import Groups
from weft.rank.hits_vectors import leading_triplets
from weft.rank.vector_ends import VectorEnd, iter_vector_ends
from weft.topics.eigen import end_to_topic
from weft.topics.hits import MaxSize

MinGoodness = Annotated[
    float, Field(ge=0, description="minimum goodness of a topic, at most 2 sqrt(max_size)")
]
MaxOverlap = Annotated[
    float,
    Field(
        ge=0,
        le=1,
        description="drop topics with this share of pages in a better one; 0: off",
    ),
]


@method(
    "topics",
    "tgm",
    cites="wu",
    dimensions=Dimensions(
        model="hubs and authorities",
        metric="hub and authority scores",
        algorithm="eigenvectors",
        scope="multiple pages",
        applications=("topic distillation",),
    ),
)
def tgm(
    base: BaseSet,
    *,
    vectors: VectorPairs = 10,
    max_size: MaxSize = 20,
    threshold: MinGoodness = 4.0,
    max_overlap: MaxOverlap = 0.8,
    weighted: Weighted = False,
) -> Groups:
    """Find topics at ends of singular vectors by goodness (TGM).

    The goodness of an end, TGM, is the sum of its best authority and hub
    entries: high if many pages share the weight of a vector. Ends below the
    threshold are set aside, and so are those that overlap too much with a
    better one. Pairs of equal value are separated by connected component, and
    inside a component if they have different pages; the others are set aside.
    TGM is at most 2 sqrt(max_size): choose the threshold accordingly.

    Examples
    --------
    >>> found = tgm([("a", "x"), ("b", "x"), ("b", "y"), ("c", "z")], threshold=2.5)
    >>> round(found[0].facts["tgm"], 3), found.set_aside[0].reason
    (2.753, 'goodness 2.00 is below 2.5')
    """
    triplets = leading_triplets(base.graph.operator(weighted=weighted), vectors)
    ends = iter_vector_ends(base.graph, triplets, weighted=weighted, by_component=True)
    topics = [end_to_topic_with_goodness(end, max_size) for end in ends]
    # rounded to nine digits, so that noise does not order equal strengths
    topics.sort(key=lambda topic: -round(topic.strength, 9))
    kept: list[Group] = []
    set_aside: list[Group] = []
    for topic in topics:
        reason = topic.note or rejection_reason(topic, kept, threshold, max_overlap)
        (set_aside if reason else kept).append(replace(topic, reason=reason))
    return Groups(
        "topics", "tgm", base, add_site_diversity(base, kept), CLOSED_FORM, tuple(set_aside)
    )


def end_to_topic_with_goodness(end: VectorEnd, max_size: int) -> Group:
    """Build a topic from an end; its strength is the TGM, its facts have the share of the bound."""
    topic = end_to_topic(end, max_size, 0.0)
    value = float(topic.authority.sum() + topic.hub.sum())
    facts = {**topic.facts, "tgm": value, "tgm share": value / (2 * np.sqrt(max_size))}
    return replace(topic, strength=value, facts=facts)


def rejection_reason(
    topic: Group, better_topics: Sequence[Group], threshold: float, max_overlap: float
) -> str:
    """Why an end is not a topic of its own; empty if it is."""
    if round(topic.strength, 9) < threshold:
        return f"goodness {topic.strength:.2f} is below {threshold:g}"
    for number, other in enumerate(better_topics, start=1):
        share = float(np.isin(topic.members, other.members).mean())
        if max_overlap and share >= max_overlap:
            return f"{share:.0%} of its pages are in topic {number}"
    return ""
