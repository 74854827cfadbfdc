"""Votes: what each link counts, and what pages score by those for them."""

import numpy as np
from numba import njit

from weft.core.arrays import Flags, Floats, Ids, Offsets


@njit(cache=True, nogil=True)
def split(starts: Offsets, in_starts: Offsets, sources: Ids, owner: Ids) -> Floats:
    """What each link counts, by source: one, over the links of the same owner to the same page.

    Rows begin at `starts` by source and at `in_starts` by target, and are in
    order both ways.

    Examples
    --------
    >>> both = np.array([0, 1, 2, 2]), np.array([0, 0, 0, 2])
    >>> split(*both, np.array([0, 1], np.int32), np.array([0, 0, 1], np.int32)).tolist()
    [0.5, 0.5]
    """
    vote, at = np.empty(len(sources)), starts[:-1].copy()
    cast = np.zeros(owner.max() + 1 if len(owner) else 0, np.int32)
    for page in range(len(at)):
        voters = sources[in_starts[page] : in_starts[page + 1]]
        for source in voters:
            cast[owner[source]] += 1
        for source in voters:
            vote[at[source]] = 1.0 / cast[owner[source]]
            at[source] += 1
        for source in voters:
            cast[owner[source]] = 0
    return vote


@njit(cache=True, nogil=True)
def trusted(
    links: tuple[Ids, Ids, Floats],
    members: tuple[Offsets, Ids, Ids],
    good: Floats,
    known: Flags,
    few: float,
    topics: int,
) -> Floats:
    """How far each page is trusted in each topic: the share of good members among its links.

    Links are given by source, target and vote; members by where those of each
    page begin, by page and by topic. Of the pages that a page links to, and
    itself, those count that are `known`; so `few` of the usual kind are added.
    """
    leads, told = np.zeros((len(good), topics)), known.astype(np.float64)
    for link in range(len(links[0])):
        source, target = links[0][link], links[1][link]
        told[source] += known[target]
        for at in range(members[0][target], members[0][target + 1]):
            leads[source, members[2][at]] += good[target]
    for at in range(len(members[1])):
        leads[members[1][at], members[2][at]] += good[members[1][at]]
    usual = leads.sum(axis=0) / max(told.sum(), 1.0)
    for page in range(len(leads)):
        for topic in range(topics):
            lent = leads[page, topic] + few * usual[topic]
            leads[page, topic] = lent / (told[page] + few)
    return leads


@njit(cache=True, nogil=True)
def polled(
    links: tuple[Ids, Ids, Floats], members: tuple[Offsets, Ids, Ids], trust: Floats, doubt: float
) -> tuple[Floats, Floats]:
    """What members of topics score as authorities, and as hubs.

    An authority scores the mean trust of its voters, a hub the mean of the
    authorities that it links to, with so many in `doubt` added to each.
    """
    voters, made = np.zeros(len(trust)), np.zeros(len(trust))
    authority, led = np.zeros(len(members[1])), np.zeros(trust.shape)
    for link in range(len(links[0])):
        source, target, vote = links[0][link], links[1][link], links[2][link]
        voters[target] += vote
        made[source] += 1
        for at in range(members[0][target], members[0][target + 1]):
            authority[at] += vote * trust[source, members[2][at]]
    for at in range(len(authority)):
        authority[at] /= max(voters[members[1][at]] + doubt, 1e-12)
    for link in range(len(links[0])):
        target = links[1][link]
        for at in range(members[0][target], members[0][target + 1]):
            led[links[0][link], members[2][at]] += authority[at]
    hub = np.empty(len(authority))
    for at in range(len(hub)):
        page = members[1][at]
        hub[at] = led[page, members[2][at]] / max(made[page] + doubt, 1e-12)
    return authority, hub


@njit(cache=True, nogil=True)
def recounted(
    links: tuple[Ids, Ids, Floats],
    members: tuple[Offsets, Ids, Ids],
    chosen: tuple[Ids, Flags],
    trust: Floats,
    owner: Ids,
    lost: Flags,
) -> tuple[Floats, Floats, Flags]:
    """The votes for some members in each of several losses, and who votes in which topic.

    The first of `chosen` numbers the members that are meant, -1 are others;
    the second says by number whose voters are told. `lost` says of each owner
    in which losses its votes are lost. Given are by loss and number the trust
    that is cast, and the votes that are left; and by topic and owner who votes.
    """
    (place, leading), (owners, losses) = chosen, lost.shape
    cast, left = np.zeros((losses, len(leading))), np.zeros((losses, len(leading)))
    votes = np.zeros((trust.shape[1], owners), np.bool_)
    for link in range(len(links[0])):
        source, target, vote = links[0][link], links[1][link], links[2][link]
        for at in range(members[0][target], members[0][target + 1]):
            if place[at] < 0:
                continue
            topic, voter = members[2][at], owner[source]
            votes[topic, voter] |= leading[place[at]]
            for loss in range(losses):
                stays = 0.0 if lost[voter, loss] else vote
                left[loss, place[at]] += stays
                cast[loss, place[at]] += stays * trust[source, topic]
    return cast, left, votes
