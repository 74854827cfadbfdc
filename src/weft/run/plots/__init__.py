"""The pictures of a shape, drawn from its tables: SVG that needs nothing else."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow.compute as pc

from weft.core.arrays import Floats
from weft.core.markup import Markup
from weft.run.plots.bowtie import bow_tie_picture
from weft.run.plots.charts import Labels, Series, bars, scatter
from weft.structure.shape import Shape

__all__ = ["plots"]

LAWS = {
    "power law": ("two", ""),
    "log-normal": ("three", "6 3"),
    "truncated power law": ("four", "2 2"),
    "exponential": ("five", "8 3 2 3"),
}


def plots(shape: Shape) -> dict[str, Markup]:
    """The pictures of a shape by their names; none for a method without."""
    draw = DRAWN.get(shape.method)
    return dict(draw(shape)) if draw else {}


def _bow_tie(shape: Shape) -> Iterator[tuple[str, Markup]]:
    table = shape.to_table("regions")
    pages = dict(zip(table["region"].to_pylist(), table["pages"].to_pylist(), strict=True))
    level = shape.provenance.get("level", "page")
    yield "bow-tie", bow_tie_picture(pages, f"Bow-tie, areas to the scale of {level}s")


def _degrees(shape: Shape) -> Iterator[tuple[str, Markup]]:
    for end in ("in", "out"):
        counted = _rows(shape, "degrees", end=end)
        lines = [
            Series(law, *_columns(_rows(shape, "lines", end=end, law=law)), colour, dashes=dashes)
            for law, (colour, dashes) in LAWS.items()
        ]
        start = shape.facts[f"{end}-degree fitted from"]
        verdict = shape.facts[f"{end}-degree verdict"]
        about = f"Share of pages by least {end}-degree. Power law: {verdict}."
        beside = "share with as many or more"
        labels = Labels(
            _headed(shape, end), f"{end}-degree", beside, about, f"power law: {verdict}"
        )
        dots = Series("pages", *_columns(counted), "one", dots=True)
        yield f"{end}-degrees", scatter(labels, [dots, *lines], [start] if start else [])


def _headed(shape: Shape, end: str) -> str:
    exponent = shape.facts[f"{end}-degree exponent"]
    told = f", exponent {exponent:.2f}" if exponent else ""
    return f"{end.capitalize()}-degrees{told}"


def _components(shape: Shape) -> Iterator[tuple[str, Markup]]:
    series = []
    for kind, colour in (("weak", "one"), ("strong", "two")):
        table = _rows(shape, "sizes", connection=kind)
        size, number = (_numbers(table, name) for name in ("size", "components"))
        series.append(Series(f"{kind} components", size, number, colour, dots=True))
    about = "How many weak and strong components there are of each size."
    labels = Labels("Component sizes", "pages in a component", "components", about)
    yield "components", scatter(labels, series)


def _distances(shape: Shape) -> Iterator[tuple[str, Markup]]:
    table = shape.to_table("distances")
    mean, most = shape.facts["average distance"], shape.facts["diameter"]
    told = f"average {mean:.2f}, diameter {most:,}" if mean else ""
    bound = "" if shape.facts["diameter is"] == "exact" else " or more"
    about = f"Share of joined pairs at each distance: {told}{bound}."
    labels = Labels("Distances", "clicks", "share of joined pairs", about, f"{told}{bound}")
    marks = [mean] if mean else []
    yield "distances", bars(labels, _numbers(table, "distance"), _numbers(table, "share"), marks)


def _depth(shape: Shape) -> Iterator[tuple[str, Markup]]:
    table, mean = shape.to_table("depth"), shape.facts["average depth"]
    told = f"average {mean:.2f}, deepest {shape.facts['deepest']:,}" if mean is not None else ""
    about = f"Share of pages at each number of clicks from home: {told}."
    labels = Labels("Clicks from home", "clicks from the nearest home", "share", about, told)
    marks = [mean] if mean is not None else []
    yield "depth", bars(labels, _numbers(table, "clicks"), _numbers(table, "share"), marks)


AXES = {
    "rank": ("place by out-degree", "out-degree"),
    "out-degree": ("out-degree", "pages"),
    "hop-plot": ("hops", "pairs within as many"),
    "eigenvalue": ("place", "eigenvalue"),
}


def _faloutsos(shape: Shape) -> Iterator[tuple[str, Markup]]:
    for law, (below, beside) in AXES.items():
        table = _rows(shape, "points", law=law)
        x, y = _numbers(table, "x"), _numbers(table, "y")
        slope = shape.facts[f"{law} exponent"]
        used = table["used"].to_numpy(zero_copy_only=False)
        line = _through(x[used], y[used], slope)
        told = f", exponent {slope:.2f}" if slope is not None else ""
        labels = Labels(f"{law.capitalize()}{told}", below, beside, f"{beside} by {below}{told}.")
        series = [Series("", x, y, "one", dots=True), Series("least squares", *line, "two")]
        yield f"faloutsos {law}", scatter(labels, series)


def _through(x: Floats, y: Floats, slope: float | None) -> tuple[Floats, Floats]:
    """The ends of a line of a slope through the middle of some points."""
    if slope is None or len(x) < 2:
        return np.zeros(0), np.zeros(0)
    ends = np.array([x[0], x[-1]])
    middle = np.log(y).mean() - slope * np.log(x).mean()
    return ends, np.exp(middle + slope * np.log(ends))


def _rows(shape: Shape, name: str, **wanted: str) -> Any:
    table = shape.to_table(name)
    for column, value in wanted.items():
        table = table.filter(pc.equal(table[column], value))
    return table


def _columns(table: Any) -> tuple[Floats, Floats]:
    return _numbers(table, "degree"), _numbers(table, "share at least")


def _numbers(table: Any, name: str) -> Floats:
    return np.asarray(table[name].to_numpy(), np.float64)


DRAWN: dict[str, Callable[[Shape], Iterator[tuple[str, Markup]]]] = {
    "bow-tie": _bow_tie,
    "degrees": _degrees,
    "components": _components,
    "distances": _distances,
    "depth": _depth,
    "faloutsos": _faloutsos,
}
