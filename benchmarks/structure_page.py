"""The structure of real webs, and the page on it: `python -m benchmarks.structure_page [FOLDER …]`.

It needs the real data beside the project; further collections may be named. It
writes the generated parts of `docs/explanation/structure-of-webs.md`, each
between two comments with its name, and the pictures; the prose is written by hand.
"""

import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, cast

import weft.structure  # noqa: F401  registers its methods
from benchmarks.realwebs import DATA, blogs
from benchmarks.side_by_side import table
from benchmarks.speed_page import DOCS, filled
from benchmarks.topics.kept import current
from benchmarks.webs import OUT, ends
from benchmarks.webs import web as web_file
from weft.core.register import find_method
from weft.graph.synthetic import (
    ScaleFreeParams,
    barabasi_albert_graph,
    copying_graph,
    scale_free_graph,
)
from weft.graph.webgraph import WebGraph
from weft.report.plots import draw_plots
from weft.structure import Shape
from weft.structure.power_law import ValueCounts, fit_power_law
from weft.workspace.workspace import Workspace

PAGE = DOCS / "explanation" / "structure-of-webs.md"
SIZES = (20_000, 1_000_000)
DRAWN = ("bow-tie", "in-degrees", "out-degrees", "distances")
BRODER = {
    "pages": "203.5 M",
    "core": "28 %",
    "in": "21 %",
    "out": "21 %",
    "tendrils and tubes": "22 %",
    "disconnected": "8 %",
    "pairs connected by a path": "24 %",
    "average distance, directed": "16.12 to 16.18",
    "average distance, undirected": "6.83",
    "diameter, directed": "28 or more in the core",
    "in-degree exponent": "2.1",
    "out-degree exponent": "2.72",
}


class WebStructure(NamedTuple):
    """The shape of a web by each method, and the time of each."""

    name: str
    shapes: Mapping[str, Shape]
    seconds: Mapping[str, float]


def main(folders: list[str]) -> None:
    """Describe every web, draw it, and fill the page."""
    found = []
    for name, graph in webs(folders):
        print(f"{name}: {graph!r}", flush=True)
        found.append(describe(name, graph))
        for picture, drawn in pictures(found[-1]):
            (DOCS / "images" / picture).write_text(f"{drawn}\n", "utf-8")
    text = PAGE.read_text("utf-8")
    text = filled(text, "figures", figures(found))
    text = filled(text, "fits", fits(found))
    text = filled(text, "slopes", slopes(found))
    text = filled(text, "models", models())
    text = filled(text, "times", times(found))
    for web in found:
        text = filled(text, web.name, gallery(web.name))
    PAGE.write_text(text, "utf-8")


def webs(folders: list[str]) -> Iterator[tuple[str, WebGraph]]:
    """The real webs, and those of further collections."""
    for name in ("wikispeedia", "webkb"):
        archive = DATA / f"{name}.warc.gz"
        yield name, current(OUT / "topics" / f"{name}.weft", partial(Path, archive)).graph()
    with tempfile.TemporaryDirectory() as folder:
        yield "polblogs", blogs(Path(folder)).graph
    yield "cnr-2000", WebGraph.from_arrays(*ends(web_file("cnr-2000")))
    for folder in folders:
        yield Path(folder).stem, Workspace(Path(folder)).graph()


def describe(name: str, graph: WebGraph) -> WebStructure:
    """Run every method."""
    calls: dict[str, tuple[str, dict[str, Any]]] = {
        "bow-tie": ("bow-tie", {}),
        "reciprocity": ("reciprocity", {}),
        "components": ("components", {}),
        "degrees": ("degrees", {}),
        "distances": ("distances", {}),
        "undirected distances": ("distances", {"directed": False}),
        "faloutsos": ("faloutsos", {}),
    }
    shapes: dict[str, Shape] = {}
    seconds: dict[str, float] = {}
    for key, (method, options) in calls.items():
        begun = time.perf_counter()
        shapes[key] = cast("Shape", find_method("structure", method)(graph, **options))
        seconds[key] = time.perf_counter() - begun
        print(f"  {key}: {seconds[key]:.2f} s, {shapes[key]!r}", flush=True)
    return WebStructure(name, shapes, seconds)


def pictures(found: WebStructure) -> Iterator[tuple[str, str]]:
    """The pictures of a web with the names of their files."""
    for key in ("bow-tie", "degrees", "distances"):
        for name, drawn in draw_plots(found.shapes[key]).items():
            yield f"structure-{found.name}-{name}.svg", drawn


def gallery(name: str) -> str:
    """The pictures of a web as Markdown shows them."""
    kept = [
        f"![{what} of {name}](../images/structure-{name}-{what}.svg)"
        for what in DRAWN
        if (DOCS / "images" / f"structure-{name}-{what}.svg").exists()
    ]
    return "\n".join(kept) + "\n"


def figures(found: list[WebStructure]) -> str:
    """The figures of each web beside those of Broder and others."""
    columns = [_figures(web.shapes) for web in found]
    rows = [
        [name, BRODER.get(name, ""), *(column[name] for column in columns)] for name in columns[0]
    ]
    return table(["", "Broder 1999", *(web.name for web in found)], rows) + "\n"


def _figures(shapes: Mapping[str, Shape]) -> dict[str, str]:
    tie = shapes["bow-tie"]
    directed, undirected = shapes["distances"], shapes["undirected distances"]
    n = tie["pages"]

    def share(*regions: str) -> str:
        return f"{sum(tie.facts.get(region, 0) for region in regions) / n:.1%}".replace("%", " %")

    return {
        "pages": f"{n:,}",
        "links": f"{tie['links']:,}",
        "core": share("core"),
        "in": share("in"),
        "out": share("out"),
        "tendrils and tubes": share("tendrils by Broder", "tubes"),
        "disconnected": share("disconnected"),
        "pairs connected by a path": f"{tie['share of connected pairs']:.1%}".replace("%", " %"),
        "average distance, directed": _average(directed),
        "average distance, undirected": _average(undirected),
        "diameter, directed": _diameter(directed),
        "diameter, undirected": _diameter(undirected),
        "in-degree exponent": _exponent(shapes["degrees"], "in"),
        "out-degree exponent": _exponent(shapes["degrees"], "out"),
        "reciprocal links": f"{shapes['reciprocity']['reciprocity']:.1%}".replace("%", " %"),
    }


def _average(shape: Shape) -> str:
    error = shape.facts.get("error of the average distance")
    return f"{shape['average distance']:.2f}" + (f" ± {error:.2f}" if error else "")


def _diameter(shape: Shape) -> str:
    return f"{shape['diameter']:,}" + ("" if shape["diameter is"] == "exact" else " or more")


def _exponent(shape: Shape, direction: str) -> str:
    error = shape.facts[f"{direction}-degree standard error"]
    return f"{shape[f'{direction}-degree exponent']:.2f} ± {error:.1g}"


def fits(found: list[WebStructure]) -> str:
    """The power-law fit of in- and out-degrees of each web."""
    rows = [
        [
            web.name,
            row["direction"],
            f"{row['exponent']:.2f}",
            f"{row['x_min']:,}",
            f"{row['pages fitted'] / row['pages']:.1%}".replace("%", " %"),
            f"{row['KS distance']:.3f}",
            f"{row['p-value']:.2f}",
            row["verdict"],
        ]
        for web in found
        for row in web.shapes["degrees"].to_table("fits").to_pylist()
    ]
    heads = ["web", "degree", "exponent", "x min", "of all pages", "KS", "p-value", "power law"]
    return table(heads, rows, "llrrrrrl") + "\n"


def slopes(found: list[WebStructure]) -> str:
    """The exponents of Faloutsos, each with its correlation."""
    names = ("rank", "out-degree", "hop-plot", "eigenvalue")
    rows = []
    for web in found:
        facts = web.shapes["faloutsos"].facts
        cells = [
            f"{facts[f'{name} exponent']:.2f} ({facts[f'{name} correlation']:.2f})"
            for name in names
        ]
        rows.append([web.name, *cells, f"{facts['effective diameter']:.1f}"])
    return table(["web", "R", "O", "H", "E", "effective diameter"], rows) + "\n"


def models() -> str:
    """Random graph models: the exponent in theory, and the fitted one."""
    generators: dict[str, tuple[Callable[[int], WebGraph], float, str]] = {
        "barabasi_albert_graph(n, 3)": (lambda n: barabasi_albert_graph(n, 3), 3.0, "in"),
        "copying_graph(n, 7)": (lambda n: copying_graph(n, 7), 1.9 / 0.9, "in"),
        "scale_free_graph(n), in": (scale_free_graph, ScaleFreeParams().in_exponent, "in"),
        "scale_free_graph(n), out": (scale_free_graph, ScaleFreeParams().out_exponent, "out"),
    }
    rows = []
    for name, (generate, theory, direction) in generators.items():
        generate(100)  # compiles the kernels
        cells = [f"`{name}`", f"{theory:.2f}"]
        for n in SIZES:
            begun = time.perf_counter()
            graph = generate(n)
            seconds = time.perf_counter() - begun
            fit = fit_power_law(
                ValueCounts.of(graph.indegrees() if direction == "in" else graph.outdegrees())
            )
            assert fit is not None
            cells += [f"{fit.exponent:.2f}", f"{seconds:.2f} s"]
        rows.append(cells)
    heads = ["model", "theory"]
    for n in SIZES:
        heads += [f"{n:,} pages", "generated in"]
    return table(heads, rows) + "\n"


def times(found: list[WebStructure]) -> str:
    """How long each method took."""
    rows = [[key, *(f"{web.seconds[key]:.2f}" for web in found)] for key in found[0].seconds]
    return table(["seconds", *(web.name for web in found)], rows) + "\n"


if __name__ == "__main__":
    main(sys.argv[1:])
