"""The records that readers produce: raw pages, parsed pages with links, batches of edges."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import pyarrow as pa

PageKind = Literal["captured", "redirect", "error", "listed"]
MAX_LOCATIONS = 5


class Link(NamedTuple):
    """A link with its anchor text and surroundings; a tuple, because there are millions of them."""

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
class RawPage:
    """A page as it was captured, not yet parsed.

    `time` is in Unix seconds, zero if unknown; `is_plain_text` marks text
    without markup; `offset` is the position in the input, in bytes.
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
    is_plain_text: bool = False
    truncated: bool = False
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Page:
    """A parsed page: its text, its links and its metadata.

    `canonical` and `redirect` name another page that replaces this one;
    `original` is the captured URL where its canonical form differs. `main`
    holds the start and end offsets of the main content in the text, in pairs.
    A question mark after the `language` leaves it to the classifier.
    """

    url: str
    kind: PageKind = "captured"
    time: int = 0
    status: int = 200
    mime: str = ""
    title: str = ""
    text: str = ""
    main: tuple[int, ...] = ()
    language: str = ""
    robots: str = ""
    canonical: str = ""
    redirect: str = ""
    reason: str = ""
    original: str = ""
    truncated: bool = False
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class EdgeBatch:
    """A batch of named nodes and of links between them, from a graph without text.

    `nodes` has the columns name and title, `links` source, target, weight and
    anchor. `input_digest` is the digest of the input that the batch comes from.
    """

    input_digest: str
    nodes: pa.Table
    links: pa.Table


@dataclass(slots=True)
class Problems:
    """What was skipped or damaged, counted by reason, with the first five locations of each."""

    counts: Counter[str] = field(default_factory=Counter)
    locations: dict[str, list[str]] = field(default_factory=dict)
    damage_reasons: set[str] = field(default_factory=set)

    def add(self, reason: str, location: str, *, damage: bool = True, count: int = 1) -> None:
        """Count a problem; damage makes the command end with exit code 3."""
        self.counts[reason] += count
        known = self.locations.setdefault(reason, [])
        location = _escape_undecodable_bytes(location[:500])
        if len(known) < MAX_LOCATIONS and location not in known:
            known.append(location)
        if damage:
            self.damage_reasons.add(reason)

    def merge(self, other: "Problems") -> None:
        """Add the problems of another reader."""
        for reason, count in other.counts.items():
            self.counts[reason] += count
            known = self.locations.setdefault(reason, [])
            known.extend(place for place in other.locations[reason] if place not in known)
            del known[MAX_LOCATIONS:]
        self.damage_reasons |= other.damage_reasons

    @property
    def damage_count(self) -> int:
        """The number of problems that are damage; the others are only not pages."""
        return sum(self.counts[reason] for reason in self.damage_reasons)


def _escape_undecodable_bytes(location: str) -> str:
    """Escape surrogates, which file names contain where their bytes are not UTF-8."""
    return location.encode("utf-8", "backslashreplace").decode()
