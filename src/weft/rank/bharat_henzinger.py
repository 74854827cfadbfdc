"""HITS of Bharat and Henzinger: one vote per host, weighted by relevance to the query."""

from typing import Annotated, Literal

import numpy as np
import pyarrow as pa
from pydantic import Field

from weft.core.arrays import (
    Flags,
    Floats,
    Ids,
    Offsets,
    link_keys,
    pack_pairs,
    unpack_first_ids,
    unpack_second_ids,
)
from weft.core.params import MaxIter, Tol
from weft.core.register import Dimensions, method
from weft.gather.url import host
from weft.graph.baseset.baseset import BaseSet
from weft.graph.webgraph import WebGraph
from weft.rank.expectation_maximization import safe_divide
from weft.rank.hits import Norm
from weft.rank.ranking import Ranking
from weft.rank.term_matrix import TermCounts, tokenize_texts
from weft.rank.weighted_hits import WeightedLinks, ranking_from_pair, solve_weighted_hits

WeighByRelevance = Annotated[
    bool, Field(description="weigh pages by similarity to the root pages' text")
]
QueryWords = Annotated[
    int, Field(ge=1, description="words of each root page that form the query document")
]
PruningRule = Annotated[
    Literal["none", "median", "root-median", "tenth"],
    Field(
        description="drop pages less relevant than the median, the median root page, "
        "or a tenth of the maximum"
    ),
]


@method(
    "rank",
    "bharat-henzinger",
    cites="bharat1998",
    dimensions=Dimensions(
        model="hubs and authorities",
        metric="hub and authority scores",
        algorithm="HITS",
        scope="single page",
        applications=("topic distillation",),
        data="links and content",
    ),
)
def bharat_henzinger(
    base: BaseSet,
    *,
    weigh_by_relevance: WeighByRelevance = True,
    query_words: QueryWords = 1000,
    prune: PruningRule = "none",
    norm: Norm = "L2",
    tol: Tol = 1e-10,
    max_iter: MaxIter = 1000,
) -> Ranking:
    """Score hubs and authorities with one vote per host.

    If k pages of a host link to a page, each link adds 1/k to its authority;
    if a page links to l pages of a host, each link adds 1/l to its hub score;
    links within a host are ignored. Each page is weighted by the cosine
    similarity of its text to the first words of the root pages. An uncaptured
    page has the median weight; without texts or without a query all weights
    are one. With one page per host and no texts this is HITS.

    Examples
    --------
    >>> bharat_henzinger([("a.com/1", "x.org"), ("a.com/2", "x.org"), ("b.com", "y.org")])
    <Ranking of 5 pages by bharat-henzinger, led by x.org>
    """
    ones = np.ones(len(base))
    needs_relevance = weigh_by_relevance or prune != "none"
    relevance = text_relevance(base, query_words) if needs_relevance else ones
    keep = relevance >= _pruning_threshold(base, relevance, prune)
    page_weights = np.where(keep, relevance if weigh_by_relevance else ones, 0.0)
    links = weigh_links_by_host(base.graph, page_weights, keep)
    pair = solve_weighted_hits(links, tol, max_iter, "bharat-henzinger")
    return ranking_from_pair("bharat-henzinger", base.pages, links, pair, norm)


def weigh_links_by_host(
    graph: WebGraph, page_weights: Floats, keep_mask: Flags | None = None
) -> WeightedLinks:
    """Weigh links so that a host has one vote for a page, and a page one vote for a host."""
    hosts = _host_ids(graph)
    keys = link_keys(graph.outlinks)
    source, target = unpack_first_ids(keys), unpack_second_ids(keys)
    keep = hosts[source] != hosts[target]
    if keep_mask is not None:
        keep &= keep_mask[source] & keep_mask[target]
    keys, source, target = keys[keep], source[keep], target[keep]
    authority_weights = _vote_shares(pack_pairs(hosts[source], target))
    hub_weights = _vote_shares(pack_pairs(source, hosts[target]))
    return WeightedLinks.from_keys(keys, authority_weights, hub_weights, page_weights)


def text_relevance(base: BaseSet, query_words: int = 1000) -> Floats:
    """The cosine similarity of each page's text to the first words of the root pages.

    Over term counts times inverse document frequency, log(pages / pages with
    the term). Pages without text get the median of the others.
    """
    texts = base.texts
    if not base.query or not any(texts):
        return np.ones(len(base))
    tokens = tokenize_texts(texts)
    counts = tokens.count_terms()
    has_text = np.diff(tokens.starts) > 0
    size = len(tokens.vocabulary)
    idf = np.log(has_text.sum() / np.bincount(counts.term_ids, minlength=size))
    is_root = np.zeros(len(base), bool)
    is_root[base.roots] = True
    root_counts = tokens.count_terms(
        tokens.first_words_mask(query_words) & is_root[tokens.token_page_ids]
    )
    query = np.bincount(root_counts.term_ids, root_counts.counts, size) * idf
    similarity = _cosine_similarity(counts, query, idf, len(base))
    return np.where(has_text, similarity, np.median(similarity[has_text]))


def _cosine_similarity(term_counts: TermCounts, query: Floats, idf: Floats, n: int) -> Floats:
    weight = term_counts.counts * idf[term_counts.term_ids]
    lengths = np.sqrt(np.bincount(term_counts.page_ids, weight**2, n) * np.square(query).sum())
    products = np.bincount(term_counts.page_ids, weight * query[term_counts.term_ids], n)
    return safe_divide(products, lengths)


def _pruning_threshold(base: BaseSet, relevance: Floats, prune: str) -> float:
    if prune == "none" or not len(base):
        return 0.0
    if prune == "tenth":
        return float(relevance.max() / 10)
    return float(np.median(relevance if prune == "median" else relevance[base.roots]))


def _host_ids(graph: WebGraph) -> Ids:
    names = pa.array([host(page) for page in graph.pages], pa.large_string())
    codes: Ids = names.dictionary_encode().indices.to_numpy()
    return codes


def _vote_shares(group_keys: Offsets) -> Floats:
    """One vote split among the links with the same key."""
    _, group, size = np.unique(group_keys, return_inverse=True, return_counts=True)
    return 1.0 / size[group]
