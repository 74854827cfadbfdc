"""The parameters of a demo web, and its plan: sites, authorities and redirects."""

import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, field, replace
from random import Random
from typing import Literal

from weft.core.errors import BadParameter
from weft.demo.words import AuthoritySite, DemoTopic, TemplateFiller

SiteKind = Literal[
    "authority", "fan", "directory", "portal", "company", "advertiser", "mirror", "background"
]
PRINT_VERSION_SITE_SIZE = 6  # sites of this size have a print version of one page


@dataclass(frozen=True, slots=True)
class DemoWeb:
    """The parameters of a demo web; the same parameters give the same bytes.

    `noise` is the share of editorial links between sites that go to random
    pages, `mixing` the share of hubs that list two senses.
    """

    pages: int = 1500
    seed: int = 0
    noise: float = 0.05
    mixing: float = 0.1

    def __post_init__(self) -> None:
        if not 200 <= self.pages <= 4_000_000:
            raise BadParameter(
                f"a demo web cannot have {self.pages:,} pages", hint="choose 200 to 4,000,000 pages"
            )
        for name, share in (("noise", self.noise), ("mixing", self.mixing)):
            if not 0 <= share <= 1:
                raise BadParameter(f"{name} is {share}", hint="a share lies between 0 and 1")

    def rng(self, stream: int, number: int) -> Random:
        """A random generator for one page or site, independent of all others."""
        return Random((self.seed << 48) | (stream << 40) | number)


@dataclass(frozen=True, slots=True)
class DemoSite:
    """A site: `page_count` pages of the web from `first_page` on, below one base URL."""

    kind: SiteKind
    topic: str
    name: str
    base_url: str
    page_count: int
    writing_style: str = ""
    about: str = ""
    first_page: int = 0
    style_bits: int = 0

    @property
    def avoids_query(self) -> bool:
        """Whether its pages never contain the query word."""
        return self.writing_style == "quiet"


@dataclass(frozen=True, slots=True)
class LinkedAuthority:
    """An authority as others link to it; `old_url` redirects to it, if it has one."""

    site: AuthoritySite
    old_url: str = ""


@dataclass(slots=True, eq=False)
class DemoPlan:
    """The sites of a demo web in page order, its authorities with weights, its redirects."""

    web: DemoWeb
    sites: list[DemoSite] = field(default_factory=list)
    first_pages: list[int] = field(default_factory=list)
    sites_by_topic: dict[str, list[DemoSite]] = field(default_factory=dict)
    authorities: dict[str, list[LinkedAuthority]] = field(default_factory=dict)
    cumulative_weights: dict[str, list[float]] = field(default_factory=dict)
    redirects: list[tuple[str, str, str]] = field(default_factory=list)
    _stem_counts: Counter[str] = field(default_factory=Counter)

    @property
    def page_count(self) -> int:
        """The number of pages planned so far."""
        return self.sites[-1].first_page + self.sites[-1].page_count if self.sites else 0

    def site_of(self, number: int) -> DemoSite:
        """The site that a page belongs to."""
        return self.sites[bisect_right(self.first_pages, number) - 1]

    def template_filler(self, topic: DemoTopic) -> TemplateFiller:
        """A template filler with the random numbers of the next site."""
        return TemplateFiller(self.web.rng(1, len(self.sites)), topic.slots)

    def add_site(self, site: DemoSite) -> None:
        """Append a site, and give it its page numbers and random style."""
        style_bits = self.web.rng(2, len(self.sites)).getrandbits(20)
        site = replace(site, first_page=self.page_count, style_bits=style_bits)
        self.sites.append(site)
        self.first_pages.append(site.first_page)
        group = site.topic if site.kind in ("fan", "background") else site.kind
        self.sites_by_topic.setdefault(group, []).append(site)

    def unique_host(self, name: str) -> str:
        """A host name that no other site has, from the name of a site."""
        stem = self.number_repeated_stem(slugify(name))
        return f"www.{stem}.example" if len(name) % 3 else f"{stem}.example"

    def number_repeated_stem(self, stem: str) -> str:
        """The stem, with a number appended if it is already used."""
        self._stem_counts[stem] += 1
        count = self._stem_counts[stem]
        return f"{stem}-{count}" if count > 1 else stem


def slugify(text: str) -> str:
    """A text as lower-case ASCII words joined by hyphens, for URLs.

    Examples
    --------
    >>> slugify("La página de Owen, 1998")
    'la-pagina-de-owen-1998'
    """
    ascii_text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub("[^a-z0-9]+", "-", ascii_text.replace("'", "")).strip("-")
