"""The records that readers produce: raw pages, parsed pages, batches of edges and requests."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
import pyarrow as pa

from weft.core.arrays import Floats, Ids, Offsets

PageKind = Literal["captured", "redirect", "error", "listed"]
MAX_LOCATIONS = 5
DICTIONARY_STRING = pa.dictionary(pa.int32(), pa.string())
REQUEST_SCHEMA = pa.schema(
    {
        "visitor": pa.uint64(),  # salted hash of address and agent, or of a session's id
        "session": pa.uint64(),  # 0, or the hash of a session's id, whose rows are in its order
        "time": pa.int64(),  # Unix seconds; 0 if unknown
        "url": DICTIONARY_STRING,
        "referrer": DICTIONARY_STRING,  # a URL of the log, "https://host/" of another site, or ""
        "status": pa.int16(),
        "robot": pa.uint8(),  # 0 no, 1 declared, 2 suspect by behaviour
    }
)


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


@dataclass(frozen=True, slots=True, eq=False)
class NumberedLinks:
    """A batch of links between nodes that are numbers, of weight 1 and without anchor.

    `nodes` are further nodes, which may have no links. Node k has the name
    `names[k]`, and where there are no `names`, its number as text. All batches of
    an input have the same names, and every name is a node.
    """

    input_digest: str
    source: Ids | Offsets
    target: Ids | Offsets
    nodes: Ids | Offsets = field(default_factory=lambda: np.zeros(0, np.int64))
    names: pa.Array | None = None


@dataclass(frozen=True, slots=True, eq=False)
class NodeScores:
    """Scores that came with a numbered graph, by column, of some nodes given by name."""

    names: pa.Array
    scores: Mapping[str, Floats]


GraphBatch = EdgeBatch | NumberedLinks | NodeScores


@dataclass(frozen=True, slots=True, eq=False)
class RequestBatch:
    """A batch of requests from an access log, or of views from ready-made paths.

    `requests` has the columns of `REQUEST_SCHEMA`. `input_digest` is the digest of the input that
    the batch comes from.
    """

    input_digest: str
    requests: pa.Table


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
