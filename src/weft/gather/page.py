"""What comes in: raw records, the pages and links read from them, and graphs without text."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import pyarrow as pa

Kind = Literal["fetched", "redirect", "error", "listed"]


class Link(NamedTuple):
    """A link as it stands on a page; a tuple, because there are millions of them."""

    target: str
    anchor: str = ""
    before: str = ""
    after: str = ""
    rel: str = ""
    element: str = "a"
    position: int = -1
    path: str = ""
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Record:
    """A page as it was captured, not yet parsed.

    `time` counts seconds since 1970, zero where the capture says nothing;
    `plain` marks text without markup; `at` is its place in the input, in bytes.
    """

    url: str
    body: bytes
    time: int = 0
    status: int = 200
    mime: str = ""
    charset: str = ""
    location: str = ""
    robots: str = ""
    title: str = ""
    plain: bool = False
    clipped: bool = False
    at: int = 0


@dataclass(frozen=True, slots=True)
class Page:
    """A page that was read: its words, where it points, what it says about itself.

    `canonical` and `redirect` name another page that stands for this one;
    `original` is the URL as captured where the canonical form differs. `main`
    holds where the main content begins and ends in the text, in pairs.
    `unsure` is a part of the text to tell the language by, where it is not yet.
    """

    url: str
    kind: Kind = "fetched"
    time: int = 0
    status: int = 200
    mime: str = ""
    title: str = ""
    text: str = ""
    main: tuple[int, ...] = ()
    language: str = ""
    unsure: str = ""
    robots: str = ""
    canonical: str = ""
    redirect: str = ""
    reason: str = ""
    original: str = ""
    truncated: bool = False
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """A part of a graph without text: nodes that are named, links between them.

    `nodes` has the columns name and title, `links` source, target, weight and
    anchor. `origin` is the digest of the input the part was read from.
    """

    origin: str
    nodes: pa.Table
    links: pa.Table


@dataclass(slots=True)
class Problems:
    """What was skipped or damaged, counted by reason, with the first few places."""

    counts: Counter[str] = field(default_factory=Counter)
    places: dict[str, list[str]] = field(default_factory=dict)
    damaged: set[str] = field(default_factory=set)

    def tell(self, reason: str, place: str, *, damage: bool = True, times: int = 1) -> None:
        """Count a problem; damage makes the command end with exit code 3."""
        self.counts[reason] += times
        seen = self.places.setdefault(reason, [])
        if len(seen) < 5 and (place := _writable(place[:500])) not in seen:
            seen.append(place)
        if damage:
            self.damaged.add(reason)

    def merge(self, other: "Problems") -> None:
        """Take over what another reader told."""
        for reason, times in other.counts.items():
            self.counts[reason] += times
            seen = self.places.setdefault(reason, [])
            seen.extend(p for p in other.places[reason] if p not in seen)
            del seen[5:]
        self.damaged |= other.damaged

    @property
    def damage(self) -> int:
        """How many things were damaged, as against merely not pages."""
        return sum(self.counts[reason] for reason in self.damaged)


def _writable(place: str) -> str:
    """A place whose name is no text, such as that of a file, with the odd bytes spelled out."""
    return place.encode("utf-8", "backslashreplace").decode()
