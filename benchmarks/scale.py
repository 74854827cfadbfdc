"""How large a graph one machine holds: `python -m benchmarks.scale [LINKS ...] [--page]`.

Numbered links, 20 for each page, are generated as text, block by block, and added
and analysed by commands in processes of their own. Three of four links lead to a page nearby,
the others to popular ones. Memory is that of the process tree, with mapped files and
without. A small graph goes first, so that no figure includes the compilation of kernels,
which happens once after an install. `--page` writes the figures of the last runs to
`docs/explanation/how-large.md`.
"""

import argparse
import json
import os
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import psutil

from benchmarks.graph import WEFT, write_pairs
from benchmarks.measure import run, size, versions
from benchmarks.speed_page import DOCS, filled
from benchmarks.webs import OUT
from weft.core.memory import MemoryNeed
from weft.engine.operator import OPERATOR_MEMORY
from weft.kernels.components import CONDENSATION_MEMORY
from weft.kernels.hyperball import memory_need

KEPT, SIZES = OUT / "scale.json", (10**6, 10**7, 10**8)
HYPERBALL = "--algorithm", "hyperball", "--bits", "6", "--repeats", "2"
TASKS = {
    "PageRank": ("rank", "pagerank"),
    "HITS": ("rank", "hits"),
    "bow-tie": ("structure", "bow-tie"),
    "HyperBall": ("structure", "distances", *HYPERBALL),
    "info": ("info",),
}
QUIET_LOAD = 3
WARM_UP = 2_500_000  # enough links for compiled kernels
PAGES_PER_LINK = 1 / 20
PLANNED = (10**6, 10**7, 10**8, 10**9)
NEEDS: dict[str, MemoryNeed] = {  # of tasks, beside the graph
    "PageRank": OPERATOR_MEMORY,
    "HITS": OPERATOR_MEMORY,
    "bow-tie": CONDENSATION_MEMORY,
    "HyperBall": memory_need(6),
}


def main() -> None:
    """Measure the sizes given, or write the page."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("links", nargs="*", type=int)
    options.add_argument("--page", action="store_true")
    given = options.parse_args()
    OUT.mkdir(exist_ok=True)
    if not given.page:
        measure(WARM_UP)
    for links in given.links or (() if given.page else SIZES):
        kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
        kept[str(links)] = measure(links)
        KEPT.write_text(json.dumps(kept, indent=1))
    if given.page:
        write_page(json.loads(KEPT.read_text()))


def measure(links: int) -> dict[str, Any]:
    """Generate links, add them, and analyse the collection."""
    with tempfile.TemporaryDirectory() as name:
        path, collection = Path(name) / "links.txt", Path(name) / "c.weft"
        write_pairs(path, links, pages=int(links * PAGES_PER_LINK))
        costs = {"add": asdict(run(WEFT, "-q", "add", collection, path))}
        for task, words in TASKS.items():
            costs[task] = asdict(run(WEFT, "-q", words[0], *words[1:], collection))
            print(f"{links:,} links, {task}: {costs[task]}", flush=True)
        stored = {"text": size(path), "collection": size(collection)}
    memory = psutil.virtual_memory().total / 1e9
    machine = f"{versions('weft', 'numpy', 'numba', 'pyarrow')}; {memory:.0f} GB of memory"
    return {"costs": costs, "stored": stored, "machine": machine, "load": os.getloadavg()[2]}


def write_page(figures: dict[str, Any]) -> None:
    """Fill the page."""
    page = DOCS / "explanation" / "how-large.md"
    text = filled(page.read_text(), "growth", growth(figures))
    text = filled(text, "memory", memory_table(figures))
    last = figures[max(figures, key=int)]
    load = f"Other work ran on the machine: the mean load was up to {_load(figures):.0f}.\n"
    busy = load if _load(figures) > QUIET_LOAD else ""
    page.write_text(filled(text, "machine", f"{last['machine']}. {busy}"))


def growth(figures: dict[str, Any]) -> str:
    """A row for each task and size: times and memory; and the disk for each size.

    Wall times only count if no other work ran on the machine.
    """
    is_quiet = _load(figures) <= QUIET_LOAD
    wall = "wall s | " if is_quiet else ""
    lines = [
        f"| | links | CPU s | {wall}GB | GB without files |",
        "|---" + "|--:" * (4 + is_quiet) + "|",
    ]
    for task in ("add", *TASKS):
        for links in sorted(figures, key=int):
            cost = figures[links]["costs"].get(task)
            if cost is None:
                continue
            times = f"{cost['cpu']:.1f}" + (f" | {_cell(cost, 'wall', 1, 1)}" if is_quiet else "")
            memory = f"{cost['memory'] / 1e3:.2f} | {_cell(cost, 'own', 1e3, 2)}"
            lines.append(f"| {task} | {int(links):,} | {times} | {memory} |")
    lines += ["", "| links | text, GB | stored, GB |", "|--:|--:|--:|"]
    for links in sorted(figures, key=int):
        disk = [f"{figures[links]['stored'][kind] / 1e3:.2f}" for kind in ("text", "collection")]
        lines.append(f"| {int(links):,} | " + " | ".join(disk) + " |")
    return "\n".join(lines) + "\n"


def _load(figures: dict[str, Any]) -> float:
    return float(max(found["load"] for found in figures.values()))


def _cell(cost: dict[str, float], figure: str, unit: float, digits: int) -> str:
    """A figure, or nothing where an earlier version of this script did not take it."""
    return f"{cost[figure] / unit:.{digits}f}" if figure in cost else ""


def memory_table(figures: dict[str, Any]) -> str:
    """What is estimated before tasks start, and what those measured took beyond `info`."""
    lines = ["| | " + " | ".join(f"{links:,} links" for links in PLANNED) + " |"]
    lines.append("|---|" + "--:|" * len(PLANNED))
    for task, need in NEEDS.items():
        estimates, taken = [], []
        for links in PLANNED:
            estimate = need.total(int(links * PAGES_PER_LINK), links)
            estimates.append(f"{estimate / 1e9:.2f}")
            costs = figures.get(str(links), {}).get("costs", {})
            known = "own" in costs.get(task, {})
            taken.append(
                f"{(costs[task]['own'] - costs['info']['own']) / 1e3:.2f}" if known else ""
            )
        lines.append(f"| {task}: estimated, GB | " + " | ".join(estimates) + " |")
        lines.append(f"| {task}: measured, GB | " + " | ".join(taken) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
