"""What methods of the kind usage read from a collection."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import CSR, Floats, Ids, link_keys, pack_pairs
from weft.core.memoize import memoize
from weft.graph.baseset.baseset import BaseSet
from weft.graph.baseset.expand import whole_base_set
from weft.graph.transitions import (
    Sessions,
    Transitions,
    has_usage_data,
    load_sessions,
    load_transitions,
)
from weft.graph.webgraph import WebGraph, link_weights
from weft.similar.context import common_word_forms
from weft.store.collection import Collection
from weft.store.search import parse_query
from weft.store.snippet import query_stems
from weft.store.tokens import UNSTEMMED, stemmer_code
from weft.usage.link_cues import CueCollector, LinkCues, url_words
from weft.usage.scent import ScentData, describe_home_pages, drop_stop_words, home_pages
from weft.usage.transactions import TitledSessions

MAX_CONTEXT_LINKS = 500_000
CUT_CONTEXT_CHARS = 48  # of 50 that are stored: the outer word may be cut


NEEDS_NO_SESSIONS = (ScentData,)


def load_usage_data(collection: Collection, input_type: type) -> Any:
    """What a method takes, by the type of its first argument."""
    if input_type is ScentData:
        return load_scent_data(collection)
    if input_type is Transitions:
        return load_transitions(collection)
    if input_type is Sessions:
        return load_sessions(collection)
    if input_type is TitledSessions:
        return _load_titled_sessions(collection)
    raise TypeError(f"usage methods take no {input_type.__name__}")


@memoize
def _load_titled_sessions(collection: Collection) -> TitledSessions:
    """The sessions with the titles of their pages; kept, with the profiles found in them."""
    sessions = load_sessions(collection)
    return TitledSessions(sessions, lambda pages: _read_titles(collection, pages))


@memoize
def load_scent_data(collection: Collection) -> ScentData:
    """The cues of all links of a collection, the terms of its pages, and the entries of users.

    Entries are those of the sessions; without usage data, users start on the
    home pages alike.
    """
    base = whole_base_set(collection)
    if not has_usage_data(collection):
        return build_scent_data(base)
    measured = load_transitions(collection)
    return build_scent_data(base, measured.entries, measured.counts)


def build_scent_data(base: BaseSet, entries: Any = None, clicks: CSR | None = None) -> ScentData:
    """The scent data of some pages; `entries` and `clicks` are by page of the collection."""
    collection = cast("Collection", base.collection)
    numbers, graph = base.page_numbers, base.graph
    known = np.zeros(0) if entries is None else np.asarray(entries, np.float64)[numbers]
    at_home = home_pages(graph).astype(np.float64)

    def stem_need(need: str) -> Mapping[str, float]:
        stems = query_stems(parse_query(need), collection.text_index)
        return drop_stop_words(dict.fromkeys(sorted(stems), 1.0))

    def read_idf(stems: Sequence[str]) -> Floats:
        counts, total = collection.text_index.document_counts(stems)
        idf: Floats = np.log1p(total / np.maximum(counts, 1))
        return idf

    return ScentData(
        graph,
        lambda: read_link_cues(base),
        lambda: base.term_weights,
        known if known.any() else at_home,
        stem_need,
        read_idf,
        lambda pages: _read_titles(collection, numbers[pages]),
        lambda page: common_word_forms(collection, int(numbers[page])),
        "" if known.any() else describe_home_pages(graph),
        None if clicks is None else _clicks_on_links(graph, numbers, clicks),
    )


def _clicks_on_links(graph: WebGraph, numbers: Ids, clicks: CSR) -> Floats:
    """The clicks on each link of a graph whose pages have these numbers in a collection."""
    rows = graph.outlinks
    wanted = pack_pairs(numbers[rows.row_ids()], numbers[np.asarray(rows.ids)])
    known = pack_pairs(clicks.row_ids(), np.asarray(clicks.ids))
    at = np.minimum(np.searchsorted(known, wanted), max(len(known) - 1, 0))
    if not len(known):
        return np.zeros(len(wanted))
    counts = np.asarray(link_weights(clicks), np.float64)
    measured: Floats = np.where(known[at] == wanted, counts[at], 0.0)
    return measured


def _read_titles(collection: Collection, pages: Ids) -> list[str]:
    titles = collection.pages["title"].take(pa.array(pages))
    return cast("list[str]", titles.to_pylist())


def read_link_cues(base: BaseSet) -> LinkCues:
    """The anchors of each link, the words around it, and those of its target's URL.

    The anchor of an image is its alternative text, or its title. In a web of
    over 500,000 links the words around links are left out.
    """
    rows = base.graph.outlinks
    source, target = rows.row_ids(), np.asarray(rows.ids)
    codes = [stemmer_code(language) for language in base.languages] or [UNSTEMMED] * len(base)
    stemmers, positions = np.unique(codes, return_inverse=True)
    stemmer_of_page: Ids = positions.astype(np.int32)
    collector = CueCollector(len(target), stemmers.tolist())
    offsets, anchors = base.anchor_texts(source, target)
    links = np.repeat(np.arange(len(target)), np.diff(offsets))
    collector.add(links, anchors, stemmer_of_page[source[links]])
    names = [url_words(name) for name in base.pages]
    of_target = pa.DictionaryArray.from_arrays(pa.array(target), pa.array(names, pa.string()))
    collector.add(np.arange(len(target)), of_target, stemmer_of_page[target])
    if len(target) <= MAX_CONTEXT_LINKS:
        table = base.anchors
        key, known = pack_pairs(table["source"], table["target"]), link_keys(rows)
        links = np.flatnonzero(np.isin(key, known))
        table, links = table.take(pa.array(links)), np.searchsorted(known, key[links])
        for column, outer_word in (("before", r"^\S*\s?"), ("after", r"\s?\S*$")):
            texts = _drop_cut_word(table[column].combine_chunks(), outer_word)
            collector.add(links, texts, stemmer_of_page[source[links]])
    return collector.to_cues()


def _drop_cut_word(texts: pa.Array, outer_word: str) -> pa.Array:
    """The words around links, without the outer one where it may be cut."""
    cut = pc.greater_equal(pc.utf8_length(texts), CUT_CONTEXT_CHARS)
    return pc.if_else(cut, pc.replace_substring_regex(texts, outer_word, ""), texts)
