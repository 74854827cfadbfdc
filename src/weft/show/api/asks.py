"""What can be asked: the parameters of every route, those of methods from their declaration."""

from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model

import weft.communities  # registers its methods, as the others do
import weft.rank
import weft.structure
import weft.suggest
import weft.topics  # noqa: F401
from weft.core.methods import METHODS, Method
from weft.core.validate import LARGEST
from weft.graph.options import BETWEEN, USUAL, BaseOptions, Between, End, Level
from weft.run.explain import Group
from weft.show.api.files import Graphic, Tabular
from weft.store.collection import MOST
from weft.store.query import LONGEST

MOST_ROWS, MOST_NODES, MOST_WORDS = 500, 1000, 100

Query = Annotated[
    str,
    Field(max_length=LONGEST, description='words, "phrases", begin*, AND OR NOT -, site: lang:'),
]
Url = Annotated[
    str, Field(min_length=1, max_length=4000, description="a page, or a host or domain")
]
Top = Annotated[int, Field(ge=1, le=MOST_ROWS, description="how many rows")]
Few = Annotated[int, Field(ge=1, le=50, description="how many authorities and hubs of each")]
Offset = Annotated[int, Field(ge=0, le=10**9, description="how many rows to skip")]
Date = Annotated[
    str,
    Field(
        max_length=10,
        pattern=r"^(\d{4}(-\d{2}(-\d{2})?)?)?$",
        description="such as 2004, 2004-05 or 2004-05-31",
    ),
]
AtLevel = Annotated[Level, Field(description="what a node is")]
Pattern = Annotated[str, Field(min_length=1, max_length=500)]
Patterns = Annotated[
    list[Pattern],
    Field(max_length=MOST_WORDS, description="hosts, or URLs with * and ?, to leave out"),
]
Nodes = Annotated[int, Field(ge=1, le=MOST_NODES, description="draw at most so many nodes")]
Score = Annotated[
    str, Field(max_length=50, description="the score that orders, where there are several")
]
Format = Annotated[
    Literal["json"] | Tabular, Field(description="JSON, or the rows as a file to keep")
]
Shape = Annotated[Literal["json"] | Graphic, Field(description="JSON, or the links as a file")]
STOPLIST = Annotated[
    Literal["default", "none"], Field(description="leave out portals, counters, advertisers")
]


class Ask(BaseModel):
    """The parameters of a request; what is not among them is refused.

    `settled` are options of methods that no parameter is needed for.
    """

    model_config = ConfigDict(extra="forbid", defer_build=True)
    method_name: ClassVar[str] = ""
    method_options: ClassVar[dict[str, str]] = {}
    settled: ClassVar[frozenset[str]] = frozenset()

    @property
    def chosen(self) -> dict[str, Any]:
        """The options of the method, by the names it knows."""
        return {name: getattr(self, parameter) for name, parameter in self.method_options.items()}


class Nothing(Ask):
    """No parameters."""


class Search(Ask):
    """What to search for."""

    query: Annotated[Query, Field(min_length=1)]
    offset: Annotated[int, Field(ge=0, le=MOST - MOST_ROWS, description="how many to skip")] = 0
    top: Top = 10
    since: Date = ""
    until: Date = ""
    format: Format = "json"


class View(Ask):
    """Which part of the collection is ranked."""

    level: AtLevel = "page"
    query: Query = ""
    without: Patterns = []
    between: Annotated[Between, Field(description=BETWEEN)] = "auto"


class Rank(View):
    """How much of a ranking to give."""

    by: Score = ""
    offset: Offset = 0
    top: Top = 50
    format: Format = "json"


class Why(View):
    """Whose score to take apart."""

    url: Url
    by: Score = ""
    group: Annotated[Group, Field(description="by linking page, its site, or what links say")] = (
        "page"
    )
    top: Top = 20


if TYPE_CHECKING:
    RankName = str
else:
    RankName = Literal[tuple(name for kind, name in METHODS if kind == "rank")]
Names = Annotated[
    list[RankName], Field(max_length=10, description="which methods; none: the usual ones")
]


class Compare(View):
    """Which methods to compare."""

    method: Names = []
    by: Score = ""
    top: Annotated[int, Field(ge=1, le=MOST_ROWS, description="how many first places")] = 10


class Scores(View):
    """Whose scores, by which methods."""

    url: Url
    method: Names = []


class Page(Ask):
    """Which page."""

    url: Url


class Links(Page):
    """Which of a page's links."""

    direction: Annotated[End, Field(description="into the page, or out")] = "in"
    offset: Offset = 0
    top: Top = 50
    format: Format = "json"


class Fame(Page):
    """Among which readers."""

    query: Query = ""
    least: Annotated[
        int, Field(ge=1, le=10**6, description="leave out words on fewer pages than that")
    ] = 5
    top: Top = 20


class Around(Page):
    """How much to draw around a page."""

    nodes: Nodes = 150
    format: Shape = "json"


class Map(Ask):
    """What to draw of the whole graph."""

    level: AtLevel = "host"
    nodes: Nodes = 300
    format: Shape = "json"


Kind = Literal["rank", "topics", "structure", "communities", "similar", "suggest"]


class MethodCard(Ask):
    """Which method."""

    kind: Annotated[Kind, Field(description="what the method finds")]
    name: Annotated[str, Field(max_length=50, description="its name")]


class AtSomeLevel(Ask):
    """At which level."""

    level: AtLevel = "page"


class Hosts(Ask):
    """Which hosts, in which order."""

    by: Annotated[
        Literal["pages", "seen"],
        Field(description="what orders: pages that are there, or pages that were only seen"),
    ] = "pages"
    offset: Offset = 0
    top: Top = 50


class ExportEdges(Ask):
    """Which links to write, and how."""

    format: Annotated[Graphic, Field(description="the format of the file")] = "csv"
    level: AtLevel = "page"
    since: Date = ""
    until: Date = ""


class ExportPages(Ask):
    """Which pages to write, and how."""

    format: Annotated[Tabular, Field(description="the format of the file")] = "csv"
    since: Date = ""
    until: Date = ""


class Shown(Ask):
    """How much of a topic to show."""

    top: Few = 10
    snippets: Annotated[
        Literal["first", "all", "none"],
        Field(description="of which topics' pages to show a piece of the text"),
    ] = "first"


class OneTopic(Shown):
    """Which topic of what."""

    query: Query = ""
    level: AtLevel = "page"
    topic: Annotated[int, Field(ge=1, le=10_000, description="from one")] = 1


class Topics(Shown):
    """The topics of what, and how many of them."""

    query: Query = ""
    level: AtLevel = "page"
    topics: Annotated[int, Field(ge=1, le=100, description="how many topics")] = 20
    format: Format = "json"


class TopicPart(Ask):
    """Which rows of which topic."""

    query: Query = ""
    level: AtLevel = "page"
    topic: Annotated[int, Field(ge=1, le=10_000, description="from one")] = 1
    offset: Offset = 0
    top: Top = 50
    format: Format = "json"


class Members(TopicPart):
    """Which pages of which topic, in which order."""

    by: Annotated[Literal["authority", "hub"], Field(description="the score that orders")] = (
        "authority"
    )


class TopicMap(Ask):
    """Which topic to draw."""

    query: Query = ""
    level: AtLevel = "page"
    topic: Annotated[int, Field(ge=0, le=10_000, description="from one; 0: all together")] = 1
    nodes: Nodes = 300
    format: Shape = "json"


class Report(Ask):
    """The topics of what, and how much of them is reported."""

    query: Query = ""
    level: AtLevel = "page"
    top: Few = 10
    topics: Annotated[int, Field(ge=1, le=100, description="how many topics")] = 10


class TopicsOf(Ask):
    """The topics of which page."""

    url: Url
    query: Query = ""
    level: AtLevel = "page"


def for_method(asked: type[Ask], method: Method) -> type[Ask]:
    """The same question put to a method: with its options, and where it has one its base set's.

    An option whose name is taken is called `method_` and its name; an option of
    a ranking is never, for its base set has that one from it.
    """
    taken = dict(asked.model_fields)
    extra: dict[str, Any] = base_fields() if method.kind in {"topics", "rank"} else {}
    if method.kind == "rank":
        extra = {name: field for name, field in extra.items() if name not in method.options}
    options = {n: option for n, option in method.options.items() if n not in asked.settled}
    named = {name: parameter(name, {*taken, *extra}) for name in options}
    for name, option in options.items():
        extra[named[name]] = (bounded(option.annotation), option.default)
    made = create_model(
        f"{asked.__name__}_{method.kind}_{method.name.replace('-', '_')}",
        __base__=asked,
        __doc__=asked.__doc__,
        **extra,
    )
    made.method_name, made.method_options = method.name, named
    return made


def with_base(asked: type[Ask], usual: BaseOptions = USUAL) -> type[Ask]:
    """The same question with the options of base sets."""
    return create_model(asked.__name__, __base__=asked, __doc__=asked.__doc__, **base_fields(usual))


def parameter(name: str, taken: set[str]) -> str:
    """How a route calls an option of a method."""
    return f"method_{name}" if name in taken else name


def base_fields(usual: BaseOptions = USUAL) -> dict[str, Any]:
    """The options of a base set as parameters; a stop-list is one of ours, never a file."""
    kinds, made = get_type_hints(BaseOptions), dict[str, Any]()
    for told in fields(BaseOptions):
        if told.name == "stoplist":
            kind: Any = STOPLIST
        elif told.name in {"pages", "without"}:
            kind = Annotated[list[Pattern], Field(max_length=MOST_WORDS, **told.metadata)]
        else:
            kind = bounded(Annotated[kinds[told.name], Field(**told.metadata)])
        default = getattr(usual, told.name)
        made[told.name] = (kind, [] if isinstance(default, tuple) else default)
    return made


def bounded(annotation: Any) -> Any:
    """The type of an option with an end: numbers, words and lists that are not too long."""
    kind, field = annotation.__origin__, annotation.__metadata__[0]
    limits = {type(limit).__name__ for limit in field.metadata}
    if kind is int and not limits & {"Le", "Lt"}:
        return Annotated[annotation, Field(le=LARGEST)]
    if kind is float:
        return Annotated[annotation, Field(allow_inf_nan=False)]
    if kind is str:
        return Annotated[annotation, Field(max_length=LONGEST)]
    if getattr(kind, "__origin__", None) is list:
        return Annotated[annotation, Field(max_length=MOST_WORDS)]
    return annotation


def base_options(ask: Ask) -> BaseOptions:
    """The options of the base set that a question names; those of its method are not."""
    names = {told.name for told in fields(BaseOptions)} - set(ask.method_options.values())
    given: dict[str, Any] = {name: getattr(ask, name) for name in names}
    lists = {name: tuple(value) for name, value in given.items() if isinstance(value, list)}
    return BaseOptions(**{**given, **lists})
