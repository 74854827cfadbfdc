"""Names for the arrays that cross module borders."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Weights = npt.NDArray[np.floating[Any]]
Ids = npt.NDArray[np.int32]
Offsets = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


LOW = 0xFFFFFFFF
# Weights beyond these have products, as in the matrix of co-citation, beyond what numbers hold.
LIGHTEST, HEAVIEST = np.float64(1e-70), np.float64(1e70)


def stacked(above: npt.ArrayLike, below: npt.ArrayLike) -> Offsets:
    """Two ids as one number, of which numbers sort by the first, then by the second.

    Examples
    --------
    >>> unstacked(np.unique(stacked([7, 3, 7], [0, 5, 0])))
    (array([3, 7], dtype=int32), array([5, 0], dtype=int32))
    """
    key: Offsets = np.array(above, np.int64)
    key <<= 32
    key |= np.asarray(below)
    return key


def upper(key: Offsets) -> Offsets:
    """The first id of each."""
    return key >> 32


def lower(key: Offsets) -> Offsets:
    """The second id of each."""
    return key & LOW


def unstacked(key: Offsets) -> tuple[Ids, Ids]:
    """Both ids of each."""
    return upper(key).astype(np.int32), lower(key).astype(np.int32)


def narrowed(values: npt.ArrayLike) -> Weights:
    """Numbers in single precision where that holds each of them exactly, else in double.

    Examples
    --------
    >>> narrowed([0.5, 2**24]).dtype, narrowed([0.5, 0.1]).dtype
    (dtype('float32'), dtype('float64'))
    """
    if isinstance(values, np.ndarray) and values.dtype == np.float32:
        return values
    double = np.asarray(values, np.float64)
    with np.errstate(over="ignore", under="ignore"):
        single = double.astype(np.float32)
    return single if np.array_equal(single, double) else double


class Rows(NamedTuple):
    """Compressed rows: the neighbours of page i are `ids[starts[i]:starts[i + 1]]`.

    `weights` runs beside `ids`; None means that every link weighs one. They are
    in single precision where that holds each exactly, else in double.

    Examples
    --------
    >>> Rows(np.array([0, 1, 3]), np.array([2, 0, 1], np.int32)).row(1).tolist()
    [0, 1]
    """

    starts: Offsets
    ids: Ids
    weights: Weights | None = None

    def row(self, page: int) -> Ids:
        """The neighbours of one page."""
        return np.asarray(self.ids[self.starts[page] : self.starts[page + 1]])

    def owners(self) -> Ids:
        """Whose neighbour each is, beside `ids`."""
        return np.repeat(np.arange(len(self.starts) - 1, dtype=np.int32), np.diff(self.starts))
