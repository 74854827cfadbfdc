"""Cache the base sets of queries, so that a remembered answer does not expand one again."""

from dataclasses import asdict
from typing import Any

import numpy as np

from weft.core.arrays import CSR
from weft.core.errors import WeftError
from weft.graph.baseset.baseset import ORIGINS, AbsentPage, BaseSet
from weft.graph.baseset.expand import attach_readers, build_query_base_set
from weft.graph.baseset.options import BaseOptions
from weft.graph.baseset.stoplist import read_stoplist
from weft.graph.levels import load_graph
from weft.graph.views import Dropped
from weft.graph.webgraph import ArrowNames, WebGraph, transpose
from weft.store.arrow_files import check_csr
from weft.store.collection import Collection
from weft.store.results import CachedResult, load_result, save_result
from weft.workspace.analyse import Selection
from weft.workspace.result_cache import common_cache_key

ARRAY_TYPES = (np.int32, np.int32, np.int32, np.int32, np.float64, np.int64, np.int32)


def load_query_base_set(
    collection: Collection, selection: Selection, options: BaseOptions, *, cache: bool
) -> BaseSet:
    """The base set of a query, from the cache if it is there; others are built."""
    if not (cache and selection.query):
        return build_query_base_set(collection, selection.query, options)
    key = {
        "base set": asdict(options),
        "stoplist": asdict(read_stoplist(options.stoplist)),
        **common_cache_key(collection, selection, {}),
    }
    cached = load_result(collection.folder, key)
    found = _restore(collection, selection.query, cached) if cached else None
    if found is None:
        found = build_query_base_set(collection, selection.query, options)
        save_result(collection.folder, key, _store(found))
    return found


def _store(base: BaseSet) -> CachedResult:
    rows = base.graph.outlinks
    document = {
        "dropped": [asdict(dropped) for dropped in base.dropped],
        "absent": [[page, why.reason, why.replaced_by] for page, why in base.absent.items()],
        "search_total": base.search_total,
    }
    by_page = base.page_numbers, base.origin, base.rank, base.via, base.text_score
    weights = [] if rows.weights is None else [np.asarray(rows.weights)]
    links = np.asarray(rows.starts, np.int64), np.asarray(rows.ids, np.int32)
    return CachedResult(document, [*by_page, *links, *weights])


def _restore(collection: Collection, query: str, cached: CachedResult) -> BaseSet | None:
    """The base set that was stored; None if it is not valid for this collection."""
    try:
        numbers, origin, rank, via, score, starts, ids, *weights = cached.arrays
        links = CSR(starts, ids, weights[0] if weights else None)
        _check(len(collection), cached.arrays, links)
        document = cached.document
        dropped = tuple(
            Dropped(str(row["reason"]), int(row["pages"]), int(row["links"]))
            for row in document["dropped"]
        )
        absent = {
            str(page): AbsentPage(str(reason), str(other))
            for page, reason, other in document["absent"]
        }
        total = max(int(document["search_total"]), 0)
    except (WeftError, LookupError, TypeError, ValueError, AttributeError):
        return None
    whole = load_graph(collection)
    uncaptured = None if whole.uncaptured is None else whole.uncaptured[numbers]
    names = ArrowNames(whole.names.take(numbers))
    graph = WebGraph(names, links, transpose(links, len(numbers)), uncaptured=uncaptured)
    base = BaseSet(
        graph, query, numbers, origin, rank, via, score, dropped, absent=absent, search_total=total
    )
    return attach_readers(collection, base)


def _check(page_count: int, arrays: Any, links: CSR) -> None:
    """Raise an error unless arrays have their types, and pages and links are in range."""
    numbers, origin, rank, via, score, *_ = arrays
    n = len(numbers)
    if any(a.dtype != kind for a, kind in zip(arrays, ARRAY_TYPES, strict=False)):
        raise TypeError
    if any(a.shape != (n,) for a in (origin, rank, via, score)):
        raise ValueError
    in_range = (
        (np.diff(numbers, prepend=-1, append=page_count) > 0).all()
        and ((origin >= 0) & (origin < len(ORIGINS))).all()
        and ((via >= -1) & (via < n)).all()
        and (rank >= 0).all()
        and np.isfinite(score).all()
    )
    if not in_range or (links.weights is not None and len(links.weights) != len(links.ids)):
        raise ValueError
    check_csr("base set ", links, n, row_count=n)
