"""Links that ask not to be taken as a recommendation."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import Floats, Ids, Offsets, Rows, Weights, lower, stacked, unstacked, upper
from weft.core.errors import Malformed
from weft.graph.among import places
from weft.store import segment as segments
from weft.store.collection import Collection
from weft.store.manifest import Segment
from weft.store.mapped import check_ids, map_array
from weft.store.numbering import Numbering

MARK = r"(?i)(?:^|[\s,])(?:nofollow|sponsored|ugc)(?:$|[\s,])"
FILES = {"key": "marked_links.npy", "weight": "marked_weights.npy"}
Part = tuple[Path, Ids, Ids]


@dataclass(frozen=True, slots=True, eq=False)
class Marks:
    """The marked links of a snapshot: source above target, ascending, and what marks weigh."""

    key: Offsets
    weight: Floats

    @classmethod
    def of(cls, parts: Iterable[Part]) -> "Marks":
        """Those of segments, each with the page of its rows and of its URLs, -1 for none."""
        keys, weights = [np.zeros(0, np.int64)], list[Weights]([np.zeros(0)])
        for folder, owners, numbers in parts:
            row, url, weight = _marked(folder)
            source, target = owners[row], numbers[url]
            known = (source >= 0) & (target >= 0)
            keys.append(stacked(source[known], target[known]))
            weights.append(weight[known])
        key, at = np.unique(np.concatenate(keys), return_inverse=True)
        return cls(key, np.bincount(at, np.concatenate(weights), len(key)).astype(float))

    def among(self, pages: Ids) -> "Marks":
        """Those on some pages, which ascend."""
        bounds = [np.searchsorted(self.key, stacked(pages + k, 0)) for k in (0, 1)]
        starts = np.stack(bounds, axis=1).ravel()
        at, _ = places(
            Rows(starts, np.zeros(0, np.int32)), 2 * np.arange(len(pages), dtype=np.int32)
        )
        return Marks(np.asarray(self.key[at]), np.asarray(self.weight[at]))


def unfollowed(collection: Collection, outlinks: Rows, pages: Ids) -> Offsets:
    """Where links of some pages stand, all ascending, that are marked wherever they stand there.

    A link that stands on its page unmarked as well is a recommendation after all.
    """
    from weft.engine.inner import spans  # noqa: PLC0415  which loads a compiler

    marks = collection.once("marks", lambda: read_marks(collection)).among(pages)
    rows = np.asarray(outlinks.starts), np.asarray(outlinks.ids)
    at, end = spans(*rows, *unstacked(marks.key))
    known = at < end
    at, marked = at[known], marks.weight[known]
    found: Offsets = at[marked >= (1 if outlinks.weights is None else outlinks.weights[at])]
    return found


def marked_to(marks: Marks, n: int) -> Ids:
    """How many marked links lead to each of n pages."""
    return np.bincount(lower(marks.key), minlength=n).astype(np.int32)


def write_marks(folder: Path, parts: Sequence[Segment], numbering: Numbering, into: Path) -> None:
    """Write the marked links of a new snapshot beside its graph."""
    made = zip(parts, numbering.owners, numbering.numbers, strict=True)
    marks = Marks.of((folder / p.name, owners, urls) for p, owners, urls in made if not p.origin)
    for name, file in FILES.items():
        np.save(into / file, getattr(marks, name), allow_pickle=False)


def read_marks(collection: Collection) -> Marks:
    """The marked links of a snapshot."""
    links, weights = (collection.path("graph") / file for file in FILES.values())
    key = map_array(links, "<i8")
    check_ids(links, upper(key), len(collection))
    check_ids(links, lower(key), len(collection))
    if (key[1:] <= key[:-1]).any():
        raise Malformed(links, "links do not ascend")
    return Marks(key, map_array(weights, "<f8", length=len(key)))


def _marked(folder: Path) -> tuple[Ids, Ids, Weights]:
    """The marked links of a segment: the row of their page, their URL, what they weigh."""
    said = segments.encoded(folder, "rel")
    meant = pc.fill_null(pc.match_substring_regex(said.dictionary, MARK), False)  # noqa: FBT003
    marks = meant.to_numpy(zero_copy_only=False).astype(bool)
    chosen = np.flatnonzero(marks[said.indices.to_numpy()]) if marks.any() else np.zeros(0, int)
    if not len(chosen):
        return np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.float32)
    table = segments.read(folder, "links.parquet", ["page", "target", "weight"])
    table = table.take(pa.array(chosen))
    return tuple(table[name].to_numpy() for name in table.column_names)
