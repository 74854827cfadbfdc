"""Topics by the method that suits the pages: by hits and their words, or by links."""

from dataclasses import replace
from typing import Annotated

import numpy as np
from pydantic import Field

from weft.core.errors import BadParameter
from weft.core.register import Dimensions, method
from weft.graph.baseset.baseset import ROOT, BaseSet
from weft.groups.group import Group, Groups
from weft.topics.hit_topics import Hits, find_hit_topics, find_subtopics
from weft.topics.leiden_votes import leiden_votes

MaxTopics = Annotated[int, Field(ge=1, le=100, description="maximum number of topics")]
MinSize = Annotated[int, Field(ge=2, description="minimum number of pages in a topic")]
Within = Annotated[
    int, Field(ge=0, le=100, description="find the sub-topics of the topic with this number")
]

MAX_TOPICS_OF_COLLECTION = 12
MIN_KEYWORDS = 12


@method(
    "topics",
    "auto",
    cites="traag2019",
    dimensions=Dimensions(
        model="community",
        metric="similarity",
        algorithm="clustering",
        scope="multiple pages",
        applications=("topic distillation", "web communities"),
        data="links and content",
    ),
)
def auto(
    base: BaseSet, *, max_topics: MaxTopics = 8, min_size: MinSize = 4, within: Within = 0
) -> Groups:
    """Group search results by words and links into topics.

    What is grouped are the hits; the pages around them are evidence. Two hits
    are similar if they share keywords, title words and links. Tight groups of
    similar hits are found by Leiden; those that together cover the hits best
    are the topics, and the other hits join the nearest one or are left as other
    results. Authorities are captured hits that are about the query, central in
    their topic, and linked to by its pages. Hubs are pages that list several
    authorities. Pages that were not captured are no members; those that several
    sites of a topic link to are listed as worth fetching.

    Without a query the most linked pages of every folder are grouped, into at
    most twelve topics, each with at most `max_topics` sub-topics. Where pages
    have no text, as in plain graphs, `leiden-votes` finds the topics.

    Examples
    --------
    >>> square = [(a, b) for a in "abc" for b in "xyz"]
    >>> found = auto([*square, *((a.upper(), b.upper()) for a, b in square)])
    >>> [" ".join(found.base.pages[page] for page in topic.members) for topic in found]
    ['a x y z b c', 'A X Y Z B C']
    """
    if not has_texts(base):
        if within:
            raise BadParameter("there are sub-topics in pages with text only", hint="omit within")
        found = leiden_votes(base, min_size=min_size)
        return replace(found, method="auto", groups=found.groups[:max_topics])
    is_search = bool((base.origin == ROOT).any())
    limit = max_topics if is_search else max(max_topics, MAX_TOPICS_OF_COLLECTION)
    found = find_hit_topics(Hits.from_base_set(base), limit, min_size)
    if within > len(found):
        raise BadParameter(f"there is no topic {within}", hint=f"there are {len(found)}")
    if within:
        return find_subtopics(found, within, max_topics, min_size)
    return found if is_search else add_subtopics(found, max_topics, min_size)


def has_texts(base: BaseSet) -> bool:
    """Whether the median root page has a text: at least twelve keywords."""
    counts = np.diff(base.term_weights.matrix.starts)[base.roots]
    return (
        bool(len(counts))
        and float(np.median(counts[counts > 0] if counts.any() else [0])) >= MIN_KEYWORDS
    )


def add_subtopics(topics: Groups, max_topics: int, min_size: int) -> Groups:
    """Add the sub-topics of each topic."""
    with_subtopics = [
        replace(
            topic,
            subgroups=tuple(
                _restrict_to(part, topic)
                for part in find_subtopics(topics, number, max_topics, min_size)
            ),
        )
        for number, topic in enumerate(topics, start=1)
    ]
    return replace(topics, groups=tuple(with_subtopics))


def _restrict_to(part: Group, topic: Group) -> Group:
    """A sub-topic without the pages that votes brought in and that are not in the topic."""
    kept = np.isin(part.members, topic.members)
    votes = part.vote_score
    return replace(
        part,
        members=part.members[kept],
        authority=part.authority[kept],
        hub=part.hub[kept],
        vote_score=None if votes is None else votes[kept],
    )
