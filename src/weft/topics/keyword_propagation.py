"""Topics by keywords that are propagated along links."""

from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
from pydantic import Field

from weft.core.arrays import (
    Flags,
    Floats,
    Ids,
    Offsets,
    link_keys,
    pack_pairs,
    round_significant,
    unpack_pairs,
)
from weft.core.register import Dimensions, method
from weft.engine import CLOSED_FORM
from weft.graph.baseset.baseset import BaseSet
from weft.groups.group import Group, add_site_diversity
from weft.groups.groups import Groups
from weft.rank.term_matrix import TokenizedTexts, tokenize, tokenize_texts
from weft.store.tokens import is_stop_word, stem_text

Decay = Annotated[
    float, Field(ge=0, le=1, description="share of a keyword's weight passed on per hop")
]
MaxHops = Annotated[
    int, Field(ge=0, le=5, description="maximum number of links that a keyword travels")
]
MaxKeywords = Annotated[int, Field(ge=1, description="maximum number of keywords per page")]
MaxTopics = Annotated[int, Field(ge=1, description="maximum number of topics")]
MinSize = Annotated[int, Field(ge=1, description="minimum number of pages in a topic")]

TITLE_BOOST = 2.0
UNMENTIONED_SHARE = 0.3
MAX_TERMS = 10


@dataclass(frozen=True, slots=True, eq=False)
class PageKeywords:
    """The keywords of pages as parallel arrays (page, word, weight), by page, then word."""

    page: Ids
    word: Ids
    weight: Floats

    @classmethod
    def sum_duplicates(cls, *parts: "PageKeywords") -> "PageKeywords":
        """Sum the weights of the same word on the same page."""
        page, word, weight = (
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("page", "word", "weight")
        )
        key, position = np.unique(pack_pairs(page, word), return_inverse=True)
        page_and_word = unpack_pairs(key)
        return cls(*page_and_word, np.bincount(position, weight, len(key)).astype(np.float64))

    def select(self, index: Flags | Offsets) -> "PageKeywords":
        """The keywords that an index selects."""
        return PageKeywords(self.page[index], self.word[index], self.weight[index])

    def top_per_page(self, max_keywords: int) -> "PageKeywords":
        """The best keywords of each page; ties go to the lower word number."""
        order = np.lexsort((self.word, -round_significant(self.weight), self.page))
        pages = self.page[order]
        rank = np.arange(len(order)) - np.searchsorted(pages, pages)
        return self.select(np.sort(order[rank < max_keywords]))


@method(
    "topics",
    "keyword-propagation",
    cites="katz1999",
    dimensions=Dimensions(
        model="vector space",
        metric="term weights",
        algorithm="keyword propagation",
        scope="multiple pages",
        applications=("topic distillation",),
        data="links and content",
    ),
)
def keyword_propagation(
    base: BaseSet,
    *,
    decay: Decay = 0.5,
    hops: MaxHops = 1,
    max_keywords: MaxKeywords = 20,
    max_topics: MaxTopics = 10,
    min_size: MinSize = 5,
) -> Groups:
    """Find topics by keywords propagated along links.

    After Katz and Li. Each page has its best words as keywords and passes a
    share of their weight to the pages it links to: the full share if the word
    occurs in or around the link, less if not. The word of largest total weight
    gives the first topic, of all pages that have it as a keyword; the next one
    comes from the remaining pages. An authority has a large weight of the words
    that distinguish its topic from the others; a hub links to such pages.
    Without words there is no topic.

    Examples
    --------
    >>> keyword_propagation([("a", "x"), ("b", "x")])
    <0 topics by keyword-propagation>
    """
    tokenized, vocabulary = tokenize_pages_and_anchors(base)
    own = extract_keywords(tokenized, vocabulary, base).top_per_page(max_keywords)
    total = propagated = own
    link_words = words_around_links(tokenized, base)
    for hop in range(1, hops + 1):
        propagated = propagate_keywords(base, propagated, link_words)
        total = PageKeywords.sum_duplicates(
            total, replace(propagated, weight=decay**hop * propagated.weight)
        )
    total = total.top_per_page(max_keywords)
    groups = group_by_leading_word(total, len(base), max_topics, min_size)
    topics = [
        topic for topic in keyword_groups_to_topics(base, total, vocabulary, groups) if len(topic)
    ]
    return Groups(
        "topics", "keyword-propagation", base, add_site_diversity(base, topics), CLOSED_FORM
    )


def tokenize_pages_and_anchors(base: BaseSet) -> tuple[TokenizedTexts, list[str]]:
    """Tokenize pages with titles, then titles, then the words in and around each link.

    Words are numbered in alphabetical order.
    """
    n = len(base)
    texts, titles = (list(texts_of) or [""] * n for texts_of in (base.texts, base.titles))
    contexts = [base.anchors[name].to_pylist() for name in ("before", "anchor", "after")]
    windows = [" ".join(parts) for parts in zip(*contexts, strict=True)]
    pages = [f"{title} {text}" for title, text in zip(titles, texts, strict=True)]
    tokenized = tokenize_texts([*pages, *titles, *windows])
    order = np.argsort(np.array(tokenized.vocabulary, object), kind="stable")
    number = np.empty(len(order), np.int32)
    number[order] = np.arange(len(order))
    return replace(tokenized, term_ids=number[tokenized.term_ids]), [
        tokenized.vocabulary[k] for k in order.tolist()
    ]


def extract_keywords(
    tokenized: TokenizedTexts, vocabulary: list[str], base: BaseSet
) -> PageKeywords:
    """Weigh the words of each page by TF-IDF, doubled in titles, relative to its best word."""
    n, cells = len(base), tokenized.count_terms()
    is_candidate = is_keyword_candidate(base, vocabulary)
    key = pack_pairs(cells.page_ids, cells.term_ids)
    in_body = (cells.page_ids < n) & is_candidate[cells.term_ids]
    in_title = np.isin(key[in_body] + (n << 32), key)
    df = np.bincount(cells.term_ids[in_body], minlength=len(vocabulary))
    text_count = max(len(np.unique(cells.page_ids[in_body])), 1)
    idf = np.log(text_count / np.maximum(df, 1))
    weight = (
        cells.counts[in_body] * idf[cells.term_ids[in_body]] * np.where(in_title, TITLE_BOOST, 1.0)
    )
    best = np.zeros(n)
    np.maximum.at(best, cells.page_ids[in_body], weight)
    has_weight = weight > 0
    page, word = cells.page_ids[in_body][has_weight], cells.term_ids[in_body][has_weight]
    return PageKeywords(page, word, weight[has_weight] / best[page])


def is_keyword_candidate(base: BaseSet, vocabulary: list[str]) -> Flags:
    """Whether each word can be a keyword: no stop words, numbers or query words."""
    query_stems = {stem for term in base.query_terms for stem in stem_text(term, "en")}
    prefixes = {word[:2] for term in base.query_terms for word in tokenize(term)}
    return np.array(
        [
            len(word) > 1
            and word.isalpha()
            and not is_stop_word(word, "en")
            and not (word[:2] in prefixes and query_stems.issuperset(stem_text(word, "en")))
            for word in vocabulary
        ],
        bool,
    )


def words_around_links(tokenized: TokenizedTexts, base: BaseSet) -> Offsets:
    """Packed pairs (link, word) of the words in and around each link, sorted."""
    cells, first_window = tokenized.count_terms(), 2 * len(base)
    in_window = cells.page_ids >= first_window
    link_keys_of_rows = pack_pairs(base.anchors["source"], base.anchors["target"])
    link = np.searchsorted(link_keys(base.graph.outlinks), link_keys_of_rows)
    pairs: Offsets = pack_pairs(
        link[cells.page_ids[in_window] - first_window], cells.term_ids[in_window]
    )
    return np.unique(pairs)


def propagate_keywords(base: BaseSet, keywords: PageKeywords, link_words: Offsets) -> PageKeywords:
    """Propagate keywords one hop: each page gets the mean of those of its in-neighbours.

    Words that do not occur around the link count 0.3.
    """
    rows, n = base.graph.outlinks, len(base)
    starts = np.searchsorted(keywords.page, np.arange(n + 1))
    source = rows.row_ids().astype(np.int64)
    counts = np.diff(starts)[source]
    link = np.repeat(np.arange(len(source)), counts)
    at = np.arange(len(link)) - np.repeat(np.cumsum(counts) - counts, counts)
    at += starts[source[link]]
    is_mentioned = np.isin(pack_pairs(link, keywords.word[at]), link_words)
    target = np.asarray(rows.ids)[link]
    share = np.where(is_mentioned, 1.0, UNMENTIONED_SHARE) / np.maximum(
        base.graph.indegrees()[target], 1
    )
    return PageKeywords.sum_duplicates(
        PageKeywords(target, keywords.word[at], keywords.weight[at] * share)
    )


def group_by_leading_word(
    keywords: PageKeywords, page_count: int, max_topics: int, min_size: int
) -> list[tuple[int, float, Ids]]:
    """Greedy groups: the word of largest weight, that weight, and the remaining pages with it."""
    is_left = np.ones(page_count, bool)
    groups: list[tuple[int, float, Ids]] = []
    while len(groups) < max_topics and len(keywords.page):
        weights_left = keywords.weight * is_left[keywords.page]
        weights = round_significant(np.bincount(keywords.word, weights_left).astype(np.float64))
        word = int(weights.argmax())
        pages = keywords.page[(keywords.word == word) & is_left[keywords.page]]
        if len(pages) < min_size:
            break
        groups.append((word, float(weights[word]), np.sort(pages).astype(np.int32)))
        is_left[pages] = False
    return groups


def keyword_groups_to_topics(
    base: BaseSet,
    keywords: PageKeywords,
    vocabulary: list[str],
    groups: list[tuple[int, float, Ids]],
) -> list[Group]:
    """Build topics from groups, scored by the words that distinguish each from the others."""
    size = len(vocabulary)
    means = np.zeros((len(groups), size))
    for row, (_, _, pages) in zip(means, groups, strict=True):
        is_member = np.isin(keywords.page, pages)
        row[:] = np.bincount(keywords.word[is_member], keywords.weight[is_member], size) / len(
            pages
        )
    is_leading = means >= np.sort(means, axis=1)[:, -MAX_TERMS:][:, :1]
    other_topics = np.maximum((is_leading & (means > 0)).sum(axis=0) - 1, 0)
    distinctiveness = round_significant(means * np.log((1 + len(groups)) / (1 + other_topics)))
    operator, topics = base.graph.operator(), []
    for row, (word, weight, pages) in zip(distinctiveness, groups, strict=True):
        best = np.argsort(-row, kind="stable")[:MAX_TERMS]
        word_scores = np.zeros(size)
        word_scores[best] = row[best] / max(row.max(), np.finfo(float).tiny)
        authority = np.zeros(len(base))
        is_member = np.isin(keywords.page, pages)
        np.add.at(
            authority,
            keywords.page[is_member],
            keywords.weight[is_member] * word_scores[keywords.word[is_member]],
        )
        terms = [vocabulary[k] for k in best.tolist() if row[k] > 0]
        facts = {"word": vocabulary[word], "terms": terms}
        hubs = operator.matvec(authority)[pages]
        topics.append(Group(pages, authority[pages], hubs, weight, facts=facts))
    return topics
