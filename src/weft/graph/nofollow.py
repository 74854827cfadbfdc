"""Links marked nofollow, sponsored or ugc: written with a snapshot, found in a graph."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import (
    CSR,
    Floats,
    Ids,
    Offsets,
    Weights,
    pack_pairs,
    unpack_first_ids,
    unpack_pairs,
    unpack_second_ids,
)
from weft.core.errors import MalformedFile
from weft.graph.views import link_positions
from weft.store import segment as segments
from weft.store.arrow_files import check_ids, map_array
from weft.store.collection import Collection
from weft.store.manifest import Segment
from weft.store.numbering import Numbering

NOFOLLOW_PATTERN = r"(?i)(?:^|[\s,])(?:nofollow|sponsored|ugc)(?:$|[\s,])"
NOFOLLOW_FILES = {"key": "nofollow_links.npy", "weight": "nofollow_weights.npy"}  # by field
SegmentNumbers = tuple[Path, Ids, Ids]


@dataclass(frozen=True, slots=True, eq=False)
class NofollowLinks:
    """The nofollow links of a snapshot: sorted packed pairs, and the weight that is marked."""

    key: Offsets
    weight: Floats

    @classmethod
    def from_segments(cls, parts: Iterable[SegmentNumbers]) -> "NofollowLinks":
        """From segments, each with the pages of its rows and of its URLs, -1 for none."""
        keys, weights = [np.zeros(0, np.int64)], list[Weights]([np.zeros(0)])
        for folder, page_of_row, page_of_url in parts:
            row, url, weight = _read_segment_nofollow(folder)
            source, target = page_of_row[row], page_of_url[url]
            live = (source >= 0) & (target >= 0)
            keys.append(pack_pairs(source[live], target[live]))
            weights.append(weight[live])
        key, index = np.unique(np.concatenate(keys), return_inverse=True)
        return cls(key, np.bincount(index, np.concatenate(weights), len(key)).astype(float))

    def on_pages(self, pages: Ids) -> "NofollowLinks":
        """The nofollow links on some pages, which ascend."""
        bounds = [np.searchsorted(self.key, pack_pairs(pages + k, 0)) for k in (0, 1)]
        # Even rows of these offsets are the ranges of the pages.
        ranges = CSR(np.stack(bounds, axis=1).ravel(), np.zeros(0, np.int32))
        at, _ = link_positions(ranges, 2 * np.arange(len(pages), dtype=np.int32))
        return NofollowLinks(np.asarray(self.key[at]), np.asarray(self.weight[at]))


def nofollow_positions(collection: Collection, outlinks: CSR, pages: Ids) -> Offsets:
    """The positions in `outlinks` of links of some pages whose every occurrence is nofollow.

    A link that is also on its page without the mark counts as a recommendation.
    Pages and positions ascend.
    """
    from weft.kernels.csr import find_link_ranges  # noqa: PLC0415  which loads a compiler

    all_links = collection.memoize("nofollow links", lambda: read_nofollow_links(collection))
    links = all_links.on_pages(pages)
    rows = np.asarray(outlinks.starts), np.asarray(outlinks.ids)
    at, end = find_link_ranges(*rows, *unpack_pairs(links.key))
    present = at < end
    at, marked = at[present], links.weight[present]
    # Every occurrence is marked where the marked weight is all of the weight.
    total = 1 if outlinks.weights is None else outlinks.weights[at]
    positions: Offsets = at[marked >= total]
    return positions


def count_nofollow_inlinks(links: NofollowLinks, n: int) -> Ids:
    """The number of nofollow links to each of n pages."""
    return np.bincount(unpack_second_ids(links.key), minlength=n).astype(np.int32)


def write_nofollow_links(
    folder: Path, parts: Sequence[Segment], numbering: Numbering, into: Path
) -> None:
    """Write the nofollow links of a new snapshot beside its graph."""
    numbered = zip(parts, numbering.page_of_row, numbering.page_of_url, strict=True)
    links = NofollowLinks.from_segments(
        (folder / part.name, page_of_row, page_of_url)
        for part, page_of_row, page_of_url in numbered
        if not part.input_digest
    )
    for field, file in NOFOLLOW_FILES.items():
        np.save(into / file, getattr(links, field), allow_pickle=False)


def read_nofollow_links(collection: Collection) -> NofollowLinks:
    """Map and check the nofollow links of a snapshot."""
    links, weights = (
        collection.checked_snapshot_path("graph") / file for file in NOFOLLOW_FILES.values()
    )
    key = map_array(links, "<i8")
    check_ids(links, unpack_first_ids(key), len(collection))
    check_ids(links, unpack_second_ids(key), len(collection))
    if (key[1:] <= key[:-1]).any():
        raise MalformedFile(links, "links do not ascend")
    return NofollowLinks(key, map_array(weights, "<f8", length=len(key)))


def _read_segment_nofollow(folder: Path) -> tuple[Ids, Ids, Weights]:
    """The nofollow links of a segment: the row of the page, the URL, the weight."""
    rel = segments.read_link_column(folder, "rel")
    matches = pc.fill_null(pc.match_substring_regex(rel.dictionary, NOFOLLOW_PATTERN), False)  # noqa: FBT003
    is_mark = matches.to_numpy(zero_copy_only=False).astype(bool)
    marked = np.flatnonzero(is_mark[rel.indices.to_numpy()]) if is_mark.any() else np.zeros(0, int)
    if not len(marked):
        return np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.float32)
    table = segments.read_table(folder, "links.parquet", ["page", "target", "weight"])
    table = table.take(pa.array(marked))
    return tuple(table[name].to_numpy() for name in table.column_names)
