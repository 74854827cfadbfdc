"""Write the page on distances: `python -m benchmarks.distances_page [--real]`.

Times are those of the last `python -m benchmarks.distances`. With `--real` the
webs beside the project are measured again. The generated parts of
`docs/explanation/distances.md` are between two comments with their names.
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
    "| AltaVista, May 1999 (Broder et al.) | 203.5 M | 1.5 billion | 16.12 / 16.18 | 6.83 "
    "| 24 % | | over 500; at least 28 in the core |"
)
FACTS = (
    "average distance",
    "error of the average distance",
    "share of connected pairs",
    "effective diameter",
    "diameter",
    "diameter is",
    "algorithm",
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
    tasks = [result for task, result in figures.items() if not task.startswith("growth")]
    text = filled(text, "times", "\n".join(table(result) for result in tasks))
    text = filled(text, "growth", growth(figures))
    text = filled(text, "machine", figures["small"]["versions"] + ".\n")
    page.write_text(text)


def real() -> dict[str, Any]:
    """The webs beside the project, directed and undirected."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in ("wikispeedia", "webkb"):
            graph = added(Path(folder), name, DATA / f"{name}.warc.gz").graph()
            found[name] = measure_web(graph)
    found["cnr-2000"] = measure_web(WebGraph.from_arrays(*ends(web("cnr-2000"))))
    return found


def measure_web(graph: WebGraph) -> dict[str, Any]:
    """The distances of one web, directed and undirected."""
    directed, undirected = distances(graph), distances(graph, directed=False)
    shapes = {"directed": directed, "undirected": undirected}
    facts = {name: {fact: shape[fact] for fact in FACTS} for name, shape in shapes.items()}
    return {"pages": directed["pages"], "links": directed["links"], **facts}


def spread() -> str:
    """The error of single HyperBall runs against exact values."""
    graph = WebGraph.from_arrays(*ends(path_of("local-20k")))
    exact = distances(graph, algorithm="exact")
    runs = [distances(graph, algorithm="hyperball", repeats=1, seed=seed) for seed in range(SEEDS)]
    parts = []
    for fact in ("average distance", "effective diameter", "share of connected pairs"):
        off = np.array([run[fact] for run in runs]) / exact[fact] - 1
        parts.append(f"{fact} {np.sqrt((off**2).mean()):.1%} (bias {off.mean():+.1%})")
    return (
        f"Over {SEEDS} seeds on local-20k, the RMS error of a single run is: "
        + "; ".join(parts)
        + "."
    )


def beside(found: dict[str, Any]) -> str:
    """The figures of Broder et al., then ours."""
    lines = [
        "| web | pages | links | average distance | undirected | connected pairs "
        "| effective diameter | diameter |",
        "|---|--:|--:|--:|--:|--:|--:|--:|",
        ALTAVISTA,
    ]
    for name, result in found.items():
        directed, undirected = result["directed"], result["undirected"]
        lines.append(
            f"| {NAMES[name]} | {result['pages']:,} | {result['links']:,} | {_average(directed)} "
            f"| {_average(undirected)} | {directed['share of connected pairs']:.1%} "
            f"| {directed['effective diameter']:.2f} "
            f"| {_diameter(directed)}; undirected {_diameter(undirected)} |"
        )
    return "\n".join(lines) + "\n"


def _average(facts: dict[str, Any]) -> str:
    error = facts["error of the average distance"]
    return f"{facts['average distance']:.2f}" + (f" ± {error:.2f}" if error else "")


def _diameter(facts: dict[str, Any]) -> str:
    return f"{facts['diameter']}" if facts["diameter is"] == "exact" else f"≥ {facts['diameter']}"


def table(result: dict[str, Any]) -> str:
    """One web: a row per library."""
    lines = [
        f"**{result['web']}**: {result['pages']:,} pages, {result['links']:,} links\n",
        "| | build s | solve s | CPU s | peak MB | average distance |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for peer, row in result["peers"].items():
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
    """The cost per link of HyperBall as webs grow."""
    lines = [
        "| web | pages | links | iterations | CPU s | ns per link | ns per link and iteration "
        "| peak MB |",
        "|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for result in sorted(figures.values(), key=lambda result: (result["web"][:4], result["pages"])):
        row = result["peers"].get("weft HyperBall, 1 run", {})
        if "cpu" not in row:
            continue
        ns_per_link = row["cpu"] / result["links"] * 1e9
        lines.append(
            f"| {result['web']} | {result['pages']:,} | {result['links']:,} | {row['iterations']} "
            f"| {row['cpu']:.1f} | {ns_per_link:.0f} | {ns_per_link / row['iterations']:.0f} "
            f"| {row['peak']:,.0f} |"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
