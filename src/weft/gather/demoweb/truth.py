"""What is known about the demo web: for each address, what it is and what it is about."""

import gzip
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

Role = Literal[
    "authority",
    "hub",
    "content",
    "navigation",
    "portal",
    "company",
    "advertiser",
    "background",
    "mirror",
    "duplicate",
    "redirect",
    "seen",
]


class Fact(NamedTuple):
    """The truth about one address; a tuple, because there are millions of them.

    `also` is the second sense of a hub that mixes two. `mirror_of` is the page
    that a mirror, a duplicate or a redirect stands for. An address of the role
    *seen* is an authority that is linked to and was not captured.
    """

    url: str
    role: Role
    sense: str = ""
    site: str = ""
    says_jaguar: bool = False
    mirror_of: str = ""
    also: str = ""


@dataclass(frozen=True, slots=True)
class Truth:
    """The facts about every address that was written, and about the authorities only seen."""

    facts: tuple[Fact, ...]

    def rows(self) -> Iterator[Fact]:
        """The facts in the order of the pages."""
        return iter(self.facts)

    def to_json(self, path: Path) -> None:
        """Write one JSON object a line, compressed, the same bytes each time."""
        with path.open("wb") as file, gzip.GzipFile("", "wb", 6, file, mtime=0) as packed:
            for line in _lines(self.facts):
                packed.write(line)

    @classmethod
    def from_json(cls, path: Path) -> "Truth":
        """Read what `to_json` wrote."""
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            return cls(tuple(Fact(**json.loads(line)) for line in lines))

    def __len__(self) -> int:
        return len(self.facts)

    def __repr__(self) -> str:
        senses = {fact.sense for fact in self.facts if fact.sense}
        return f"<Truth about {len(self):,} addresses in {len(senses)} senses>"


def _lines(facts: Iterable[Fact]) -> Iterator[bytes]:
    for fact in facts:
        yield json.dumps(fact._asdict(), ensure_ascii=False).encode() + b"\n"
