"""Remember communities while the collection, the options and Weft are the same."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy.typing as npt

from weft.communities import Agora, Communities, Community
from weft.graph.baseset import BaseSet
from weft.run.analyse import View
from weft.run.remember import Unkept, asked_of, decoded, encoded, scored
from weft.store.collection import Collection
from weft.store.results import Kept, keep, recall

SHAPES = {shape.__name__: shape for shape in (Communities, Agora)}
MOST = 1000
APART = ("base", "provenance")


def question(
    collection: Collection, view: View, method: str, options: Mapping[str, Any]
) -> dict[str, Any]:
    """All that communities depend on."""
    return {"communities": method, **asked_of(collection, view, options)}


def recalled(collection: Collection, asked: dict[str, Any], base: BaseSet) -> Communities | None:
    """The communities that were found before, in the same base set; they know when."""
    found = recall(collection.folder, asked)
    try:
        told = decoded(found.note, found.arrays) if found else {}
        if told.get("size") != [len(base), base.graph.link_count]:
            return None
        made = SHAPES[told["shape"]](base=base, provenance=told["found"], **told["parts"])
        return made if all(_whole(each, len(base)) for each in made.communities) else None
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError):
        return None


def _whole(community: Any, n: int) -> bool:
    return type(community) is Community and scored(community, n)


def remember(collection: Collection, asked: dict[str, Any], found: Communities) -> None:
    """Keep communities for the next time; not very many, nor what no file holds."""
    if len(found) > MOST or type(found).__name__ not in SHAPES:
        return
    arrays: list[npt.NDArray[Any]] = []
    parts = {f.name: getattr(found, f.name) for f in fields(found) if f.name not in APART}
    told = {
        "shape": type(found).__name__,
        "parts": parts,
        "size": [len(found.base), found.graph.link_count],
        "found": {"time": found.provenance["time"]},
    }
    try:
        note = encoded(told, arrays)
    except Unkept:
        return
    keep(collection.folder, asked, Kept(note, arrays))
