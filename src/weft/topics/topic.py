"""What every topic method returns."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from weft.core.arrays import Floats, Ids
from weft.core.markup import card, links
from weft.core.tabular import CARD, Tabular
from weft.core.wording import count
from weft.engine import Trace
from weft.graph.baseset import BaseSet
from weft.rank.ranking import best_first, rounded

if TYPE_CHECKING:
    from weft.topics.standing import Standing


@dataclass(frozen=True, eq=False)
class Topic:
    """A group of pages about one thing: its authorities and hubs, and what it is called.

    `members` are numbers of pages in the base set, ascending, with a score as
    authority and as hub beside each. `strength` orders topics. `facts` hold
    what else is known of it, such as how many sites it has; `reason` says why
    a topic was set aside. `voice` is what each member brings to an authority
    that it links to, where that is not its score as a hub.
    """

    members: Ids
    authority: Floats
    hub: Floats
    strength: float
    label: tuple[str, ...] = ()
    title: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    reason: str = ""
    voice: Floats | None = None

    def authorities(self, k: int = 10) -> Ids:
        """The best authorities as numbers in the base set; pages that score nothing are none."""
        return self._authorities[:k]

    def hubs(self, k: int = 10) -> Ids:
        """The best hubs as numbers in the base set; pages that score nothing are none."""
        return self._hubs[:k]

    @cached_property
    def _authorities(self) -> Ids:
        return self._best(self.authority)

    @cached_property
    def _hubs(self) -> Ids:
        return self._best(self.hub)

    def _best(self, scores: Floats) -> Ids:
        order = best_first(rounded(scores))
        return self.members[order[scores[order] > 0]]

    def score(self, role: str, page: int) -> float:
        """The score of a page of the base set, as `authority` or `hub`; zero if it has none."""
        at = int(np.searchsorted(self.members, page))
        inside = at < len(self.members) and self.members[at] == page
        scores = self.authority if role == "authority" else self.hub
        return float(scores[at]) if inside else 0.0

    @property
    def name(self) -> str:
        """The label in one line."""
        return " · ".join(self.label) or self.title

    def __len__(self) -> int:
        return len(self.members)

    def __repr__(self) -> str:
        return f"<Topic {self.name!r}: {count(len(self), 'page')}>"

    def _repr_html_(self) -> str:
        told = {"title": self.title, "strength": self.strength, **self.facts}
        rows = [pair for pair in told.items() if isinstance(pair[1], str | int | float) and pair[1]]
        return card(repr(self).strip("<>"), ["fact", ""], rows)


@dataclass(frozen=True, slots=True, eq=False)
class Topics(Tabular):
    """The topics of a base set, the one that matters most first, and what was set aside."""

    method: str
    base: BaseSet
    topics: tuple[Topic, ...]
    trace: Trace
    aside: tuple[Topic, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def to_table(self, top: int = 10) -> pa.Table:
        """One row per page and role, by topic: its place, the page, its score."""
        rows: dict[str, list[Any]] = {name: [] for name in COLUMNS}
        for number, topic in enumerate(self.topics, start=1):
            for role, pages in (("authority", topic.authorities(top)), ("hub", topic.hubs(top))):
                for place, page in enumerate(pages.tolist(), start=1):
                    found = (number, topic.name, role, place, self.base.pages[page])
                    for name, value in zip(COLUMNS, (*found, topic.score(role, page)), strict=True):
                        rows[name].append(value)
        return pa.table({name: pa.array(rows[name], kind) for name, kind in COLUMNS.items()})

    def of(self, page: str) -> Sequence[int]:
        """The numbers, from one, of the topics that a page is in."""
        number = self.base.graph.number(page)
        return [k for k, topic in enumerate(self.topics, start=1) if number in topic.members]

    def explain(self, page: str) -> "Standing":
        """In which topics a page is, as what and through whom; or why in none."""
        from weft.topics.standing import standing  # noqa: PLC0415  which is made of topics

        return standing(self, page)

    def __getitem__(self, at: int) -> Topic:
        return self.topics[at]

    def __iter__(self) -> Iterator[Topic]:
        return iter(self.topics)

    def __len__(self) -> int:
        return len(self.topics)

    def __repr__(self) -> str:
        about = f" of {self.base.query!r}" if self.base.query else ""
        first = f", first {self.topics[0].name!r}" if self.topics and self.topics[0].name else ""
        aside = f", {len(self.aside)} set aside" if self.aside else ""
        return f"<{len(self)} topics{about} by {self.method}{first}{aside}>"

    def _repr_html_(self) -> str:
        rows = [
            (
                number,
                topic.name,
                len(topic),
                links(self.base.named(topic.authorities(3))),
                links(self.base.named(topic.hubs(3))),
            )
            for number, topic in enumerate(self.topics[:CARD], start=1)
        ]
        columns = ["", "topic", f"{self.base.level}s", "authorities", "hubs"]
        return card(repr(self).strip("<>"), columns, rows)


COLUMNS = {
    "topic": pa.int32(),
    "label": pa.string(),
    "role": pa.string(),
    "place": pa.int32(),
    "page": pa.string(),
    "score": pa.float64(),
}
