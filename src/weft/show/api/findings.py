"""What the server answers about topics and rankings: the shapes of its JSON."""

from typing import Any, Literal

from pydantic import Field

from weft.graph.options import Level
from weft.show.api.shapes import Answer, Left, Named, Shape

Role = Literal["authority", "hub"]


class Support(Named):
    """A page at the other end of a link, what the link says, and what it brought."""

    amount: float
    anchors: list[str]


class Evidence(Named):
    """A page of a topic, and what speaks for it.

    `count` pages on `sites` sites point to an authority, or are pointed to by
    a hub; the strongest of them are `links`.
    """

    place: int
    score: float
    count: int
    sites: int
    said: list[str]
    links: list[Support]
    also: list[int] = Field(description="the other topics that the page is in")
    snippet: str


class TopicSummary(Shape):
    """What a topic is called, and how large it is."""

    label: str
    terms: list[str]
    title: str
    pages: int
    strength: float | None
    facts: dict[str, Any]


class Topic(TopicSummary):
    """A topic with its best authorities and hubs."""

    topic: int
    authorities: list[Evidence]
    hubs: list[Evidence]


class Aside(TopicSummary):
    """A topic that was set aside, and why."""

    reason: str


class Shared(Shape):
    """How many pages two topics have in common, and as a share of the smaller."""

    topic: int
    other: int
    pages: int
    share: float


class Base(Shape):
    """The pages that were looked at: how many were found, how many came in, what was left out."""

    found: int = Field(description="how many pages the search found, of which the first are roots")
    root: int
    pages: int
    links: int
    seen: int
    story: list[str]
    left_out: list[Left]
    options: dict[str, Any]


class Ended(Shape):
    """How a computation ended."""

    converged: bool
    rounds: int
    change: float | None
    stopped: str


class TopicsFound(Answer):
    """The topics of a query; `total` is how many there are, of which the first are shown."""

    query: str
    method: str
    level: Level
    options: dict[str, Any]
    base: Base
    total: int
    topics: list[Topic]
    overlap: list[Shared]
    aside: list[Aside]
    ended: Ended
    note: str = Field(description="why there is no topic, where there is none")
    provenance: dict[str, Any]


class TopicFound(Answer):
    """One topic."""

    topic: Topic


class TopicMember(Named):
    """A page of a topic: its place in the order asked for, and both its scores."""

    place: int
    authority: float
    hub: float


class TopicMembers(Answer):
    """All pages of a topic, of which some are shown."""

    topic: int
    label: str
    by: Role
    total: int
    offset: int
    rows: list[TopicMember]


class TopicSite(Shape):
    """A site of a topic: how many of its pages are in it, and the one that scores best."""

    site: str
    pages: int
    best: Named


class TopicSites(Answer):
    """All sites of a topic, that with most pages first, of which some are shown."""

    topic: int
    label: str
    pages: int
    total: int
    offset: int
    rows: list[TopicSite]


class InTopic(Shape):
    """What a page is in a topic: its score and place there, and how many on how many sites.

    These are the hubs that point to it, or the authorities that it points to.
    """

    topic: int
    label: str
    role: Role
    score: float
    place: int
    count: int
    sites: int


class InAside(InTopic):
    """The same in what was set aside, whose numbers count on, and why it was."""

    reason: str


class TopicsOfPage(Answer):
    """The topics of a query that a page is in, and how it came into the base set.

    `origin` says why it did not, where it is not in it, and `alone` why a page
    of the base set is in no topic.
    """

    page: str
    origin: str
    alone: str
    rows: list[InTopic]
    aside: list[InAside]


class Ranked(Named):
    """A page with its place and scores."""

    place: int
    scores: dict[str, float | None]


class Certain(Shape):
    """Whether the answer is the only one; unknown numbers are null."""

    unique: bool
    components: int
    multiplicity: int
    gap: float | None
    note: str


class RankingFound(Answer):
    """A ranking, as much of it as was asked for."""

    method: str
    level: Level
    query: str
    options: dict[str, Any]
    by: str = Field(description="the score that orders")
    scores: list[str]
    total: int
    offset: int
    rows: list[Ranked]
    ended: Ended
    certainty: Certain
    left_out: list[Left]
    provenance: dict[str, Any]


class Pair(Shape):
    """How alike two rankings are, by every measure."""

    first: str
    second: str
    tau_b: float | None
    weak_distance: float | None
    strict_distance: float | None
    top: int
    overlap: float | None
    jaccard: float | None
    cut_tie: bool
    rbo: float | None
    rbo_min: float | None
    geometric: float | None


class Parting(Named):
    """A page on which rankings disagree: its place in each, and how many doublings apart.

    Equals share the best of their places, as in a ranking; doublings go by the
    middle of the places that they fill.
    """

    doublings: float
    places: dict[str, int]
    equals: dict[str, int] = Field(description="how many pages share the place, this one included")


class Compared(Answer):
    """Rankings side by side; the matrix holds Kendall's tau-b, in the order of `methods`."""

    methods: list[str]
    level: Level
    query: str
    pages: int
    left_out: dict[str, int]
    unsettled: list[str]
    matrix: list[list[float | None]]
    pairs: list[Pair]
    disagreements: list[Parting]


class Scored(Shape):
    """A page's score by a method, and its place among all."""

    method: str
    by: str
    score: float | None
    place: int
    of: int


class PageScores(Answer):
    """A page's scores by several methods; those that do not have the page are missing."""

    page: str
    rows: list[Scored]


class Part(Shape):
    """What a page, a site or an anchor brought; in brackets what came otherwise."""

    source: str
    pages: int
    amount: float | None
    share: float | None


class Explained(Answer):
    """A score taken apart: the amounts, `more` of which are not listed, add up to the score."""

    page: str
    method: str
    by: str
    score: float | None
    place: int
    of: int
    total: int
    more: float
    rows: list[Part]
