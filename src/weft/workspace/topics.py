"""Find and label the topics of a query or of the whole collection."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, cast

import numpy as np
import pyarrow as pa

import weft.topics  # noqa: F401  registers its methods
from weft.core.register import Method, find_method
from weft.core.text import join_with_and
from weft.graph.baseset.baseset import ROOT, BaseSet
from weft.graph.baseset.options import BaseOptions, DropOrKeep
from weft.graph.baseset.stoplist import read_stoplist
from weft.graph.sites import encode_domains
from weft.store.collection import Collection
from weft.store.numbering import PAGE_KINDS
from weft.store.tokens import is_stop_word
from weft.topics.labels import label_topics
from weft.topics.phrases import WORD_PATTERN
from weft.topics.topic import Topic, Topics
from weft.workspace.analyse import (
    LoadedSelection,
    Selection,
    load_selection,
    provenance,
    reject_unused_options,
)
from weft.workspace.base_set_cache import load_query_base_set
from weft.workspace.result_cache import cache_groups, common_cache_key, load_cached_groups
from weft.workspace.uncaptured import drop_uncaptured_from_topics

COMMON_QUERY_SHARE = 1 / 4
EXPANSION_OPTIONS = frozenset(
    {"root_size", "roots", "steps", "max_inlinks", "sampling", "selective", "seed"}
)


def find_topics(  # noqa: PLR0913  the selection, the method, and how it is shown
    collection: Collection,
    selection: Selection,
    base_options: BaseOptions,
    method: str,
    options: Mapping[str, Any],
    *,
    uncaptured: DropOrKeep = "drop",
    cache: bool = True,
) -> Topics:
    """Find the topics of a selection by a method, label them and add their provenance.

    Pages that were not captured are no members, unless `uncaptured` is keep.
    With `cache`, results are stored in the collection's folder and reused as
    long as the snapshot, the selection, the options and Weft are the same.
    """
    registered = find_method("topics", method)
    options = registered.validate_options(options)
    base_options = base_options.for_topics()
    loaded = load_base_set(collection, selection, base_options, cache=cache)
    key = topics_cache_key(collection, selection, base_options, method, options, uncaptured)
    origin = provenance(collection, loaded) | {
        "base_options": asdict(base_options),
        "base": base_set_counts(collection, loaded),
        "note": query_problem_note(collection, loaded.base),
        "uncaptured": uncaptured,
    }
    cached: Topics | None = load_cached_groups(collection, key, loaded.base) if cache else None
    if cached is not None:
        return replace(cached, provenance={**origin, **cached.provenance})
    found = _run_method(registered, loaded.base, options, uncaptured)
    labelled = add_site_share(label_topics(found, page_languages(collection, loaded)))
    result = replace(labelled, provenance=origin)
    if cache:
        cache_groups(collection, key, result)
    return result


def _run_method(
    method: Method, base: BaseSet, options: Mapping[str, Any], uncaptured: DropOrKeep
) -> Topics:
    """The topics of a base set; with `keep` uncaptured pages are pages like the others."""
    if uncaptured == "drop":
        return drop_uncaptured_from_topics(cast("Topics", method(base, **options)))
    alike = replace(base, graph=replace(base.graph, uncaptured=None))
    return replace(cast("Topics", method(alike, **options)), base=base)


def topics_cache_key(
    collection: Collection,
    selection: Selection,
    base_options: BaseOptions,
    method: str,
    options: Mapping[str, Any],
    uncaptured: DropOrKeep = "drop",
) -> dict[str, Any]:
    """Everything that the topics of a selection depend on."""
    return {
        "topics": method,
        "uncaptured": uncaptured,
        "base": asdict(base_options),
        "stoplist": asdict(read_stoplist(base_options.stoplist)),
        **common_cache_key(collection, selection, options),
    }


def add_site_share(topics: Topics) -> Topics:
    """Add to each topic the share of the base set's sites that it covers."""
    site_count = len(encode_domains(topics.base.graph.names)[1]) if topics.topics else 0

    def add_share(topic: Topic) -> Topic:
        if "sites" not in topic.facts:
            return topic
        share = round(topic.facts["sites"] / site_count, 4)
        return replace(topic, facts={**topic.facts, "share of sites": share})

    return replace(topics, topics=tuple(map(add_share, topics)))


def load_base_set(
    collection: Collection,
    selection: Selection,
    base_options: BaseOptions,
    *,
    cache: bool = False,
) -> LoadedSelection:
    """The base set of a query, or of the whole collection at some level."""
    reject_unused_options(selection, EXPANSION_OPTIONS)
    if selection.level != "page":
        return load_selection(collection, selection)
    base = load_query_base_set(collection, selection, base_options, cache=cache)
    return LoadedSelection(selection, base)


def page_languages(collection: Collection, loaded: LoadedSelection) -> Sequence[str]:
    """The language of each page of a base set; hosts and domains have none."""
    if loaded.selection.level != "page":
        return ()
    return _page_column(collection, loaded.base, "language")


def base_set_counts(collection: Collection, loaded: LoadedSelection) -> dict[str, int]:
    """The size of a base set: search hits, root pages, all pages, links, uncaptured pages."""
    base, uncaptured = loaded.base, 0
    if loaded.selection.level == "page":
        uncaptured = _page_column(collection, base, "kind").count(PAGE_KINDS["uncaptured"])
    return {
        "found": base.search_total,
        "root": int(np.sum(base.origin == ROOT)),
        "pages": len(base),
        "links": base.graph.link_count,
        "uncaptured": uncaptured,
    }


def query_problem_note(collection: Collection, base: BaseSet) -> str:
    """A note on a query that finds no page, only one, or has only stop words; else nothing.

    If it finds no page, the note names the main languages of the collection.
    """
    words = [word for term in base.query_terms for word in WORD_PATTERN.findall(term.lower())]
    root_pages = int(np.sum(base.origin == ROOT))
    if words and not root_pages and not base.absent:
        counts = collection.pages["language"].value_counts().to_pylist()
        ordered = sorted((-row["counts"], row["values"]) for row in counts if row["values"])
        languages = join_with_and([f"{name} ({-pages:,})" for pages, name in ordered[:3]])
        return f"the pages are in {languages}" if languages else ""
    captured = np.count_nonzero(collection.pages["kind"].to_numpy() == PAGE_KINDS["captured"])
    is_common = base.search_total > COMMON_QUERY_SHARE * captured
    stemmers = collection.text_index.stemmers if words and is_common else ()
    if any(all(is_stop_word(word, stemmer) for word in words) for stemmer in stemmers):
        return "all words of the query are common ones; add a rarer one"
    return "only one page is found; all others came in by links" if root_pages == 1 else ""


def _page_column(collection: Collection, base: BaseSet, column: str) -> list[Any]:
    values: list[Any] = collection.pages[column].take(pa.array(base.page_numbers)).to_pylist()
    return values
