"""Give a method what it works on, and its result a memory of where it came from."""

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from typing import Any

from weft import __version__
from weft.core.errors import BadParameter
from weft.core.wording import listed
from weft.graph.baseset import BaseSet
from weft.graph.expand import expand, whole
from weft.graph.levels import check_level, load
from weft.graph.options import USUAL, BaseOptions, Between, Level
from weft.graph.stoplist import without as leave_out
from weft.store.collection import Collection

GROWING = frozenset(each.name for each in fields(BaseOptions)) - {"without", "between"}


@dataclass(frozen=True, slots=True)
class View:
    """Which part of a collection to look at.

    The pages, hosts or domains; around a query, or all of them. `base` says
    how a base set is made, what is left out and which links count; links
    `between` different ones are all links without a base set where that is
    `auto`, and with one what the base set finds right.
    """

    level: Level = "page"
    query: str = ""
    base: BaseOptions = USUAL

    @classmethod
    def of(
        cls,
        level: Level = "page",
        query: str = "",
        without: Sequence[str] = (),
        between: Between = "auto",
        base: BaseOptions = USUAL,
    ) -> "View":
        """A view whose `base` also leaves out what is named, and counts links as named."""
        between = base.between if between == "auto" else between
        every = dict.fromkeys((*base.without, *without))
        return cls(level, query, replace(base, without=tuple(every), between=between))

    @property
    def expands(self) -> bool:
        """Whether it is a base set that grows around some pages, not a whole graph."""
        return bool(self.query or self.base.pages)


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """What a view of a collection shows."""

    view: View
    base: BaseSet

    def as_(self, noun: type) -> object:
        """The noun that a method takes."""
        return self.base if noun is BaseSet else self.base.graph


def look(collection: Collection, view: View) -> Seen:
    """Load the part of a collection that a view means; texts and anchors only when asked for."""
    check_level(view.level)
    if view.query and view.level != "page":
        raise BadParameter(
            f"a query finds pages, not {view.level}s", hint="leave out the level, or the query"
        )
    between = view.base.between
    if between != "auto" and view.level != "page":
        raise BadParameter(
            f"links between {view.level}s are all that there are at their level",
            hint=f"leave out the level, or between={between}",
        )
    refuse_idle(view, GROWING)
    if view.expands:
        # methods that weigh the pages of a host have no use for a cap on them
        return Seen(view, expand(collection, view.query, view.base.capped(0)))
    if view.level == "page":
        base = whole(collection, between="page" if between == "auto" else between)
    else:
        base = BaseSet.whole(load(collection, view.level))
    return Seen(view, BaseSet.of(leave_out(base, view.base.without)[0]))


def refuse_idle(view: View, growing: frozenset[str], usual: BaseOptions = USUAL) -> None:
    """Refuse options that would change nothing; `growing` are those that need a query."""
    if view.level != "page":
        idle, where = GROWING, f"at the level of {view.level}s"
        cure = "leave out the level, or that"
    elif view.base.pages:
        idle, where, cure = frozenset({"root"}), "beside pages", "leave out one of them"
    elif view.query:
        return
    else:
        idle, where, cure = growing, "without a query", "give a query, or leave that out"
    given = [name for name in view.base.changed(usual) if name in idle]
    if given:
        raise BadParameter(f"{listed(given)} would change nothing {where}", hint=cure)


def provenance(collection: Collection, seen: Seen) -> dict[str, Any]:
    """Where a result comes from: collection, snapshot, digest, view, version and time."""
    view = seen.view
    return {
        "collection": str(collection.folder),
        "snapshot": collection.manifest.snapshot,
        "digest": digest(collection),
        "level": view.level,
        "query": view.query,
        "without": list(view.base.without),
        "between": view.base.between,
        **({"base_options": asdict(view.base.capped(0))} if view.expands else {}),
        "left_out": [asdict(dropped) for dropped in seen.base.dropped],
        "weft": __version__,
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def digest(collection: Collection) -> str:
    """A name for what a collection holds: that of all its segments' files."""
    whole_hash = hashlib.sha256()
    for part in collection.manifest.segments:
        for name, file in sorted(part.files.items()):
            whole_hash.update(f"{name} {file.sha256}\n".encode())
    return whole_hash.hexdigest()
