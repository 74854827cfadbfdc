"""`Selection`: which part of a collection is looked at, in the words of every interface."""

from dataclasses import asdict, dataclass, field, fields, replace
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

from weft.core.register import check_options, options_model

if TYPE_CHECKING:
    from pydantic import BaseModel

    from weft.store.search import TimeRange

Level = Literal["page", "host", "domain", "entity"]
Between = Literal["auto", "any", "page", "host", "domain", "site"]
LinkDirection = Literal["in", "out"]
Direction = Literal["both", "in", "out"]
ExportKind = Literal[
    "edges",
    "pages",
    "hosts",
    "domains",
    "anchors",
    "text",
    "captures",
    "topics",
    # derivatives of the Archives Unleashed Toolkit
    "web-pages",
    "web-graph",
    "domain-graph",
    "domain-frequency",
    "plain-text",
]
TableFormat = Literal["csv", "tsv", "parquet", "jsonl"]
GraphFormat = Literal["csv", "tsv", "parquet", "jsonl", "gexf", "graphml"]
GroupKindOrNone = Literal["auto", "topics", "communities", "none"]
EXPORT_HELP = {
    "what": "what a row is; the last five as in the Archives Unleashed Toolkit",
    "rank": "a column with the scores of this method; may be repeated",
    "group": "a column with the group of a page; auto: communities in drawings",
    "search": "only what this search finds: words, site: lang: tag:",
}
DropOrKeep = Literal["drop", "keep"]
ONLY_TAG_HELP = "only pages with this tag, FACET=VALUE; may be repeated"
EXCLUDE_TAG_HELP = "leave out pages with this tag, FACET=VALUE; may be repeated"
UNCAPTURED_HELP = "pages linked but not captured: drop: no members, listed apart; or keep"
BETWEEN_HELP = (
    "links that count: between different ones; auto: domains, if enough remain; any: self-links too"
)
MirrorRule = Literal["drop", "redirect", "links", "keep"]
Sampling = Literal["shared", "random", "first"]
RootRule = Literal["diverse", "first"]
StoplistDrops = Literal["pages", "links"]


def option_metadata(description: str, **bounds: int) -> dict[str, Any]:
    """The description and range of an option, which all interfaces show."""
    return {"description": description, **bounds}


@dataclass(frozen=True, slots=True)
class Selection:
    """Which part of a collection is looked at.

    The level; the whole graph, or the base set of a query or of some pages, and
    how that is expanded; which pages are left out and which links count; the
    time of capture. With both a query and pages the base set is that of the
    pages, and the words of the query count in methods that read texts. The same
    words, with the same ranges, are keywords in the library, options of
    commands and parameters of the API.
    """

    level: Level = field(default="page", metadata=option_metadata("what a node of the graph is"))
    query: str = field(
        default="", metadata=option_metadata("only the base set of this search query")
    )
    since: str = field(
        default="", metadata=option_metadata("captures on or after this date, such as 2004-05")
    )
    until: str = field(default="", metadata=option_metadata("captures before this date"))
    root_size: int = field(
        default=200,
        metadata=option_metadata(
            "results to start from: the first N, and in topics N spread over sites", ge=1, le=10000
        ),
    )
    roots: RootRule | None = field(
        default=None,
        metadata=option_metadata(
            "which results are roots: diverse: spread over sites; first; in rankings first"
        ),
    )
    pages: tuple[str, ...] = field(
        default=(),
        metadata=option_metadata("start from these URLs instead of a search; may be repeated"),
    )
    steps: int = field(
        default=1,
        metadata=option_metadata("expansion steps along links in both directions", ge=0, le=5),
    )
    max_inlinks: int = field(
        default=50, metadata=option_metadata("add at most N of the pages that link to a page", ge=0)
    )
    sampling: Sampling = field(
        default="shared",
        metadata=option_metadata(
            "how inlinks are chosen: one sample for all pages, one per page, or the first"
        ),
    )
    selective: int = field(
        default=0,
        metadata=option_metadata(
            "expand the N best hubs and N best authorities only; 0: all roots", ge=0
        ),
    )
    between: Between = field(default="auto", metadata=option_metadata(BETWEEN_HELP))
    per_domain: int | None = field(
        default=None,
        metadata=option_metadata(
            "count at most N links from a domain to a page; 0: all; default 6, in rankings all",
            ge=0,
            le=10**6,
        ),
    )
    stoplist: str = field(
        default="default",
        metadata=option_metadata(
            "leave out portals, counters, advertisers: default, none, or a file of patterns"
        ),
    )
    stoplist_drops: StoplistDrops = field(
        default="pages",
        metadata=option_metadata("drop the pages on the stop-list, or only the links to them"),
    )
    exclude: tuple[str, ...] = field(
        default=(),
        metadata=option_metadata("leave out these hosts or URL patterns with *; may be repeated"),
    )
    only_tag: tuple[str, ...] = field(
        default=(),
        metadata=option_metadata(ONLY_TAG_HELP),
    )
    exclude_tag: tuple[str, ...] = field(
        default=(),
        metadata=option_metadata(EXCLUDE_TAG_HELP),
    )
    mirrors: MirrorRule = field(
        default="drop",
        metadata=option_metadata(
            "mirrors of other pages; redirect: their inlinks go to the original; "
            "links: found by links alone"
        ),
    )
    nofollow: DropOrKeep = field(
        default="drop", metadata=option_metadata("links marked nofollow, sponsored or ugc")
    )
    boilerplate: DropOrKeep = field(
        default="drop",
        metadata=option_metadata("links on most pages of a site: count them once, or all"),
    )
    seed: int = field(
        default=0, metadata=option_metadata("seed of the sample of inlinks", ge=0, le=2**63)
    )

    @property
    def has_base_set(self) -> bool:
        """Whether it is the base set of a query or of some pages, not a whole graph."""
        return bool(self.query or self.pages)

    @property
    def has_dates(self) -> bool:
        """Whether it is limited to a time of capture."""
        return bool(self.since or self.until)

    @property
    def has_tags(self) -> bool:
        """Whether it is limited to pages with or without some tags."""
        return bool(self.only_tag or self.exclude_tag)

    @property
    def time_range(self) -> "TimeRange":
        """The dates as a range of time."""
        from weft.store.search import TimeRange  # noqa: PLC0415  loads the search index

        return TimeRange.from_dates(self.since, self.until)

    def with_defaults(self, per_domain: int, roots: RootRule) -> "Selection":
        """The selection with defaults for `per_domain` and `roots` where they are not set."""
        return replace(
            self,
            per_domain=per_domain if self.per_domain is None else self.per_domain,
            roots=self.roots or roots,
        )

    def for_topics(self) -> "Selection":
        """The selection with the defaults for topics."""
        return self.with_defaults(DEFAULT_PER_DOMAIN, "diverse")

    def for_rankings(self) -> "Selection":
        """The selection with the defaults for everything but topics.

        No limit on the pages of a domain: methods that need one weigh the pages
        of a host themselves.
        """
        return self.with_defaults(0, "first")

    def changed_words(self, default: "Selection") -> list[str]:
        """The words that differ from the defaults."""
        names = [field.name for field in fields(self)]
        return [name for name in names if getattr(self, name) != getattr(default, name)]

    def with_changes(self, **changes: Any) -> "Selection":
        """The selection with some words changed; every value is validated."""
        return Selection(**check_options("selection", selection_model(), asdict(self) | changes))


DEFAULT_SELECTION = Selection()
DEFAULT_PER_DOMAIN = 6
UNFILTERED_SELECTION = Selection(
    per_domain=0, stoplist="none", mirrors="keep", nofollow="keep", boilerplate="keep"
)


@cache
def selection_model() -> "type[BaseModel]":
    """A pydantic model of the words, for validation and JSON schema."""
    from pydantic import Field  # noqa: PLC0415  only needed where options are validated

    types = get_type_hints(Selection)
    model_fields = {
        option.name: (Annotated[types[option.name], Field(**option.metadata)], option.default)
        for option in fields(Selection)
    }
    return options_model("Selection", model_fields)


SELECTION_WORDS = frozenset(option.name for option in fields(Selection))
# Words about how a base set is expanded, and about which links of it count.
EXPANSION_WORDS = frozenset(
    {"root_size", "roots", "steps", "max_inlinks", "sampling", "selective", "seed"}
)
BASE_SET_WORDS = SELECTION_WORDS - {
    "level",
    "query",
    "since",
    "until",
    "exclude",
    "only_tag",
    "exclude_tag",
    "between",
}
