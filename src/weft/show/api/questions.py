"""What can be asked of the whole graph, of its groups of pages, and of a page among the others."""

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field

from weft.core.methods import METHODS
from weft.show.api.asks import (
    MOST_ROWS,
    MOST_WORDS,
    Ask,
    AtLevel,
    Few,
    Format,
    Nodes,
    Offset,
    Page,
    Pattern,
    Shape,
    Top,
    Url,
    View,
)
from weft.structure.bowtie import REGIONS

MOST_CELLS = 10_000
NONE: list[str] = []
TableName = Annotated[
    str, Field(max_length=100, description="this table alone; as a file, the first without a name")
]
Rows = Annotated[int, Field(ge=1, le=MOST_CELLS, description="how many rows of each table")]
Expected = Annotated[
    list[Pattern],
    Field(max_length=MOST_WORDS, description="words and addresses that are expected anyway"),
]
Keywords = Annotated[
    list[Pattern],
    Field(max_length=10, description="words to look for on their site, as for search"),
]
Site = Annotated[
    str, Field(min_length=1, max_length=4000, description="a host, a domain or a folder")
]
Number = Annotated[int, Field(ge=1, le=10**6, description="which community, from one")]
if TYPE_CHECKING:
    RegionName = str
    GroupName = str
else:
    RegionName = Literal[tuple(REGIONS)]
    GroupName = Literal[tuple(name for kind, name in METHODS if kind == "communities")]


class Described(View):
    """What of a description to give."""

    table: TableName = ""
    offset: Offset = 0
    top: Rows = 100
    format: Format = "json"


class Pictured(View):
    """Which picture."""

    picture: Annotated[str, Field(max_length=50, description="its name; without one the first")] = (
        ""
    )


class Placed(View):
    """Whose place."""

    url: Url


class PageGroups(Placed):
    """Whose communities, and whether they may have to be found."""

    kept: Annotated[
        bool,
        Field(description="only if they were found before; else they are not known"),
    ] = False


class Region(View):
    """Which part of the bow-tie."""

    region: Annotated[RegionName, Field(description="the region")] = "core"
    offset: Offset = 0
    top: Top = 50
    format: Format = "json"


class Groups(View):
    """How much of how many communities."""

    communities: Annotated[int, Field(ge=1, le=200, description="how many communities")] = 20
    top: Few = 5
    table: TableName = ""
    format: Format = "json"


class OneGroup(View):
    """Which community, and which of its members."""

    community: Number = 1
    offset: Offset = 0
    top: Top = 50
    format: Format = "json"


class GroupLinks(View):
    """From which community to which."""

    community: Number = 1
    other: Annotated[Number, Field(description="where the links lead, from one")] = 1
    offset: Offset = 0
    top: Top = 50
    format: Format = "json"


class Agreeing(View):
    """With which other method to compare."""

    other: Annotated[GroupName, Field(description="another method, with its usual options")]


class GroupMap(View):
    """Which community to draw."""

    community: Annotated[int, Field(ge=0, le=10**6, description="from one; 0: all together")] = 0
    nodes: Nodes = 300
    format: Shape = "json"


class Nearby(Page):
    """How many pages like it."""

    settled: ClassVar[frozenset[str]] = frozenset({"page", "top"})
    level: AtLevel = "page"
    top: Top = 10
    format: Format = "json"


class Missing(Page):
    """How many links it lacks."""

    settled: ClassVar[frozenset[str]] = Nearby.settled
    level: AtLevel = "page"
    top: Annotated[int, Field(ge=1, le=100, description="how many links each way")] = 5
    format: Format = "json"


class Sites(Ask):
    """Which sites to compare, and what is expected anyway."""

    mine: Site
    theirs: Site
    known: Expected = NONE
    keywords: Keywords = NONE
    top: Annotated[int, Field(ge=1, le=MOST_ROWS, description="how many rows of each table")] = 20
    threshold: Annotated[
        float,
        Field(ge=0, le=1, allow_inf_nan=False, description="least cosine of pages that match"),
    ] = 0.2
    least: Annotated[
        int, Field(ge=1, le=10**6, description="fewest terms of a page that may be unexpected")
    ] = 20
    table: TableName = ""
    format: Format = "json"
