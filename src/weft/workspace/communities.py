"""Find and label the communities of a selection, and compare them with given labels."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, cast

import numpy as np

import weft.communities  # noqa: F401  registers its methods
from weft.communities import Communities, Community
from weft.communities.agreement import PartitionAgreement, compare_partitions, encode_labels
from weft.core.arrays import CSR, Ids, pack_pairs, unpack_first_ids
from weft.core.errors import BadParameter
from weft.core.register import find_method
from weft.core.text import pluralise
from weft.gather.url import candidate_urls, canonicalize_url
from weft.graph.baseset.baseset import BaseSet
from weft.graph.baseset.options import DropOrKeep
from weft.graph.levels import group_pages
from weft.graph.webgraph import WebGraph, csr_from_keys
from weft.store.collection import Collection
from weft.store.term_weights import TermWeights
from weft.topics.labels import label_topics
from weft.topics.topic import Topic, Topics
from weft.workspace.analyse import LoadedSelection, Selection, load_selection, provenance
from weft.workspace.result_cache import cache_groups, common_cache_key, load_cached_groups
from weft.workspace.topics import base_set_counts, page_languages, query_problem_note
from weft.workspace.uncaptured import drop_uncaptured_from_communities

MAX_KEYWORDS = 64
MAX_LABELLED_COMMUNITIES = 200


def attach_keywords(collection: Collection, base: BaseSet) -> BaseSet:
    """The base set with the term weights of its hosts or domains; pages have their own."""
    if base.level == "page":
        return base

    def read_keywords() -> TermWeights:
        group_of_page, names = group_pages(collection, base.level)
        page_weights = collection.term_weights(np.arange(len(group_of_page), dtype=np.int32))
        group_weights = sum_term_weights(page_weights, group_of_page, len(names))
        rows = select_rows(group_weights.matrix, base.page_numbers)
        return TermWeights(group_weights.stems, rows)

    return replace(base, read_term_weights=cache(read_keywords))


def sum_term_weights(
    page_weights: TermWeights, group_of_page: Ids, group_count: int
) -> TermWeights:
    """Sum the term weights of pages over their hosts or domains; the largest 64 of each.

    Examples
    --------
    >>> pages = TermWeights.from_texts(["", "", ""], ["cat", "cat dog", "dog"], ["", "", ""])
    >>> both = sum_term_weights(pages, np.array([0, 0, 1], np.int32), 2)
    >>> both.matrix.starts.tolist()
    [0, 2, 3]
    """
    rows = page_weights.matrix
    group = np.repeat(group_of_page, np.diff(rows.starts))
    weights = np.ones(len(rows.ids)) if rows.weights is None else rows.weights
    # one key for each pair of group and stem, with the sum of its weights
    key, pair = np.unique(pack_pairs(group, rows.ids), return_inverse=True)
    total = np.bincount(pair, weights, len(key))
    # by group, then by falling weight: the rank of each stem within its group
    order = np.lexsort((key, -total, unpack_first_ids(key)))
    ordered_group = unpack_first_ids(key[order])
    rank = np.arange(len(order)) - np.searchsorted(ordered_group, ordered_group)
    best = np.sort(order[rank < MAX_KEYWORDS])
    return TermWeights(page_weights.stems, csr_from_keys(key[best], total[best], group_count))


def select_rows(rows: CSR, row_ids: Ids) -> CSR:
    """The CSR matrix of some rows, in the order given."""
    counts = np.diff(rows.starts)[row_ids]
    starts = np.concatenate([[0], np.cumsum(counts)])
    # entry k of the result, in row i, is entry k + (old start - new start of i) of the source
    entries = np.arange(starts[-1]) + np.repeat(rows.starts[row_ids] - starts[:-1], counts)
    return CSR(starts, rows.ids[entries], None if rows.weights is None else rows.weights[entries])


def find_communities(
    collection: Collection,
    selection: Selection,
    method: str,
    options: Mapping[str, Any],
    *,
    uncaptured: DropOrKeep = "drop",
    cache: bool = True,
) -> Communities:
    """Find the communities of a selection by a method, label them and add their provenance.

    With `cache`, results are stored in the collection's folder and reused as
    long as the snapshot, the selection, the options and Weft are the same.
    """
    registered = find_method("communities", method)
    options = registered.validate_options(options)
    loaded = _load_with_keywords(collection, selection)
    key = communities_cache_key(collection, selection, method, options, uncaptured)
    cached = _load_cached_communities(collection, loaded, key) if cache else None
    if cached is not None:
        return cached
    found = cast("Communities", registered(loaded.base, **options))
    if uncaptured == "drop":
        found = drop_uncaptured_from_communities(found)
    labelled = label_communities(found, page_languages(collection, loaded))
    result = replace(labelled, provenance=_communities_provenance(collection, loaded))
    if cache:
        cache_groups(collection, key, result)
    return result


def cached_communities(
    collection: Collection,
    selection: Selection,
    method: str,
    options: Mapping[str, Any],
    uncaptured: DropOrKeep = "drop",
) -> Communities | None:
    """The communities from the cache in the collection's folder, if they are there."""
    loaded = _load_with_keywords(collection, selection)
    key = communities_cache_key(collection, selection, method, options, uncaptured)
    return _load_cached_communities(collection, loaded, key)


def _load_cached_communities(
    collection: Collection, loaded: LoadedSelection, key: dict[str, Any]
) -> Communities | None:
    cached = cast("Communities | None", load_cached_groups(collection, key, loaded.base))
    if cached is None:
        return None
    origin = {**_communities_provenance(collection, loaded), **cached.provenance}
    return replace(cached, provenance=origin)


def communities_cache_key(
    collection: Collection,
    selection: Selection,
    method: str,
    options: Mapping[str, Any],
    uncaptured: DropOrKeep = "drop",
) -> dict[str, Any]:
    """Everything that the communities of a selection depend on."""
    return {
        "communities": method,
        "uncaptured": uncaptured,
        **common_cache_key(collection, selection, options),
    }


def _load_with_keywords(collection: Collection, selection: Selection) -> LoadedSelection:
    loaded = load_selection(collection, selection)
    return replace(loaded, base=attach_keywords(collection, loaded.base))


def _communities_provenance(collection: Collection, loaded: LoadedSelection) -> dict[str, Any]:
    return provenance(collection, loaded) | {
        "base": base_set_counts(collection, loaded),
        "note": query_problem_note(collection, loaded.base),
    }


def label_communities(communities: Communities, languages: Sequence[str] = ()) -> Communities:
    """Label the largest communities and give them titles, as topics are labelled.

    A label is made of phrases from the titles of hubs and from the anchors of
    links to centres that other communities do not use.
    """
    first = communities.communities[:MAX_LABELLED_COMMUNITIES]
    topics = Topics(
        communities.method, communities.base, tuple(map(as_topic, first)), communities.trace
    )
    labels = [(topic.label, topic.title) for topic in label_topics(topics, languages)]
    labelled = [
        replace(community, label=label, title=title)
        for community, (label, title) in zip(first, labels, strict=True)
    ]
    unlabelled = communities.communities[MAX_LABELLED_COMMUNITIES:]
    count = pluralise(len(communities), "community")
    note = [f"only the first {MAX_LABELLED_COMMUNITIES} of {count} have names"]
    return replace(
        communities,
        communities=(*labelled, *unlabelled),
        notes=(*communities.notes, *(note if unlabelled else [])),
    )


def as_topic(community: Community) -> Topic:
    """A community in the form that `label_topics` takes."""
    return Topic(community.members, community.authority, community.hub, community.strength)


def read_labels(path: Path) -> dict[str, str]:
    """Read the label of each page from a CSV or TSV file of two columns."""
    lines = path.read_text("utf-8-sig").splitlines()
    tabs = bool(lines) and "\t" in lines[0]
    rows = [row for row in csv.reader(lines, delimiter="\t" if tabs else ",") if row]
    for number, row in enumerate(rows, start=1):
        if len(row) < 2:
            raise BadParameter(
                f"{path}: row {number} has no label", hint="write a page and its label in each row"
            )
    return {row[0].strip(): row[1].strip() for row in rows}


def compare_with_labels(communities: Communities, labels: Mapping[str, str]) -> PartitionAgreement:
    """The agreement of communities with given labels of their pages: NMI, ARI and purity."""
    known = match_labels_to_pages(communities.graph, labels)
    if not known:
        raise BadParameter(
            "none of the labelled pages is in the graph",
            hint="write pages as `weft links` shows them",
        )
    return compare_partitions(communities, encode_labels(communities.graph, known))


def match_labels_to_pages(graph: WebGraph, labels: Mapping[str, str]) -> dict[str, str]:
    """Labels by the names that pages have in a graph; the scheme of a URL may be omitted."""
    names = set(graph.pages)
    matched: dict[str, str] = {}
    for page, label in labels.items():
        name = next((form for form in _name_variants(page) if form in names), None)
        if name is not None:
            matched[name] = label
    return matched


def _name_variants(page: str) -> list[str]:
    """Names that a page may have in a graph: as given, and canonical with each scheme."""
    return [page, *map(canonicalize_url, candidate_urls(page))]


def find_page_name(communities: Communities, page: str) -> str:
    """The name that a page has in the graph, or the page as given if it is not there."""
    graph = communities.graph
    return next((name for name in _name_variants(page) if graph.page_number(name) >= 0), page)
