"""The ends of singular vectors that are good topics."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import numpy as np
from pydantic import Field

from weft.core.dimensions import Dimensions
from weft.core.methods import method
from weft.core.params import Vectors, Weighted
from weft.engine import CLOSED
from weft.graph.baseset import BaseSet
from weft.rank.ends import End, ends
from weft.rank.singular import leading
from weft.topics.eigen import topic_of
from weft.topics.hits import Size
from weft.topics.tkc import with_sites
from weft.topics.topic import Topic, Topics

Threshold = Annotated[
    float, Field(ge=0, description="the least goodness of a topic, at most 2 * sqrt(size)")
]
Overlap = Annotated[
    float,
    Field(
        ge=0,
        le=1,
        description="drop a topic with at least this share of its pages in a better one; 0: none",
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
    vectors: Vectors = 10,
    size: Size = 20,
    threshold: Threshold = 4.0,
    overlap: Overlap = 0.8,
    weighted: Weighted = False,
) -> Topics:
    """Find topics at the ends of singular vectors, by how good each end is.

    The goodness of an end, TGM, is the sum of its best authority and hub
    values: high where many pages share the weight of a vector. Ends below
    the threshold are set aside, and so are those that are mostly part of a
    better one. Pairs of equal value, as equal topics have, are separated by
    their connected components, and inside a component where they have
    different pages; those that have not are set aside.
    The bound of TGM is 2 sqrt(size), so that the threshold belongs to the size.

    Examples
    --------
    >>> found = tgm([("a", "x"), ("b", "x"), ("b", "y"), ("c", "z")], threshold=2.5)
    >>> round(found[0].facts["tgm"], 3), found.aside[0].reason
    (2.753, 'goodness 2.00 is below 2.5')
    """
    found = leading(base.graph.flow(weighted=weighted), vectors)
    both = ends(base.graph, found, weighted=weighted, by_component=True)
    made = [goodness(end, size) for end in both]
    # to nine digits, so that noise does not order equals
    made.sort(key=lambda topic: -round(topic.strength, 9))
    kept: list[Topic] = []
    aside: list[Topic] = []
    for topic in made:
        reason = topic.facts.get("note") or doubt(topic, kept, threshold, overlap)
        (aside if reason else kept).append(replace(topic, reason=reason))
    return Topics("tgm", base, with_sites(base, kept), CLOSED, tuple(aside))


def goodness(end: End, size: int) -> Topic:
    """An end as a topic, with its TGM as strength and, in the facts, as a share of the bound."""
    topic = topic_of(end, size, 0.0)
    value = float(topic.authority.sum() + topic.hub.sum())
    facts = {**topic.facts, "tgm": value, "tgm share": value / (2 * np.sqrt(size))}
    return replace(topic, strength=value, facts=facts)


def doubt(topic: Topic, better: Sequence[Topic], threshold: float, overlap: float) -> str:
    """Why an end is not a topic of its own, in words; nothing where it is."""
    if round(topic.strength, 9) < threshold:
        return f"goodness {topic.strength:.2f} is below {threshold:g}"
    for place, other in enumerate(better, start=1):
        share = float(np.isin(topic.members, other.members).mean())
        if overlap and share >= overlap:
            return f"{share:.0%} of its pages are in topic {place}"
    return ""
