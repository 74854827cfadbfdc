"""Draw the cost per link as webs grow: `python -m benchmarks.growth_page`.

The figures are those of the last `python -m benchmarks.structure` and
`python -m benchmarks.distances`; the pictures go to `docs/images`.
"""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from benchmarks.distances_page import KEPT as DISTANCES
from benchmarks.speed_page import DOCS
from benchmarks.structure import KEPT as STRUCTURE
from weft.core.html import Markup
from weft.report.plots.charts import ChartLabels, Series, draw_log_scatter

Points = list[tuple[float, float]]
COLOURS = ("t1", "t2", "t3", "t4", "t5")
HYPERBALL = "weft HyperBall, 1 run"


def main() -> None:
    """Draw both pictures."""
    structure, distances = (json.loads(path.read_text()) for path in (STRUCTURE, DISTANCES))
    for name, drawn in (("growth", growth(structure, distances)), ("bow-ties", race(structure))):
        (DOCS / "images" / f"structure-{name}.svg").write_text(f"{drawn}\n")


def growth(structure: Mapping[str, Any], distances: Mapping[str, Any]) -> Markup:
    """Weft's CPU time per link, by task."""
    costs: dict[str, Points] = {
        task: [(row["links"], row["cpu"] / row["links"] * 1e9) for row in rows]
        for task, rows in structure["growth"].items()
        if task != "versions"
    }
    grown = [result for task, result in distances.items() if task.startswith("growth")]
    costs["HyperBall"] = [
        (result["links"], result["peers"][HYPERBALL]["cpu"] / result["links"] * 1e9)
        for result in grown
    ]
    labels = ChartLabels(
        "Cost per link as webs grow",
        "links of the web (R-MAT, pages numbered at random)",
        "nanoseconds of CPU per link",
        "CPU time per link for "
        + ", ".join(costs)
        + ", on webs of one million to 65 million links",
        "from arrays of links to the answer",
    )
    return draw_log_scatter(labels, lines(costs))


def race(structure: Mapping[str, Any]) -> Markup:
    """Seconds of each library for a bow-tie, by the size of the web."""
    times: dict[str, Points] = {}
    for name, result in structure.items():
        if name.startswith("bow-tie, rmat"):
            for peer, row in result["peers"].items():
                times.setdefault(peer, []).append((result["links"], row["total"]))
    labels = ChartLabels(
        "Bow-ties: seconds against links",
        "links of the web (R-MAT)",
        "seconds",
        "seconds from arrays of links to a bow-tie, by library and size of the web",
        "from arrays of links to the answer, which is the same for all",
    )
    return draw_log_scatter(labels, lines(times))


def lines(points: Mapping[str, Points]) -> list[Series]:
    """A line with dots for each name."""
    drawn: list[Series] = []
    for (name, some), colour in zip(points.items(), COLOURS, strict=False):
        x, y = np.array(sorted(some), float).T
        drawn += [Series(name, x, y, colour), Series("", x, y, colour, as_dots=True)]
    return drawn


if __name__ == "__main__":
    main()
