"""The plan of a demo web: its parameters, its sites, the authorities everybody knows."""

import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, field, replace
from random import Random
from typing import Literal

from weft.core.errors import BadParameter
from weft.gather.demoweb.banks import Named, Topic, Words

Kind = Literal[
    "authority", "fan", "directory", "portal", "company", "advertiser", "mirror", "background"
]
PRINTED = 6  # sites of this size keep a version of a page for printing


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

    def random(self, stream: int, number: int) -> Random:
        """The random numbers of one page or site, whatever was drawn for the others."""
        return Random((self.seed << 48) | (stream << 40) | number)


@dataclass(frozen=True, slots=True)
class Site:
    """The pages `start` to `start + size` of the web, below one address."""

    kind: Kind
    topic: str
    name: str
    base: str
    size: int
    voice: str = ""
    about: str = ""
    start: int = 0
    look: int = 0

    @property
    def quiet(self) -> bool:
        """Whether its pages avoid the word that people search for."""
        return self.voice == "quiet"


@dataclass(frozen=True, slots=True)
class Famous:
    """An authority as others point to it; `alias` is an old address that redirects."""

    named: Named
    alias: str = ""


@dataclass(slots=True, eq=False)
class Plan:
    """All sites of a demo web in the order of their pages."""

    web: DemoWeb
    sites: list[Site] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    by_topic: dict[str, list[Site]] = field(default_factory=dict)
    famous: dict[str, list[Famous]] = field(default_factory=dict)
    weights: dict[str, list[float]] = field(default_factory=dict)
    redirects: list[tuple[str, str, str]] = field(default_factory=list)
    _given: Counter[str] = field(default_factory=Counter)

    @property
    def written(self) -> int:
        """How many pages the sites have so far."""
        return self.sites[-1].start + self.sites[-1].size if self.sites else 0

    def site_of(self, number: int) -> Site:
        """The site that a page belongs to."""
        return self.sites[bisect_right(self.starts, number) - 1]

    def words(self, topic: Topic) -> Words:
        """Random words for the next site to be planned."""
        return Words(self.web.random(1, len(self.sites)), topic.slots)

    def add(self, site: Site) -> None:
        """Plan one more site, behind those that are there."""
        look = self.web.random(2, len(self.sites)).getrandbits(20)
        site = replace(site, start=self.written, look=look)
        self.sites.append(site)
        self.starts.append(site.start)
        group = site.topic if site.kind in ("fan", "background") else site.kind
        self.by_topic.setdefault(group, []).append(site)

    def host(self, name: str) -> str:
        """A host name for a site, one that no other has."""
        stem = self.unique(slug(name))
        return f"www.{stem}.example" if len(name) % 3 else f"{stem}.example"

    def unique(self, stem: str) -> str:
        """The stem with a number, where it was given away before."""
        self._given[stem] += 1
        count = self._given[stem]
        return f"{stem}-{count}" if count > 1 else stem


def slug(text: str) -> str:
    """A text as it stands in an address.

    Examples
    --------
    >>> slug("La página de Owen, 1998")
    'la-pagina-de-owen-1998'
    """
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub("[^a-z0-9]+", "-", plain.replace("'", "")).strip("-")
