"""Draw what a link costs as webs grow: `python -m benchmarks.growth_page`.

The figures are those of the last `python -m benchmarks.structure` and
`python -m benchmarks.distances`; the pictures stand in `docs/images`.
"""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from benchmarks.distances_page import KEPT as DISTANCES
from benchmarks.speed_page import DOCS
from benchmarks.structure import KEPT as STRUCTURE
from weft.core.markup import Markup
from weft.run.plots.charts import Labels, Series, scatter

Points = list[tuple[float, float]]
COLOURS = ("one", "two", "three", "four", "five")
HYPERBALL = "weft HyperBall, 1 run"


def main() -> None:
    """Draw both pictures."""
    structure, distances = (json.loads(path.read_text()) for path in (STRUCTURE, DISTANCES))
    for name, drawn in (("growth", growth(structure, distances)), ("bow-ties", race(structure))):
        (DOCS / "images" / f"structure-{name}.svg").write_text(f"{drawn}\n")


def growth(structure: Mapping[str, Any], distances: Mapping[str, Any]) -> Markup:
    """CPU time that one link costs Weft, by task."""
    costs: dict[str, Points] = {
        task: [(row["links"], row["cpu"] / row["links"] * 1e9) for row in rows]
        for task, rows in structure["growth"].items()
        if task != "versions"
    }
    grown = [told for task, told in distances.items() if task.startswith("growth")]
    costs["HyperBall"] = [
        (told["links"], told["peers"][HYPERBALL]["cpu"] / told["links"] * 1e9) for told in grown
    ]
    labels = Labels(
        "What a link costs as webs grow",
        "links of the web (R-MAT, pages numbered at random)",
        "nanoseconds of CPU a link",
        "CPU time a link for " + ", ".join(costs) + ", on webs of one million to 65 million links",
        "from arrays of links to the answer",
    )
    return scatter(labels, lines(costs))


def race(structure: Mapping[str, Any]) -> Markup:
    """Seconds that each library takes for a bow-tie, by the size of the web."""
    times: dict[str, Points] = {}
    for name, told in structure.items():
        if name.startswith("bow-tie, rmat"):
            for peer, row in told["peers"].items():
                times.setdefault(peer, []).append((told["links"], row["total"]))
    labels = Labels(
        "Bow-ties: seconds against links",
        "links of the web (R-MAT)",
        "seconds",
        "seconds from arrays of links to a bow-tie, by library and size of the web",
        "from arrays of links to the answer, which is the same for all",
    )
    return scatter(labels, lines(times))


def lines(points: Mapping[str, Points]) -> list[Series]:
    """A line with dots on it for each name."""
    drawn: list[Series] = []
    for (name, some), colour in zip(points.items(), COLOURS, strict=False):
        x, y = np.array(sorted(some), float).T
        drawn += [Series(name, x, y, colour), Series("", x, y, colour, dots=True)]
    return drawn


if __name__ == "__main__":
    main()
