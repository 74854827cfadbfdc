"""Remember topics and communities while the collection, the options and Weft are the same."""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import weft
from weft.communities import Agora, Communities, Community, Meeting
from weft.engine import Trace
from weft.graph.baseset import BaseSet
from weft.run.analyse import View, digest
from weft.store.collection import Collection
from weft.store.results import Kept, keep, recall
from weft.topics import MicroHub, Topic, Topics

KINDS: dict[str, Any] = {
    kind.__name__: kind for kind in (Topic, Trace, MicroHub, Community, Meeting)
}
ANSWERS: dict[str, Any] = {kind.__name__: kind for kind in (Topics, Communities, Agora)}
APART = ("base", "provenance")
PARTS = {
    "method": str,
    "trace": Trace,
    **dict.fromkeys(("facts", "options"), dict),
    **dict.fromkeys(("topics", "aside", "communities", "between", "notes"), tuple),
}
MOST = 1000
SIMPLE = (str, bool, int, float, type(None))


class Unkept(TypeError):
    """A value that no file of answers holds."""


def asked_of(collection: Collection, view: View, options: Mapping[str, Any]) -> dict[str, Any]:
    """What every answer depends on: snapshot, view, options, and Weft itself."""
    return {
        "options": {name: str(value) for name, value in options.items()},
        "view": asdict(view),
        "snapshot": collection.manifest.snapshot,
        "digest": digest(collection),
        "weft": f"{weft.__version__} {_code()}",
    }


@cache
def _code() -> str:
    """A name for the code as it is: the sizes and times of its files."""
    states = sorted((str(path), path.stat()) for path in Path(weft.__file__).parent.rglob("*.py"))
    told = [f"{name} {state.st_size} {state.st_mtime_ns}" for name, state in states]
    return hashlib.sha256("\n".join(told).encode()).hexdigest()[:16]


def recalled(collection: Collection, asked: dict[str, Any], base: BaseSet) -> Any:
    """What was found before, in the same base set, or none; it knows when it was found."""
    kept = recall(collection.folder, asked)
    try:
        told = decoded(kept.note, kept.arrays) if kept else {}
        if told.get("size") != [len(base), base.graph.link_count]:
            return None
        made = ANSWERS[told["answer"]](base=base, provenance=told["found"], **told["parts"])
        return made if _sound(made) else None
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError):
        return None


def remember(collection: Collection, asked: dict[str, Any], found: Topics | Communities) -> None:
    """Keep an answer for the next time; not one of very many groups, nor what no file holds."""
    if len(found) > MOST or type(found).__name__ not in ANSWERS:
        return
    arrays: list[npt.NDArray[Any]] = []
    told = {
        "answer": type(found).__name__,
        "parts": _parts(found),
        "size": [len(found.base), found.base.graph.link_count],
        "found": {"time": found.provenance["time"]},
    }
    try:
        note = encoded(told, arrays)
    except Unkept:
        return
    keep(collection.folder, asked, Kept(note, arrays))


def _parts(found: Topics | Communities) -> dict[str, Any]:
    return {f.name: getattr(found, f.name) for f in fields(found) if f.name not in APART}


def _sound(found: Topics | Communities) -> bool:
    """Whether all is of its kind, and each group has pages of the base set with two scores."""
    kinds = all(type(part) is PARTS[name] for name, part in _parts(found).items())
    times = [type(value) for value in found.provenance.values()]
    every = (*found, *getattr(found, "aside", ()))
    kind = Topic if isinstance(found, Topics) else Community
    return kinds and times == [str] and all(_whole(group, kind, len(found.base)) for group in every)


def _whole(group: Any, kind: type, n: int) -> bool:
    words = (*group.label, group.title, getattr(group, "reason", ""))
    voice = getattr(group, "voice", None)
    kinds = type(group), type(group.strength), type(group.facts), *map(type, words)
    return (
        kinds == (kind, float, dict, *[str] * len(words))
        and group.members.dtype == np.int32
        and group.authority.dtype == group.hub.dtype == np.float64
        and group.members.shape == group.authority.shape == group.hub.shape
        and (voice is None or voice.shape == group.hub.shape)
        and bool((np.diff(group.members, prepend=-1, append=n) > 0).all())
    )


def encoded(value: Any, arrays: list[npt.NDArray[Any]]) -> Any:
    """A value as JSON, in which what JSON does not have is a pair of a name and its parts."""
    if isinstance(value, np.generic):
        return encoded(value.item(), arrays)
    if isinstance(value, SIMPLE):
        return value
    if isinstance(value, np.ndarray):
        arrays.append(value)
        return {"array": len(arrays) - 1}
    if isinstance(value, list | tuple):
        return {type(value).__name__: [encoded(part, arrays) for part in value]}
    if isinstance(value, Mapping) and all(isinstance(name, str) for name in value):
        return {"dict": {name: encoded(part, arrays) for name, part in value.items()}}
    if is_dataclass(value) and type(value).__name__ in KINDS:
        parts = {field.name: getattr(value, field.name) for field in fields(value)}
        return {type(value).__name__: {n: encoded(part, arrays) for n, part in parts.items()}}
    raise Unkept(type(value).__name__)


def decoded(value: Any, arrays: Any) -> Any:
    """The value that was encoded."""
    if not isinstance(value, dict):
        return value
    [(name, parts)] = value.items()
    if name == "array":
        return arrays[parts]
    if name in ("list", "tuple"):
        made = [decoded(part, arrays) for part in parts]
        return made if name == "list" else tuple(made)
    inside = {key: decoded(part, arrays) for key, part in parts.items()}
    return inside if name == "dict" else KINDS[name](**inside)
