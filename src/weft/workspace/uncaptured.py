"""Leave pages that were not captured out of topics and communities."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from weft.communities import Communities, Community
from weft.core.arrays import Flags
from weft.core.text import pluralise
from weft.graph.baseset.baseset import BaseSet
from weft.graph.webgraph import WebGraph
from weft.kernels.reciprocity import count_induced_links
from weft.topics import Topic, Topics
from weft.topics.tightly_knit import add_site_facts

MAX_WORTH_FETCHING = 20


def drop_uncaptured_from_topics(topics: Topics) -> Topics:
    """Topics of captured pages; the best of the others are listed as worth fetching.

    Topics without a captured page are set aside. Links of uncaptured pages have
    counted in the scores of the others.
    """
    uncaptured = topics.base.graph.uncaptured
    if uncaptured is None or not np.any(uncaptured):
        return topics
    captured = ~np.asarray(uncaptured)
    shown = _recount_sites(topics.base, [_captured_topic(topic, captured) for topic in topics])
    empty = [
        replace(before, reason="none of its pages was captured")
        for before, after in zip(topics, shown, strict=True)
        if not len(after)
    ]
    aside = _recount_sites(
        topics.base, [_captured_topic(topic, captured) for topic in topics.set_aside]
    )
    return replace(
        topics,
        topics=tuple(topic for topic in shown if len(topic)),
        set_aside=(*empty, *(topic for topic in aside if len(topic))),
    )


def _recount_sites(base: BaseSet, topics: Sequence[Topic]) -> list[Topic]:
    """Count the sites of the remaining pages of topics that have such facts."""
    counted = iter(add_site_facts(base, [t for t in topics if "sites" in t.facts]))
    made = []
    for topic in topics:
        if "sites" in topic.facts:
            reason = {"tightly knit": topic.facts.get("tightly knit", "")}
            made.append(replace(topic, facts={**next(counted).facts, **reason}))
        else:
            made.append(topic)
    return made


def _captured_topic(topic: Topic, captured: Flags) -> Topic:
    kept = captured[topic.members]
    if kept.all():
        return topic
    others = topic.members[~kept]
    votes = topic.authority[~kept]
    best = np.argsort(-np.round(votes, 12), kind="stable")[:MAX_WORTH_FETCHING]
    best = best[votes[best] > 0]
    return replace(
        topic,
        members=topic.members[kept],
        authority=topic.authority[kept],
        hub=topic.hub[kept],
        trust=None if topic.trust is None else topic.trust[kept],
        vote_score=None if topic.vote_score is None else topic.vote_score[kept],
        uncaptured=others[best],
        uncaptured_votes=votes[best],
    )


def drop_uncaptured_from_communities(communities: Communities) -> Communities:
    """Communities of captured pages, without those that have none; the order stays.

    Links with uncaptured pages count as leaving the community.
    """
    uncaptured = communities.base.graph.uncaptured
    if uncaptured is None or not np.any(uncaptured):
        return communities
    captured = ~np.asarray(uncaptured)
    graph = communities.base.graph
    shown = [_captured_community(community, captured, graph) for community in communities]
    kept = tuple(community for community in shown if len(community))
    dropped = len(shown) - len(kept)
    note = f"{pluralise(dropped, 'community')} of pages that were not captured left out"
    return replace(
        communities,
        communities=kept,
        notes=(*communities.notes, *([note] if dropped else [])),
    )


def _captured_community(community: Community, captured: Flags, graph: WebGraph) -> Community:
    kept = captured[community.members]
    if kept.all():
        return community
    members = community.members[kept]
    outlinks, inlinks = graph.outlinks, graph.inlinks
    internal, _ = count_induced_links(
        (np.asarray(outlinks.starts), np.asarray(outlinks.ids)),
        (np.asarray(inlinks.starts), np.asarray(inlinks.ids)),
        members,
        len(graph),
    )
    return replace(
        community,
        members=members,
        authority=community.authority[kept],
        hub=community.hub[kept],
        internal_links=int(internal),
        outgoing_links=int(graph.outdegrees()[members].sum()) - int(internal),
        incoming_links=int(graph.indegrees()[members].sum()) - int(internal),
    )
