"""Computer science departments: agreement of communities with universities and page classes."""

import csv
import gzip
import time
from typing import Any

from benchmarks.measure import versions
from benchmarks.side_by_side import table
from benchmarks.topics.partitions import workspace
from benchmarks.topics.sets import DATA
from weft.communities import compare_partitions
from weft.communities.agreement import encode_labels, match_labels_to_pages
from weft.groups import Groups

LABELS = ("university", "class")
METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "modularity": ("modularity", {}),
    "friends": ("friends", {}),
    "friends, text only": ("friends", {"outlinks": 0, "inlinks": 0, "lists": 0}),
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
        rows[name] = [len(found), *compare_with_labels(found, given), seconds]
        print(name, flush=True)
    return {
        "versions": versions("numpy", "numba"),
        "pages": len(collection.collection),
        "links": collection.graph().link_count,
        "labelled": len(given),
        "rows": rows,
    }


def compare_with_labels(found: Groups, given: list[dict[str, str]]) -> list[float]:
    """NMI, ARI and purity for each kind of label, and the number of compared pages."""
    measures: list[float] = []
    pages = 0
    for kind in LABELS:
        known = match_labels_to_pages(
            found.graph, {row["url"]: row[kind] for row in given if row[kind]}
        )
        agreement = compare_partitions(found, encode_labels(found.graph, known))
        measures += [agreement.nmi, agreement.ari, agreement.purity]
        pages = agreement.compared_pages
    return [*measures, pages]


def page(result: dict[str, Any]) -> str:
    """The table of methods."""
    rows = []
    for name, (count, *values, pages, seconds) in result["rows"].items():
        shares = [f"{value:.3f}" for value in values]
        rows.append([name, f"{count:,}", *shares, f"{pages:,}", f"{seconds:.1f}"])
    heads = [f"{measure}, {kind}" for kind in LABELS for measure in ("NMI", "ARI", "purity")]
    return f"""\
{result["pages"]:,} pages, {result["links"]:,} links, {result["labelled"]:,} pages with labels.

{table(["method", "communities", *heads, "pages", "seconds"], rows)}

Measured with {result["versions"]}."""
