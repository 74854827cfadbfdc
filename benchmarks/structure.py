"""Structure against peers: `python -m benchmarks.structure [SECTION ...] [--webs ...]`.

A section is a task that `benchmarks.race` knows, such as "strong components"
or "bow-tie", in which Weft runs beside NetworKit, igraph, SciPy and, where it
finishes, NetworkX; all must give the same answer. Runs are interleaved, so that
a slow minute hits all alike. `growth` measures what a link costs Weft, from
one million links to 64 million.
"""

import argparse
import json
from typing import Any

from benchmarks.measure import versions
from benchmarks.race import TASKS, compare, load_tasks, medians, once
from benchmarks.webs import OUT, ends, web

KEPT = OUT / "structure.json"
GROWTH = ("rmat-16", "rmat-18", "rmat-20", "rmat-22")
MEASURED = ("weft", "numba", "numpy", "scipy", "networkit", "igraph", "networkx")


def main() -> None:
    """Measure every section, print a table for each, and keep all figures."""
    load_tasks()
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("sections", nargs="*", default=[*TASKS, "growth"])
    options.add_argument("--webs", nargs="*", default=["rmat-16", "rmat-20", "rmat-22", "web-5m"])
    options.add_argument("--peers", nargs="*", default=[])
    options.add_argument("--rounds", type=int, default=3)
    given = options.parse_args()
    told = versions(*MEASURED)
    print(told)
    OUT.mkdir(exist_ok=True)
    for section in given.sections:
        if section == "growth":
            keep({"growth": {"versions": told, **growth(given.rounds)}})
            continue
        for name in given.webs:
            found = compare(section, name, given.rounds, given.peers)
            keep({f"{section}, {name}": {"versions": told, **found}})


def keep(figures: dict[str, Any]) -> None:
    """Put figures beside those of earlier runs."""
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    KEPT.write_text(json.dumps(kept | figures, indent=1))


def growth(rounds: int) -> dict[str, Any]:
    """What a link costs Weft as webs grow."""
    told: dict[str, Any] = {}
    for task in TASKS:
        rows = []
        for name in GROWTH:
            path = web(name)
            _, source, _ = ends(path)
            runs = [run for _ in range(rounds) if (run := once(task, "weft", path))]
            if runs:
                rows.append({"web": name, "links": len(source), **medians(runs)})
        told[task] = rows
        heads = ("build s", "solve s", "cpu s", "ns/link", "B/link")
        print(f"\ngrowth: {task}\n{'links':>12}" + "".join(f"{head:>10}" for head in heads))
        for row in rows:
            each = row["total"] / row["links"] * 1e9
            held = row["peak"] / row["links"] * 1e6
            print(
                f"{row['links']:>12,}{row['build']:>10.2f}{row['solve']:>10.2f}{row['cpu']:>10.2f}"
                f"{each:>10.1f}{held:>10.1f}"
            )
    return told


if __name__ == "__main__":
    main()
