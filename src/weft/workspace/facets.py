"""Facets of a search: how many of the pages found have each site, language, year, type or tag."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from weft.core.arrays import Flags, Ids
from weft.core.tables import Tabular
from weft.graph.attributes import PageFilter, attribute_names, page_attribute
from weft.store.captures import count_by_period, read_captures
from weft.store.collection import Collection
from weft.store.index import searchable_pages
from weft.store.search import ANY_TIME, TimeRange

EVERYTHING = PageFilter()


@dataclass(frozen=True, slots=True)
class FacetValue:
    """A value, and how many of the pages have it."""

    value: str
    pages: int


@dataclass(frozen=True, slots=True)
class Facet:
    """The most frequent values of an attribute, and how many more there are."""

    name: str
    values: tuple[FacetValue, ...]
    more_values: int


@dataclass(frozen=True, slots=True)
class Facets(Tabular):
    """The values of the pages that a search found, and when these were captured.

    `total` pages pass the filter. The values of an attribute are counted
    without the filter on that attribute, so that others can be chosen beside
    it. `captures` counts all captures of the pages by `unit`: day, month or
    year; `undated` have no time.
    """

    query: str
    total: int
    facets: tuple[Facet, ...]
    unit: str
    captures: tuple[tuple[str, int], ...]
    undated: int

    def to_table(self) -> pa.Table:
        """One row per value: facet, value, pages."""
        rows = [
            {"facet": facet.name, **asdict(value)}
            for facet in self.facets
            for value in facet.values
        ]
        schema = pa.schema({"facet": pa.string(), "value": pa.string(), "pages": pa.int64()})
        return pa.Table.from_pylist(rows, schema)

    def to_document(self) -> dict[str, Any]:
        """The one JSON of facets."""
        return {
            "query": self.query,
            "total": self.total,
            "facets": [asdict(facet) for facet in self.facets],
            "captures": {
                "unit": self.unit,
                "undated": self.undated,
                "periods": [{"period": name, "captures": count} for name, count in self.captures],
            },
        }

    def __repr__(self) -> str:
        return f"<Facets of {self.total:,} pages: {', '.join(facet.name for facet in self.facets)}>"


def count_facets(
    collection: Collection,
    query: str = "",
    time_range: TimeRange = ANY_TIME,
    page_filter: PageFilter = EVERYTHING,
    top: int = 10,
) -> Facets:
    """Count the values of the pages that a search finds, or of all pages that can be found."""
    if query.strip():
        found = collection.match(query, time_range)
    else:
        found = np.flatnonzero(searchable_pages(collection.pages)).astype(np.int32)
    facets = [
        _count_values(collection, name, _keep(found, page_filter.mask(collection, name)), top)
        for name in attribute_names(collection)
    ]
    kept = _keep(found, page_filter.mask(collection))
    captures = read_captures(collection)
    is_kept = np.zeros(len(collection), bool)
    is_kept[kept] = True
    times = captures.time[is_kept[captures.page]]
    unit, periods = count_by_period(times)
    undated = int(np.count_nonzero(times == 0))
    shown = tuple(facet for facet in facets if facet.values)
    return Facets(query, len(kept), shown, unit, tuple(periods), undated)


def _keep(found: Ids, mask: Flags | None) -> Ids:
    return found if mask is None else found[mask[found]]


def _count_values(collection: Collection, name: str, pages: Ids, top: int) -> Facet:
    attribute = page_attribute(collection, name)
    codes = attribute.codes[pages]
    counts = np.bincount(codes[codes >= 0], minlength=len(attribute.values))
    order = np.argsort(-counts, kind="stable")
    order = order[counts[order] > 0]
    values = tuple(FacetValue(attribute.values[k], int(counts[k])) for k in order[:top].tolist())
    return Facet(name, values, max(len(order) - top, 0))
