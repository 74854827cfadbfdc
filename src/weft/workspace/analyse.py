"""Select part of a collection, load it for a method, and note where a result comes from."""

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from typing import Any

from weft import __version__
from weft.core.errors import BadParameter, UnknownName
from weft.core.text import join_with_and
from weft.gather.url import domain, host
from weft.graph.baseset.baseset import BaseSet
from weft.graph.baseset.expand import build_query_base_set, whole_base_set
from weft.graph.baseset.options import DEFAULT_OPTIONS, BaseOptions, Between, Level
from weft.graph.baseset.stoplist import exclude_pages
from weft.graph.levels import check_level, load_graph
from weft.store.collection import Collection

BASE_SET_OPTIONS = frozenset(f.name for f in fields(BaseOptions)) - {"exclude", "between"}
LEVEL_OF_URL = {"host": host, "domain": domain}


@dataclass(frozen=True, slots=True)
class Selection:
    """Which part of a collection to analyse.

    The level, and the whole graph or the base set of a query or of some pages.
    `base_options` say how a base set is expanded, what to exclude and which
    links count. With `between="auto"` that is every link of a whole graph; a
    base set decides for itself.
    """

    level: Level = "page"
    query: str = ""
    base_options: BaseOptions = DEFAULT_OPTIONS

    @classmethod
    def from_options(
        cls,
        level: Level = "page",
        query: str = "",
        exclude: Sequence[str] = (),
        between: Between = "auto",
        base_options: BaseOptions = DEFAULT_OPTIONS,
    ) -> "Selection":
        """A selection with `exclude` and `between` added to the base options."""
        between = base_options.between if between == "auto" else between
        patterns = tuple(dict.fromkeys((*base_options.exclude, *exclude)))
        return cls(level, query, replace(base_options, exclude=patterns, between=between))

    @property
    def has_base_set(self) -> bool:
        """Whether it is the base set of a query or of some pages, not a whole graph."""
        return bool(self.query or self.base_options.pages)


@dataclass(frozen=True, slots=True, eq=False)
class LoadedSelection:
    """A selection with its pages and links."""

    selection: Selection
    base: BaseSet

    def base_set_or_graph(self, data_type: type) -> object:
        """The base set or its graph, as a method takes it."""
        return self.base if data_type is BaseSet else self.base.graph


def load_selection(collection: Collection, selection: Selection) -> LoadedSelection:
    """Load the graph or base set of a selection; texts and anchors are read on first use."""
    check_level(selection.level)
    if selection.query and selection.level != "page":
        raise BadParameter(
            f"a query finds pages, not {selection.level}s", hint="omit the level, or the query"
        )
    between = selection.base_options.between
    if between != "auto" and selection.level != "page":
        raise BadParameter(
            f"every link at the level of {selection.level}s is between {selection.level}s",
            hint=f"omit the level, or between={between}",
        )
    reject_unused_options(selection, BASE_SET_OPTIONS)
    if selection.has_base_set:
        options = selection.base_options.for_rankings()
        return LoadedSelection(
            selection, build_query_base_set(collection, selection.query, options)
        )
    if selection.level == "page":
        base = whole_base_set(collection, between="page" if between == "auto" else between)
    else:
        base = BaseSet.from_graph(load_graph(collection, selection.level))
    remaining, _ = exclude_pages(base, selection.base_options.exclude)
    return LoadedSelection(selection, BaseSet.from_any(remaining))


def reject_unused_options(
    selection: Selection, expansion_options: frozenset[str], default: BaseOptions = DEFAULT_OPTIONS
) -> None:
    """Refuse options without effect; `expansion_options` are those that need a query."""
    if selection.level != "page":
        unused, where = BASE_SET_OPTIONS, f"at the level of {selection.level}s"
        hint = "omit the level, or that option"
    elif selection.base_options.pages:
        unused, where, hint = frozenset({"root_size", "roots"}), "beside pages", "omit one of them"
    elif selection.query:
        return
    else:
        unused, where, hint = expansion_options, "without a query", "add a query, or omit that"
    given = [name for name in selection.base_options.changed_options(default) if name in unused]
    if given:
        raise BadParameter(f"{join_with_and(given)} would change nothing {where}", hint=hint)


def provenance(collection: Collection, loaded: LoadedSelection) -> dict[str, Any]:
    """Where a result comes from: collection, snapshot, digest, selection, version and time."""
    selection = loaded.selection
    options = selection.base_options
    return {
        "collection": str(collection.folder),
        "snapshot": collection.manifest.snapshot,
        "digest": collection_digest(collection),
        "level": selection.level,
        "query": selection.query,
        "exclude": list(options.exclude),
        "between": options.between,
        **({"base_options": asdict(options.for_rankings())} if selection.has_base_set else {}),
        "left_out": [asdict(dropped) for dropped in loaded.base.dropped],
        "weft": __version__,
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def collection_digest(collection: Collection) -> str:
    """The SHA-256 of the digests of all segment files: the same for the same contents."""
    total = hashlib.sha256()
    for segment in collection.manifest.segments:
        for name, file in sorted(segment.files.items()):
            total.update(f"{name} {file.sha256}\n".encode())
    return total.hexdigest()


def resolve_name(collection: Collection, level: Level, name_or_url: str) -> str:
    """The name that the collection has for a page, host or domain.

    A page is given by its URL, a host or domain by its name or by any URL on
    it. The scheme and `www.` of a URL may be omitted.
    """
    if level == "page":
        return collection.stored_url(name_or_url)
    if name := resolve_name_or_empty(collection, level, name_or_url):
        return name
    pages = load_graph(collection, level).pages
    raise UnknownName(level, name_or_url, pages, hint=f"`weft rank --level {level}` lists them")


def resolve_name_or_empty(collection: Collection, level: Level, name_or_url: str) -> str:
    """As `resolve_name`, but an empty string if there is none."""
    if level == "page":
        number = collection.page_number(name_or_url) if name_or_url else -1
        return str(collection.pages["url"][number]) if number >= 0 else ""
    graph = load_graph(collection, level)
    names = (name_or_url, LEVEL_OF_URL[level](name_or_url))
    return next((name for name in names if graph.page_number(name) >= 0), "")
