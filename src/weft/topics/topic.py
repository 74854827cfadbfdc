"""Topic and Topics: the result of every topic method."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, SupportsIndex, overload

import numpy as np
import pyarrow as pa

from weft.core.arrays import Floats, Ids
from weft.core.html import page_links, titled_table
from weft.core.tables import MAX_PREVIEW_ROWS, Tabular
from weft.core.text import pluralise
from weft.engine import Trace
from weft.graph.baseset.baseset import ROOT, BaseSet
from weft.rank.ranking import argsort_descending, round_significant, top_k_indices

if TYPE_CHECKING:
    from weft.topics.membership import TopicMembership


@dataclass(frozen=True, eq=False)
class Topic:
    """A group of pages about one subject: its authorities and hubs, and its label.

    `members` are page numbers in the base set, ascending, each with its
    `authority` and `hub` score. `strength` orders topics. `facts` are further
    values, such as the number of sites; `reason` says why a topic was set
    aside. `trust` is what each member contributes to an authority that it links
    to, if that is not its hub score; `vote_score` the part of the authority
    score that votes give, if that is not all of it. `uncaptured` are pages that
    the topic links to and that were not captured, most votes first: worth
    fetching. `subtopics` divide the members, where they were asked for.
    """

    members: Ids
    authority: Floats
    hub: Floats
    strength: float
    label: tuple[str, ...] = ()
    title: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    reason: str = ""
    trust: Floats | None = None
    vote_score: Floats | None = None
    uncaptured: Ids = field(default_factory=lambda: np.zeros(0, np.int32))
    uncaptured_votes: Floats = field(default_factory=lambda: np.zeros(0))
    subtopics: tuple["Topic", ...] = ()

    def authorities(self, k: int = 10) -> Ids:
        """The k best authorities with a positive score, as page numbers in the base set."""
        return self._authorities_by_score[:k]

    def hubs(self, k: int = 10) -> Ids:
        """The k best hubs with a positive score, as page numbers in the base set."""
        return self._hubs_by_score[:k]

    @cached_property
    def _authorities_by_score(self) -> Ids:
        return self._rank_members(self.authority)

    @cached_property
    def _hubs_by_score(self) -> Ids:
        return self._rank_members(self.hub)

    def _rank_members(self, scores: Floats) -> Ids:
        order = argsort_descending(round_significant(scores))
        return self.members[order[scores[order] > 0]]

    def score(self, role: str, page: int) -> float:
        """The score of a page as `authority` or `hub`; zero if it is not a member."""
        at = int(np.searchsorted(self.members, page))
        is_member = at < len(self.members) and self.members[at] == page
        scores = self.authority if role == "authority" else self.hub
        return float(scores[at]) if is_member else 0.0

    def score_from_links(self, role: str, page: int) -> float:
        """The part of a score that links give: votes for an authority, all of it for a hub."""
        if role == "hub" or self.vote_score is None:
            return self.score(role, page)
        at = int(np.searchsorted(self.members, page))
        return float(self.vote_score[at]) if self.score(role, page) else 0.0

    @property
    def name(self) -> str:
        """The label in one line, or the title if there is no label."""
        return " · ".join(self.label) or self.title

    def __len__(self) -> int:
        return len(self.members)

    def __repr__(self) -> str:
        name = f" {self.name!r}" if self.name else ""
        return f"<Topic{name}: {pluralise(len(self), 'page')}>"

    def _repr_html_(self) -> str:
        facts = {"title": self.title, "strength": self.strength, **self.facts}
        rows = [
            item for item in facts.items() if isinstance(item[1], str | int | float) and item[1]
        ]
        return titled_table(repr(self).strip("<>"), ["fact", ""], rows)


@dataclass(frozen=True, slots=True, eq=False)
class Topics(Tabular):
    """The topics of a base set, strongest first, and those that were set aside.

    A sequence: it iterates, indexes and slices over the topics.

    Examples
    --------
    >>> from weft.topics import eigen
    >>> found = eigen([("a", "x"), ("a", "y"), ("b", "x"), ("b", "y"), ("c", "z")])
    >>> found, len(found)
    (<2 topics by eigen>, 2)
    >>> found[0]
    <Topic: 4 pages>
    >>> [len(topic) for topic in found], found[:1] == [found[0]]
    ([4, 2], True)
    """

    method: str
    base: BaseSet
    topics: tuple[Topic, ...]
    trace: Trace
    set_aside: tuple[Topic, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def best_results(self, k: int = 5) -> Ids:
        """The k best captured search results, whatever their topic, as page numbers.

        None without a search.
        """
        base = self.base
        found = np.flatnonzero(base.origin == ROOT).astype(np.int32)
        if base.graph.uncaptured is not None:
            found = found[~np.asarray(base.graph.uncaptured)[found]]
        return found[top_k_indices(round_significant(base.text_score[found]), k)]

    def to_table(self, top: int = 10) -> pa.Table:
        """One row per topic, role and page, the best pages first."""
        rows: dict[str, list[Any]] = {name: [] for name in TABLE_COLUMNS}
        for number, topic in enumerate(self.topics, start=1):
            for role, pages in (("authority", topic.authorities(top)), ("hub", topic.hubs(top))):
                for place, page in enumerate(pages.tolist(), start=1):
                    row = (number, topic.name, role, place, self.base.pages[page])
                    for name, value in zip(
                        TABLE_COLUMNS, (*row, topic.score(role, page)), strict=True
                    ):
                        rows[name].append(value)
        return pa.table({name: pa.array(rows[name], kind) for name, kind in TABLE_COLUMNS.items()})

    def topic_numbers(self, page: str) -> Sequence[int]:
        """The numbers, from one, of the topics of a page."""
        number = self.base.graph.page_number(page)
        return [k for k, topic in enumerate(self.topics, start=1) if number in topic.members]

    def explain(self, page: str) -> "TopicMembership":
        """The topics of a page, its role and neighbours in each, or why it has none."""
        # imported here, because that file imports this one
        from weft.topics.membership import find_topic_membership  # noqa: PLC0415

        return find_topic_membership(self, page)

    @overload
    def __getitem__(self, key: SupportsIndex) -> Topic: ...
    @overload
    def __getitem__(self, key: slice) -> list[Topic]: ...
    def __getitem__(self, key: SupportsIndex | slice) -> Topic | list[Topic]:
        return list(self.topics[key]) if isinstance(key, slice) else self.topics[key]

    def __iter__(self) -> Iterator[Topic]:
        return iter(self.topics)

    def __len__(self) -> int:
        return len(self.topics)

    def __repr__(self) -> str:
        query = f" of {self.base.query!r}" if self.base.query else ""
        first = f", first {self.topics[0].name!r}" if self.topics and self.topics[0].name else ""
        aside = f", {len(self.set_aside)} set aside" if self.set_aside else ""
        state = "" if self.trace.converged else ", not converged"
        return f"<{pluralise(len(self), 'topic')}{query} by {self.method}{first}{aside}{state}>"

    def _repr_html_(self) -> str:
        rows = [
            (
                number,
                topic.name,
                len(topic),
                page_links(self.base.page_names(topic.authorities(3))),
                page_links(self.base.page_names(topic.hubs(3))),
            )
            for number, topic in enumerate(self[:MAX_PREVIEW_ROWS], start=1)
        ]
        columns = ["", "topic", f"{self.base.level}s", "authorities", "hubs"]
        return titled_table(repr(self).strip("<>"), columns, rows)


TABLE_COLUMNS = {
    "topic": pa.int32(),
    "label": pa.string(),
    "role": pa.string(),
    "place": pa.int32(),
    "page": pa.string(),
    "score": pa.float64(),
}


def explain_no_topics(topics: Topics) -> tuple[str, str]:
    """Why no topic was found, and a hint."""
    base = topics.base
    if base.absent and not len(base):
        return (
            f"no topic: all {pluralise(len(base.absent), 'page')} of the base set were excluded",
            "exclude fewer pages",
        )
    if not len(base):
        reason = f"no page matches {base.query}" if base.query else "there are no pages"
        return reason, "try fewer or other words" if base.query else "add pages with weft add"
    if not base.graph.link_count:
        reason = "no topic: the pages have no links between them that count"
        return reason, "--between page counts links inside a site too"
    reason = f"no topic: no group of pages is large and dense enough for {topics.method}"
    return reason, f"see `weft methods {topics.method}` for its options"
