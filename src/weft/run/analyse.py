"""Give a method what it works on, and its result a memory of where it came from."""

import hashlib
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from weft import __version__
from weft.core.errors import BadParameter
from weft.graph.baseset import BaseSet
from weft.graph.expand import expand, whole
from weft.graph.levels import check_level, load
from weft.graph.options import Between, Level
from weft.graph.stoplist import without as leave_out
from weft.store.collection import Collection


@dataclass(frozen=True, slots=True)
class View:
    """Which part of a collection to look at.

    The pages, hosts or domains; around a query, or all of them; without those
    that a stop-list names. Links count `between` different pages, hosts,
    domains or sites; `auto` is all links without a query, and with one what
    its base set finds right.
    """

    level: Level = "page"
    query: str = ""
    without: tuple[str, ...] = ()
    between: Between = "auto"


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
    if view.between != "auto" and view.level != "page":
        raise BadParameter(
            f"links between {view.level}s are all that there are at their level",
            hint=f"leave out the level, or between={view.between}",
        )
    if view.query:
        # methods that weigh the pages of a host have no use for a cap on them
        base = expand(collection, view.query, between=view.between, per_domain=0)
    elif view.level == "page":
        base = whole(collection, between="page" if view.between == "auto" else view.between)
    else:
        base = BaseSet.whole(load(collection, view.level))
    return Seen(view, BaseSet.of(leave_out(base, view.without)[0]))


def provenance(collection: Collection, seen: Seen) -> dict[str, Any]:
    """Where a result comes from: collection, snapshot, digest, view, version and time."""
    view = seen.view
    return {
        "collection": str(collection.folder),
        "snapshot": collection.manifest.snapshot,
        "digest": digest(collection),
        "level": view.level,
        "query": view.query,
        "without": list(view.without),
        "between": view.between,
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
