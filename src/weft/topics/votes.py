"""Authority and hub scores of topics by votes of trusted sites, and how stable they are."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from weft.core.arrays import Flags, Floats, Ids, Offsets, round_significant, top_k_indices
from weft.groups.group import VoteStability
from weft.kernels.votes import recount_without_owners, score_members, topic_trust
from weft.topics.affinity import VotingLinks
from weft.topics.soft_membership import PageTopicPairs

PRIOR_LINKS = 2.0
DEFAULT_PRIOR_VOTES = 10.0


@dataclass(frozen=True, slots=True, eq=False)
class VoteScores:
    """The scores of members, and the trust in each page (row) in each topic (column).

    `prior_votes` is the number of votes for nobody that was added to each page.
    """

    authority: Floats
    hub: Floats
    trust: Floats
    prior_votes: float


def score_by_votes(
    links: VotingLinks,
    members: PageTopicPairs,
    relevance: Floats,
    *,
    prior_votes: float = DEFAULT_PRIOR_VOTES,
    trusted: bool = True,
) -> VoteScores:
    """Score the members of topics by votes.

    The trust in a page is the share of relevant pages of the topic among the
    pages it links to and itself. Pages of unknown relevance do not count, and
    two links of average relevance are added as a prior. The score of an
    authority is the mean trust of its voters, with `prior_votes` of trust zero
    added. The score of a hub is the mean score of the authorities it links to,
    with as many links to no authority added.

    Reciprocal links gain nothing: relevance goes from pages to those that link
    to them, and back once. With `trusted=False` all voters count the same.
    """
    is_known = ~np.isnan(relevance)
    known_relevance = np.where(is_known, relevance, 0.0)
    trust = np.ones((members.page_count, members.topic_count))
    if trusted:
        trust = topic_trust(
            links.kernel_arrays,
            members.kernel_arrays,
            known_relevance,
            is_known,
            PRIOR_LINKS,
            members.topic_count,
        )
    return VoteScores(
        *score_members(links.kernel_arrays, members.kernel_arrays, trust, prior_votes),
        trust,
        prior_votes,
    )


TOP_AUTHORITIES = 10
MAX_CANDIDATES = 30
RESAMPLES = 8
DROPPED_VOTER_SHARE = 0.2


def measure_vote_stability(
    links: VotingLinks, owner: Ids, members: PageTopicPairs, votes: VoteScores
) -> list[VoteStability]:
    """Measure the vote stability of each topic by resampling.

    Dropped voters are drawn by a hash of their number, so each run is the same.
    The trust in the others does not change.
    """
    at = candidate_authorities(members, votes.authority)
    topic, candidate_of = members.topic_ids[at], np.full(len(members.page_ids), -1, np.int32)
    candidate_of[at], is_top = np.arange(len(at)), is_in_top_ten(topic, votes.authority[at])
    voters = np.arange(int(owner.max(initial=-1)) + 1, dtype=np.int32)
    is_dropped = np.stack(
        [draw_dropped_voters(voters, resample) for resample in range(RESAMPLES)], axis=1
    )
    trust_sums, vote_counts, supports = recount_without_owners(
        links.kernel_arrays,
        members.kernel_arrays,
        (candidate_of, is_top),
        votes.trust,
        owner,
        is_dropped,
    )
    retained = np.zeros(members.topic_count)
    for score in trust_sums / np.maximum(vote_counts + votes.prior_votes, 1e-12):
        retained += np.bincount(topic, is_top & is_in_top_ten(topic, score), members.topic_count)
    count = np.bincount(topic, is_top, members.topic_count).astype(int)
    support, share = np.count_nonzero(supports, axis=1), retained / RESAMPLES / np.maximum(count, 1)
    return [
        VoteStability(*values)
        for values in zip(count.tolist(), support.tolist(), share.tolist(), strict=True)
    ]


def candidate_authorities(members: PageTopicPairs, authority: Floats) -> Offsets:
    """The indices of the best members, topic by topic: those that may enter the top ten."""
    scores = round_significant(authority)
    best = [np.zeros(0, np.int64)]
    for topic in range(members.topic_count):
        indices = members.indices_of_topic(topic)
        best.append(np.sort(indices[top_k_indices(scores[indices], MAX_CANDIDATES)]))
    candidates = np.concatenate(best)
    return candidates[authority[candidates] > 0]


def is_in_top_ten(topic: Ids, scores: Floats) -> Flags:
    """Whether each member is in the top ten of its topic with a positive score.

    `topic` is sorted.
    """
    starts = np.searchsorted(topic, topic)
    position = np.arange(len(topic)) - starts
    table = np.full((int(topic.max(initial=-1)) + 1, int(position.max(initial=-1)) + 1), -np.inf)
    table[topic, position] = round_significant(scores)
    rank = np.argsort(np.argsort(-table, axis=1, kind="stable"), axis=1)
    in_top: Flags = (rank[topic, position] < TOP_AUTHORITIES) & (scores > 0)
    return in_top


def draw_dropped_voters(voters: Ids, resample: int) -> Any:
    """Whether each voter is dropped: about a fifth of them, by a hash of voter and resample."""
    mixed = voters.astype(np.uint64) + np.uint64(1 + resample * 0x9E3779B9)
    for _ in range(2):
        mixed = (mixed ^ (mixed >> np.uint64(31))) * np.uint64(0xBF58476D1CE4E5B9)
    return (mixed >> np.uint64(11)).astype(np.float64) / 2.0**53 < DROPPED_VOTER_SHARE
