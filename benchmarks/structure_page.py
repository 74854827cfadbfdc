"""The structure of real webs, and the page on it: `python -m benchmarks.structure_page [FOLDER …]`.

It needs the real data beside the project; further collections may be named. It
writes the generated parts of `docs/explanation/structure-of-webs.md`, each
between two comments that name it, and the pictures; the words between them are
a person's.
"""

import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import weft.structure  # noqa: F401  registers its methods
from benchmarks.realwebs import DATA, blogs
from benchmarks.side_by_side import table
from benchmarks.speed_page import DOCS, filled
from benchmarks.topics.kept import current
from benchmarks.webs import OUT, ends, web
from weft.core.methods import find
from weft.graph.synthetic import Growth, barabasi_albert, copying, scale_free
from weft.graph.webgraph import WebGraph
from weft.run.analyse import View, look
from weft.run.describe import known
from weft.run.plots import plots
from weft.run.workspace import Workspace
from weft.structure import Shape
from weft.structure.powerlaw import Counted, fit

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
    "pairs joined by a path": "24 %",
    "average distance, one way": "16.12 to 16.18",
    "average distance, both ways": "6.83",
    "diameter, one way": "28 or more in the core",
    "in-degree exponent": "2.1",
    "out-degree exponent": "2.72",
}


class Found(NamedTuple):
    """What the methods say of a web, and how long each took."""

    name: str
    shapes: Mapping[str, Shape]
    seconds: Mapping[str, float]


def main(folders: list[str]) -> None:
    """Describe every web, draw it, and fill the page."""
    found = []
    for name, graph in webs(folders):
        print(f"{name}: {graph!r}", flush=True)
        found.append(described(name, graph))
        for picture, drawn in pictures(found[-1]):
            (DOCS / "images" / picture).write_text(f"{drawn}\n", "utf-8")
    text = PAGE.read_text("utf-8")
    text = filled(text, "figures", figures(found))
    text = filled(text, "laws", laws(found))
    text = filled(text, "slopes", slopes(found))
    text = filled(text, "models", models())
    text = filled(text, "times", times(found))
    for each in found:
        text = filled(text, each.name, gallery(each.name))
    PAGE.write_text(text, "utf-8")


def webs(folders: list[str]) -> Iterator[tuple[str, WebGraph]]:
    """The real webs, and those of further collections."""
    for name in ("wikispeedia", "webkb"):
        archive = DATA / f"{name}.warc.gz"
        yield name, of(current(OUT / "topics" / f"{name}.weft", lambda path=archive: path))
    with tempfile.TemporaryDirectory() as folder:
        yield "polblogs", blogs(Path(folder)).graph
    yield "cnr-2000", WebGraph.from_arrays(*ends(web("cnr-2000")))
    for folder in folders:
        yield Path(folder).stem, of(Workspace(Path(folder)))


def of(workspace: Workspace) -> WebGraph:
    """The pages of a collection, which know whether they were fetched."""
    return known(workspace.collection, look(workspace.collection, View()))


def described(name: str, graph: WebGraph) -> Found:
    """Run every method."""
    asked = {
        "bow-tie": ("bow-tie", {}),
        "reciprocity": ("reciprocity", {}),
        "components": ("components", {}),
        "degrees": ("degrees", {}),
        "distances": ("distances", {}),
        "both ways": ("distances", {"directed": False}),
        "faloutsos": ("faloutsos", {}),
    }
    shapes, seconds = {}, {}
    for key, (method, options) in asked.items():
        begun = time.perf_counter()
        shapes[key] = find("structure", method)(graph, **options)
        seconds[key] = time.perf_counter() - begun
        print(f"  {key}: {seconds[key]:.2f} s, {shapes[key]!r}", flush=True)
    return Found(name, shapes, seconds)  # type: ignore[arg-type]


def pictures(found: Found) -> Iterator[tuple[str, str]]:
    """The pictures of a web with the names of their files."""
    for key in ("bow-tie", "degrees", "distances"):
        for name, drawn in plots(found.shapes[key]).items():
            yield f"structure-{found.name}-{name}.svg", drawn


def gallery(name: str) -> str:
    """The pictures of a web as Markdown shows them."""
    kept = [
        f"![{what} of {name}](../images/structure-{name}-{what}.svg)"
        for what in DRAWN
        if (DOCS / "images" / f"structure-{name}-{what}.svg").exists()
    ]
    return "\n".join(kept) + "\n"


def figures(found: list[Found]) -> str:
    """The figures of each web beside those of Broder and others."""
    columns = [_figures(each.shapes) for each in found]
    rows = [
        [name, BRODER.get(name, ""), *(column[name] for column in columns)] for name in columns[0]
    ]
    return table(["", "Broder 1999", *(each.name for each in found)], rows) + "\n"


def _figures(shapes: Mapping[str, Shape]) -> dict[str, str]:
    tie, one, both = shapes["bow-tie"], shapes["distances"], shapes["both ways"]
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
        "pairs joined by a path": f"{tie['joined pairs']:.1%}".replace("%", " %"),
        "average distance, one way": _estimated(one),
        "average distance, both ways": _estimated(both),
        "diameter, one way": _diameter(one),
        "diameter, both ways": _diameter(both),
        "in-degree exponent": _exponent(shapes["degrees"], "in"),
        "out-degree exponent": _exponent(shapes["degrees"], "out"),
        "answered links": f"{shapes['reciprocity']['reciprocity']:.1%}".replace("%", " %"),
    }


def _estimated(shape: Shape) -> str:
    error = shape.facts.get("error of the average distance")
    return f"{shape['average distance']:.2f}" + (f" ± {error:.2f}" if error else "")


def _diameter(shape: Shape) -> str:
    return f"{shape['diameter']:,}" + ("" if shape["diameter is"] == "exact" else " or more")


def _exponent(shape: Shape, end: str) -> str:
    error = shape.facts[f"{end}-degree error"]
    return f"{shape[f'{end}-degree exponent']:.2f} ± {error:.1g}"


def laws(found: list[Found]) -> str:
    """What to think of the power law at each end of each web."""
    rows = [
        [
            each.name,
            row["end"],
            f"{row['exponent']:.2f}",
            f"{row['fitted from']:,}",
            f"{row['pages fitted'] / row['pages']:.1%}".replace("%", " %"),
            f"{row['misfit']:.3f}",
            f"{row['p']:.2f}",
            row["verdict"],
        ]
        for each in found
        for row in each.shapes["degrees"].to_table("fits").to_pylist()
    ]
    heads = ["web", "degree", "exponent", "from", "of all pages", "misfit", "p", "the power law is"]
    return table(heads, rows, "llrrrrrl") + "\n"


def slopes(found: list[Found]) -> str:
    """The exponents of Faloutsos, each with its correlation."""
    names = ("rank", "out-degree", "hop-plot", "eigenvalue")
    rows = []
    for each in found:
        facts = each.shapes["faloutsos"].facts
        cells = [
            f"{facts[f'{law} exponent']:.2f} ({facts[f'{law} correlation']:.2f})" for law in names
        ]
        rows.append([each.name, *cells, f"{facts['effective diameter']:.1f}"])
    return table(["web", "R", "O", "H", "E", "effective diameter"], rows) + "\n"


def models() -> str:
    """Webs that grow by a rule: the exponent of theory, and the one that is found."""
    grown: dict[str, tuple[Callable[[int], WebGraph], float, str]] = {
        "barabasi_albert(n, 3)": (lambda n: barabasi_albert(n, 3), 3.0, "in"),
        "copying(n, 7)": (lambda n: copying(n, 7), 1.9 / 0.9, "in"),
        "scale_free(n), in": (scale_free, Growth().in_exponent, "in"),
        "scale_free(n), out": (scale_free, Growth().out_exponent, "out"),
    }
    rows = []
    for name, (grow, theory, end) in grown.items():
        grow(100)
        cells = [f"`{name}`", f"{theory:.2f}"]
        for n in SIZES:
            begun = time.perf_counter()
            graph = grow(n)
            spent = time.perf_counter() - begun
            law = fit(Counted.of(graph.indegrees() if end == "in" else graph.outdegrees()))
            assert law is not None
            cells += [f"{law.exponent:.2f}", f"{spent:.2f} s"]
        rows.append(cells)
    heads = ["web", "theory"]
    for n in SIZES:
        heads += [f"{n:,} pages", "grown in"]
    return table(heads, rows) + "\n"


def times(found: list[Found]) -> str:
    """How long each method took."""
    rows = [[key, *(f"{each.seconds[key]:.2f}" for each in found)] for key in found[0].seconds]
    return table(["seconds", *(each.name for each in found)], rows) + "\n"


if __name__ == "__main__":
    main(sys.argv[1:])
