"""The URLs of many segments as one list, in the order of reversed host and path."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import Ids
from weft.core.progress import track
from weft.store import segment as segments


def all_urls(folders: Sequence[Path]) -> tuple[pa.Array, pa.Array, list[Ids]]:
    """Every URL once in the order of keys, and each segment's URLs as places among them.

    Segments are taken together until they have as many keys as are known, so
    that these are gone through a few times and not once a segment.
    """
    keys, waiting = pa.array([], pa.large_string()), list[pa.Array]()
    for folder in track(folders, "urls", len(folders)):
        waiting.append(_column(folder, "key"))
        if sum(map(len, waiting)) > len(keys):
            keys, waiting = pa.chunked_array([keys, *waiting]).unique(), []
    keys = pa.chunked_array([keys, *waiting]).unique()
    keys = keys.take(pc.array_sort_indices(keys))
    local = _places(folders, keys)
    return keys, _urls_at(folders, local, len(keys)), local


def _places(folders: Sequence[Path], keys: pa.Array) -> list[Ids]:
    found, waiting = list[Ids](), list[pa.Array]()
    for folder in folders:
        waiting.append(_column(folder, "key"))
        if sum(map(len, waiting)) > len(keys) or folder == folders[-1]:
            places = pc.index_in(pa.chunked_array(waiting), keys).to_numpy()
            found += np.split(places, np.cumsum([len(each) for each in waiting])[:-1])
            waiting = []
    return found


def _urls_at(folders: Sequence[Path], local: list[Ids], n: int) -> pa.Array:
    """The URLs at all places, each as the first segment has it."""
    place, pieces, at = np.full(n, -1, np.int64), [], 0
    for folder, ids in zip(folders, local, strict=True):
        fresh = place[ids] < 0
        pieces.append(_column(folder, "url").filter(pa.array(fresh)))
        place[ids[fresh]] = np.arange(at, at := at + len(pieces[-1]))
    return pa.chunked_array(pieces, pa.large_string()).combine_chunks().take(pa.array(place))


def _column(folder: Path, name: str) -> pa.Array:
    return (
        segments.read(folder, "urls.parquet", [name])[name].combine_chunks().cast(pa.large_string())
    )
