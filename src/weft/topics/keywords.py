"""Topics by keywords that pages pass on to the pages they link to."""

from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
from pydantic import Field

from weft.core.arrays import Flags, Floats, Ids, Offsets, stacked, unstacked
from weft.core.dimensions import Dimensions
from weft.core.methods import method
from weft.engine import CLOSED
from weft.graph.among import keys
from weft.graph.baseset import BaseSet
from weft.rank.ranking import rounded
from weft.rank.terms import Tokens, tokens, words
from weft.store.stopwords import is_stop
from weft.store.words import stems
from weft.topics.tkc import with_sites
from weft.topics.topic import Topic, Topics

Passed = Annotated[
    float, Field(ge=0, le=1, description="how much of a keyword a link passes on, for each hop")
]
Hops = Annotated[int, Field(ge=0, le=5, description="over how many links keywords are passed on")]
Kept = Annotated[int, Field(ge=1, description="how many keywords a page keeps")]
Most = Annotated[int, Field(ge=1, description="how many topics to find at most")]
Least = Annotated[int, Field(ge=1, description="leave out topics with fewer pages")]

TITLE = 2.0
UNSAID = 0.3
TERMS = 10


@dataclass(frozen=True, slots=True, eq=False)
class Keywords:
    """What pages are about: for a page and a word the word's weight there, by page, then word."""

    page: Ids
    word: Ids
    weight: Floats

    @classmethod
    def added(cls, *parts: "Keywords") -> "Keywords":
        """Weights of the same word on the same page added up."""
        page, word, weight = (
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("page", "word", "weight")
        )
        key, place = np.unique(stacked(page, word), return_inverse=True)
        both = unstacked(key)
        return cls(*both, np.bincount(place, weight, len(key)).astype(np.float64))

    def of(self, chosen: Flags | Offsets) -> "Keywords":
        """Some of them."""
        return Keywords(self.page[chosen], self.word[chosen], self.weight[chosen])

    def best(self, most: int) -> "Keywords":
        """The best keywords of each page, of equals the first by number."""
        order = np.lexsort((self.word, -rounded(self.weight), self.page))
        ranked = self.page[order]
        place = np.arange(len(order)) - np.searchsorted(ranked, ranked)
        return self.of(np.sort(order[place < most]))


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
    passed: Passed = 0.5,
    hops: Hops = 1,
    keywords: Kept = 20,
    most: Most = 10,
    least: Least = 5,
) -> Topics:
    """Find topics by keywords that pages pass on over links; after Katz and Li.

    Each page has its best words, and gives a share of them to the pages it
    links to: all of it where the words around the link say them, less where
    they do not. The word of most weight then makes the first topic, of all
    pages that have it among their keywords; the next comes from the pages
    that are left. An authority has much of the words that tell its topic from
    the others, a hub links to such pages. Without words there is no topic.

    Examples
    --------
    >>> keyword_propagation([("a", "x"), ("b", "x")])
    <0 topics by keyword-propagation>
    """
    read, vocabulary = spoken(base)
    own = extracted(read, vocabulary, base).best(keywords)
    total = carried = own
    said = window_words(read, base)
    for hop in range(1, hops + 1):
        carried = spread(base, carried, said)
        total = Keywords.added(total, replace(carried, weight=passed**hop * carried.weight))
    total = total.best(keywords)
    groups = led(total, len(base), most, least)
    made = [topic for topic in told(base, total, vocabulary, groups) if len(topic)]
    return Topics("keyword-propagation", base, with_sites(base, made), CLOSED)


def spoken(base: BaseSet) -> tuple[Tokens, list[str]]:
    """Pages with their titles, then titles, then the words around each link, cut into words.

    Words are numbered in their own order.
    """
    n = len(base)
    texts, titles = (list(said) or [""] * n for said in (base.texts, base.titles))
    around = [base.anchors[name].to_pylist() for name in ("before", "anchor", "after")]
    windows = [" ".join(parts) for parts in zip(*around, strict=True)]
    whole = [f"{title} {text}" for title, text in zip(titles, texts, strict=True)]
    read = tokens([*whole, *titles, *windows])
    order = np.argsort(np.array(read.vocabulary, object), kind="stable")
    number = np.empty(len(order), np.int32)
    number[order] = np.arange(len(order))
    return replace(read, term=number[read.term]), [read.vocabulary[k] for k in order.tolist()]


def extracted(read: Tokens, vocabulary: list[str], base: BaseSet) -> Keywords:
    """Words by how often a page has them and how few pages do, twice if in the title."""
    n, cells = len(base), read.cells()
    tells = telling(base, vocabulary)
    key = stacked(cells.page, cells.term)
    body = (cells.page < n) & tells[cells.term]
    titled = np.isin(key[body] + (n << 32), key)
    pages = np.bincount(cells.term[body], minlength=len(vocabulary))
    texts = max(len(np.unique(cells.page[body])), 1)
    rare = np.log(texts / np.maximum(pages, 1))
    weight = cells.count[body] * rare[cells.term[body]] * np.where(titled, TITLE, 1.0)
    top = np.zeros(n)
    np.maximum.at(top, cells.page[body], weight)
    live = weight > 0
    page, word = cells.page[body][live], cells.term[body][live]
    return Keywords(page, word, weight[live] / top[page])


def telling(base: BaseSet, vocabulary: list[str]) -> Flags:
    """Which words can be keywords: no stop words, no numbers, none that the query asks for."""
    asked = {stem for term in base.terms for stem in stems(term, "en")}
    first = {word[:2] for term in base.terms for word in words(term)}
    return np.array(
        [
            len(word) > 1
            and word.isalpha()
            and not is_stop(word, "en")
            and not (word[:2] in first and asked.issuperset(stems(word, "en")))
            for word in vocabulary
        ],
        bool,
    )


def window_words(read: Tokens, base: BaseSet) -> Offsets:
    """Which words stand in or around which link: its place among the links above the word."""
    cells, first = read.cells(), 2 * len(base)
    around = cells.page >= first
    own = stacked(base.anchors["source"], base.anchors["target"])
    link = np.searchsorted(keys(base.graph.outlinks), own)
    found: Offsets = stacked(link[cells.page[around] - first], cells.term[around])
    return np.unique(found)


def spread(base: BaseSet, given: Keywords, said: Offsets) -> Keywords:
    """What pages get over their in-links: the mean of the keywords of those that link to them."""
    rows, n = base.graph.outlinks, len(base)
    starts = np.searchsorted(given.page, np.arange(n + 1))
    source = rows.owners().astype(np.int64)
    counts = np.diff(starts)[source]
    link = np.repeat(np.arange(len(source)), counts)
    at = np.arange(len(link)) - np.repeat(np.cumsum(counts) - counts, counts)
    at += starts[source[link]]
    heard = np.isin(stacked(link, given.word[at]), said)
    target = np.asarray(rows.ids)[link]
    share = np.where(heard, 1.0, UNSAID) / np.maximum(base.graph.indegrees()[target], 1)
    return Keywords.added(Keywords(target, given.word[at], given.weight[at] * share))


def led(total: Keywords, n: int, most: int, least: int) -> list[tuple[int, float, Ids]]:
    """Words that lead topics, from the most weight on, and the pages left that have each."""
    left = np.ones(n, bool)
    found: list[tuple[int, float, Ids]] = []
    while len(found) < most and len(total.page):
        inside = total.weight * left[total.page]
        weights = rounded(np.bincount(total.word, inside).astype(np.float64))
        word = int(weights.argmax())
        pages = total.page[(total.word == word) & left[total.page]]
        if len(pages) < least:
            break
        found.append((word, float(weights[word]), np.sort(pages).astype(np.int32)))
        left[pages] = False
    return found


def told(
    base: BaseSet, total: Keywords, vocabulary: list[str], groups: list[tuple[int, float, Ids]]
) -> list[Topic]:
    """The topics of groups of pages, by the words that tell each from the others."""
    size = len(vocabulary)
    means = np.zeros((len(groups), size))
    for row, (_, _, pages) in zip(means, groups, strict=True):
        own = np.isin(total.page, pages)
        row[:] = np.bincount(total.word[own], total.weight[own], size) / len(pages)
    leading = means >= np.sort(means, axis=1)[:, -TERMS:][:, :1]
    others = np.maximum((leading & (means > 0)).sum(axis=0) - 1, 0)
    apart = rounded(means * np.log((1 + len(groups)) / (1 + others)))
    flow, made = base.graph.flow(), []
    for row, (word, weight, pages) in zip(apart, groups, strict=True):
        best = np.argsort(-row, kind="stable")[:TERMS]
        worth = np.zeros(size)
        worth[best] = row[best] / max(row.max(), np.finfo(float).tiny)
        about = np.zeros(len(base))
        own = np.isin(total.page, pages)
        np.add.at(about, total.page[own], total.weight[own] * worth[total.word[own]])
        terms = [vocabulary[k] for k in best.tolist() if row[k] > 0]
        facts = {"word": vocabulary[word], "terms": terms}
        hubs = flow.backward(about)[pages]
        made.append(Topic(pages, about[pages], hubs, weight, facts=facts))
    return made
