"""The plots of a shape, drawn from its tables as self-contained SVG."""

from collections.abc import Callable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import Floats
from weft.core.html import Markup
from weft.core.text import format_share, pluralise
from weft.report.plots.bowtie import draw_bow_tie
from weft.report.plots.charts import ChartLabels, Mark, Series, draw_bars, draw_log_scatter
from weft.report.plots.svg import DEFAULT_FRAME, Frame
from weft.structure.shape import Shape

__all__ = ["draw_plots"]

PERCENT = " %"
DISTRIBUTION_STYLES = {
    "power law": ("t2", ""),
    "log-normal": ("t3", "6 3"),
    "truncated power law": ("t4", "2 2"),
    "exponential": ("t5", "8 3 2 3"),
}


def draw_plots(shape: Shape, frame: Frame = DEFAULT_FRAME) -> dict[str, Markup]:
    """Draw the plots of a shape, by name; some methods have none."""
    draw = PLOT_FUNCTIONS.get(shape.method)
    return dict(draw(shape, frame)) if draw else {}


def _plot_bow_tie(shape: Shape, frame: Frame) -> Iterator[tuple[str, Markup]]:
    table, level = shape.to_table("regions"), _level(shape)
    pages = dict(zip(table["region"].to_pylist(), table["pages"].to_pylist(), strict=True))
    title = f"Bow-tie, areas to the scale of {level}s"
    yield "bow-tie", draw_bow_tie(pages, title, level, frame)


def _plot_degrees(shape: Shape, frame: Frame) -> Iterator[tuple[str, Markup]]:
    for direction, verb in (("in", "linked by"), ("out", "linking to")):
        table = _filter_rows(shape, "degrees", direction=direction)
        titles = [
            f"{pluralise(row['pages'], _level(shape))} {verb} {row['degree']:,};"
            f" {format_share(row['share at least'])} have at least as many"
            for row in table.to_pylist()
        ]
        points = Series("measured", *_degree_columns(table), "t1", as_dots=True, titles=titles)
        series = [points]
        for name, (colour, dashes) in DISTRIBUTION_STYLES.items():
            curve = _filter_rows(shape, "curves", direction=direction, distribution=name)
            series.append(Series(name, *_degree_columns(curve), colour, dash_pattern=dashes))
        x_min = shape[f"{direction}-degree x_min"]
        verdict = shape[f"{direction}-degree verdict"]
        labels = ChartLabels(
            _degree_plot_title(shape, direction),
            f"{direction}-degree",
            "share with as many or more",
            f"Share of pages with at least each {direction}-degree. Power law: {verdict}.",
            f"power law: {verdict}",
            PERCENT,
        )
        marks = [Mark(x_min)] if x_min else []
        yield f"{direction}-degrees", draw_log_scatter(labels, series, marks, frame)


def _degree_plot_title(shape: Shape, direction: str) -> str:
    exponent = shape[f"{direction}-degree exponent"]
    suffix = f", exponent {exponent:.2f}" if exponent else ""
    return f"{direction.capitalize()}-degrees{suffix}"


def _plot_component_sizes(shape: Shape, frame: Frame) -> Iterator[tuple[str, Markup]]:
    series = []
    for kind, colour in (("weak", "t1"), ("strong", "t2")):
        table = _filter_rows(shape, "sizes", connection=kind)
        sizes, counts = (_column_floats(table, name) for name in ("size", "components"))
        series.append(Series(f"{kind} components", sizes, counts, colour, as_dots=True))
    description = "The number of weak and strong components of each size."
    labels = ChartLabels("Component sizes", "pages in a component", "components", description)
    yield "components", draw_log_scatter(labels, series, frame=frame)


def _plot_hop_distances(shape: Shape, frame: Frame) -> Iterator[tuple[str, Markup]]:
    table = shape.to_table("distances")
    mean, effective, diameter = (
        shape[name] for name in ("average distance", "effective diameter", "diameter")
    )
    summary = f"average {mean:.2f}, diameter {diameter:,}" if mean else ""
    summary += "" if shape["diameter is"] == "exact" else " or more"
    y_label = "share of connected pairs"
    description = f"Share of connected pairs at each distance: {summary}."
    labels = ChartLabels("Distances", "clicks", y_label, description, summary, PERCENT)
    x, y = (_column_floats(table, name) for name in ("distance", "share"))
    titles = [
        f"{pluralise(int(clicks), 'click')}: {format_share(share)} of the connected pairs"
        for clicks, share in zip(x, y, strict=True)
    ]
    marks = [Mark(mean, f"average {mean:.2f}")] if mean else []
    marks += [Mark(effective, f"effective diameter {effective:.2f}")] if effective else []
    yield "distances", draw_bars(labels, Series("", x, 100 * y, "t1", titles=titles), marks, frame)


def _plot_depth(shape: Shape, frame: Frame) -> Iterator[tuple[str, Markup]]:
    table, mean = shape.to_table("depth"), shape["average depth"]
    summary = f"average {mean:.2f}, deepest {shape['deepest']:,}" if mean is not None else ""
    x_label, y_label = "clicks from the nearest home page", f"share of {_level(shape)}s"
    description = f"Share of pages at each number of clicks from home: {summary}."
    labels = ChartLabels("Clicks from home", x_label, y_label, description, summary, PERCENT)
    x, y = (_column_floats(table, name) for name in ("clicks", "share"))
    titles = [
        f"{pluralise(row['clicks'], 'click')}: {pluralise(row['pages'], _level(shape))},"
        f" {format_share(row['share'])}"
        for row in table.to_pylist()
    ]
    marks = [Mark(mean, f"average {mean:.2f}")] if mean is not None else []
    yield "depth", draw_bars(labels, Series("", x, 100 * y, "t1", titles=titles), marks, frame)


FALOUTSOS_AXES = {
    "rank": ("rank by out-degree", "out-degree"),
    "out-degree": ("out-degree", "pages"),
    "hop-plot": ("hops", "pairs within as many"),
    "eigenvalue": ("rank", "eigenvalue"),
}


def _plot_faloutsos(shape: Shape, frame: Frame) -> Iterator[tuple[str, Markup]]:
    for law, (x_label, y_label) in FALOUTSOS_AXES.items():
        table = _filter_rows(shape, "points", law=law)
        x, y = _column_floats(table, "x"), _column_floats(table, "y")
        exponent = shape[f"{law} exponent"]
        fitted = table["fitted"].to_numpy(zero_copy_only=False)
        line = _line_through(x[fitted], y[fitted], exponent)
        suffix = f", exponent {exponent:.2f}" if exponent is not None else ""
        title, description = f"{law.capitalize()}{suffix}", f"{y_label} by {x_label}{suffix}."
        labels = ChartLabels(title, x_label, y_label, description)
        series = [Series("", x, y, "t1", as_dots=True), Series("least squares", *line, "t2")]
        yield f"faloutsos {law}", draw_log_scatter(labels, series, frame=frame)


def _line_through(x: Floats, y: Floats, slope: float | None) -> tuple[Floats, Floats]:
    """The ends of the line of a slope through the log-log mean of some points."""
    if slope is None or len(x) < 2:
        return np.zeros(0), np.zeros(0)
    ends = np.array([x[0], x[-1]])
    intercept = np.log(y).mean() - slope * np.log(x).mean()
    return ends, np.exp(intercept + slope * np.log(ends))


def _level(shape: Shape) -> str:
    return str(shape.provenance.get("level", "page"))


def _filter_rows(shape: Shape, table_name: str, **column_values: str) -> pa.Table:
    """The rows of a table in which columns have given values."""
    table = shape.to_table(table_name)
    for column, value in column_values.items():
        table = table.filter(pc.equal(table[column], value))
    return table


def _degree_columns(table: pa.Table) -> tuple[Floats, Floats]:
    return _column_floats(table, "degree"), 100 * _column_floats(table, "share at least")


def _column_floats(table: pa.Table, column: str) -> Floats:
    return np.asarray(table[column].to_numpy(), np.float64)


PLOT_FUNCTIONS: dict[str, Callable[[Shape, Frame], Iterator[tuple[str, Markup]]]] = {
    "bow-tie": _plot_bow_tie,
    "degrees": _plot_degrees,
    "components": _plot_component_sizes,
    "distances": _plot_hop_distances,
    "depth": _plot_depth,
    "faloutsos": _plot_faloutsos,
}
