"""Remember the topics of a query while the collection, the options and Weft are the same."""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import weft
from weft.communities import Community, Meeting
from weft.engine import Trace
from weft.graph.baseset import BaseSet
from weft.graph.options import BaseOptions
from weft.graph.stoplist import read_stoplist
from weft.run.analyse import View, digest
from weft.store.collection import Collection
from weft.store.results import Kept, keep, recall
from weft.topics import MicroHub, Topic, Topics

KINDS: dict[str, Any] = {
    kind.__name__: kind for kind in (Topic, Trace, MicroHub, Community, Meeting)
}
PARTS = {"method": str, "topics": tuple, "trace": Trace, "aside": tuple, "options": dict}
SIMPLE = (str, bool, int, float, type(None))


class Unkept(TypeError):
    """A value that no file of answers holds."""


def question(
    collection: Collection,
    view: View,
    base: BaseOptions,
    method: str,
    options: Mapping[str, Any],
) -> dict[str, Any]:
    """All that the topics of a query depend on."""
    return {
        "topics": method,
        "base": asdict(base),
        "stoplist": asdict(read_stoplist(base.stoplist)),
        **asked_of(collection, view, options),
    }


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


def recalled(collection: Collection, asked: dict[str, Any], base: BaseSet) -> Topics | None:
    """The topics that were found before, in the same base set; they know when."""
    found = recall(collection.folder, asked)
    try:
        parts = decoded(found.note, found.arrays) if found else {}
        if parts.get("size") != [len(base), base.graph.link_count]:
            return None
        made = Topics(base=base, provenance=parts["found"], **{name: parts[name] for name in PARTS})
        return made if _sound(made) else None
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError):
        return None


def _sound(topics: Topics) -> bool:
    """Whether all is of its kind, and each topic has pages of the base set with two scores."""
    kinds = {name: type(getattr(topics, name)) for name in PARTS}
    times = [type(value) for value in topics.provenance.values()]
    every = (*topics.topics, *topics.aside)
    return kinds == PARTS and times == [str] and all(_whole(t, len(topics.base)) for t in every)


def _whole(topic: Any, n: int) -> bool:
    words = (*topic.label, topic.title, topic.reason)
    kinds = type(topic), type(topic.strength), type(topic.facts), *map(type, words)
    return (
        kinds == (Topic, float, dict, *[str] * len(words))
        and (topic.voice is None or topic.voice.shape == topic.hub.shape)
        and scored(topic, n)
    )


def scored(group: Any, n: int) -> bool:
    """Whether a group has members among n pages, ascending, with two scores beside each."""
    return (
        group.members.dtype == np.int32
        and group.authority.dtype == group.hub.dtype == np.float64
        and group.members.shape == group.authority.shape == group.hub.shape
        and bool((np.diff(group.members, prepend=-1, append=n) > 0).all())
    )


def remember(collection: Collection, asked: dict[str, Any], topics: Topics) -> None:
    """Keep topics for the next time; not those with facts that no file holds."""
    arrays: list[npt.NDArray[Any]] = []
    parts = {name: getattr(topics, name) for name in PARTS}
    size = [len(topics.base), topics.base.graph.link_count]
    try:
        when = {"time": topics.provenance["time"]}
        note = encoded({**parts, "size": size, "found": when}, arrays)
    except Unkept:
        return
    keep(collection.folder, asked, Kept(note, arrays))


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
