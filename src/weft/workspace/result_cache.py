"""Cache topics and communities as long as the collection, the options and Weft are the same."""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import weft
from weft.communities import AgoraCommunities, BridgePage, Communities, Community
from weft.engine import Trace
from weft.graph.baseset.baseset import BaseSet
from weft.store.collection import Collection
from weft.store.results import CachedResult, load_result, save_result
from weft.topics import MicroHub, Topic, Topics
from weft.workspace.analyse import Selection, collection_digest

ENCODED_TYPES: dict[str, Any] = {
    kind.__name__: kind for kind in (Topic, Trace, MicroHub, Community, BridgePage)
}
RESULT_TYPES: dict[str, Any] = {
    kind.__name__: kind for kind in (Topics, Communities, AgoraCommunities)
}
UNCACHED_FIELDS = ("base", "provenance")
FIELD_TYPES = {
    "method": str,
    "trace": Trace,
    **dict.fromkeys(("facts", "options"), dict),
    **dict.fromkeys(("topics", "set_aside", "communities", "bridge_pages", "notes"), tuple),
}
MAX_CACHED_GROUPS = 1000
JSON_TYPES = (str, bool, int, float, type(None))


class UncacheableValue(TypeError):
    """A value that cannot be stored in the cache."""


def common_cache_key(
    collection: Collection, selection: Selection, options: Mapping[str, Any]
) -> dict[str, Any]:
    """What every result depends on: snapshot, selection, options, and the code of Weft."""
    return {
        "options": {name: str(value) for name, value in options.items()},
        "selection": asdict(selection),
        "snapshot": collection.manifest.snapshot,
        "digest": collection_digest(collection),
        "weft": f"{weft.__version__} {_code_fingerprint()}",
    }


@cache
def _code_fingerprint() -> str:
    """A hash of the sizes and modification times of Weft's source files."""
    files = sorted((str(path), path.stat()) for path in Path(weft.__file__).parent.rglob("*.py"))
    lines = [f"{name} {stat.st_size} {stat.st_mtime_ns}" for name, stat in files]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def load_cached_groups(collection: Collection, key: dict[str, Any], base: BaseSet) -> Any:
    """The cached topics or communities of a base set, or None; invalid files are ignored.

    The provenance holds only the time when they were computed.
    """
    cached = load_result(collection.folder, key)
    try:
        document = decode(cached.document, cached.arrays) if cached else {}
        if document.get("size") != [len(base), base.graph.link_count]:
            return None
        result_type = RESULT_TYPES[document["type"]]
        result = result_type(base=base, provenance=document["provenance"], **document["fields"])
        return result if _is_valid(result) else None
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError):
        return None


def cache_groups(collection: Collection, key: dict[str, Any], result: Topics | Communities) -> None:
    """Store a result; not one of over 1,000 groups, nor with values that cannot be encoded."""
    if len(result) > MAX_CACHED_GROUPS or type(result).__name__ not in RESULT_TYPES:
        return
    arrays: list[npt.NDArray[Any]] = []
    document = {
        "type": type(result).__name__,
        "fields": _cached_fields(result),
        "size": [len(result.base), result.base.graph.link_count],
        "provenance": {"time": result.provenance["time"]},
    }
    try:
        encoded = encode(document, arrays)
    except UncacheableValue:
        return
    save_result(collection.folder, key, CachedResult(encoded, arrays))


def _cached_fields(result: Topics | Communities) -> dict[str, Any]:
    return {
        f.name: getattr(result, f.name) for f in fields(result) if f.name not in UNCACHED_FIELDS
    }


def _is_valid(result: Topics | Communities) -> bool:
    """Whether fields have their types, and groups have pages of the base set with two scores."""
    typed = all(type(value) is FIELD_TYPES[name] for name, value in _cached_fields(result).items())
    has_time = [type(value) for value in result.provenance.values()] == [str]
    groups = (*result, *getattr(result, "set_aside", ()))
    group_type = Topic if isinstance(result, Topics) else Community
    page_count = len(result.base)
    return typed and has_time and all(_is_valid_group(g, group_type, page_count) for g in groups)


def _is_valid_group(group: Any, group_type: type, page_count: int) -> bool:
    texts = (*group.label, group.title, getattr(group, "reason", ""))
    trust = getattr(group, "trust", None)
    types = type(group), type(group.strength), type(group.facts), *map(type, texts)
    return (
        types == (group_type, float, dict, *[str] * len(texts))
        and group.members.dtype == np.int32
        and group.authority.dtype == group.hub.dtype == np.float64
        and group.members.shape == group.authority.shape == group.hub.shape
        and (trust is None or trust.shape == group.hub.shape)
        and _has_valid_extras(group, page_count)
        and bool((np.diff(group.members, prepend=-1, append=page_count) > 0).all())
    )


def _has_valid_extras(group: Any, page_count: int) -> bool:
    """Whether the votes, uncaptured pages and sub-topics of a topic are valid."""
    if not isinstance(group, Topic):
        return True
    votes, fetch = group.vote_score, group.uncaptured
    return (
        (votes is None or (votes.shape == group.hub.shape and votes.dtype == np.float64))
        and fetch.dtype == np.int32
        and fetch.shape == group.uncaptured_votes.shape
        and group.uncaptured_votes.dtype == np.float64
        and bool(((fetch >= 0) & (fetch < page_count)).all())
        and type(group.subtopics) is tuple
        and all(_is_valid_group(part, Topic, page_count) for part in group.subtopics)
    )


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
