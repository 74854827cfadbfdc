"""Trawling: whether the cores of two mixed base sets are of one set each, and how far it goes.

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
from weft.communities import Communities, trawling
from weft.communities.cores import find_cores
from weft.graph.webgraph import Names, WebGraph

CHOICES: dict[str, dict[str, Any]] = {
    "as it is": {},
    "cores alone (expand=0)": {"expand": 0},
    "fans of 3 sites (sites=3)": {"sites": 3},
    "centres up to 100 links (popular=100)": {"popular": 100},
    "(2,3) cores (fans=2)": {"fans": 2},
    "(4,4) cores": {"fans": 4, "centres": 4},
    "nothing left out": {"sites": 0, "popular": 0, "mirrors": "keep", "nepotism": "keep"},
}
SHARES = (0.0, 0.05, 0.1)
PLANTED, HOST_SEED = 1000, 3
LARGE = ("cnr-2000", "web-5m", "web-5m, planted")
HEADS = ("cores", "communities", "pages", "purity", "least pure", "of movies", "of cheese", "s")


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
        "large": {name: apart(name) for name in LARGE},
    }


def found(case: Case, options: dict[str, Any]) -> list[float]:
    """Trawl once, and judge what came."""
    start = time.perf_counter()
    result = trawling(case.base, **options)
    seconds = time.perf_counter() - start
    return [*judged(case, result), seconds]


def judged(case: Case, result: Communities) -> list[float]:
    """How many came, how pure they are in the mean over members, and how much they have of each."""
    sets = [np.asarray(flags) for flags in case.sets.values()]
    shares = [max(float(flags[c.members].mean()) for flags in sets) for c in result]
    sizes = [len(c) for c in result]
    covered = np.zeros(len(case.base), bool)
    for community in result:
        covered[community.members] = True
    purity = float(np.average(shares, weights=sizes)) if sizes else 0.0
    recall = [float(covered[flags].mean()) for flags in sets]
    least = min(shares, default=0.0)
    cores, many = result.facts["cores"], result.facts["communities"]
    return [cores, many, int(covered.sum()), purity, least, *recall]


def apart(name: str) -> dict[str, Any]:
    """Trawl a large web in a process of its own."""
    words = [sys.executable, "-m", "benchmarks.communities.trawling", name]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


def once(name: str) -> dict[str, Any]:
    """Trawl a large web for (3,3) cores, kernels compiled before."""
    trawling([(fan, page) for fan in "abc" for page in "xyz"], sites=0)
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
    return WebGraph.from_arrays(Names(names), source, target), planted_sets


def plant(host: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """The ends of the links of new cores: each fan has three centres, and three other links.

    All are last pages of hosts that have several, each of another host.
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


def page(kept: dict[str, Any]) -> str:
    """Two tables: the mixed sets, and the large webs."""
    rows = [
        [
            name,
            *(f"{value:,.0f}" for value in values[:3]),
            *(f"{value:.3f}" for value in values[3:7]),
            f"{values[7]:.1f}",
        ]
        for name, values in kept["rows"].items()
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
        for name, row in kept["large"].items()
    ]
    heads = ["web", "pages", "links", "links left", "cores", "communities", "planted found"]
    return f"""\
Movies and cheese in one graph: {kept["pages"]:,} pages, {kept["links"]:,} links. Purity is the
share of a community's pages that are of its main set, in the mean over members; the last shares
are of all pages of a set.

{table(["trawling", *HEADS], rows)}

Large webs, (3,3) cores. *Links left* is what pruning leaves to be enumerated; the two times are for
the cores alone, and for communities with expansion, both from a graph in memory; the peak is that
of the process with both.

{table([*heads, "cores s", "all s", "peak MB"], large_rows)}

Measured with {kept["versions"]}."""


if __name__ == "__main__":
    print(json.dumps(once(sys.argv[1])))
