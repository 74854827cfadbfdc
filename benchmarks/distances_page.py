"""Write the page on distances: `python -m benchmarks.distances_page [--real]`.

Times are those of the last `python -m benchmarks.distances`. With `--real` the
webs beside the project are measured anew. The generated parts of
`docs/explanation/distances.md` stand between two comments that name them.
"""

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.distances import path_of
from benchmarks.realwebs import DATA, added
from benchmarks.speed_page import DOCS, filled
from benchmarks.webs import OUT, ends, web
from weft.graph.webgraph import WebGraph
from weft.structure import distances

KEPT, REAL, SEEDS = OUT / "distances.json", OUT / "distances-real.json", 24
NAMES = {"wikispeedia": "Wikipedia for Schools", "webkb": "WebKB", "cnr-2000": "cnr-2000"}
ALTAVISTA = (
    "| AltaVista, May 1999 (Broder and others) | 203.5 M | 1.5 billion | 16.12 / 16.18 | 6.83 "
    "| 24 % | not told | over 500; 28 and more in the core |"
)
FACTS = (
    "average distance",
    "error of the average distance",
    "share of connected pairs",
    "effective diameter",
    "diameter",
    "diameter is",
    "how",
)


def main() -> None:
    """Fill the page."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--real", action="store_true")
    if options.parse_args().real:
        REAL.write_text(json.dumps({"webs": real(), "spread": spread()}, indent=1))
    figures = json.loads(KEPT.read_text())
    page = DOCS / "explanation" / "distances.md"
    measured = json.loads(REAL.read_text())
    text = filled(page.read_text(), "webs", beside(measured["webs"]))
    text = filled(text, "spread", measured["spread"] + "\n")
    tasks = [told for task, told in figures.items() if not task.startswith("growth")]
    text = filled(text, "times", "\n".join(table(told) for told in tasks))
    text = filled(text, "growth", growth(figures))
    text = filled(text, "machine", figures["small"]["versions"] + ".\n")
    page.write_text(text)


def real() -> dict[str, Any]:
    """The webs beside the project, both ways."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in ("wikispeedia", "webkb"):
            graph = added(Path(folder), name, DATA / f"{name}.warc.gz").graph()
            found[name] = looked_at(graph)
    found["cnr-2000"] = looked_at(WebGraph.from_arrays(*ends(web("cnr-2000"))))
    return found


def looked_at(graph: WebGraph) -> dict[str, Any]:
    """What is told of one web."""
    one, both = distances(graph), distances(graph, directed=False)
    ways = {"one way": one, "both ways": both}
    facts = {way: {fact: shape[fact] for fact in FACTS} for way, shape in ways.items()}
    return {"pages": one["pages"], "links": one["links"], **facts}


def spread() -> str:
    """How far single runs of HyperBall are from the truth."""
    graph = WebGraph.from_arrays(*ends(path_of("local-20k")))
    exact = distances(graph, how="exact")
    runs = [distances(graph, how="hyperball", repeats=1, seed=seed) for seed in range(SEEDS)]
    said = []
    for fact in ("average distance", "effective diameter", "share of connected pairs"):
        off = np.array([run[fact] for run in runs]) / exact[fact] - 1
        said.append(
            f"the {fact} by {np.sqrt((off**2).mean()):.1%} (their mean by {off.mean():+.1%})"
        )
    return f"Over {SEEDS} seeds on local-20k, single runs are off in " + ", ".join(said) + "."


def beside(found: dict[str, Any]) -> str:
    """Broder's figures, then ours."""
    lines = [
        "| web | pages | links | average distance | both ways | pairs joined | effective diameter "
        "| diameter |",
        "|---|--:|--:|--:|--:|--:|--:|--:|",
        ALTAVISTA,
    ]
    for name, told in found.items():
        one, both = told["one way"], told["both ways"]
        lines.append(
            f"| {NAMES[name]} | {told['pages']:,} | {told['links']:,} | {_average(one)} "
            f"| {_average(both)} | {one['share of connected pairs']:.1%} "
            f"| {one['effective diameter']:.2f} "
            f"| {_diameter(one)}; both ways {_diameter(both)} |"
        )
    return "\n".join(lines) + "\n"


def _average(told: dict[str, Any]) -> str:
    error = told["error of the average distance"]
    return f"{told['average distance']:.2f}" + (f" ± {error:.2f}" if error else "")


def _diameter(told: dict[str, Any]) -> str:
    return f"{told['diameter']}" if told["diameter is"] == "exact" else f"≥ {told['diameter']}"


def table(told: dict[str, Any]) -> str:
    """One web: a row for each peer."""
    lines = [
        f"**{told['web']}**: {told['pages']:,} pages, {told['links']:,} links\n",
        "| | build s | solve s | CPU s | peak MB | average distance |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for peer, row in told["peers"].items():
        name = peer.replace("weft", "Weft,").replace("networkit", "NetworKit,")
        name = name.replace("igraph", "igraph,").replace("scipy", "SciPy,")
        name = name.replace("networkx", "NetworkX,")
        if "failed" in row:
            lines.append(f"| {name} | | {row['failed']} | | | |")
            continue
        average = f"{row['average']:.3f}" if row.get("average") else ""
        if row.get("error"):
            average += f" ± {row['error']:.3f}"
        lines.append(
            f"| {name} | {row['build']:.2f} | {row['solve']:.2f} | {row['cpu']:.2f} "
            f"| {row['peak']:,.0f} | {average} |"
        )
    return "\n".join(lines) + "\n"


def growth(figures: dict[str, Any]) -> str:
    """What HyperBall costs a link as webs grow."""
    lines = [
        "| web | pages | links | rounds | CPU s | ns a link | ns a link and round | peak MB |",
        "|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for told in sorted(figures.values(), key=lambda told: (told["web"][:4], told["pages"])):
        row = told["peers"].get("weft HyperBall, 1 run", {})
        if "cpu" not in row:
            continue
        each = row["cpu"] / told["links"] * 1e9
        lines.append(
            f"| {told['web']} | {told['pages']:,} | {told['links']:,} | {row['rounds']} "
            f"| {row['cpu']:.1f} | {each:.0f} | {each / row['rounds']:.0f} | {row['peak']:,.0f} |"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
