"""What the server answers: the shapes of its JSON, which the OpenAPI document is made from."""

from http import HTTPStatus
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from weft.core.dimensions import Algorithm, Application, Data, Dimension, Metric, Model, Scope
from weft.graph.options import End, Level

State = Literal["waiting", "running", "done", "failed", "cancelled"]


class Shape(BaseModel):
    """Something that is answered."""

    model_config = ConfigDict(extra="forbid", ser_json_inf_nan="null")


class Answer(Shape):
    """A whole answer: it says which snapshot of the collection it is about."""

    snapshot: int = Field(description="the commit of the collection that was looked at")

    @property
    def lasting(self) -> bool:
        """Whether the same question has the same answer until the next commit."""
        return True


class Problem(Shape):
    """What went wrong, in one sentence, and what cures it."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    cure: str = ""

    @classmethod
    def of(cls, status: int, detail: str, cure: str = "") -> "Problem":
        """A problem that is called as its status is."""
        return cls(title=HTTPStatus(status).phrase, status=status, detail=detail, cure=cure)


class Step(Shape):
    """How far a part of a job has come; `total` is null where nobody knows."""

    label: str
    done: int
    total: int | None


class Job(Shape):
    """Work that takes longer than a reader waits."""

    job: str = Field(description="its name, for /api/jobs")
    state: State
    steps: list[Step]
    problem: Problem | None = None


class Named(Shape):
    """A page, host or domain."""

    page: str = Field(description="its URL, or the name of a host or domain")
    title: str = ""
    kind: str = Field(description="fetched, error, listed, seen (only linked to), host or domain")


class Left(Shape):
    """What was left out, and why."""

    reason: str
    pages: int
    links: int


class Fact(Shape):
    """A thing and what is known of it."""

    name: str
    value: str


class Trouble(Shape):
    """What was skipped or damaged while adding, how often, and some places."""

    reason: str
    count: int
    damage: bool
    places: list[str]


class Commit(Shape):
    """A commit of the collection: when, from which inputs, how many pages."""

    time: str
    inputs: list[str]
    pages: int


class Defaults(Shape):
    """The methods that are used where none is named."""

    topics: str
    rank: str
    compare: list[str]
    communities: str
    similar: str
    suggest: str


class CollectionBrief(Answer):
    """What the last commit says of the collection."""

    name: str
    weft: str = Field(description="the version of Weft that answers")
    counts: dict[str, int]
    problems: list[Trouble]
    history: list[Commit]
    defaults: Defaults


class CollectionFacts(CollectionBrief):
    """The collection in numbers."""

    facts: list[Fact]
    hosts: list["Host"] = Field(description="the largest")


class Host(Shape):
    """A host: its pages, how many more were only seen, and its links from and to other hosts."""

    host: str
    pages: int
    seen: int
    inlinks: int
    outlinks: int


class Hosts(Answer):
    """Hosts, the largest first."""

    total: int
    offset: int
    rows: list[Host]


class Hit(Named):
    """A page that a search found; `marks` are where in the snippet the words stand."""

    place: int
    score: float
    language: str
    time: int = Field(description="when it was captured, in seconds since 1970; 0: unknown")
    snippet: str
    marks: list[tuple[int, int]]


class Found(Answer):
    """What a search found."""

    query: str
    total: int
    offset: int
    rows: list[Hit]


class Alias(Shape):
    """Another URL of a page, and why it stands for the page."""

    url: str
    reason: str


class PageFacts(Answer, Named):
    """A page: what is known of it, how it begins, and how many links it has."""

    host: str
    domain: str
    language: str
    time: int
    captures: int
    inlinks: int = Field(description="how many pages link to it")
    outlinks: int = Field(description="how many pages it links to")
    aliases: list[Alias]
    beginning: str


class Linked(Named):
    """A page at the other end of links, how many there are, and what they say, each thing once."""

    links: int
    anchors: list[str]


class PageLinks(Answer):
    """The pages that link to a page or that it links to, by their URL."""

    page: str
    direction: End
    total: int
    offset: int
    rows: list[Linked]


class Word(Shape):
    """A word whose readers come upon a page."""

    term: str
    reputation: float
    penetration: float
    focus: float
    pages: int


class KnownFor(Answer):
    """What a page is known for."""

    page: str
    rows: list[Word]


class Node(Named):
    """A node of a drawing: where it stands, from -1 to 1, and how much it counts, from 0 to 1."""

    x: float
    y: float
    authority: float
    hub: float
    group: str


class Line(Shape):
    """A link of a drawing, between nodes by their places in the list."""

    source: int
    target: int
    weight: float


class Group(Shape):
    """What the nodes of a group have in common, and how many are drawn."""

    group: str
    label: str
    nodes: int


class Drawing(Answer):
    """A part of the graph to look at, with places; the caption says what was left out."""

    level: Level
    caption: str
    nodes: list[Node]
    links: list[Line]
    groups: list[Group]
    all_nodes: int
    all_links: int


class LooseEnds(Answer):
    """How large the graph is at a level, those only seen included, and what lacks links."""

    level: Level
    nodes: int
    links: int
    unlinked: int = Field(description="nodes that nothing links to")
    dangling: int = Field(description="nodes that link to nothing")
    isolated: int = Field(description="nodes that do neither")


class OptionCard(Shape):
    """An option: what it means, and how it is given."""

    name: str
    parameter: str = Field(description="how the routes of the method call it")
    description: str
    default: Any
    form: dict[str, Any] = Field(description="its JSON schema")


class MethodLine(Shape):
    """A method in a line, with the dimensions by which it is classified."""

    kind: str
    name: str
    summary: str
    cites: str
    model: Model
    metric: Metric
    algorithm: Algorithm
    scope: Scope
    data: Data
    applications: list[Application]


class Methods(Answer):
    """Every method, the values of each dimension, and the options of base sets."""

    methods: list[MethodLine]
    dimensions: dict[Dimension, list[str]]
    base: list[OptionCard]


class Card(Answer, MethodLine):
    """All about a method."""

    words: str
    formula: str
    cost: str
    fails: str
    differs: str = Field(description="differences from the paper; empty where none is known")
    reference: str
    options: list[OptionCard]
