"""The options of a base set: each name, range and meaning, once."""

from dataclasses import asdict, dataclass, field, fields, replace
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

from weft.core.validate import check_options, options_model

if TYPE_CHECKING:
    from pydantic import BaseModel

Level = Literal["page", "host", "domain"]
Between = Literal["auto", "any", "page", "host", "domain", "site"]
End = Literal["in", "out"]
Direction = Literal["both", "in", "out"]
What = Literal["edges", "pages"]
Choice = Literal["drop", "keep"]
BETWEEN = (
    "count links between different ones; auto: domains, unless few links are left; "
    "any: also links of pages to themselves"
)
Mirrored = Literal["drop", "redirect", "links", "keep"]
Sampling = Literal["shared", "random", "first"]
Stop = Literal["pages", "links"]


def told(description: str, **limits: int) -> dict[str, Any]:
    """What an option means and how far it goes, for every door to show."""
    return {"description": description, **limits}


@dataclass(frozen=True, slots=True)
class BaseOptions:
    """How a base set is made: where it starts, how it grows, what it leaves out.

    `schema` gives the same options with their ranges as a pydantic model.
    """

    root: int = field(
        default=200, metadata=told("start from the first N pages of the search", ge=1, le=10000)
    )
    pages: tuple[str, ...] = field(
        default=(),
        metadata=told("start from these pages instead of a search, by URL; may be repeated"),
    )
    steps: int = field(
        default=1, metadata=told("follow links in both directions N times", ge=0, le=5)
    )
    inlinks: int = field(
        default=50, metadata=told("bring in at most N of the pages that link to a page", ge=0)
    )
    sampling: Sampling = field(
        default="shared",
        metadata=told(
            "which pages that link to one come in: one draw for all pages, one for each, the first"
        ),
    )
    selective: int = field(
        default=0,
        metadata=told(
            "grow only around the N best hubs and N best authorities; 0: around all", ge=0
        ),
    )
    between: Between = field(
        default="auto",
        metadata=told(BETWEEN),
    )
    per_domain: int | None = field(
        default=None,
        metadata=told(
            "let at most N pages of a domain link to a page; 0: all; default 6, in rankings all",
            ge=0,
            le=10**6,
        ),
    )
    stoplist: str = field(
        default="default",
        metadata=told(
            "leave out portals, counters, advertisers: default, none, or a file of patterns"
        ),
    )
    stop: Stop = field(
        default="pages",
        metadata=told("leave out the pages on the stop-list, or only the links to them"),
    )
    without: tuple[str, ...] = field(
        default=(),
        metadata=told(
            "leave out these hosts or URLs with *, besides the stop-list; may be repeated"
        ),
    )
    mirrors: Mirrored = field(
        default="drop",
        metadata=told(
            "what becomes of pages that mirror another; redirect: links to them count for it; "
            "links: drop them, judged by their links alone"
        ),
    )
    nofollow: Choice = field(
        default="drop", metadata=told("what becomes of links marked nofollow, sponsored or ugc")
    )
    boilerplate: Choice = field(
        default="drop",
        metadata=told("links that most pages of a site carry: count them once, or all"),
    )
    seed: int = field(
        default=0, metadata=told("seed of the choice among links to a page", ge=0, le=2**63)
    )

    def capped(self, most: int) -> "BaseOptions":
        """The same, where `per_domain` is not given with that cap."""
        return self if self.per_domain is not None else replace(self, per_domain=most)

    def changed(self, usual: "BaseOptions") -> list[str]:
        """The names of the options that differ from the usual ones."""
        every = [each.name for each in fields(self)]
        return [name for name in every if getattr(self, name) != getattr(usual, name)]

    def checked(self, **changed: Any) -> "BaseOptions":
        """The same with some of them changed, having seen that every value is what it may be."""
        return BaseOptions(**check_options("base set", schema(), asdict(self) | changed))


USUAL = BaseOptions()
PER_DOMAIN = 6
UNFILTERED = BaseOptions(
    per_domain=0, stoplist="none", mirrors="keep", nofollow="keep", boilerplate="keep"
)


@cache
def schema() -> "type[BaseModel]":
    """A pydantic model of the options: validation and JSON schema in one."""
    from pydantic import Field  # noqa: PLC0415  to make no base set needs none

    kinds = get_type_hints(BaseOptions)
    made = {
        each.name: (Annotated[kinds[each.name], Field(**each.metadata)], each.default)
        for each in fields(BaseOptions)
    }
    return options_model("BaseOptions", made)
