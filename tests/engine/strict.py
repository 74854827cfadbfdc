"""An operator over arrays of the array API standard, on a device that NumPy cannot read.

Products are those of SciPy. What assumes NumPy arrays fails here: a NumPy function, an
array of another device, a method that the standard does not have.
"""

from dataclasses import dataclass
from typing import Any

import array_api_strict
import numpy as np
import numpy.typing as npt

from weft.core.arrays import Floats, Ids
from weft.engine import BipartiteComponents, LinkOperator
from weft.engine.operator import Vectors

DEVICE = array_api_strict.Device("device1")
CPU = array_api_strict.Device("CPU_DEVICE")


class StrictVectors(Vectors):
    """Vectors of array-api-strict."""

    xp = array_api_strict

    def zeros(self, *shape: int) -> Any:
        """A new vector of zeros, on the device."""
        return self.xp.zeros(shape, dtype=self.xp.float64, device=DEVICE)

    def ones(self, *shape: int) -> Any:
        """A new vector of ones, on the device."""
        return self.xp.ones(shape, dtype=self.xp.float64, device=DEVICE)

    def asarray(self, x: Any) -> Any:
        """Numbers as a vector on the device."""
        if isinstance(x, type(self.zeros(1))):
            assert x.device == DEVICE
            return x
        return self.xp.asarray(np.ascontiguousarray(x, np.float64), device=DEVICE)

    def to_host(self, x: Any) -> npt.NDArray[Any]:
        """A vector on the device as a NumPy array."""
        return np.asarray(x.to_device(CPU))

    def sum_by_label(self, values: Any, labels: Any, count: int) -> Any:
        """Sums by label, computed by NumPy: the standard has no function for them."""
        return self.asarray(super().sum_by_label(self.to_host(values), self.to_host(labels), count))

    def labels(self, labels: Ids) -> Any:
        """The labels of components on the device."""
        return self.xp.asarray(labels, device=DEVICE)


@dataclass(frozen=True, slots=True, eq=False)
class StrictOperator(LinkOperator):
    """An operator whose vectors are on the device."""

    operator: LinkOperator

    @property
    def vectors(self) -> StrictVectors:
        """The vectors on the device."""
        return StrictVectors()

    @property
    def n(self) -> int:
        """The number of pages."""
        return self.operator.n

    @property
    def link_count(self) -> int:
        """The number of links."""
        return self.operator.link_count

    def rmatvec(self, x: Floats) -> Floats:
        """A'x."""
        return self.asarray(self.operator.rmatvec(self.to_host(self.asarray(x))))

    def matvec(self, x: Floats) -> Floats:
        """A x."""
        return self.asarray(self.operator.matvec(self.to_host(self.asarray(x))))

    def hub_authority_components(self) -> BipartiteComponents:
        """The components, with labels on the device."""
        found = self.operator.hub_authority_components()
        return BipartiteComponents(
            found.count,
            self.vectors.labels(found.hub_labels),
            self.vectors.labels(found.authority_labels),
        )
