"""What query parameters of routes share, as pydantic models; the others are by their handlers."""

from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model

import weft.classify  # these imports register the methods
import weft.communities
import weft.crawl
import weft.rank
import weft.similar
import weft.structure
import weft.topics  # noqa: F401
from weft.core.register import MAX_SAFE_INTEGER, Method, methods_of
from weft.graph.selection import (
    DEFAULT_SELECTION,
    EXCLUDE_TAG_HELP,
    ONLY_TAG_HELP,
    SELECTION_WORDS,
    UNCAPTURED_HELP,
    UNFILTERED_SELECTION,
    DropOrKeep,
    Level,
    Selection,
)
from weft.graph.selection import GraphFormat as GraphFileFormat
from weft.graph.selection import TableFormat as TableFileFormat
from weft.groups.groups import Snippets
from weft.store.search import MAX_QUERY_CHARS
from weft.structure.bowtie import REGIONS

if TYPE_CHECKING:
    RankMethod = str
    RegionName = str
    CommunityMethod = str
    TopicMethod = str
    ClassifyMethod = str
else:
    RankMethod = Literal[tuple(methods_of("rank"))]
    RegionName = Literal[tuple(REGIONS)]
    CommunityMethod = Literal[tuple(methods_of("communities"))]
    TopicMethod = Literal[tuple(methods_of("topics"))]
    ClassifyMethod = Literal[tuple(methods_of("classify"))]

MAX_ROWS, MAX_TABLE_ROWS = 500, 10_000
MAX_TRAINING_ROWS = 10_000
MAX_NODES, MAX_PATTERNS = 2000, 100
EMPTY_LIST: list[str] = []
NO_ROWS: list[tuple[str, str]] = []

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
ScoreName = Annotated[
    str, Field(max_length=50, description="score that orders the rows, if the method has several")
]
PictureWidth = Annotated[
    int, Field(ge=240, le=1280, description="width in pixels; labels keep their size")
]
PictureTitled = Annotated[bool, Field(description="whether the picture has its title")]
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
TrainingRows = Annotated[
    list[tuple[Url, Annotated[str, Field(min_length=1, max_length=200)]]],
    Field(min_length=1, max_length=MAX_TRAINING_ROWS, description="examples: URL and class"),
]
GroupNumber = Annotated[int, Field(ge=1, le=10**6, description="number of the group, from 1")]


class Params(BaseModel):
    """Base of all parameters; unknown ones are refused.

    `parameter_by_option` maps the options of a method to the parameters that
    set them; `reserved_options` are set by the route itself. The parameter
    `body_field`, if there is one, is in the body of a POST request.
    """

    model_config = ConfigDict(extra="forbid", defer_build=True)
    method_name: ClassVar[str] = ""
    method_kind: ClassVar[str] = ""
    parameter_by_option: ClassVar[dict[str, str]] = {}
    reserved_options: ClassVar[frozenset[str]] = frozenset()
    body_field: ClassVar[str] = ""

    @property
    def option_values(self) -> dict[str, Any]:
        """The options of the method by name."""
        return {
            name: getattr(self, parameter) for name, parameter in self.parameter_by_option.items()
        }


class NoParams(Params):
    """No parameters."""


class SelectionParams(Params):
    """The part of the collection to look at: the words of a `Selection`."""

    if TYPE_CHECKING:
        level: Level
        query: str

    @property
    def selection(self) -> Selection:
        """The selection; words that the method has as options are left to the method."""
        words = SELECTION_WORDS - set(self.parameter_by_option.values())
        values = {name: getattr(self, name) for name in words & set(type(self).model_fields)}
        tuples = {name: tuple(value) for name, value in values.items() if isinstance(value, list)}
        return Selection(**{**values, **tuples})


def selection_fields(defaults: Selection = DEFAULT_SELECTION) -> dict[str, Any]:
    """The words of a selection as pydantic fields.

    A stoplist is chosen by name: a request must not make the server read a file.
    """
    special = {"stoplist": StoplistName, "query": QueryText, "since": Date, "until": Date}
    types, result = get_type_hints(Selection), dict[str, Any]()
    for word in fields(Selection):
        if word.name in special:
            description = Field(description=word.metadata["description"])
            annotation: Any = Annotated[special[word.name], description]
        elif get_origin(types[word.name]) is tuple:
            annotation = Annotated[
                list[PatternText], Field(max_length=MAX_PATTERNS, **word.metadata)
            ]
        else:
            annotation = limit_option_type(Annotated[types[word.name], Field(**word.metadata)])
        default = getattr(defaults, word.name)
        result[word.name] = (annotation, [] if isinstance(default, tuple) else default)
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


if TYPE_CHECKING:

    class ViewParams(SelectionParams):
        """The words of a selection, with the defaults of `Selection`."""

    class UnfilteredViewParams(SelectionParams):
        """The words of a selection, whose default is without filters."""

else:
    ViewParams, UnfilteredViewParams = (
        create_model(
            name,
            __base__=SelectionParams,
            __doc__=SelectionParams.__doc__,
            **selection_fields(default),
        )
        for name, default in (
            ("ViewParams", DEFAULT_SELECTION),
            ("UnfilteredViewParams", UNFILTERED_SELECTION),
        )
    )


class RankingParams(ViewParams):
    """A slice of a ranking."""

    by: ScoreName = ""
    offset: Offset = 0
    top: Top = 50
    format: TableFormat = "json"


class PageParams(Params):
    """A page."""

    url: Url


class GroupsParams(ViewParams):
    """The part of the collection whose topics or communities are analysed."""

    uncaptured: Uncaptured = "drop"
    edited: Annotated[bool, Field(description="as people renamed, merged and hid them")] = True


class GroupDetailParams(GroupsParams):
    """How many pages of a group, and with which snippets."""

    top: TopPages = 10
    snippets: Annotated[Snippets, Field(description="groups whose pages get a snippet")] = "all"


class TopicsParams(GroupDetailParams):
    """How many topics."""

    topics: Annotated[int, Field(ge=1, le=100, description="number of topics")] = 20
    format: TableFormat = "json"


class CommunitiesParams(GroupsParams):
    """How many communities, and how many pages of each."""

    communities: Annotated[int, Field(ge=1, le=200, description="number of communities")] = 20
    top: TopPages = 5
    table: TableName = ""
    format: TableFormat = "json"


class StructureParams(ViewParams):
    """Tables and slice of a structure analysis."""

    table: TableName = ""
    offset: Offset = 0
    top: MaxTableRows = 100
    format: TableFormat = "json"


class UsageParams(Params):
    """Tables and slice of a usage analysis."""

    table: TableName = ""
    offset: Offset = 0
    top: MaxTableRows = 100
    format: TableFormat = "json"


class SimilarPagesParams(ViewParams):
    """A page, and how many similar pages."""

    url: Url
    reserved_options: ClassVar[frozenset[str]] = frozenset({"page", "top"})
    top: Top = 10
    format: TableFormat = "json"


class SuggestedLinksParams(ViewParams):
    """A page, and how many links to suggest."""

    url: Url
    reserved_options: ClassVar[frozenset[str]] = SimilarPagesParams.reserved_options
    top: Annotated[int, Field(ge=1, le=100, description="number of links in each direction")] = 5
    format: TableFormat = "json"


class ClassifyParams(Params):
    """The examples to learn from, and a slice of the pages that are classified."""

    body_field: ClassVar[str] = "train"
    train: TrainingRows = NO_ROWS
    facet: Annotated[
        str,
        Field(
            max_length=40,
            pattern=r"^([a-z][a-z0-9_-]{0,39})?$",
            description="without examples: learn the tags of this facet",
        ),
    ] = ""
    of_class: Annotated[
        str, Field(max_length=200, description="list the pages of this class, best first")
    ] = ""
    only_tag: Annotated[
        list[PatternText], Field(max_length=MAX_PATTERNS, description=ONLY_TAG_HELP)
    ] = EMPTY_LIST
    exclude_tag: Annotated[
        list[PatternText], Field(max_length=MAX_PATTERNS, description=EXCLUDE_TAG_HELP)
    ] = EMPTY_LIST
    reasons: Annotated[bool, Field(description="add words, neighbours and anchors")] = False
    summary: Annotated[
        bool, Field(description="add shares of classes, and what may bias the estimate")
    ] = False
    offset: Offset = 0
    top: Top = 50
    format: TableFormat = "json"


def params_for_method(params_class: type[Params], method: Method) -> type[Params]:
    """Add the options of a method to the parameters.

    An option takes the place of a word of the selection of the same name; one
    whose name the route uses is prefixed with `method_`.
    """
    taken = set(params_class.model_fields) - SELECTION_WORDS
    options = {
        name: option
        for name, option in method.options.items()
        if name not in params_class.reserved_options
    }
    parameter_by_option = {name: f"method_{name}" if name in taken else name for name in options}
    extra: dict[str, Any] = {
        parameter_by_option[name]: (limit_option_type(option.annotation), option.default)
        for name, option in options.items()
    }
    model = create_model(
        f"{params_class.__name__}_{method.kind}_{method.name.replace('-', '_')}",
        __base__=params_class,
        __doc__=params_class.__doc__,
        **extra,
    )
    model.method_name, model.method_kind = method.name, method.kind
    model.parameter_by_option = parameter_by_option
    return model
