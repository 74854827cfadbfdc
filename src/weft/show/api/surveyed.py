"""What the server answers about structure, communities and pages near a page: its shapes."""

from typing import Any

from pydantic import ConfigDict, Field

from weft.graph.options import Level
from weft.show.api.shapes import Answer, Left, Named, Shape


class Table(Shape):
    """Rows of a table; `total` is how many there are, of which those from `offset` are given."""

    columns: list[str]
    total: int
    offset: int
    rows: list[list[Any]]


class Titled(Shape):
    """What a page is called, and how it is known."""

    title: str
    kind: str


class ShapeFound(Answer):
    """The graph described: facts, the tables behind them, and what must be said beside them."""

    method: str
    level: Level
    query: str
    options: dict[str, Any]
    facts: dict[str, Any] = Field(description="single values, the most telling first")
    tables: dict[str, Table] = Field(description="by name, the main one first")
    notes: list[str] = Field(description="what was sampled, capped or not found")
    names: dict[str, Titled] = Field(description="the pages that the rows name, the first 1,000")
    pictures: list[str] = Field(description="what can be asked of /picture, where there is one")
    left_out: list[Left]
    provenance: dict[str, Any]


class PlaceFound(Answer):
    """A page's region of the bow-tie, and a path that shows it; a note where it has none."""

    page: str
    level: Level
    region: str = Field(description="empty where the page is not among those looked at")
    meaning: str
    path: list[Named] = Field(description="along links, from the page or to it")
    both_ways: bool = Field(description="whether links of the path are followed either way")
    note: str


class Connected(Named):
    """A page with how many of the others it is linked with."""

    inlinks: int
    outlinks: int


class RegionFound(Answer):
    """The pages of a region of the bow-tie, the most linked first."""

    region: str
    meaning: str
    level: Level
    total: int
    offset: int
    rows: list[Connected]


class Member(Named):
    """A page of a community: how much of a centre and of a hub it is there."""

    authority: float
    hub: float


class Proof(Shape):
    """What speaks for a community: pages, or links and cores, which are several pages each."""

    what: str
    total: int
    rows: list[list[Named]]


class Community(Shape):
    """A community: its name, its size, its links, its best pages, and what speaks for it."""

    community: int
    label: str
    terms: list[str]
    title: str
    pages: int
    inside: int = Field(description="links among its pages")
    leaving: int = Field(description="links to other pages")
    arriving: int = Field(description="links from other pages")
    strength: float | None
    facts: dict[str, Any]
    centres: list[Member]
    hubs: list[Member]
    evidence: list[Proof]


class Matrix(Shape):
    """How many links lead from each of the first communities (row) to each (column)."""

    communities: list[int]
    labels: list[str]
    cells: list[list[int]]


class Meeting(Named):
    """A page between communities, which link to it through some of their pages."""

    communities: list[int]
    through: list[Named]
    inlinks: int
    pagerank: float


class Looked(Shape):
    """What communities were looked for in; `seen` pages were linked to, but never fetched."""

    found: int = Field(description="how many pages the search found, of which the first are roots")
    root: int
    pages: int
    links: int
    seen: int


class CommunitiesFound(Answer):
    """Communities, the one that matters most first; `total` is how many there are."""

    method: str
    level: Level
    query: str
    options: dict[str, Any]
    facts: dict[str, Any]
    notes: list[str]
    base: Looked
    left_out: list[Left]
    total: int
    inside: int = Field(description="how many pages are in a community")
    overlapping: bool
    communities: list[Community]
    matrix: Matrix
    between: list[Meeting] = Field(description="pages between communities, where these are sought")
    provenance: dict[str, Any]


class Tie(Shape):
    """How many links lead to another community, and how many come from it."""

    community: int
    label: str
    to: int
    by: int


class CommunityFound(Answer):
    """One community with its members, centres first, and those it is linked with."""

    community: Community
    ties: list[Tie]
    total: int
    offset: int
    rows: list[Member]


class CommunityLink(Shape):
    """A link, and what it says."""

    source: Named
    target: Named
    anchors: list[str]


class CommunityLinks(Answer):
    """The links from one community to another, what most of them lead to first."""

    community: int
    label: str
    other: int
    other_label: str
    total: int
    offset: int
    rows: list[CommunityLink]


class AgreementFound(Answer):
    """How far two methods divide the same pages alike."""

    method: str
    other: str
    communities: int
    other_communities: int
    nmi: float = Field(description="mutual information over the mean of both entropies")
    ari: float = Field(description="the Rand index adjusted for chance")
    purity: float = Field(description="share of pages of the class that most of their group are of")
    pages: int = Field(description="how many pages both put somewhere")
    of: int = Field(description="how many pages there are")


class Membership(Shape):
    """What a page is in a community: its places as centre and hub, and its links inside."""

    community: int
    label: str
    centre: int = Field(description="its place among the centres; 0: none")
    hub: int = Field(description="its place among the hubs; 0: none")
    inside_in: int
    inside_out: int
    linked_from: list[Named]
    links_to: list[Named]


class Elsewhere(Shape):
    """Links that a page has with a community that it is not in."""

    community: int
    label: str
    links: int


class CommunitiesOfPage(Answer):
    """The communities of a page; `alone` says why it is in none."""

    page: str
    level: Level
    known: bool = Field(
        description="false where kept=true and they were not found yet: the rest is empty then"
    )
    links_in: int
    links_out: int
    rows: list[Membership]
    elsewhere: list[Elsewhere]
    alone: str

    @property
    def lasting(self) -> bool:
        """Once they are found, they are known."""
        return self.known


class Witness(Named):
    """A page, or a site, that ties two others, and what its links with them say.

    `anchor` is what the link with the page asked about says, `other` what the
    one with the page found says.
    """

    pattern: str
    anchor: str
    other: str


class Alike(Named):
    """A page like another: the parts of its score, how many tie the two, and some of these."""

    place: int
    score: float
    parts: dict[str, float]
    shared: dict[str, int] = Field(description="how many witnesses of each pattern there are")
    witnesses: list[Witness]
    words: list[str] = Field(description="stems that both pages say")


class SimilarFound(Answer):
    """The pages most like a page, best first; a score is the sum of its parts."""

    page: str
    method: str
    level: Level
    options: dict[str, Any]
    parts: list[str]
    notes: list[str]
    rows: list[Alike]
    provenance: dict[str, Any]


class Suggested(Named):
    """A link that is missing: the page at its other end, the reason, and what it might say.

    `between` pages lie on a way of two clicks; `peers` link as the one page
    does, and link to the other.
    """

    place: int
    score: float
    scores: dict[str, float] = Field(description="by method")
    between: int
    peers: int
    reason: str
    witnesses: list[Witness]
    words: list[str] = Field(description="telling words that both say")
    anchor: str
    anchor_from: str = Field(description="whence the anchor is known: links, title, or nothing")


class SuggestionsFound(Answer):
    """Links that a page should have: `to` other pages, and `from` other pages, best first."""

    model_config = ConfigDict(serialize_by_alias=True)

    page: str
    method: str
    level: Level
    options: dict[str, Any]
    to: list[Suggested]
    from_: list[Suggested] = Field(serialization_alias="from")
    notes: list[str]
    provenance: dict[str, Any]
