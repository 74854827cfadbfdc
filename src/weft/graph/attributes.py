"""Attributes of pages, such as site, language or year: to count, to filter and to colour by."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import Flags
from weft.core.errors import UnknownName
from weft.core.memoize import memoize
from weft.graph.levels import group_pages
from weft.store.collection import Collection, read_live_columns
from weft.store.index import searchable_pages
from weft.store.tags import PageValues

ATTRIBUTES = ("site", "language", "year", "type", "status", "folder")
TAG_PREFIX = "tag:"
FOLDER = r"^[a-z][a-z0-9+.-]*://[^/?#]*/(?P<folder>(?:[^/?#]+/){DEPTH})"
FOLDER_DEPTHS = (1, 2, 3)
MAX_FOLDER_SHARE = 0.9


def attribute_names(collection: Collection) -> list[str]:
    """All attributes of the pages of a collection; each facet of tags is one, as `tag:FACET`."""
    return [*ATTRIBUTES, *(TAG_PREFIX + facet for facet in collection.tags.facets())]


def page_attribute(collection: Collection, name: str) -> PageValues:
    """The value of an attribute for each page; -1 where a page has none."""
    if name.startswith(TAG_PREFIX):
        return collection.tag_values(name.removeprefix(TAG_PREFIX))
    if name not in ATTRIBUTES:
        raise UnknownName("attribute", name, attribute_names(collection))
    return _read_attribute(collection, name)


@memoize
def _read_attribute(collection: Collection, name: str) -> PageValues:
    if name == "site":
        codes, names = group_pages(collection, "domain")
        return PageValues(name, tuple(names.to_pylist()), np.asarray(codes, np.int32))
    pages = collection.pages
    if name == "language":
        values = pages["language"]
    elif name == "year":
        times = pc.cast(pages["time"], pa.timestamp("s"))
        values = pc.if_else(pc.greater(pages["time"], 0), pc.strftime(times, "%Y"), None)
    elif name == "folder":
        values = _folders(pages["url"], searchable_pages(pages))
    elif name == "status":
        statuses = pc.cast(read_live_columns(collection, ["status"])["status"], pa.int32())
        values = pc.cast(pc.if_else(pc.greater(statuses, 0), statuses, None), pa.string())
    else:
        types = pc.cast(read_live_columns(collection, ["mime"])["mime"], pa.string())
        values = pc.utf8_lower(
            pc.utf8_trim_whitespace(pc.replace_substring_regex(types, ";.*", ""))
        )
    return _encode(name, values)


def _folders(urls: pa.ChunkedArray, counted: Flags) -> pa.ChunkedArray:
    """The folder of each page, as deep as it takes for those counted to be in several."""
    values = pa.nulls(len(urls), pa.string())
    for depth in FOLDER_DEPTHS:
        pattern = FOLDER.replace("DEPTH", str(depth))
        values = pc.struct_field(pc.extract_regex(urls, pattern), "folder")
        counts = pc.value_counts(values.filter(pa.array(counted)).drop_null())
        most = max((count["counts"].as_py() for count in counts), default=0)
        if most <= MAX_FOLDER_SHARE * np.count_nonzero(counted):
            break
    return values


def _encode(name: str, values: pa.ChunkedArray) -> PageValues:
    """Values as numbers, in alphabetical order; an empty one is none."""
    encoded = pc.if_else(pc.equal(values, ""), None, values).cast(pa.string())
    names = sorted(value for value in pc.unique(encoded).to_pylist() if value is not None)
    codes = pc.fill_null(pc.index_in(encoded, pa.array(names, pa.string())), -1)
    return PageValues(name, tuple(names), codes.to_numpy().astype(np.int32))


@dataclass(frozen=True, slots=True)
class PageFilter:
    """The values of attributes that pages must have; several of one are alternatives.

    Examples
    --------
    >>> PageFilter({"language": ("de", "fr"), "year": ("2004",)})
    PageFilter(values={'language': ('de', 'fr'), 'year': ('2004',)})
    """

    values: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def mask(self, collection: Collection, leave_out: str = "") -> Flags | None:
        """Which pages pass, whatever their value of one attribute; None where all do."""
        masks = [
            _have_any(page_attribute(collection, name), wanted)
            for name, wanted in self.values.items()
            if wanted and name != leave_out
        ]
        return np.logical_and.reduce(masks) if masks else None


def _have_any(attribute: PageValues, wanted: Sequence[str]) -> Flags:
    if attribute.facet not in ATTRIBUTES:  # tags have values below others
        below: Flags = np.logical_or.reduce([attribute.have(value) for value in wanted])
        return below
    chosen = set(wanted)
    codes = [k for k, value in enumerate(attribute.values) if value in chosen]
    return np.isin(attribute.codes, codes)
