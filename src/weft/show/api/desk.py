"""The desk that answers are made at: the collection as it is now, and what was found on it."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar, cast
from uuid import uuid4

import numpy as np
import pyarrow as pa

from weft.core.arrays import Ids
from weft.graph.baseset import BaseSet
from weft.graph.levels import load
from weft.graph.neighbours import KIND_NAMES
from weft.graph.options import Level
from weft.graph.webgraph import WebGraph
from weft.run.names import named
from weft.run.workspace import Workspace
from weft.store.collection import Collection
from weft.store.manifest import Mark, mark_of

T = TypeVar("T")
REMEMBERED = 24


@dataclass(slots=True, eq=False)
class Desk:
    """A workspace kept at its last commit, with the results that were asked for lately."""

    workspace: Workspace
    drawer: Path
    mark: Mark = (0, 0, 0)
    known: OrderedDict[Hashable, object] = field(default_factory=OrderedDict)

    def update(self) -> None:
        """Move to the last commit, and forget what was found before it."""
        mark = mark_of(self.workspace.folder)
        if mark != self.mark:
            self.workspace.refresh()
            self.known.clear()
            self.mark = mark

    @property
    def collection(self) -> Collection:
        """The snapshot that is answered from."""
        return self.workspace.collection

    @property
    def snapshot(self) -> int:
        """Its number."""
        return self.collection.manifest.snapshot

    def recall(self, key: Hashable, make: Callable[[], T]) -> T:
        """What was found before, or is found now; the oldest of many is forgotten."""
        if key not in self.known:
            self.known[key] = make()
            if len(self.known) > REMEMBERED:
                self.known.popitem(last=False)
        self.known.move_to_end(key)
        return cast("T", self.known[key])

    def graph(self, level: Level) -> WebGraph:
        """The graph at a level."""
        return self.recall(("graph", level), lambda: load(self.collection, level))

    def file(self, ending: str) -> Path:
        """A fresh place for a file that is to be handed out."""
        return self.drawer / f"{uuid4().hex}.{ending}"

    def named(self, url: str, level: Level = "page") -> str:
        """What the graph calls a page; or a host or domain, by its name or a URL of it."""
        return named(self.collection, level, url)

    def names(self, pages: Iterable[str], level: Level = "page") -> list[dict[str, str]]:
        """Page, title and kind of pages, hosts or domains by their names."""
        if level != "page":
            return [{"page": page, "title": "", "kind": level} for page in pages]
        return self.numbered([self.collection.find(page) for page in pages])

    def inside(self, base: BaseSet, pages: Ids) -> list[dict[str, str]]:
        """Page, title and kind of pages by their numbers in a base set."""
        if base.level != "page":
            return self.names(base.named(pages), base.level)
        return self.numbered(base.numbers[pages])

    def numbered(self, numbers: Any) -> list[dict[str, str]]:
        """Page, title and kind of pages by their numbers."""
        rows = self.collection.pages.select(["url", "title", "kind"]).take(
            pa.array(np.asarray(numbers, np.int64))
        )
        columns = {
            "page": rows["url"],
            "title": rows["title"],
            "kind": KIND_NAMES.take(rows["kind"].combine_chunks()),
        }
        found: list[dict[str, str]] = pa.table(columns).to_pylist()
        return found


def frozen(value: Any) -> Hashable:
    """A key out of the parameters of a question."""
    return tuple(sorted((name, repr(part)) for name, part in value.items()))
