"""Links as votes: their weights by owner, trust in voters, and scores of topic members.

Links are given as sources, targets and votes; members of topics as CSR by page:
starts, then page and topic of each membership.
"""

import numpy as np

from weft.core.arrays import Flags, Floats, Ids, Offsets
from weft.kernels.compiler import njit


@njit(cache=True, nogil=True)
def split_votes_by_owner(starts: Offsets, in_starts: Offsets, sources: Ids, owner: Ids) -> Floats:
    """The vote of each link, by source: 1 / the links of the same owner to the same page.

    Rows begin at `starts` by source and at `in_starts` by target; both are
    sorted.

    Examples
    --------
    >>> both = np.array([0, 1, 2, 2]), np.array([0, 0, 0, 2])
    >>> split_votes_by_owner(
    ...     *both, np.array([0, 1], np.int32), np.array([0, 0, 1], np.int32)
    ... ).tolist()
    [0.5, 0.5]
    """
    vote, next_link = np.empty(len(sources)), starts[:-1].copy()
    links_of_owner = np.zeros(owner.max() + 1 if len(owner) else 0, np.int32)
    for page in range(len(next_link)):
        voters = sources[in_starts[page] : in_starts[page + 1]]
        for source in voters:
            links_of_owner[owner[source]] += 1
        for source in voters:
            vote[next_link[source]] = 1.0 / links_of_owner[owner[source]]
            next_link[source] += 1
        for source in voters:
            links_of_owner[owner[source]] = 0
    return vote


@njit(cache=True, nogil=True)
def topic_trust(
    links: tuple[Ids, Ids, Floats],
    members: tuple[Offsets, Ids, Ids],
    goodness: Floats,
    known: Flags,
    prior_pages: float,
    topic_count: int,
) -> Floats:
    """Trust in each page for each topic: the share of good members among its targets.

    The page itself counts among its targets. Only `known` pages count in the
    denominator. With k = `prior_pages` and u the mean share over all pages,
    the share is smoothed: (good members + k u) / (known targets + k).
    """
    trust, known_targets = np.zeros((len(goodness), topic_count)), known.astype(np.float64)
    for link in range(len(links[0])):
        source, target = links[0][link], links[1][link]
        known_targets[source] += known[target]
        for at in range(members[0][target], members[0][target + 1]):
            trust[source, members[2][at]] += goodness[target]
    for at in range(len(members[1])):
        trust[members[1][at], members[2][at]] += goodness[members[1][at]]
    mean_share = trust.sum(axis=0) / max(known_targets.sum(), 1.0)
    for page in range(len(trust)):
        for topic in range(topic_count):
            good = trust[page, topic] + prior_pages * mean_share[topic]
            trust[page, topic] = good / (known_targets[page] + prior_pages)
    return trust


@njit(cache=True, nogil=True)
def score_members(
    links: tuple[Ids, Ids, Floats],
    members: tuple[Offsets, Ids, Ids],
    trust: Floats,
    prior_votes: float,
) -> tuple[Floats, Floats]:
    """Authority and hub scores of the members of topics.

    An authority scores the mean trust of its voters, a hub the mean authority
    of its targets; `prior_votes` votes of value zero are added to each mean.
    """
    voters, out_degree = np.zeros(len(trust)), np.zeros(len(trust))
    authority, authority_sum = np.zeros(len(members[1])), np.zeros(trust.shape)
    for link in range(len(links[0])):
        source, target, vote = links[0][link], links[1][link], links[2][link]
        voters[target] += vote
        out_degree[source] += 1
        for at in range(members[0][target], members[0][target + 1]):
            authority[at] += vote * trust[source, members[2][at]]
    for at in range(len(authority)):
        authority[at] /= max(voters[members[1][at]] + prior_votes, 1e-12)
    for link in range(len(links[0])):
        target = links[1][link]
        for at in range(members[0][target], members[0][target + 1]):
            authority_sum[links[0][link], members[2][at]] += authority[at]
    hub = np.empty(len(authority))
    for at in range(len(hub)):
        page = members[1][at]
        hub[at] = authority_sum[page, members[2][at]] / max(out_degree[page] + prior_votes, 1e-12)
    return authority, hub


@njit(cache=True, nogil=True)
def recount_without_owners(
    links: tuple[Ids, Ids, Floats],
    members: tuple[Offsets, Ids, Ids],
    selected_members: tuple[Ids, Flags],
    trust: Floats,
    owner: Ids,
    lost_owners: Flags,
) -> tuple[Floats, Floats, Flags]:
    """Recount the votes for some members in several samples that lose owners, for stability.

    `selected_members` has the number of each membership to recount, -1 for
    others, and by number whether its voters are listed. `lost_owners[o, s]`
    drops the votes of owner o in sample s. Returns by sample and number the
    trust cast and the votes left, and by topic and owner whether it votes.
    """
    (number, list_voters), (owners, samples) = selected_members, lost_owners.shape
    trust_cast, votes_left = (
        np.zeros((samples, len(list_voters))),
        np.zeros((samples, len(list_voters))),
    )
    votes = np.zeros((trust.shape[1], owners), np.bool_)
    for link in range(len(links[0])):
        source, target, vote = links[0][link], links[1][link], links[2][link]
        for at in range(members[0][target], members[0][target + 1]):
            if number[at] < 0:
                continue
            topic, voter = members[2][at], owner[source]
            votes[topic, voter] |= list_voters[number[at]]
            for sample in range(samples):
                counted = 0.0 if lost_owners[voter, sample] else vote
                votes_left[sample, number[at]] += counted
                trust_cast[sample, number[at]] += counted * trust[source, topic]
    return trust_cast, votes_left, votes
