"""Webs to crawl: from a dictionary of pages, drawn at random, or from a collection."""

from collections.abc import Iterable, Mapping
from typing import Any

from hypothesis import strategies as st

from weft.core.register import METHODS
from weft.crawl import Crawl, CrawlTask, CrawlTopic, Response
from weft.gather.page import Link, Page

SITE = "http://w.org/"


def url(name: str) -> str:
    """The URL of a page of a toy web."""
    return SITE + name


def name(page_url: str) -> str:
    """The name of a page of a toy web."""
    return page_url.removeprefix(SITE)


class ToyWeb:
    """Pages by name, each with its text and the names of pages it links to.

    What is linked and not there answers 404. `redirects` leads from name to name.
    """

    def __init__(
        self,
        pages: Mapping[str, tuple[str, Iterable[str]]],
        redirects: Mapping[str, str] | None = None,
    ) -> None:
        self.pages = {
            url(page): Page(url(page), text=text, language="en", links=_links(text, targets))
            for page, (text, targets) in pages.items()
        }
        self.redirects = {url(a): url(b) for a, b in (redirects or {}).items()}
        self.fetched: list[str] = []

    def fetch(self, page_url: str) -> Response:
        """Request a page."""
        self.fetched.append(page_url)
        if page_url in self.redirects:
            return Response(page_url, 301, {"Location": self.redirects[page_url]})
        page = self.pages.get(page_url)
        return Response(page_url, 404) if page is None else Response(page_url, 200, {}, page)

    def backlinks(self, page_url: str) -> list[str]:
        """The pages that link to a URL."""
        return [
            source
            for source, page in self.pages.items()
            if any(link.target == page_url for link in page.links)
        ]

    def page(self, page: str) -> Page:
        """A page by its name."""
        return self.pages[url(page)]


def _links(text: str, targets: Iterable[str]) -> tuple[Link, ...]:
    """Links whose anchors are not in the text, so that texts are what they are given as."""
    return tuple(Link(url(target), position=len(text)) for target in targets)


def links_only(links: Mapping[str, str], text: str = "word") -> ToyWeb:
    """A web of one-letter pages with different texts: `{"a": "bc"}` has links to b and c."""
    return ToyWeb({page: (f"{text} {page * 3}", targets) for page, targets in links.items()})


def crawl(
    method: str,
    web: ToyWeb,
    seeds: Iterable[str] = "a",
    topic: CrawlTopic | None = None,
    pages: int = 1000,
    **options: Any,
) -> Crawl:
    """Crawl a toy web; without a topic every page is relevant."""
    topic = CrawlTopic(relevance=lambda _: 1.0) if topic is None else topic
    task = CrawlTask(web, tuple(map(url, seeds)), topic, pages)
    result: Crawl = METHODS["crawl", method](task, **options)  # type: ignore[assignment]
    return result


def order(*args: Any, **options: Any) -> str:
    """The names of pages in the order of a crawl, as `crawl` takes its arguments."""
    return " ".join(name(page_url) for page_url in crawl(*args, **options).urls)


NAMES = "abcdefgh"
WORDS = ("tree", "graph", "paper", "notes", "forest")
random_webs = st.fixed_dictionaries(
    {
        page: st.tuples(
            st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join),
            st.lists(st.sampled_from(NAMES), max_size=4).map("".join),
        )
        for page in NAMES
    }
).map(ToyWeb)


def reachable(web: ToyWeb, seeds: Iterable[str] = "a") -> set[str]:
    """The pages that links lead to from the seeds, by definition."""
    found, new = set[str](), {url(seed) for seed in seeds}
    while new:
        found |= new
        new = {link.target for page in new for link in web.pages[page].links} - found
    return found
