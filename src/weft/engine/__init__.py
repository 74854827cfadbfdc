"""Run the few loops that need speed, on plain arrays."""

from weft.engine.choose import flow, use
from weft.engine.components import Components, sums
from weft.engine.flow import Flow, Scaled, powers
from weft.engine.iterate import CLOSED, Trace, fixed_point, largest, length, unit
from weft.engine.principal import Pair, principal
from weft.engine.second import runner_up
from weft.engine.series import NOWHERE, series
from weft.engine.triplets import Triplets, triplets

__all__ = [
    "CLOSED",
    "NOWHERE",
    "Components",
    "Flow",
    "Pair",
    "Scaled",
    "Trace",
    "Triplets",
    "fixed_point",
    "flow",
    "largest",
    "length",
    "powers",
    "principal",
    "runner_up",
    "series",
    "sums",
    "triplets",
    "unit",
    "use",
]
