"""Authority and hub scores of topics by votes, weighted by the trust in the voter."""

from dataclasses import dataclass

import numpy as np

from weft.core.arrays import Floats
from weft.kernels.votes import score_members, topic_trust
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
