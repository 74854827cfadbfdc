"""Numbers that look random, and are always the same for the same value."""

from typing import Any

import numpy as np
import numpy.typing as npt

Hashes = npt.NDArray[np.uint64]
GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def mixed(values: npt.NDArray[Any]) -> Hashes:
    """A step of SplitMix64 from each value: every bit of it hangs on every bit of the value.

    Examples
    --------
    >>> mixed(np.array([0, 1])).tolist()
    [16294208416658607535, 10451216379200822465]
    """
    made = values.astype(np.uint64) + GOLDEN
    made = (made ^ (made >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    made = (made ^ (made >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return made ^ (made >> np.uint64(31))
