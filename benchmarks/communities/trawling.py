"""Trawling: the purity of cores in two mixed base sets, and the cost on large webs.

`python -m benchmarks.communities.trawling WEB` trawls one large web in this process.
"""

import json
import subprocess
import sys
import time
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.measure import peak, versions
from benchmarks.side_by_side import table
from benchmarks.topics.case import Case
from benchmarks.topics.mixed import mixed
from benchmarks.topics.sets import SETS, read_set
from benchmarks.webs import ends, web
from weft.communities import trawling
from weft.communities.bipartite_cores import find_cores
from weft.graph.webgraph import ArrowNames, WebGraph
from weft.groups import Groups

CHOICES: dict[str, dict[str, Any]] = {
    "default": {},
    "cores only (expand=0)": {"expand": 0},
    "fans of 3 sites (min_sites=3)": {"min_sites": 3},
    "centres up to 100 links (max_inlinks=100)": {"max_inlinks": 100},
    "(2,3) cores (min_fans=2)": {"min_fans": 2},
    "(4,4) cores": {"min_fans": 4, "centres": 4},
    "no filters": {"min_sites": 0, "max_inlinks": 0, "mirrors": "keep", "nepotism": "keep"},
}
SHARES = (0.0, 0.05, 0.1)
PLANTED, HOST_SEED = 1000, 3
LARGE = ("cnr-2000", "web-5m", "web-5m, planted")
HEADS = (
    "cores",
    "communities",
    "pages",
    "purity",
    "min purity",
    "recall of movies",
    "recall of cheese",
    "s",
)


def measure() -> dict[str, Any]:
    """Trawl the mixed sets with several options and with links rewired, then the large webs."""
    sets = [read_set(path) for path in SETS]
    case = mixed(sets)
    rows = {name: found(case, options) for name, options in CHOICES.items()}
    for share in SHARES[1:]:
        rows[f"{share:.0%} of links rewired"] = found(mixed(sets, share), {})
    return {
        "versions": versions("numpy", "numba", "scipy"),
        "pages": len(case.base),
        "links": case.base.graph.link_count,
        "rows": rows,
        "large": {name: run_in_process(name) for name in LARGE},
    }


def found(case: Case, options: dict[str, Any]) -> list[float]:
    """Trawl once, and evaluate the result."""
    start = time.perf_counter()
    result = trawling(case.base, **options)
    seconds = time.perf_counter() - start
    return [*evaluate(case, result), seconds]


def evaluate(case: Case, result: Groups) -> list[float]:
    """Counts, the purity as mean over members, its minimum, and the recall of each set."""
    sets = [np.asarray(flags) for flags in case.sets.values()]
    shares = [max(float(flags[c.members].mean()) for flags in sets) for c in result]
    sizes = [len(c) for c in result]
    covered = np.zeros(len(case.base), bool)
    for community in result:
        covered[community.members] = True
    purity = float(np.average(shares, weights=sizes)) if sizes else 0.0
    recall = [float(covered[flags].mean()) for flags in sets]
    min_purity = min(shares, default=0.0)
    cores, communities = result.facts["cores"], result.facts["communities"]
    return [cores, communities, int(covered.sum()), purity, min_purity, *recall]


def run_in_process(name: str) -> dict[str, Any]:
    """Trawl a large web in a new process."""
    command = [sys.executable, "-m", "benchmarks.communities.trawling", name]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def once(name: str) -> dict[str, Any]:
    """Trawl a large web for (3,3) cores, kernels compiled before."""
    trawling([(fan, page) for fan in "abc" for page in "xyz"], min_sites=0)
    graph, planted = large(name)
    start = time.perf_counter()
    cores = find_cores(graph)
    after = time.perf_counter()
    result = trawling(graph)
    end = time.perf_counter()
    sets = set(map(tuple, cores.centres.tolist()))
    return {
        "pages": len(graph),
        "links": graph.link_count,
        "left": cores.counts["links left"],
        "cores": len(cores),
        "short": cores.counts["centres cut short"],
        "communities": result.facts["communities"],
        "planted": len(planted),
        "found": sum(core in sets for core in planted),
        "cores s": after - start,
        "all s": end - after,
        "peak MB": peak(),
    }


def large(name: str) -> tuple[WebGraph, list[tuple[int, ...]]]:
    """A large web, with names where its hosts are known, and the cores that were planted in it."""
    base, _, planted = name.partition(", ")
    n, source, target = ends(web(base))
    if base == "cnr-2000":
        return WebGraph.from_arrays(n, source, target), []
    host = hosts(n)
    cores = plant(host) if planted else []
    fans, centres = (np.array([c[k] for c in cores], np.int32).reshape(-1) for k in (0, 1))
    source, target = np.append(source, fans), np.append(target, centres)
    numbers = [pa.array(each).cast(pa.string()) for each in (host, np.arange(n))]
    names = pc.binary_join_element_wise("http://h", numbers[0], "")
    names = pc.binary_join_element_wise(names, numbers[1], ".example/")
    planted_sets = [tuple(sorted(set(c[1][:3].tolist()))) for c in cores]
    return WebGraph.from_arrays(ArrowNames(names), source, target), planted_sets


def plant(host: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Sources and targets of planted cores: each fan links to three centres and three others.

    All are the last pages of different hosts with several pages.
    """
    draw, made = np.random.default_rng(0), []
    last = np.flatnonzero(np.diff(host, append=-1)).astype(np.int32)
    last = last[np.diff(last, prepend=-1) > 1]
    for _ in range(PLANTED):
        pages = draw.choice(last, 15, replace=False)
        links = [np.append(pages[3:6], pages[k : k + 3]) for k in (6, 9, 12)]
        made.append((np.repeat(pages[:3], 6), np.concatenate(links)))
    return made


def hosts(n: int) -> np.ndarray:
    """The host of each page, as `host_local` drew them."""
    draw = np.random.default_rng(HOST_SEED)
    sizes = np.minimum((draw.pareto(1.1, n // 4) * 3 + 1).astype(np.int64), n // 50)
    first = np.concatenate([[0], np.cumsum(sizes)])
    return np.searchsorted(first[first < n], np.arange(n), side="right") - 1


def page(result: dict[str, Any]) -> str:
    """Two tables: the mixed sets, and the large webs."""
    rows = [
        [
            name,
            *(f"{value:,.0f}" for value in values[:3]),
            *(f"{value:.3f}" for value in values[3:7]),
            f"{values[7]:.1f}",
        ]
        for name, values in result["rows"].items()
    ]
    large_rows = [
        [
            name,
            f"{row['pages']:,}",
            f"{row['links']:,}",
            f"{row['left']:,}",
            f"{row['cores']:,}" + (" (cut short)" if row["short"] else ""),
            f"{row['communities']:,}",
            f"{row['found']:,} of {row['planted']:,}" if row["planted"] else "",
            f"{row['cores s']:.1f}",
            f"{row['all s']:.1f}",
            f"{row['peak MB']:,.0f}",
        ]
        for name, row in result["large"].items()
    ]
    heads = ["web", "pages", "links", "links left", "cores", "communities", "planted found"]
    return f"""\
Movies and cheese in one graph: {result["pages"]:,} pages, {result["links"]:,} links. Purity is the
share of a community's pages in its main set, as mean over members; recall is the share of a set's
pages that are in some community.

{table(["trawling", *HEADS], rows)}

Large webs, (3,3) cores. *Links left* remain after pruning, to be enumerated. The two times are for
the cores alone, and for communities with expansion, both from a graph in memory; the peak is that
of the whole process.

{table([*heads, "cores s", "all s", "peak MB"], large_rows)}

Measured with {result["versions"]}."""


if __name__ == "__main__":
    print(json.dumps(once(sys.argv[1])))
