"""Structure against other libraries: `python -m benchmarks.structure [SECTION ...] [--webs ...]`.

A section is a task of `benchmarks.race`, such as "strong components" or
"bow-tie": Weft beside NetworKit, igraph, SciPy and, on small webs, NetworkX. All
must give the same answer. Runs are interleaved, so that a slow minute affects all
alike. `growth` measures Weft's cost per link, from one to 64 million links.
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
    """Measure every section, print a table for each, and save all figures."""
    load_tasks()
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("sections", nargs="*", default=[*TASKS, "growth"])
    options.add_argument("--webs", nargs="*", default=["rmat-16", "rmat-20", "rmat-22", "web-5m"])
    options.add_argument("--peers", nargs="*", default=[])
    options.add_argument("--repeats", type=int, default=3)
    given = options.parse_args()
    measured_with = versions(*MEASURED)
    print(measured_with)
    OUT.mkdir(exist_ok=True)
    for section in given.sections:
        if section == "growth":
            keep({"growth": {"versions": measured_with, **growth(given.repeats)}})
            continue
        for name in given.webs:
            found = compare(section, name, given.repeats, given.peers)
            keep({f"{section}, {name}": {"versions": measured_with, **found}})


def keep(figures: dict[str, Any]) -> None:
    """Save figures beside those of earlier runs."""
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    KEPT.write_text(json.dumps(kept | figures, indent=1))


def growth(repeats: int) -> dict[str, Any]:
    """Weft's cost per link as webs grow."""
    figures: dict[str, Any] = {}
    for task in TASKS:
        rows = []
        for name in GROWTH:
            path = web(name)
            _, source, _ = ends(path)
            runs = [run for _ in range(repeats) if (run := once(task, "weft", path))]
            if runs:
                rows.append({"web": name, "links": len(source), **medians(runs)})
        figures[task] = rows
        heads = ("build s", "solve s", "cpu s", "ns/link", "B/link")
        print(f"\ngrowth: {task}\n{'links':>12}" + "".join(f"{head:>10}" for head in heads))
        for row in rows:
            ns_per_link = row["total"] / row["links"] * 1e9
            bytes_per_link = row["peak"] / row["links"] * 1e6
            print(
                f"{row['links']:>12,}{row['build']:>10.2f}{row['solve']:>10.2f}{row['cpu']:>10.2f}"
                f"{ns_per_link:>10.1f}{bytes_per_link:>10.1f}"
            )
    return figures


if __name__ == "__main__":
    main()
