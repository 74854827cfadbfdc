"""How a crawl fetches: who asks, how fast, how long, how much."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version

from weft.core.errors import BadParameter
from weft.gather.fetch.address_guard import AddressGuard, Lookup, look_up
from weft.gather.html import ParseOptions

AGENT = "Weft"


@dataclass(frozen=True, slots=True)
class FetchSettings:
    """How to fetch. `contact` is a URL or mail address, sent with every request.

    Delays are in seconds: `delay` between two requests to a server, raised
    where it answers slowly or its robots.txt asks for more, up to `max_delay`;
    `deadline` for a whole fetch; `backoff` before a server that cannot be
    reached is tried again, after which it is given up. `max_body_bytes` counts a body before and
    after decompression. The limits `pages`, `minutes` and `size` (bytes
    received) end the crawl; zero means none. `allow_private` opens addresses
    as `HOST:PORT`; `lookup` gives the addresses of a name and port. With `render`, pages
    that are empty without scripts are rendered in a browser. `worth_of_urls` scores the URLs of
    sitemaps and feeds that are seeds; without it they are worth as much as the seed.
    """

    contact: str
    delay: float = 1.0
    max_delay: float = 60.0
    deadline: float = 60.0
    retries: int = 2
    backoff: tuple[float, ...] = (10.0, 60.0, 240.0)
    max_body_bytes: int = 8 << 20
    pages: int = 0
    minutes: float = 0.0
    size: int = 0
    allow_private: tuple[str, ...] = ()
    lookup: Lookup = look_up
    render: bool = False
    worth_of_urls: Callable[[Sequence[str]], Sequence[float]] | None = None
    parse: ParseOptions = field(default_factory=ParseOptions)

    def __post_init__(self) -> None:
        if not self.contact.strip() or not self.contact.isprintable():
            raise BadParameter(
                "a crawl needs a contact", hint="give a URL or mail address where you are reached"
            )
        AddressGuard(self.allow_private)  # refuses what is not HOST:PORT

    @property
    def parse_options(self) -> ParseOptions:
        """The options of the parser, with the limit of a body."""
        return replace(self.parse, max_bytes=min(self.parse.max_bytes, self.max_body_bytes))

    @property
    def user_agent(self) -> str:
        """The value of the header User-Agent."""
        return f"{AGENT}/{version('weft')} (+{self.contact})"
