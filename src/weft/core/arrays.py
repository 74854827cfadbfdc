"""Array types, CSR adjacency, pairs of ids packed into one integer, and SplitMix64 hashes."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Weights = npt.NDArray[np.floating[Any]]
Ids = npt.NDArray[np.int32]
Offsets = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Hashes = npt.NDArray[np.uint64]

LOW_32_BITS = 0xFFFFFFFF
GOLDEN_GAMMA = np.uint64(0x9E3779B97F4A7C15)
# Beyond these, products of weights, as in the co-citation matrix, overflow or underflow a float.
MIN_LINK_WEIGHT, MAX_LINK_WEIGHT = np.float64(1e-70), np.float64(1e70)


class CSR(NamedTuple):
    """Adjacency in compressed sparse rows: page i's neighbours are `ids[starts[i]:starts[i + 1]]`.

    `weights` is parallel to `ids`; None means that every link weighs one.
    Weights are float32 where that represents all of them exactly, else float64.

    Examples
    --------
    >>> CSR(np.array([0, 1, 3]), np.array([2, 0, 1], np.int32)).row(1).tolist()
    [0, 1]
    """

    starts: Offsets
    ids: Ids
    weights: Weights | None = None

    def row(self, page: int) -> Ids:
        """The neighbours of one page."""
        return np.asarray(self.ids[self.starts[page] : self.starts[page + 1]])

    def row_ids(self) -> Ids:
        """The row of each entry of `ids`: with it the links as an edge list."""
        return np.repeat(np.arange(len(self.starts) - 1, dtype=np.int32), np.diff(self.starts))


def pack_pairs(high: npt.ArrayLike, low: npt.ArrayLike) -> Offsets:
    """Pack two ids into one integer, so that integers sort by the first id, then the second.

    Examples
    --------
    >>> unpack_pairs(np.unique(pack_pairs([7, 3, 7], [0, 5, 0])))
    (array([3, 7], dtype=int32), array([5, 0], dtype=int32))
    """
    key: Offsets = np.array(high, np.int64)
    key <<= 32
    key |= np.asarray(low)
    return key


def unpack_first_ids(keys: Offsets) -> Offsets:
    """The first id of each packed pair."""
    return keys >> 32


def unpack_second_ids(keys: Offsets) -> Offsets:
    """The second id of each packed pair."""
    return keys & LOW_32_BITS


def unpack_pairs(keys: Offsets) -> tuple[Ids, Ids]:
    """Both ids of each packed pair."""
    return unpack_first_ids(keys).astype(np.int32), unpack_second_ids(keys).astype(np.int32)


def to_float32_if_exact(values: npt.ArrayLike) -> Weights:
    """Convert to float32 if that represents every value exactly, else to float64.

    Examples
    --------
    >>> to_float32_if_exact([0.5, 2**24]).dtype, to_float32_if_exact([0.5, 0.1]).dtype
    (dtype('float32'), dtype('float64'))
    """
    if isinstance(values, np.ndarray) and values.dtype == np.float32:
        return values
    double = np.asarray(values, np.float64)
    with np.errstate(over="ignore", under="ignore"):
        single = double.astype(np.float32)
    return single if np.array_equal(single, double) else double


def splitmix64(values: npt.NDArray[Any]) -> Hashes:
    """Hash each value by one step of SplitMix64: every output bit depends on every input bit.

    Examples
    --------
    >>> splitmix64(np.array([0, 1])).tolist()
    [16294208416658607535, 10451216379200822465]
    """
    z = values.astype(np.uint64) + GOLDEN_GAMMA
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
