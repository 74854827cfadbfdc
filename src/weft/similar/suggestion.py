"""What every method that suggests missing links returns."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, SupportsIndex, overload

import pyarrow as pa

from weft.core.html import titled_table
from weft.core.json import JsonObject, to_json_value
from weft.core.tables import Tabular
from weft.core.text import pluralise, strip_scheme
from weft.similar.similarity import Witness, describe_pages

SUGGESTIONS_SCHEMA = pa.schema(
    {
        "direction": pa.string(),
        "page": pa.string(),
        "title": pa.string(),
        "kind": pa.string(),
        "score": pa.float64(),
        "anchor": pa.string(),
        "reason": pa.string(),
    }
)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A missing link, to a page or from one (`direction`).

    `scores` are those of every method that was computed. A witness of the
    pattern *intermediate* lies on a path of two links from source to target; a
    *peer* has links like those of the source, and links to the target; through
    a page of the pattern *readers* visitors went there in two clicks. The
    counts are of all witnesses, of which some are listed. `anchor` is a
    proposed anchor text, `anchor_source` where it is from: the `links` of
    others, or the `title`.
    """

    page: str
    title: str
    kind: str
    direction: str
    score: float
    scores: dict[str, float]
    intermediate_count: int
    peer_count: int
    reason: str
    witnesses: tuple[Witness, ...]
    shared_words: tuple[str, ...]
    anchor: str
    anchor_source: str


@dataclass(frozen=True, slots=True, eq=False)
class Suggestions(Tabular):
    """Links that a page lacks, `to` other pages and `from_` other pages, each best first.

    A sequence of both, the links to other pages first: it iterates, indexes and
    slices.

    Examples
    --------
    >>> from weft.similar import common_neighbours
    >>> links = common_neighbours([("a", "b"), ("b", "c"), ("b", "d")], page="a")
    >>> links
    <2 missing links of a by common-neighbours: 2 to other pages, 0 from others>
    >>> links[0].page, [link.page for link in links[:2]]
    ('c', ['c', 'd'])
    """

    method: str
    page: str
    to: tuple[Suggestion, ...] = ()
    from_: tuple[Suggestion, ...] = ()
    notes: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def to_table(self) -> pa.Table:
        """One row per link: direction, page, score, anchor and reason, then a column a method."""
        rows = [
            {name: getattr(link, name) for name in SUGGESTIONS_SCHEMA.names} | link.scores
            for link in self
        ]
        methods = self[0].scores if len(self) else ()
        schema = pa.schema([*SUGGESTIONS_SCHEMA, *((name, pa.float64()) for name in methods)])
        return pa.Table.from_pylist(rows, schema=schema)

    def to_document(self) -> JsonObject:
        """The one JSON of missing links."""
        level = self.provenance.get("level", "page")
        document: JsonObject = to_json_value(
            {
                "page": self.page,
                "method": self.method,
                "level": level,
                "options": self.options,
                "to": describe_pages(self.to, level),
                "from": describe_pages(self.from_, level),
                "notes": self.notes,
                "provenance": self.provenance,
            }
        )
        return document

    @overload
    def __getitem__(self, key: SupportsIndex) -> Suggestion: ...
    @overload
    def __getitem__(self, key: slice) -> list[Suggestion]: ...
    def __getitem__(self, key: SupportsIndex | slice) -> Suggestion | list[Suggestion]:
        return [*self.to, *self.from_][key]

    def __iter__(self) -> Iterator[Suggestion]:
        yield from self.to
        yield from self.from_

    def __len__(self) -> int:
        return len(self.to) + len(self.from_)

    def __repr__(self) -> str:
        if not self.page:
            return f"<{self.method}: no page given>"
        counts = f"{len(self.to)} to other pages, {len(self.from_)} from others"
        links = pluralise(len(self), "missing link")
        return f"<{links} of {strip_scheme(self.page)} by {self.method}: {counts}>"

    def _repr_html_(self) -> str:
        rows = [(link.direction, link.page, link.anchor, link.reason) for link in self]
        titles = {link.page: link.title for link in self}
        columns = ["direction", "page", "anchor", "reason"]
        return titled_table(repr(self).strip("<>"), columns, rows, titles=titles)
