"""Leiden communities of links and words, ranked inside by the votes of trusted sites."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from weft.core.arrays import CSR, Floats, Ids, Offsets
from weft.core.register import Dimensions, method
from weft.core.text import pluralise
from weft.engine import CLOSED_FORM
from weft.graph.baseset.baseset import BaseSet
from weft.graph.levels import voter_ids
from weft.groups.group import Group, add_site_diversity
from weft.groups.groups import Groups
from weft.kernels.eigengap import lanczos_tridiagonals
from weft.topics.affinity import DEFAULT_WORD_WEIGHT, VotingLinks, build_page_affinity
from weft.topics.off_topic import find_off_topic_members
from weft.topics.query_relevance import query_relevance
from weft.topics.soft_membership import GroupAffinity
from weft.topics.votes import DEFAULT_PRIOR_VOTES, measure_vote_stability, score_by_votes

Resolution = Annotated[
    float, Field(ge=0.001, le=100, description="higher values give more, smaller topics")
]
MinSize = Annotated[int, Field(ge=2, description="minimum number of pages in a topic")]
WordWeight = Annotated[
    float,
    Field(ge=0, le=100, description="weight of a page's words, in links; 0: links only"),
]
Voter = Annotated[
    Literal["site", "page"], Field(description="who has one vote per target page: a site or a page")
]
WeighByTrust = Annotated[bool, Field(description="weigh votes by the trust in the voter")]
PriorVotes = Annotated[
    float, Field(ge=0, le=1000, description="votes for nobody added to each page (a prior)")
]
OffTopicRule = Annotated[
    Literal["drop", "keep"],
    Field(description="drop or keep members whose words differ from the topic"),
]

TightlyKnitRule = Annotated[
    Literal["drop", "keep"],
    Field(description="drop or keep topics whose pages are on few sites"),
]

MIN_STRENGTH_RATIO = 0.05
ENOUGH_EFFECTIVE_SITES = 10


@method(
    "topics",
    "leiden-votes",
    cites="traag2019",
    dimensions=Dimensions(
        model="community",
        metric="density of links",
        algorithm="clustering",
        scope="multiple pages",
        applications=("topic distillation", "web communities"),
        data="links and content",
    ),
)
def leiden_votes(
    base: BaseSet,
    *,
    resolution: Resolution = 0.65,
    min_size: MinSize = 5,
    words: WordWeight = DEFAULT_WORD_WEIGHT,
    vote: Voter = "site",
    trusted: WeighByTrust = True,
    prior_votes: PriorVotes = DEFAULT_PRIOR_VOTES,
    off_topic: OffTopicRule = "drop",
    tightly_knit: TightlyKnitRule = "drop",
) -> Groups:
    """Find topics by links and words; rank by votes of sites.

    Pages are joined by links and by shared keywords; groups of high modularity
    in this graph are topics (Leiden). A page belongs to the topics that most of
    its edges lead to, and to none if they lead everywhere. The trust in a page
    is the share of its links that lead to pages about the query. The score of
    an authority is the mean trust of the sites that link to it, one vote per
    site, with `prior_votes` of trust zero added: links among friends gain
    nothing, and few voters count little. Topics are ordered by how much of what
    the search found is in them, one page per site. Topics on few sites, hardly
    about the query, or without votes are set aside.

    Examples
    --------
    >>> square = [(a, b) for a in "abc" for b in "xyz"]
    >>> found = leiden_votes([*square, *((a.upper(), b.upper()) for a, b in square)])
    >>> [" ".join(found.base.pages[page] for page in topic.members) for topic in found]
    ['a x y z b c', 'A X Y Z B C']
    """
    from weft.kernels.leiden import leiden  # noqa: PLC0415  loads the compiler

    owner = voter_ids(base.graph) if vote == "site" else np.arange(len(base), dtype=np.int32)
    links = VotingLinks.from_base_set(base, owner)
    affinity = build_page_affinity(base, words)
    labels = relabel_large_groups(leiden(affinity, resolution), len(base), min_size)
    group_affinity = GroupAffinity.from_labels(affinity, labels, len(base))
    candidates, relevance = group_affinity.assign_pages(), query_relevance(base)
    is_off_topic = find_off_topic_members(base.term_weights, candidates) & (off_topic == "drop")
    members = candidates.select(~is_off_topic)
    votes = score_by_votes(links, members, relevance, prior_votes=prior_votes, trusted=trusted)
    topics, gaps = [], eigengaps(affinity, labels, members.topic_count)
    for k, stability in enumerate(measure_vote_stability(links, owner, members, votes)):
        at = members.indices_of_topic(k)
        pages = members.page_ids[at]
        strength = sum_best_score_per_site(base, owner, pages)
        facts = {
            "about the query": int(np.count_nonzero(relevance[pages] == 1)),
            "share inside": group_affinity.share_in_group(k, pages),
            "eigengap": float(gaps[k]),
        }
        if len(pages) >= min_size:
            scores = votes.authority[at], votes.hub[at]
            trust = votes.trust[pages, k]
            topics.append(
                Group(pages, *scores, strength, stability=stability, facts=facts, trust=trust)
            )
    topics.sort(key=lambda topic: (-round(topic.strength, 9), -len(topic), topic.members[0]))
    one_page_per_owner = np.bincount(owner).max(initial=0) <= 1
    enough_sites = 0 if one_page_per_owner else ENOUGH_EFFECTIVE_SITES
    kept, set_aside = split_set_aside_topics(
        add_site_diversity(base, topics), enough_sites, base.query, tightly_knit=tightly_knit
    )
    # pages that were dropped as off topic everywhere, and pages with edges but no clear topic
    off_topic_pages = np.flatnonzero(
        (np.diff(candidates.page_starts) > 0) & (np.diff(members.page_starts) == 0)
    )
    ambiguous_pages = np.flatnonzero(
        (np.diff(affinity.starts[: len(base) + 1]) > 0) & (np.diff(candidates.page_starts) == 0)
    )
    reasons = {
        "linked with a topic, but with other words": off_topic_pages,
        "not clearly linked with any one topic": ambiguous_pages,
    }
    return Groups(
        "topics",
        "leiden-votes",
        base,
        kept,
        CLOSED_FORM,
        (*set_aside, *topics_of_unassigned_pages(base, links, reasons)),
    )


def relabel_large_groups(labels: Ids, page_count: int, min_size: int) -> Ids:
    """Renumber the groups with enough pages from zero; -1 for the others."""
    sizes = np.bincount(labels[:page_count], minlength=int(labels.max(initial=-1)) + 1)
    number = np.where(sizes >= min_size, np.cumsum(sizes >= min_size) - 1, -1).astype(np.int32)
    return number[labels]


def sum_best_score_per_site(base: BaseSet, owner: Ids, pages: Ids) -> float:
    """The best text score of each owner among some pages, summed."""
    best = np.zeros(int(owner.max(initial=-1)) + 1)
    np.maximum.at(best, owner[pages], base.text_score[pages])
    return float(best.sum())


def split_set_aside_topics(
    topics: Sequence[Group], enough_sites: int, query: str, *, tightly_knit: str = "drop"
) -> tuple[tuple[Group, ...], tuple[Group, ...]]:
    """Split topics into those kept and those set aside, each with a reason.

    Set aside are topics on few sites, topics that are weak compared with the
    strongest, and topics without votes, unless no topic has any. A topic with
    `enough_sites` effective sites is not on few sites, however large it is.
    With `tightly_knit="keep"` topics on few sites are kept and marked.
    """
    tightly_knit_topics, others = list[Group](), list[Group]()
    for topic in topics:
        sites = topic.sites
        if sites and sites.tightly_knit and sites.effective < enough_sites:
            (tightly_knit_topics if tightly_knit == "drop" else others).append(topic)
        else:
            others.append(replace(topic, sites=replace(sites, tightly_knit="") if sites else None))
    voted = [t for t in others if t.stability and t.stability.support] or others
    max_strength = max((t.strength for t in voted), default=0.0)
    kept = list[Group]()
    set_aside = [
        replace(t, reason=f"tightly knit: {t.sites.tightly_knit}")
        for t in tightly_knit_topics
        if t.sites
    ]
    for topic in others:
        reason = weak_topic_reason(topic.strength, max_strength, query)
        if not reason and topic not in voted:
            reason = "no site votes for any of its pages"
        if reason:
            set_aside.append(replace(topic, reason=reason))
        else:
            kept.append(topic)
    return tuple(kept), tuple(set_aside)


def weak_topic_reason(strength: float, max_strength: float, query: str) -> str:
    """Why a topic is weak compared with the strongest; empty if it is not.

    Examples
    --------
    >>> weak_topic_reason(3.0, 100.0, "jaguar")
    "hardly about the query: 3% of the first topic's strength"
    """
    if strength >= MIN_STRENGTH_RATIO * max_strength:
        return ""
    reason = "hardly about the query" if query else "small"
    if not strength:
        return f"{reason}: no root page is in it"
    share = f"{strength / max_strength:.0%}" if strength >= 0.01 * max_strength else "less than 1%"
    return f"{reason}: {share} of the first topic's strength"


def topics_of_unassigned_pages(
    base: BaseSet, links: VotingLinks, reasons: Mapping[str, Offsets]
) -> Iterator[Group]:
    """Topics for the pages of no topic, by reason; scored by votes and number of links."""
    n = len(base)
    votes = np.bincount(links.target, links.vote, n).astype(np.float64)
    outdegrees = np.bincount(links.source, minlength=n).astype(np.float64)
    for reason, pages in reasons.items():
        if len(pages):
            text = f"{pluralise(len(pages), base.level)} {reason}"
            yield Group(
                pages.astype(np.int32),
                votes[pages],
                outdegrees[pages],
                0.0,
                reason=text,
                is_remainder=True,
            )


LANCZOS_STEPS = 12


def eigengaps(affinity: CSR, labels: Ids, group_count: int) -> Floats:
    """One minus the second eigenvalue of the random walk inside each group.

    A group with a gap near zero has two parts that are hardly connected; a
    clique has one or more. `labels` are -1 for nodes of no group. Computed for
    all groups at once by twelve Lanczos steps, so the gap may be slightly too
    large. A group without edges gets 2.

    Examples
    --------
    >>> two = CSR(np.array([0, 1, 2, 3, 4]), np.array([1, 0, 3, 2], np.int32))
    >>> eigengaps(two, np.array([0, 0, 0, 0], np.int32), 1).tolist()
    [0.0]
    """
    weights = (
        np.ones(len(affinity.ids), np.float32) if affinity.weights is None else affinity.weights
    )
    tridiagonal = np.zeros((group_count, LANCZOS_STEPS, LANCZOS_STEPS))
    tridiagonal[:, range(LANCZOS_STEPS), range(LANCZOS_STEPS)] = -1.0
    start = np.random.default_rng(0).standard_normal(len(labels))
    lanczos_tridiagonals(affinity.starts, affinity.ids, weights, labels, start, tridiagonal)
    gaps: Floats = np.maximum(1 - np.linalg.eigvalsh(tridiagonal)[:, -1], 0.0).round(6)
    return gaps
