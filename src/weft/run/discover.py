"""From a query to labelled topics: the base set, the method, the names, where it comes from."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import cache
from typing import Any, cast

import numpy as np
import pyarrow as pa

import weft.topics  # noqa: F401  registers its methods
from weft.core.methods import find
from weft.graph.anchors import read_anchors
from weft.graph.baseset import ROOT, BaseSet
from weft.graph.expand import expand
from weft.graph.options import BaseOptions
from weft.run.analyse import Seen, View, look, provenance
from weft.store.collection import Collection
from weft.store.numbering import KINDS
from weft.store.query import parse
from weft.store.snippet import make_snippets, wanted_stems
from weft.topics.labels import labelled
from weft.topics.topic import Topics


def discover(
    collection: Collection,
    view: View,
    base: BaseOptions,
    method: str,
    options: Mapping[str, Any],
) -> Topics:
    """Find the topics of a part of a collection, name them, and say where they come from."""
    chosen = find("topics", method)
    seen = gathered(collection, view, base)
    found = cast("Topics", chosen(seen.base, **options))
    if view.level == "page":
        found = replace(found, base=_briefly(collection, found.base))
    named = labelled(found, languages(collection, seen))
    told = provenance(collection, seen)
    told |= {"base_options": asdict(base), "base": story(collection, seen)}
    return replace(named, provenance=told)


def gathered(collection: Collection, view: View, base: BaseOptions) -> Seen:
    """The base set of a query, or of the whole collection at some level."""
    if view.level == "page":
        return Seen(view, expand(collection, view.query, base))
    return look(collection, view)


def _briefly(collection: Collection, base: BaseSet) -> BaseSet:
    """The same base set, whose anchors are read without the words around them.

    Labels and evidence need only the anchors, and the words around cost more
    than all else.
    """
    rows = base.graph.outlinks
    return replace(
        base,
        read_anchors=cache(lambda: read_anchors(collection, base.numbers, rows, around=False)),
    )


def languages(collection: Collection, seen: Seen) -> Sequence[str]:
    """The language of each page of a base set; hosts and domains have none."""
    return _column(collection, seen.base, "language") if seen.view.level == "page" else ()


def story(collection: Collection, seen: Seen) -> dict[str, int]:
    """How large a base set is: pages found, pages in all, links, pages that were only seen."""
    base, unread = seen.base, 0
    if seen.view.level == "page":
        unread = _column(collection, base, "kind").count(KINDS["seen"])
    return {
        "root": int(np.sum(base.origin == ROOT)),
        "pages": len(base),
        "links": base.graph.link_count,
        "seen": unread,
    }


def snippets(collection: Collection, base: BaseSet, pages: Sequence[str]) -> list[str]:
    """Of some pages of a base set the piece that says most of the query, or how they begin."""
    numbers = [int(base.numbers[base.graph.number(page)]) for page in pages]
    families = collection.text_index.families
    wanted = wanted_stems(parse(base.query), families) if base.query else frozenset[str]()
    spoken = collection.pages["language"].take(pa.array(numbers, pa.int64())).to_pylist()
    made = make_snippets(collection.texts(numbers, main=True), spoken, wanted)
    return [snippet.text for snippet in made]


def _column(collection: Collection, base: BaseSet, name: str) -> list[Any]:
    values: list[Any] = collection.pages[name].take(pa.array(base.numbers)).to_pylist()
    return values
