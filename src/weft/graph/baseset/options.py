"""The options of a base set: names, defaults, ranges and descriptions."""

from dataclasses import asdict, dataclass, field, fields, replace
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

from weft.core.validation import check_options, options_model

if TYPE_CHECKING:
    from pydantic import BaseModel

Level = Literal["page", "host", "domain"]
Between = Literal["auto", "any", "page", "host", "domain", "site"]
LinkDirection = Literal["in", "out"]
Direction = Literal["both", "in", "out"]
ExportKind = Literal["edges", "pages"]
DropOrKeep = Literal["drop", "keep"]
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
class BaseOptions:
    """How a base set is built: its roots, its expansion, and what it leaves out.

    `options_schema` gives the options and their ranges as a pydantic model.
    """

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
        default=50,
        metadata=option_metadata("add at most N of the pages that link to a page", ge=0),
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
    between: Between = field(
        default="auto",
        metadata=option_metadata(BETWEEN_HELP),
    )
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
    mirrors: MirrorRule = field(
        default="drop",
        metadata=option_metadata(
            "mirrors of other pages; redirect: their inlinks go to the original; "
            "links: found by links alone"
        ),
    )
    nofollow: DropOrKeep = field(
        default="drop",
        metadata=option_metadata("links marked nofollow, sponsored or ugc"),
    )
    boilerplate: DropOrKeep = field(
        default="drop",
        metadata=option_metadata("links on most pages of a site: count them once, or all"),
    )
    seed: int = field(
        default=0,
        metadata=option_metadata("seed of the sample of inlinks", ge=0, le=2**63),
    )

    def with_defaults(self, per_domain: int, roots: RootRule) -> "BaseOptions":
        """These options with defaults for `per_domain` and `roots` where they are not set."""
        return replace(
            self,
            per_domain=per_domain if self.per_domain is None else self.per_domain,
            roots=self.roots or roots,
        )

    def for_topics(self) -> "BaseOptions":
        """These options with the defaults for topics."""
        return self.with_defaults(DEFAULT_PER_DOMAIN, "diverse")

    def for_rankings(self) -> "BaseOptions":
        """These options with the defaults for rankings.

        No limit on the pages of a domain: methods that need one weigh the pages
        of a host themselves.
        """
        return self.with_defaults(0, "first")

    def changed_options(self, default: "BaseOptions") -> list[str]:
        """The names of the options that differ from the defaults."""
        names = [field.name for field in fields(self)]
        return [name for name in names if getattr(self, name) != getattr(default, name)]

    def with_changes(self, **changes: Any) -> "BaseOptions":
        """These options with some changed; every value is validated."""
        return BaseOptions(
            **check_options("base set", base_options_model(), asdict(self) | changes)
        )


DEFAULT_OPTIONS = BaseOptions()
DEFAULT_PER_DOMAIN = 6
UNFILTERED_OPTIONS = BaseOptions(
    per_domain=0, stoplist="none", mirrors="keep", nofollow="keep", boilerplate="keep"
)


@cache
def base_options_model() -> "type[BaseModel]":
    """A pydantic model of the options, for validation and JSON schema."""
    from pydantic import Field  # noqa: PLC0415  only needed where options are validated

    types = get_type_hints(BaseOptions)
    model_fields = {
        option.name: (Annotated[types[option.name], Field(**option.metadata)], option.default)
        for option in fields(BaseOptions)
    }
    return options_model("BaseOptions", model_fields)
