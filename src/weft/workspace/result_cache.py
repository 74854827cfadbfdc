"""The result cache `results/`: groups and base sets of the same collection, request and Weft.

There is one file per result, each of which may be deleted. The name of a file is a digest
of the request. A damaged, foreign or missing file counts as a cache miss, and a folder that
cannot be written caches nothing.
"""

import hashlib
import json
import os
import zlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, fields, is_dataclass
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints
from zipfile import BadZipFile, ZipFile

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
from weft.store.entities import read_entities
from weft.store.writer import RESULT_FILE_NAME, RESULTS_FOLDER

ENCODED_TYPES: dict[str, Any] = {
    kind.__name__: kind
    for kind in (Group, Trace, MicroHub, BridgePage, LinkCounts, SiteDiversity, VoteStability)
}
UNCACHED_FIELDS = ("base", "provenance")
MAX_CACHED_GROUPS = 1000
JSON_TYPES = (str, bool, int, float, type(None))
BASE_SET_ARRAY_TYPES = (np.int32, np.int32, np.int32, np.int32, np.float64, np.int64, np.int32)
RESULT_FORMAT = 3
MAX_CACHE_BYTES = 256 << 20
MAX_RESULT_BYTES = 64 << 20
READ_ERRORS = (
    OSError,
    ValueError,
    LookupError,
    TypeError,
    EOFError,
    MemoryError,
    RecursionError,
    NotImplementedError,
    BadZipFile,
    zlib.error,
)


class CachedResult(NamedTuple):
    """A cached result: a JSON document, and arrays."""

    document: Any
    arrays: Sequence[npt.NDArray[Any]]


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
        "entities": read_entities(collection.folder).version if selection.level == "entity" else 0,
        "tags": collection.tags.digest() if _depends_on_tags(selection) else "",
        "weft": f"{weft.__version__} {_code_fingerprint()}",
    }


def _depends_on_tags(selection: Selection) -> bool:
    """Whether tags decide on the pages: as words of the selection, or in its query."""
    return selection.has_tags or "tag:" in selection.query


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


@cache
def _field_types(record: type) -> dict[str, tuple[type, ...]]:
    """The types that values of each field of a dataclass may have, from its annotations."""

    def value_types(hint: Any) -> tuple[type, ...]:
        origin = get_origin(hint)
        if origin in (Union, UnionType):
            return tuple(kind for part in get_args(hint) for kind in value_types(part))
        if origin is Literal:
            return tuple(map(type, get_args(hint)))
        return (dict,) if origin is Mapping else (origin or hint,)

    hints = get_type_hints(record)
    return {f.name: value_types(hints[f.name]) for f in fields(record)}


def _has_field_types(record: Any, names: Iterable[str]) -> bool:
    kinds = _field_types(record.__class__)
    return all(type(getattr(record, name)) in kinds[name] for name in names)


def _is_valid(result: Groups) -> bool:
    """Whether fields have their types, and groups have pages of the base set with two scores."""
    typed = _has_field_types(result, _cached_fields(result))
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
    typed = _has_field_types(group, _field_types(Group))
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


def load_result(folder: Path, request: Any) -> CachedResult | None:
    """The cached result of a request, a JSON value; None where there is none."""
    path = _result_path(folder, request)
    try:
        with ZipFile(path) as file:
            sizes = sum(part.file_size for part in file.infolist())
            if sizes > MAX_RESULT_BYTES or file.testzip() is not None:
                return None
        with np.load(path, allow_pickle=False) as file:
            stored = json.loads(file["json"].tobytes())
            arrays = [file[f"array{k}"] for k in range(stored["arrays"])]
        found, document = stored["request"], stored["document"]
    except READ_ERRORS:
        return None
    if found != _to_json_types(request):
        return None
    with suppress(OSError):
        os.utime(path)  # used now: evicted last
    return CachedResult(document, arrays)


def save_result(folder: Path, request: Any, result: CachedResult) -> None:
    """Cache a result, if the folder can be written to, and evict the oldest beyond the limit."""
    path = _result_path(folder, request)
    temporary = folder / RESULTS_FOLDER / f".{os.getpid()}.npz"
    stored = {"request": request, "document": result.document, "arrays": len(result.arrays)}
    arrays = {f"array{k}": values for k, values in enumerate(result.arrays)}
    if (
        sum(values.nbytes for values in result.arrays) > MAX_RESULT_BYTES // 2
        or path.parent.is_symlink()
    ):
        return
    with suppress(OSError):
        path.parent.mkdir(exist_ok=True)
        try:
            text = np.frombuffer(json.dumps(stored).encode(), np.uint8)
            np.savez(temporary, allow_pickle=False, json=text, **arrays)
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
        _evict_least_recent(path.parent)


def _evict_least_recent(folder: Path) -> None:
    """Delete the least recently used results, until the others fit."""
    files = sorted(
        ((path.stat(), path) for path in folder.iterdir() if RESULT_FILE_NAME.fullmatch(path.name)),
        key=lambda file: file[0].st_mtime_ns,
    )
    total = sum(state.st_size for state, _ in files)
    for state, path in files[:-1]:
        if total > MAX_CACHE_BYTES:
            path.unlink(missing_ok=True)
            total -= state.st_size


def _result_path(folder: Path, request: Any) -> Path:
    key = json.dumps([RESULT_FORMAT, request], sort_keys=True).encode()
    return folder / RESULTS_FOLDER / f"{hashlib.sha256(key).hexdigest()}.npz"


def _to_json_types(request: Any) -> Any:
    return json.loads(json.dumps(request))
