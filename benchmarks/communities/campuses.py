"""Pages of computer science departments: whether communities are departments, or kinds of page."""

import csv
import gzip
import time
from typing import Any

from benchmarks.measure import versions
from benchmarks.side_by_side import table
from benchmarks.topics.partitions import workspace
from benchmarks.topics.sets import DATA
from weft.communities import Communities, agreement
from weft.communities.agreement import labels_of
from weft.run.grouping import with_forms

LABELS = ("university", "class")
METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "modularity": ("modularity", {}),
    "friends": ("friends", {}),
    "friends, text alone": ("friends", {"outlinks": 0, "inlinks": 0, "lists": 0}),
    "friends, links and lists": ("friends", {"text": 0}),
    "hits": ("hits", {}),
}


def measure() -> dict[str, Any]:
    """Find communities by each method, and compare them with both labels."""
    with gzip.open(DATA / "webkb-labels.csv.gz", "rt") as file:
        given = list(csv.DictReader(file))
    collection = workspace("webkb")
    rows = {}
    for name, (method, options) in METHODS.items():
        start = time.perf_counter()
        found = collection.communities(method=method, cache=False, **options)
        seconds = time.perf_counter() - start
        rows[name] = [len(found), *compared(found, given), seconds]
        print(name, flush=True)
    return {
        "versions": versions("numpy", "numba"),
        "pages": len(collection.collection),
        "links": collection.graph().link_count,
        "labelled": len(given),
        "rows": rows,
    }


def compared(found: Communities, given: list[dict[str, str]]) -> list[float]:
    """NMI, ARI and purity beside each kind of label, and how many pages were compared."""
    told: list[float] = []
    pages = 0
    for kind in LABELS:
        known = with_forms(found.graph, {row["url"]: row[kind] for row in given if row[kind]})
        result = agreement(found, labels_of(found.graph, known))
        told += [result.nmi, result.ari, result.purity]
        pages = result.pages
    return [*told, pages]


def page(kept: dict[str, Any]) -> str:
    """The table of methods."""
    rows = []
    for name, (count, *values, pages, seconds) in kept["rows"].items():
        shares = [f"{value:.3f}" for value in values]
        rows.append([name, f"{count:,}", *shares, f"{pages:,}", f"{seconds:.1f}"])
    measures = [f"{measure}, {kind}" for kind in LABELS for measure in ("NMI", "ARI", "purity")]
    return f"""\
{kept["pages"]:,} pages, {kept["links"]:,} links, {kept["labelled"]:,} pages with labels.

{table(["method", "communities", *measures, "pages", "seconds"], rows)}

Measured with {kept["versions"]}."""
