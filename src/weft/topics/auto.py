"""Topics by links and words together, and in each the pages that trusted sites vote for."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from weft.core.arrays import Ids, Offsets
from weft.core.dimensions import Dimensions
from weft.core.methods import method
from weft.core.wording import count
from weft.engine import CLOSED
from weft.engine.leiden import leiden
from weft.graph.baseset import BaseSet
from weft.graph.owners import voters
from weft.topics.belong import Leading
from weft.topics.firm import firmness
from weft.topics.gap import gaps
from weft.topics.relevance import relevance
from weft.topics.speech import strangers
from weft.topics.ties import WORDS, Links, tied
from weft.topics.tkc import with_sites
from weft.topics.topic import Topic, Topics
from weft.topics.votes import DOUBT, votes

Resolution = Annotated[
    float, Field(ge=0.001, le=100, description="higher: more and smaller topics")
]
Least = Annotated[int, Field(ge=2, description="leave out topics with fewer pages")]
Words = Annotated[
    float,
    Field(ge=0, le=100, description="how many links a page's words count as; 0: links alone"),
]
Vote = Annotated[
    Literal["site", "page"], Field(description="who has one vote for each page it links to")
]
Trusted = Annotated[
    bool, Field(description="count votes by how far the voter is trusted, not all alike")
]
Doubt = Annotated[
    float, Field(ge=0, le=1000, description="how many votes for nobody to add to those for a page")
]
Strange = Annotated[
    Literal["drop", "keep"],
    Field(description="what becomes of members that speak of something else"),
]

Knit = Annotated[
    Literal["drop", "keep"],
    Field(description="what becomes of topics whose pages are of few owners"),
]

HARDLY = 0.05
SEVERAL = 10


@method(
    "topics",
    "auto",
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
def auto(
    base: BaseSet,
    *,
    resolution: Resolution = 0.65,
    least: Least = 5,
    words: Words = WORDS,
    vote: Vote = "site",
    trusted: Trusted = True,
    doubt: Doubt = DOUBT,
    strange: Strange = "drop",
    tightly_knit: Knit = "drop",
) -> Topics:
    """Find topics by links and words together, and rank inside each by votes of trusted sites.

    Pages are tied by links and by the words that tell them apart; groups with
    more ties inside than one would expect are topics (Leiden). A page belongs
    to those that its ties speak for, to none if they lead everywhere. In each
    topic a page is trusted by the share of its links that lead to pages about
    the query, and an authority scores the mean trust of the sites that link
    to it, one vote for each site, with ten doubtful votes added: so nobody
    gains by links among friends, and few voters count little. Topics stand by
    how much of what the search found is in them, site by site. What is of
    few owners, or hardly about the query, or has no votes, is set aside.

    Examples
    --------
    >>> square = [(a, b) for a in "abc" for b in "xyz"]
    >>> found = auto([*square, *((a.upper(), b.upper()) for a, b in square)])
    >>> [" ".join(found.base.pages[page] for page in topic.members) for topic in found]
    ['a x y z b c', 'A X Y Z B C']
    """
    owner = voters(base.graph) if vote == "site" else np.arange(len(base), dtype=np.int32)
    links = Links.of(base, owner)
    ties = tied(base, words)
    home = large(leiden(ties, resolution), len(base), least)
    lead = Leading.of(ties, home, len(base))
    tied_in, about = lead.belonging(), relevance(base)
    strangely = strangers(base.words, tied_in) & (strange == "drop")
    members = tied_in.some(~strangely)
    found = votes(links, members, about, doubt=doubt, trusted=trusted)
    made, gap = [], gaps(ties, home, members.topics)
    for k, firm in enumerate(firmness(links, owner, members, found)):
        at = members.places(k)
        pages, strength = members.page[at], matter(base, owner, members.page[at])
        facts = {
            "about the query": int(np.count_nonzero(about[pages] == 1)),
            "inside": lead.inside(k, pages),
            "eigengap": float(gap[k]),
            **firm.facts(),
        }
        if len(pages) >= least:
            scores = found.authority[at], found.hub[at]
            voice = found.trust[pages, k]
            made.append(Topic(pages, *scores, strength, facts=facts, voice=voice))
    made.sort(key=lambda topic: (-round(topic.strength, 9), -len(topic), topic.members[0]))
    alone = np.bincount(owner).max(initial=0) <= 1
    several = 0 if alone else SEVERAL
    kept, aside = sifted(with_sites(base, made), several, base.query, knit=tightly_knit)
    away = np.flatnonzero((np.diff(tied_in.starts) > 0) & (np.diff(members.starts) == 0))
    loosely = np.flatnonzero(
        (np.diff(ties.starts[: len(base) + 1]) > 0) & (np.diff(tied_in.starts) == 0)
    )
    reasons = {
        "linked with a topic, whose words are not of it": away,
        "tied to several topics alike, or hardly to any": loosely,
    }
    return Topics("auto", base, kept, CLOSED, (*aside, *lonely(base, links, reasons)))


def large(home: Ids, pages: int, least: int) -> Ids:
    """Groups with enough pages, counted from zero; -1 for the others."""
    sizes = np.bincount(home[:pages], minlength=int(home.max(initial=-1)) + 1)
    number = np.where(sizes >= least, np.cumsum(sizes >= least) - 1, -1).astype(np.int32)
    return number[home]


def matter(base: BaseSet, owner: Ids, pages: Ids) -> float:
    """How much some pages matter to the query: the best text score of each owner, added up."""
    best = np.zeros(int(owner.max(initial=-1)) + 1)
    np.maximum.at(best, owner[pages], base.text_score[pages])
    return float(best.sum())


def sifted(
    topics: Sequence[Topic], several: int, query: str, *, knit: str = "drop"
) -> tuple[tuple[Topic, ...], tuple[Topic, ...]]:
    """Topics that stand, and those set aside, each with its reason.

    Set aside is what is of few owners, what matters little beside the topic
    that matters most, and what nobody votes in; where nobody votes in any
    topic, this is no reason. A topic that has so many owners is not of few,
    however large it is. What is of few owners can be kept, and is marked so.
    """
    few = [bool(t.facts["tightly knit"]) and t.facts["effective sites"] < several for t in topics]
    marked = [
        t if own else replace(t, facts={**t.facts, "tightly knit": ""})
        for t, own in zip(topics, few, strict=True)
    ]
    of_few = [t for t, own in zip(marked, few, strict=True) if own and knit == "drop"]
    others = [t for t in marked if t not in of_few]
    voted = [t for t in others if t.facts["support"]] or others
    most = max((t.strength for t in voted), default=0.0)
    kept = list[Topic]()
    aside = [replace(t, reason=f"tightly knit: {t.facts['tightly knit']}") for t in of_few]
    for topic in others:
        reason = little(topic.strength, most, query)
        if not reason and topic not in voted:
            reason = "nobody votes for any of its pages"
        if reason:
            aside.append(replace(topic, reason=reason))
        else:
            kept.append(topic)
    return tuple(kept), tuple(aside)


def little(strength: float, most: float, query: str) -> str:
    """Why a topic matters little beside the one that matters most; nothing where it does not.

    Examples
    --------
    >>> little(3.0, 100.0, "jaguar")
    "hardly about the query: 3% of the first topic's strength"
    """
    if strength >= HARDLY * most:
        return ""
    told = "hardly about the query" if query else "small"
    if not strength:
        return f"{told}: no root page is in it"
    share = f"{strength / most:.0%}" if strength >= 0.01 * most else "less than 1%"
    return f"{told}: {share} of the first topic's strength"


def lonely(base: BaseSet, links: Links, reasons: Mapping[str, Offsets]) -> Iterator[Topic]:
    """Pages of no topic, as those set aside for such reasons; they score by votes and by links."""
    n = len(base)
    cast = np.bincount(links.target, links.vote, n).astype(np.float64)
    made = np.bincount(links.source, minlength=n).astype(np.float64)
    for reason, pages in reasons.items():
        if len(pages):
            told = f"{count(len(pages), base.level)} {reason}"
            yield Topic(pages.astype(np.int32), cast[pages], made[pages], 0.0, reason=told)
