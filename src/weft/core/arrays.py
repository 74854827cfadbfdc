"""Names for the arrays that cross module borders."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Weights = npt.NDArray[np.float32]
Ids = npt.NDArray[np.int32]
Offsets = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


class Rows(NamedTuple):
    """Compressed rows: the neighbours of page i are `ids[starts[i]:starts[i + 1]]`.

    `weights` runs beside `ids`; None means that every link weighs one.
    """

    starts: Offsets
    ids: Ids
    weights: Weights | None = None
