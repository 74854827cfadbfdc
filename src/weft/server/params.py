"""The query parameters of every route, as pydantic models."""

from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model

import weft.communities  # these imports register the methods
import weft.rank
import weft.similar
import weft.structure
import weft.topics  # noqa: F401
from weft.core.register import METHODS, Method
from weft.core.validation import MAX_SAFE_INTEGER
from weft.graph.baseset.options import (
    BETWEEN_HELP,
    DEFAULT_OPTIONS,
    UNCAPTURED_HELP,
    BaseOptions,
    Between,
    DropOrKeep,
    Level,
    LinkDirection,
)
from weft.server.downloads import GraphFileFormat, TableFileFormat
from weft.store.collection import MAX_SEARCH_RESULTS
from weft.store.query import MAX_QUERY_CHARS
from weft.structure.bowtie import REGIONS
from weft.workspace.explain import GroupBy

if TYPE_CHECKING:
    RankMethod = str
    RegionName = str
    CommunityMethod = str
else:
    RankMethod = Literal[tuple(name for kind, name in METHODS if kind == "rank")]
    RegionName = Literal[tuple(REGIONS)]
    CommunityMethod = Literal[tuple(name for kind, name in METHODS if kind == "communities")]

MAX_ROWS, MAX_TABLE_ROWS = 500, 10_000
MAX_NODES, MAX_PATTERNS = 1000, 100
EMPTY_LIST: list[str] = []

QueryText = Annotated[
    str,
    Field(
        max_length=MAX_QUERY_CHARS,
        description='words, "phrases", prefix*, AND OR NOT -, site: lang:',
    ),
]
Url = Annotated[
    str, Field(min_length=1, max_length=4000, description="URL of a page, or a host or domain")
]
Top = Annotated[int, Field(ge=1, le=MAX_ROWS, description="number of rows")]
TopPages = Annotated[int, Field(ge=1, le=50, description="number of authorities and hubs of each")]
Offset = Annotated[int, Field(ge=0, le=10**9, description="number of rows to skip")]
Date = Annotated[
    str,
    Field(
        max_length=10,
        pattern=r"^(\d{4}(-\d{2}(-\d{2})?)?)?$",
        description="such as 2004, 2004-05 or 2004-05-31",
    ),
]
LevelParam = Annotated[Level, Field(description="level of the graph: what a node is")]
Uncaptured = Annotated[DropOrKeep, Field(description=UNCAPTURED_HELP)]
PatternText = Annotated[str, Field(min_length=1, max_length=500)]
ExcludePatterns = Annotated[
    list[PatternText],
    Field(max_length=MAX_PATTERNS, description="hosts or URL patterns with * and ? to exclude"),
]
MaxNodes = Annotated[int, Field(ge=1, le=MAX_NODES, description="maximum number of nodes")]
ScoreName = Annotated[
    str, Field(max_length=50, description="score that orders the rows, if the method has several")
]
TableFormat = Annotated[
    Literal["json"] | TableFileFormat, Field(description="JSON, or the rows as a file")
]
GraphFormat = Annotated[
    Literal["json"] | GraphFileFormat, Field(description="JSON, or the links as a file")
]
StoplistName = Annotated[
    Literal["default", "none"], Field(description="exclude portals, counters and advertisers")
]
TableName = Annotated[
    str, Field(max_length=100, description="only this table; default: all, or the first as a file")
]
MaxTableRows = Annotated[
    int, Field(ge=1, le=MAX_TABLE_ROWS, description="number of rows of each table")
]
ExpectedTerms = Annotated[
    list[PatternText],
    Field(max_length=MAX_PATTERNS, description="words and addresses that are expected"),
]
SiteKeywords = Annotated[
    list[PatternText],
    Field(max_length=10, description="keywords to search for on their site"),
]
SiteName = Annotated[
    str, Field(min_length=1, max_length=4000, description="a host, a domain, or a folder of one")
]
CommunityNumber = Annotated[
    int, Field(ge=1, le=10**6, description="number of the community, from 1")
]


class Params(BaseModel):
    """Base of all parameters; unknown ones are refused.

    `parameter_by_option` maps the options of a method to the parameters that
    set them; `reserved_options` are set by the route itself.
    """

    model_config = ConfigDict(extra="forbid", defer_build=True)
    method_name: ClassVar[str] = ""
    parameter_by_option: ClassVar[dict[str, str]] = {}
    reserved_options: ClassVar[frozenset[str]] = frozenset()

    @property
    def option_values(self) -> dict[str, Any]:
        """The options of the method by name."""
        return {
            name: getattr(self, parameter) for name, parameter in self.parameter_by_option.items()
        }


class NoParams(Params):
    """No parameters."""


class SearchParams(Params):
    """Query, time range and slice of a search."""

    query: Annotated[QueryText, Field(min_length=1)]
    offset: Annotated[
        int, Field(ge=0, le=MAX_SEARCH_RESULTS - MAX_ROWS, description="number of hits to skip")
    ] = 0
    top: Top = 10
    since: Date = ""
    until: Date = ""
    format: TableFormat = "json"


class ViewParams(Params):
    """The part of the collection to analyse."""

    level: LevelParam = "page"
    query: QueryText = ""
    exclude: ExcludePatterns = []
    between: Annotated[Between, Field(description=BETWEEN_HELP)] = "auto"


class RankingParams(ViewParams):
    """A slice of a ranking."""

    by: ScoreName = ""
    offset: Offset = 0
    top: Top = 50
    format: TableFormat = "json"


class ScoreExplanationParams(ViewParams):
    """The page whose score is explained."""

    url: Url
    by: ScoreName = ""
    group: Annotated[
        GroupBy, Field(description="sum by linking page, its site, or anchor text")
    ] = "page"
    top: Top = 20


RankMethods = Annotated[
    list[RankMethod], Field(max_length=10, description="methods; none: the default ones")
]


class RankingComparisonParams(ViewParams):
    """The methods to compare."""

    method: RankMethods = []
    by: ScoreName = ""
    top: Annotated[int, Field(ge=1, le=MAX_ROWS, description="k of the top-k measures")] = 10


class PageScoresParams(ViewParams):
    """A page, and the methods that score it."""

    url: Url
    method: RankMethods = []


class PageParams(Params):
    """A page."""

    url: Url


class PageLinksParams(PageParams):
    """Direction and slice of the links of a page."""

    direction: Annotated[LinkDirection, Field(description="in-links or out-links")] = "in"
    offset: Offset = 0
    top: Top = 50
    format: TableFormat = "json"


class KnownForParams(PageParams):
    """A page, and the pages on which its terms are looked for."""

    query: QueryText = ""
    min_pages: Annotated[
        int, Field(ge=1, le=10**6, description="minimum number of pages of a term")
    ] = 2
    top: Top = 20


class NeighbourhoodDrawingParams(PageParams):
    """A page and the size of the drawing around it."""

    nodes: MaxNodes = 150
    format: GraphFormat = "json"


class LevelDrawingParams(Params):
    """Level and size of a drawing of the whole graph."""

    level: LevelParam = "host"
    nodes: MaxNodes = 300
    format: GraphFormat = "json"


MethodKind = Literal["rank", "topics", "structure", "communities", "similar", "suggest"]


class MethodCardParams(Params):
    """Kind and name of a method."""

    kind: Annotated[MethodKind, Field(description="kind of the method")]
    name: Annotated[str, Field(max_length=50, description="name of the method")]


class LevelParams(Params):
    """A level of the graph."""

    level: LevelParam = "page"


class HostsParams(Params):
    """Order and slice of the hosts."""

    by: Annotated[
        Literal["pages", "uncaptured"],
        Field(description="order by pages, or by pages linked but not captured"),
    ] = "pages"
    offset: Offset = 0
    top: Top = 50


class ExportEdgesParams(Params):
    """Level, time range and format of exported links."""

    format: Annotated[GraphFileFormat, Field(description="file format")] = "csv"
    level: LevelParam = "page"
    since: Date = ""
    until: Date = ""


class ExportPagesParams(Params):
    """Time range and format of exported pages."""

    format: Annotated[TableFileFormat, Field(description="file format")] = "csv"
    since: Date = ""
    until: Date = ""


class TopicDetailParams(Params):
    """How many pages of a topic, and with which snippets."""

    top: TopPages = 10
    snippets: Annotated[
        Literal["first", "all", "none"],
        Field(description="topics whose pages get a snippet"),
    ] = "first"


class TopicParams(TopicDetailParams):
    """One topic of a query."""

    query: QueryText = ""
    level: LevelParam = "page"
    uncaptured: Uncaptured = "drop"
    topic: Annotated[int, Field(ge=1, le=10_000, description="number of the topic, from 1")] = 1


class TopicsParams(TopicDetailParams):
    """The query, and how many of its topics."""

    query: QueryText = ""
    level: LevelParam = "page"
    uncaptured: Uncaptured = "drop"
    topics: Annotated[int, Field(ge=1, le=100, description="number of topics")] = 20
    format: TableFormat = "json"


class TopicRowsParams(Params):
    """A slice of the rows of a topic."""

    query: QueryText = ""
    level: LevelParam = "page"
    uncaptured: Uncaptured = "drop"
    topic: Annotated[int, Field(ge=1, le=10_000, description="number of the topic, from 1")] = 1
    offset: Offset = 0
    top: Top = 50
    format: TableFormat = "json"


class TopicMembersParams(TopicRowsParams):
    """A slice of the pages of a topic, ordered by a score."""

    by: Annotated[Literal["authority", "hub"], Field(description="score that orders the pages")] = (
        "authority"
    )


class TopicDrawingParams(Params):
    """The topic to draw, or all of them."""

    query: QueryText = ""
    level: LevelParam = "page"
    uncaptured: Uncaptured = "drop"
    topic: Annotated[
        int, Field(ge=0, le=10_000, description="number of the topic; 0: all topics")
    ] = 1
    nodes: MaxNodes = 300
    format: GraphFormat = "json"


class TopicReportParams(Params):
    """The query of a report, and its length."""

    query: QueryText = ""
    level: LevelParam = "page"
    uncaptured: Uncaptured = "drop"
    top: TopPages = 10
    topics: Annotated[int, Field(ge=1, le=100, description="number of topics")] = 10


class PageTopicsParams(Params):
    """A page, and the query whose topics are searched for it."""

    url: Url
    query: QueryText = ""
    level: LevelParam = "page"
    uncaptured: Uncaptured = "drop"


class StructureParams(ViewParams):
    """Tables and slice of a structure analysis."""

    table: TableName = ""
    offset: Offset = 0
    top: MaxTableRows = 100
    format: TableFormat = "json"


class PictureParams(ViewParams):
    """A picture of a structure analysis."""

    picture: Annotated[
        str, Field(max_length=50, description="name of the picture; default: the first")
    ] = ""
    width: Annotated[
        int, Field(ge=240, le=1280, description="width in pixels; labels keep their size")
    ] = 640
    titled: Annotated[bool, Field(description="whether the picture has its title")] = True


class PageRegionParams(ViewParams):
    """The page whose region is explained."""

    url: Url


class PageCommunitiesParams(PageRegionParams):
    """A page, and whether its communities may be computed."""

    uncaptured: Uncaptured = "drop"

    cached_only: Annotated[
        bool,
        Field(description="use only communities that were computed before"),
    ] = False


class RegionPagesParams(ViewParams):
    """A slice of a region of the bow-tie."""

    region: Annotated[RegionName, Field(description="region of the bow-tie")] = "core"
    offset: Offset = 0
    top: Top = 50
    format: TableFormat = "json"


class CommunityViewParams(ViewParams):
    """The part of the collection whose communities are analysed."""

    uncaptured: Uncaptured = "drop"


class CommunitiesParams(CommunityViewParams):
    """How many communities, and how many pages of each."""

    communities: Annotated[int, Field(ge=1, le=200, description="number of communities")] = 20
    top: TopPages = 5
    table: TableName = ""
    format: TableFormat = "json"


class CommunityParams(CommunityViewParams):
    """A community and a slice of its members."""

    community: CommunityNumber = 1
    offset: Offset = 0
    top: Top = 50
    format: TableFormat = "json"


class CommunityLinksParams(CommunityViewParams):
    """A slice of the links between two communities."""

    community: CommunityNumber = 1
    other: Annotated[
        CommunityNumber, Field(description="number of the target community, from 1")
    ] = 1
    offset: Offset = 0
    top: Top = 50
    format: TableFormat = "json"


class AgreementParams(CommunityViewParams):
    """The method to compare with."""

    other: Annotated[CommunityMethod, Field(description="another method, with default options")]


class CommunityDrawingParams(CommunityViewParams):
    """The community to draw, or all of them."""

    community: Annotated[
        int, Field(ge=0, le=10**6, description="number of the community; 0: all")
    ] = 0
    nodes: MaxNodes = 300
    format: GraphFormat = "json"


class SimilarPagesParams(PageParams):
    """A page, and how many similar pages."""

    reserved_options: ClassVar[frozenset[str]] = frozenset({"page", "top"})
    level: LevelParam = "page"
    top: Top = 10
    format: TableFormat = "json"


class SuggestedLinksParams(PageParams):
    """A page, and how many links to suggest."""

    reserved_options: ClassVar[frozenset[str]] = SimilarPagesParams.reserved_options
    level: LevelParam = "page"
    top: Annotated[int, Field(ge=1, le=100, description="number of links in each direction")] = 5
    format: TableFormat = "json"


class CompareSitesParams(Params):
    """The two sites to compare, and what is expected on theirs."""

    mine: SiteName
    theirs: SiteName
    known: ExpectedTerms = EMPTY_LIST
    keywords: SiteKeywords = EMPTY_LIST
    top: Annotated[int, Field(ge=1, le=MAX_ROWS, description="number of rows of each table")] = 20
    threshold: Annotated[
        float,
        Field(
            ge=0,
            le=1,
            allow_inf_nan=False,
            description="minimum cosine similarity of matching pages",
        ),
    ] = 0.2
    min_terms: Annotated[
        int, Field(ge=1, le=10**6, description="minimum terms of an unexpected page")
    ] = 20
    table: TableName = ""
    format: TableFormat = "json"


def params_for_method(params_class: type[Params], method: Method) -> type[Params]:
    """Add the options of a method, and of its base set if it has one, to the parameters.

    An option whose name is taken is prefixed with `method_`. Options of rankings
    never are: the base set takes them from the method.
    """
    own_fields = dict(params_class.model_fields)
    extra: dict[str, Any] = base_option_fields() if method.kind in {"topics", "rank"} else {}
    if method.kind == "rank":
        extra = {name: field for name, field in extra.items() if name not in method.options}
    options = {
        name: option
        for name, option in method.options.items()
        if name not in params_class.reserved_options
    }
    parameter_by_option = {name: parameter_name(name, {*own_fields, *extra}) for name in options}
    for name, option in options.items():
        extra[parameter_by_option[name]] = (limit_option_type(option.annotation), option.default)
    model = create_model(
        f"{params_class.__name__}_{method.kind}_{method.name.replace('-', '_')}",
        __base__=params_class,
        __doc__=params_class.__doc__,
        **extra,
    )
    model.method_name, model.parameter_by_option = method.name, parameter_by_option
    return model


def add_base_options(
    params_class: type[Params], defaults: BaseOptions = DEFAULT_OPTIONS
) -> type[Params]:
    """Add the options of base sets to the parameters."""
    return create_model(
        params_class.__name__,
        __base__=params_class,
        __doc__=params_class.__doc__,
        **base_option_fields(defaults),
    )


def parameter_name(name: str, taken: set[str]) -> str:
    """The parameter for an option of a method: its name, with a prefix if that is taken."""
    return f"method_{name}" if name in taken else name


def base_option_fields(defaults: BaseOptions = DEFAULT_OPTIONS) -> dict[str, Any]:
    """The options of a base set as pydantic fields.

    A stoplist is chosen by name: a request must not make the server read a file.
    """
    types, result = get_type_hints(BaseOptions), dict[str, Any]()
    for option in fields(BaseOptions):
        if option.name == "stoplist":
            annotation: Any = StoplistName
        elif option.name in {"pages", "exclude"}:
            annotation = Annotated[
                list[PatternText], Field(max_length=MAX_PATTERNS, **option.metadata)
            ]
        else:
            annotation = limit_option_type(Annotated[types[option.name], Field(**option.metadata)])
        default = getattr(defaults, option.name)
        result[option.name] = (annotation, [] if isinstance(default, tuple) else default)
    return result


def limit_option_type(annotation: Any) -> Any:
    """Limit the type of an option: finite numbers, texts and lists of bounded length."""
    value_type, field = annotation.__origin__, annotation.__metadata__[0]
    limits = {type(limit).__name__ for limit in field.metadata}
    if value_type is int and not limits & {"Le", "Lt"}:
        return Annotated[annotation, Field(le=MAX_SAFE_INTEGER)]
    if value_type is float:
        return Annotated[annotation, Field(allow_inf_nan=False)]
    if value_type is str:
        return Annotated[annotation, Field(max_length=MAX_QUERY_CHARS)]
    if getattr(value_type, "__origin__", None) is list:
        return Annotated[annotation, Field(max_length=MAX_PATTERNS)]
    return annotation


def extract_base_options(params: Params) -> BaseOptions:
    """The base set options among the parameters; those of the method are left out."""
    names = {option.name for option in fields(BaseOptions)}
    names -= set(params.parameter_by_option.values())
    values: dict[str, Any] = {name: getattr(params, name) for name in names}
    tuples = {name: tuple(value) for name, value in values.items() if isinstance(value, list)}
    return BaseOptions(**{**values, **tuples})
