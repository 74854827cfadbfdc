"""The curves from the hubs of a topic to its authorities."""

from typing import NamedTuple

import numpy as np

from weft.core.arrays import Floats

REM_PIXELS = 16.0
ROW_HEIGHT, LINK_SPREAD = 3 * REM_PIXELS, 34.0
MIN_STROKE_WIDTH, MAX_STROKE_WIDTH = 0.8, 4.5


class Curve(NamedTuple):
    """A curve as an SVG path, from x = 0 to x = 100, and its width in em."""

    path: str
    width: float
    opacity: float


def hub_authority_curves(weights: Floats) -> list[Curve]:
    """A curve for each link from a hub (row) to an authority (column) of positive weight.

    The stronger both ends, the thicker the curve; the strongest are last, on
    top. The links of a page are spread over its row in the order of their other
    ends, so that few of them cross.
    """
    links = [(int(hub), int(authority)) for hub, authority in np.argwhere(weights > 0)]
    hub_targets = [np.flatnonzero(row > 0).tolist() for row in weights]
    authority_sources = [np.flatnonzero(column > 0).tolist() for column in weights.T]
    curves = []
    for hub, authority in sorted(links, key=lambda link: weights[link]):
        left = _curve_end(hub, authority, hub_targets[hub])
        right = _curve_end(authority, hub, authority_sources[authority])
        weight = float(weights[hub, authority])
        width = MIN_STROKE_WIDTH + (MAX_STROKE_WIDTH - MIN_STROKE_WIDTH) * weight
        path = f"M0 {left:.1f}C45 {left:.1f} 55 {right:.1f} 100 {right:.1f}"
        curves.append(Curve(path, width / REM_PIXELS, 0.3 + 0.5 * weight))
    return curves


def _curve_end(row: int, other: int, neighbours: list[int]) -> float:
    """The y at which the curve to another page meets the row of this one."""
    share = (neighbours.index(other) + 0.5) / len(neighbours)
    return (row + 0.5) * ROW_HEIGHT + LINK_SPREAD * (share - 0.5)
