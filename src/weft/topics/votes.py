"""Authorities and hubs of topics, by votes that count as much as the voter is trusted."""

from dataclasses import dataclass

import numpy as np

from weft.core.arrays import Floats, Ids
from weft.topics.belong import Members
from weft.topics.ties import Links

DOUBTFUL_LINKS = 2.0
DOUBT = 10.0


@dataclass(frozen=True, slots=True, eq=False)
class Votes:
    """The scores of members, beside them; and how far each page is trusted in each topic.

    `doubt` is how many votes for nobody were added to all.
    """

    authority: Floats
    hub: Floats
    trust: Floats
    doubt: float


def votes(
    links: Links,
    members: Members,
    relevance: Floats,
    *,
    doubt: float = DOUBT,
    trusted: bool = True,
) -> Votes:
    """Score the members of topics.

    A page is trusted in a topic by the share of relevant pages of it among
    those that it links to, and itself. Pages of which nothing is known do not
    count, and two of the usual kind are added to all. An authority
    scores the mean trust of those who vote for it, with ten added who vote
    for no one. A hub scores the mean of the authorities that it links to,
    with ten links added that lead to none.

    No page gains by linking to those that link to it: relevance goes from
    pages to those that link to them, and once back. If it shall not count who
    is `trusted`, all are alike.
    """
    n, count = members.pages, members.topics
    known = ~np.isnan(relevance)
    good = np.where(known, relevance, 0.0)
    link, at = joined(links, members)
    source, target, topic = links.source[link], links.target[link], members.topic[at]
    cell = source.astype(np.int64) * count + topic
    leads = np.zeros((n, count))
    leads += np.bincount(cell, good[target], n * count).reshape(n, count)
    leads[members.page, members.topic] += good[members.page]
    told = np.bincount(links.source, known[links.target], n) + known
    usual = leads.sum(axis=0) / max(told.sum(), 1.0)
    trust = (leads + DOUBTFUL_LINKS * usual) / (told[:, None] + DOUBTFUL_LINKS)
    trust = trust if trusted else np.ones_like(trust)
    cast = links.vote[link] * trust.ravel()[cell]
    voters = np.bincount(links.target, links.vote, n)
    heard = np.maximum(voters[members.page] + doubt, 1e-12)
    authority = np.bincount(at, cast, len(members.page)) / heard
    led = np.bincount(cell, authority[at], n * count).reshape(n, count)
    out = np.bincount(links.source, minlength=n)
    made = np.maximum(out[members.page] + doubt, 1e-12)
    hub = led[members.page, members.topic] / made
    return Votes(authority, hub, trust, doubt)


def joined(links: Links, members: Members) -> tuple[Ids, Ids]:
    """Each link once for every topic of its target: the link, and where the target stands."""
    first, last = members.starts[links.target], members.starts[links.target + 1]
    many = last - first
    link = np.repeat(np.arange(len(many)), many)
    at = np.arange(len(link)) + np.repeat(first - (np.cumsum(many) - many), many)
    return link.astype(np.int32), at.astype(np.int32)
