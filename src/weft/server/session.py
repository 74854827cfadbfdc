"""The state of a worker: the collection at its last commit, and a cache of results."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar, cast
from uuid import uuid4

from weft.core.json import JsonObject
from weft.graph.levels import load_graph
from weft.graph.selection import Level
from weft.graph.webgraph import WebGraph
from weft.groups import Groups
from weft.server.params import GroupsParams
from weft.server.schemas.responses import ApiResponse
from weft.store.collection import Collection, read_curation_stamp
from weft.store.manifest import CommitStamp, read_commit_stamp
from weft.workspace.analyse import analyse, find_registered, resolve_name
from weft.workspace.page_refs import add_page_refs, page_refs
from weft.workspace.workspace import Workspace

T = TypeVar("T")
Response = TypeVar("Response", bound=ApiResponse)
MAX_CACHED_RESULTS = 24


@dataclass(slots=True, eq=False)
class Session:
    """A workspace at its last commit, with an LRU cache of results."""

    workspace: Workspace
    tmp_dir: Path
    stamp: CommitStamp = (0, 0, 0)
    curation: tuple[int, ...] = ()
    cache: OrderedDict[Hashable, object] = field(default_factory=OrderedDict)

    def refresh_snapshot(self) -> None:
        """Move to the last commit, and clear the cache if it is a new one, or tags are new."""
        stamp = read_commit_stamp(self.workspace.folder)
        curation = read_curation_stamp(self.workspace.folder)
        if curation != self.curation:
            self.cache.clear()
            self.curation = curation
        if stamp != self.stamp:
            self.workspace.refresh()
            self.cache.clear()
            self.stamp = stamp

    @property
    def collection(self) -> Collection:
        """The collection at the current snapshot."""
        return self.workspace.collection

    @property
    def snapshot_number(self) -> int:
        """The number of the current snapshot."""
        return self.collection.manifest.snapshot

    def get_or_compute(self, key: Hashable, compute: Callable[[], T]) -> T:
        """Return a cached result, or compute and cache it; the least recently used is evicted."""
        if key not in self.cache:
            self.cache[key] = compute()
            if len(self.cache) > MAX_CACHED_RESULTS:
                self.cache.popitem(last=False)
        self.cache.move_to_end(key)
        return cast("T", self.cache[key])

    def graph(self, level: Level) -> WebGraph:
        """The graph of the collection at a level."""
        return load_graph(self.collection, level)

    def temp_path(self, suffix: str) -> Path:
        """A new path in the temporary folder, for a file to download."""
        return self.tmp_dir / f"{uuid4().hex}.{suffix}"

    def resolve_name(self, url: str, level: Level = "page") -> str:
        """The name in the graph of a page, host or domain, given its name or a URL."""
        return resolve_name(self.collection, level, url)

    def page_refs_by_name(
        self, pages: Iterable[str], level: Level = "page"
    ) -> list[dict[str, str]]:
        """Page, title and kind of pages, hosts or domains, given their names."""
        return page_refs(self.collection, pages, level)

    def respond(
        self, response_class: type[Response], document: JsonObject, **more: Any
    ) -> Response:
        """The document of a result as a response: with titles, without the server's folder."""
        add_page_refs(self.collection, document)
        document.get("provenance", {}).pop("collection", None)
        return response_class(snapshot=self.snapshot_number, **document, **more)


def options_key(options: Any) -> Hashable:
    """A hashable cache key for options by name."""
    return tuple(sorted((name, repr(value)) for name, value in options.items()))


def compute_groups(session: Session, params: GroupsParams, other_method: str = "") -> Groups:
    """All groups of a selection, cached; another method runs with its default options."""
    method = find_registered(params.method_kind, other_method or params.method_name)
    options = {} if other_method else params.option_values
    return session.get_or_compute(
        groups_key(params, other_method),
        lambda: cast(
            "Groups",
            analyse(
                session.collection,
                method,
                params.selection,
                options,
                uncaptured=params.uncaptured,
                edited=params.edited,
            ),
        ),
    )


def groups_key(params: GroupsParams, other_method: str = "") -> Hashable:
    """The key that the groups of a selection are cached under."""
    options = options_key({} if other_method else params.option_values)
    method = other_method or params.method_name
    how = (params.uncaptured, params.edited)
    return (params.method_kind, method, params.selection, how, options)
