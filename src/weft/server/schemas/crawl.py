"""A crawl of the live web: how one is started, and where it stands."""

import re
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

import weft.crawl  # noqa: F401  registers the strategies
from weft.core.register import methods_of
from weft.server.schemas.responses import ApiResponse, Schema
from weft.store.search import MAX_QUERY_CHARS
from weft.workspace.crawl_folder import CrawlState

if TYPE_CHECKING:
    CrawlMethod = str
else:
    CrawlMethod = Literal[tuple(methods_of("crawl"))]

MAX_SEEDS, MAX_EXAMPLES, MAX_PATTERNS = 1000, 100, 100
WEB_URL = re.compile(r"^https?://\S+$")


def check_web_url(url: str) -> str:
    """Refuse what is not a URL of the web; a pattern alone would be the message."""
    if not WEB_URL.fullmatch(url):
        message = "'{url}' is not a web address: begin with http:// or https://"
        raise PydanticCustomError("web_url", message, {"url": url[:100]})
    return url


WebUrl = Annotated[
    str,
    Field(max_length=1000, json_schema_extra={"pattern": WEB_URL.pattern}),
    AfterValidator(check_web_url),
]
UrlPattern = Annotated[str, Field(min_length=1, max_length=500)]


class CrawlWords(Schema):
    """What to crawl, in the words of `weft crawl`. What is null or left out stays as it was.

    In a new crawl it has the default of the command. Seeds are added to those of
    a crawl that exists.
    """

    seeds: Annotated[list[WebUrl], Field(max_length=MAX_SEEDS)] = Field(
        default=[], description="URLs to begin from"
    )
    method: CrawlMethod | None = Field(default=None, description="the strategy")
    options: Annotated[dict[str, Any], Field(max_length=20)] | None = Field(
        default=None, description="options of the strategy"
    )
    topic: Annotated[str, Field(max_length=MAX_QUERY_CHARS)] | None = Field(
        default=None, description="what to look for; pages like the seeds if it is empty"
    )
    examples: Annotated[list[WebUrl], Field(max_length=MAX_EXAMPLES)] | None = Field(
        default=None, description="URLs of pages on the topic"
    )
    pages: Annotated[int, Field(ge=1, le=10**7)] | None = Field(
        default=None, description="how many pages to fetch, with those of earlier runs"
    )
    minutes: Annotated[float, Field(ge=0, le=10**6, allow_inf_nan=False)] | None = Field(
        default=None, description="stop after so long; 0: never"
    )
    size: Annotated[int, Field(ge=0, le=2**50)] | None = Field(
        default=None, description="stop after this many bytes; 0: never"
    )
    depth: Annotated[int, Field(ge=0, le=10**6)] | None = Field(
        default=None, description="links away from a seed at most"
    )
    per_host: Annotated[int, Field(ge=1, le=10**7)] | None = Field(
        default=None, description="pages of a host at most"
    )
    within: Annotated[str, Field(max_length=500)] | None = Field(
        default=None, description="`host` or `domain` of the seeds, or a pattern of URLs"
    )
    exclude: Annotated[list[UrlPattern], Field(max_length=MAX_PATTERNS)] | None = Field(
        default=None, description="patterns of URLs not to fetch"
    )
    delay: Annotated[float, Field(ge=0, le=3600, allow_inf_nan=False)] | None = Field(
        default=None, description="seconds between requests to a server"
    )
    contact: Annotated[str, Field(max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")] | None = Field(
        default=None, description="where the servers' owners reach you: a URL or mail address"
    )
    wacz: bool | None = Field(default=None, description="pack the archive as WACZ")
    render: bool | None = Field(
        default=None, description="run the scripts of pages that are empty without them"
    )


class CrawlPlanSchema(Schema):
    """The plan of a crawl."""

    seeds: list[str]
    method: str
    options: dict[str, Any]
    topic: str
    examples: list[str]
    pages: int
    minutes: float
    size: int
    depth: int
    per_host: int
    within: str
    exclude: list[str]
    delay: float
    contact: str
    wacz: bool
    render: bool


class CrawlCounts(Schema):
    """How many URLs are in each state, and how many hosts have URLs that wait."""

    waiting: int
    in_flight: int
    done: int
    refused: int
    hosts: int


class CrawlHost(Schema):
    """A host with URLs that wait, the best score among them, and its fetched pages."""

    name: str
    waiting: int
    best_score: float | None
    fetched: int


class CrawlUrl(Schema):
    """A URL that waits, and why: its score, its links from a seed, the page that links to it."""

    url: str
    score: float | None
    depth: int
    parent: str


class CrawlPage(CrawlUrl):
    """A fetched page, with its place in the crawl and its relevance."""

    place: int
    relevance: float | None
    http_status: int
    in_collection: bool = Field(description="whether a commit has added it to the collection")


class CrawlRefusal(Schema):
    """URLs that were not fetched, by reason."""

    reason: str
    urls: int


class HarvestPoint(Schema):
    """The mean relevance of the pages up to a place, and of the last hundred of them."""

    pages: int
    harvest_rate: float
    last_harvest_rate: float


class CrawlStateSchema(Schema):
    """Whether a crawl runs."""

    state: CrawlState


class CrawlResponse(ApiResponse):
    """Where the crawl of the collection stands; the state is `none` if it has no crawl."""

    state: CrawlState | Literal["none"]
    ended: str = Field(description="why the last run ended; empty while one runs")
    hint: str = Field(description="what to do about it")
    plan: CrawlPlanSchema
    pages: int
    harvest_rate: float = Field(description="mean relevance of all pages")
    last_harvest_rate: float = Field(description="mean relevance of the last hundred pages")
    pages_last_minute: int
    counts: CrawlCounts
    curve: list[HarvestPoint] = Field(description="the harvest rate at up to 200 places")
    best: list[CrawlUrl] = Field(description="what waits, best first")
    hosts: list[CrawlHost] = Field(description="hosts with most URLs that wait")
    refused: list[CrawlRefusal]
    last_pages: list[CrawlPage] = Field(description="the last pages, newest first")

    @property
    def cacheable(self) -> bool:
        """A crawl goes on between commits."""
        return False
