"""Links that ask not to be taken as a recommendation."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import Flags, Floats, Ids, Offsets, Weights
from weft.graph.anchors import spellings
from weft.graph.filters import Links
from weft.store import segment as segments
from weft.store.collection import Collection

MARK = r"(?i)(?:^|[\s,])(?:nofollow|sponsored|ugc)(?:$|[\s,])"


@dataclass(frozen=True, slots=True, eq=False)
class Marked:
    """The marked links of a segment: the row of their page, and which of `keys` they lead to."""

    row: Ids
    target: Ids
    weight: Weights
    keys: pa.Array


def unfollowed(collection: Collection, numbers: Ids, links: Links) -> Flags:
    """The links, which ascend, that are marked wherever they stand on their page.

    A link that stands there unmarked as well is a recommendation after all.
    """
    where = collection.pages.select(["segment", "row"]).take(pa.array(numbers))
    home, row = (where[name].to_numpy() for name in ("segment", "row"))
    names, place = spellings(collection, numbers)
    sources, targets, weights = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0)]
    for s in np.unique(home[home >= 0]):
        part = collection.manifest.segments[s]
        if part.origin:
            continue
        folder = collection.segment_folder(part)
        marked = read_marked(folder, part.files["links.parquet"].sha256)
        own, source = np.flatnonzero(home == s), np.full(part.pages, -1, np.int64)
        source[row[own]] = own
        found = pc.fill_null(pc.index_in(marked.keys, names), -1).to_numpy()
        target = np.where(found >= 0, place[found], -1) if len(place) else found
        sources.append(source[marked.row])
        targets.append(target[marked.target].astype(np.int64))
        weights.append(marked.weight.astype(float))
    source, target = np.concatenate(sources), np.concatenate(targets)
    known = (source >= 0) & (target >= 0)
    key, at = np.unique(source[known] << 32 | target[known], return_inverse=True)
    marks = np.bincount(at, np.concatenate(weights)[known], len(key)).astype(float)
    return _outweighed(links, key, marks)


def _outweighed(links: Links, key: Offsets, marks: Floats) -> Flags:
    """The links, which ascend, whose marks weigh as much as they do."""
    gone = np.zeros(len(links), bool)
    own = links.source.astype(np.int64) << 32 | links.target
    at = np.searchsorted(own, key)
    known = at < len(own)
    known[known] = own[at[known]] == key[known]
    gone[at[known]] = marks[known] >= links.weight[at[known]]
    return gone


@lru_cache(maxsize=256)
def read_marked(folder: Path, digest: str) -> Marked:  # noqa: ARG001  names what the folder holds
    """The marked links of a segment, read once while the process lives."""
    said = segments.encoded(folder, "rel")
    meant = pc.fill_null(pc.match_substring_regex(said.dictionary, MARK), False)  # noqa: FBT003
    marks = meant.to_numpy(zero_copy_only=False).astype(bool)
    chosen = np.flatnonzero(marks[said.indices.to_numpy()]) if marks.any() else np.zeros(0, int)
    if not len(chosen):
        none = np.zeros(0, np.int32)
        return Marked(none, none, np.zeros(0, np.float32), pa.array([], pa.large_string()))
    table = segments.read(folder, "links.parquet", ["page", "target", "weight"])
    table = table.take(pa.array(chosen))
    urls, target = np.unique(table["target"].to_numpy(), return_inverse=True)
    keys = segments.read(folder, "urls.parquet", ["key"])["key"].take(pa.array(urls))
    return Marked(
        table["page"].to_numpy(),
        target.astype(np.int32),
        table["weight"].to_numpy(),
        keys.combine_chunks().cast(pa.large_string()),
    )
