"""Authorities and hubs of topics, by votes that count as much as the voter is trusted."""

from dataclasses import dataclass

import numpy as np

from weft.core.arrays import Floats
from weft.engine.ballots import polled
from weft.engine.ballots import trusted as trust_of
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
    known = ~np.isnan(relevance)
    good = np.where(known, relevance, 0.0)
    trust = np.ones((members.pages, members.topics))
    if trusted:
        trust = trust_of(links.ends, members.rows, good, known, DOUBTFUL_LINKS, members.topics)
    return Votes(*polled(links.ends, members.rows, trust, doubt), trust, doubt)
