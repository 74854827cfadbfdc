"""Cache groups and base sets as long as the collection, the request and Weft are the same."""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import weft
from weft.core.arrays import CSR
from weft.core.errors import WeftError
from weft.engine import Trace
from weft.graph.baseset.baseset import ORIGINS, AbsentPage, BaseSet
from weft.graph.baseset.expand import attach_readers, build_query_base_set
from weft.graph.baseset.stoplist import read_stoplist
from weft.graph.levels import load_dated_graph
from weft.graph.selection import Selection
from weft.graph.views import Dropped
from weft.graph.webgraph import ArrowNames, WebGraph, transpose
from weft.groups import (
    BridgePage,
    Group,
    Groups,
    LinkCounts,
    MicroHub,
    SiteDiversity,
    VoteStability,
)
from weft.store.arrow_files import check_csr
from weft.store.collection import Collection
from weft.store.results import CachedResult, load_result, save_result

ENCODED_TYPES: dict[str, Any] = {
    kind.__name__: kind
    for kind in (Group, Trace, MicroHub, BridgePage, LinkCounts, SiteDiversity, VoteStability)
}
UNCACHED_FIELDS = ("base", "provenance")
GROUPS_TYPES = {
    **dict.fromkeys(("kind", "method"), str),
    "trace": Trace,
    **dict.fromkeys(("facts", "options"), dict),
    **dict.fromkeys(("groups", "set_aside", "bridge_pages", "notes"), tuple),
}
GROUP_TYPES: dict[str, tuple[type, ...]] = {
    "strength": (float,),
    **dict.fromkeys(("is_remainder", "in_passing"), (bool,)),
    **dict.fromkeys(("title", "note", "reason"), (str,)),
    **dict.fromkeys(("label", "micro_hubs", "subgroups"), (tuple,)),
    **dict.fromkeys(("facts", "evidence"), (dict,)),
    "links": (LinkCounts, type(None)),
    "sites": (SiteDiversity, type(None)),
    "stability": (VoteStability, type(None)),
}
MAX_CACHED_GROUPS = 1000
JSON_TYPES = (str, bool, int, float, type(None))
BASE_SET_ARRAY_TYPES = (np.int32, np.int32, np.int32, np.int32, np.float64, np.int64, np.int32)


class UncacheableValue(TypeError):
    """A value that cannot be stored in the cache."""


def cache_key(
    collection: Collection, selection: Selection, request: Mapping[str, Any]
) -> dict[str, Any]:
    """What a cached result depends on: request, selection, snapshot, and the code of Weft."""
    options = {name: str(value) for name, value in request.get("options", {}).items()}
    return {
        **request,
        "options": options,
        "selection": asdict(selection),
        "stoplist": asdict(read_stoplist(selection.stoplist)),
        "snapshot": collection.manifest.snapshot,
        "digest": collection.digest,
        "weft": f"{weft.__version__} {_code_fingerprint()}",
    }


@cache
def _code_fingerprint() -> str:
    """A hash of the sizes and modification times of Weft's source files."""
    files = sorted((str(path), path.stat()) for path in Path(weft.__file__).parent.rglob("*.py"))
    lines = [f"{name} {stat.st_size} {stat.st_mtime_ns}" for name, stat in files]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def load_cached_groups(collection: Collection, key: dict[str, Any], base: BaseSet) -> Groups | None:
    """The cached groups of a base set, or None; invalid files are ignored.

    The provenance holds only the time when they were computed.
    """
    cached = load_result(collection.folder, key)
    try:
        document = decode(cached.document, cached.arrays) if cached else {}
        if document.get("size") != [len(base), base.graph.link_count]:
            return None
        result = Groups(base=base, provenance=document["provenance"], **document["fields"])
        return result if _is_valid(result) else None
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError):
        return None


def cache_groups(collection: Collection, key: dict[str, Any], result: Groups) -> None:
    """Store a result; not one of over 1,000 groups, nor with values that cannot be encoded."""
    if len(result) > MAX_CACHED_GROUPS:
        return
    arrays: list[npt.NDArray[Any]] = []
    document = {
        "fields": _cached_fields(result),
        "size": [len(result.base), result.base.graph.link_count],
        "provenance": {"time": result.provenance["time"]},
    }
    try:
        encoded = encode(document, arrays)
    except UncacheableValue:
        return
    save_result(collection.folder, key, CachedResult(encoded, arrays))


def _cached_fields(result: Groups) -> dict[str, Any]:
    return {
        f.name: getattr(result, f.name) for f in fields(result) if f.name not in UNCACHED_FIELDS
    }


def _is_valid(result: Groups) -> bool:
    """Whether fields have their types, and groups have pages of the base set with two scores."""
    typed = all(type(value) is GROUPS_TYPES[name] for name, value in _cached_fields(result).items())
    has_time = [type(value) for value in result.provenance.values()] == [str]
    page_count = len(result.base)
    return (
        typed
        and has_time
        and result.kind in ("topics", "communities")
        and all(type(note) is str for note in result.notes)
        and all(_is_valid_bridge(bridge, page_count) for bridge in result.bridge_pages)
        and all(_is_valid_group(group, page_count) for group in (*result, *result.set_aside))
    )


def _is_valid_group(group: Any, page_count: int) -> bool:
    if type(group) is not Group:
        return False
    typed = all(type(getattr(group, name)) in kinds for name, kinds in GROUP_TYPES.items())
    required, optional = (group.authority, group.hub), (group.trust, group.vote_score)
    fetch = group.uncaptured
    return (
        typed
        and all(type(term) is str for term in group.label)
        and all(type(hub) is MicroHub for hub in group.micro_hubs)
        and all(_are_pages(pages, page_count) for pages in group.evidence.values())
        and group.members.dtype == fetch.dtype == np.int32
        and all(_is_float_array(scores, group.members.shape) for scores in required)
        and all(s is None or _is_float_array(s, group.members.shape) for s in optional)
        and _is_float_array(group.uncaptured_votes, fetch.shape)
        and _are_pages(fetch, page_count)
        and bool((np.diff(group.members, prepend=-1, append=page_count) > 0).all())
        and all(_is_valid_group(part, page_count) for part in group.subgroups)
    )


def _are_pages(pages: Any, page_count: int) -> bool:
    return bool(pages.dtype == np.int32 and ((pages >= 0) & (pages < page_count)).all())


def _is_valid_bridge(bridge: Any, page_count: int) -> bool:
    pages = np.array([bridge.page, *bridge.archive_pages], np.int32)
    return type(bridge) is BridgePage and _are_pages(pages, page_count)


def _is_float_array(values: Any, shape: tuple[int, ...]) -> bool:
    return bool(values.shape == shape and values.dtype == np.float64)


def encode(value: Any, arrays: list[npt.NDArray[Any]]) -> Any:
    """A value as JSON; other types become {name of the type: contents}, arrays their index."""
    if isinstance(value, np.generic):
        return encode(value.item(), arrays)
    if isinstance(value, JSON_TYPES):
        return value
    if isinstance(value, np.ndarray):
        arrays.append(value)
        return {"array": len(arrays) - 1}
    if isinstance(value, list | tuple):
        return {type(value).__name__: [encode(part, arrays) for part in value]}
    if isinstance(value, Mapping) and all(isinstance(name, str) for name in value):
        return {"dict": {name: encode(part, arrays) for name, part in value.items()}}
    if is_dataclass(value) and type(value).__name__ in ENCODED_TYPES:
        contents = {f.name: encode(getattr(value, f.name), arrays) for f in fields(value)}
        return {type(value).__name__: contents}
    raise UncacheableValue(type(value).__name__)


def decode(value: Any, arrays: Any) -> Any:
    """The value that `encode` was given."""
    if not isinstance(value, dict):
        return value
    [(name, contents)] = value.items()
    if name == "array":
        return arrays[contents]
    if name in ("list", "tuple"):
        items = [decode(item, arrays) for item in contents]
        return items if name == "list" else tuple(items)
    decoded = {key: decode(item, arrays) for key, item in contents.items()}
    return decoded if name == "dict" else ENCODED_TYPES[name](**decoded)


def load_base_set(collection: Collection, selection: Selection, *, cache: bool) -> BaseSet:
    """The base set of a selection, from the cache if it is there; others are built."""
    if not (cache and selection.query):
        return build_query_base_set(collection, selection=selection)
    key = cache_key(collection, selection, {"kind": "base set"})
    cached = load_result(collection.folder, key)
    found = _decode_base_set(collection, selection, cached) if cached else None
    if found is None:
        found = build_query_base_set(collection, selection=selection)
        save_result(collection.folder, key, _encode_base_set(found))
    return found


def _encode_base_set(base: BaseSet) -> CachedResult:
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


def _decode_base_set(
    collection: Collection, selection: Selection, cached: CachedResult
) -> BaseSet | None:
    """The base set that was stored; None if it is not valid for this collection."""
    try:
        numbers, origin, rank, via, score, starts, ids, *weights = cached.arrays
        links = CSR(starts, ids, weights[0] if weights else None)
        _check_base_set(len(collection), cached.arrays, links)
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
    whole = load_dated_graph(collection, selection.time_range)
    uncaptured = None if whole.uncaptured is None else whole.uncaptured[numbers]
    names = ArrowNames(whole.names.take(numbers))
    graph = WebGraph(names, links, transpose(links, len(numbers)), uncaptured=uncaptured)
    base = BaseSet(
        graph,
        selection.query,
        numbers,
        origin,
        rank,
        via,
        score,
        dropped,
        absent=absent,
        search_total=total,
    )
    return attach_readers(collection, base)


def _check_base_set(page_count: int, arrays: Any, links: CSR) -> None:
    """Raise an error unless arrays have their types, and pages and links are in range."""
    numbers, origin, rank, via, score, *_ = arrays
    n = len(numbers)
    if any(a.dtype != kind for a, kind in zip(arrays, BASE_SET_ARRAY_TYPES, strict=False)):
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
