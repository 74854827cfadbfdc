"""Topic-sensitive PageRank: one PageRank vector per topic, mixed for a query."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from weft.core.arrays import Floats
from weft.core.errors import BadParameter
from weft.core.params import Damping, MaxIter, Tol, Weighted
from weft.core.register import Dimensions, method
from weft.engine import normalize_l1
from weft.graph.baseset.baseset import BaseSet
from weft.graph.webgraph import WebGraph
from weft.rank.pagerank import RandomSurfer, uniform_distribution
from weft.rank.ranking import Ranking, unique_certainty
from weft.rank.teleport import NO_PAGES, named_page_mask, teleport_vector
from weft.store.tokens import build_analyser

TopicDangling = Literal["uniform", "self", "leak"]
TopicDanglingRule = Annotated[
    TopicDangling,
    Field(description="dangling pages: jump to any page, stay (self) or lose the score (leak)"),
]
TopicSeeds = Annotated[
    list[str],
    Field(
        description="pages of topics, as topic=URL or topic=host, repeatable; "
        "default: the collection's topics"
    ),
]
Smoothing = Annotated[
    float, Field(gt=0, description="additive smoothing of word counts (naive Bayes)")
]
TOPIC_SEED_HINT = "write topic=URL, such as sports=http://www.example.com/"


@method(
    "rank",
    "topic-pagerank",
    cites="haveliwala2003",
    dimensions=Dimensions(
        model="Markov model",
        metric="PageRank",
        algorithm="PageRank",
        scope="multiple pages",
        applications=("topic distillation", "web search", "personalisation"),
        data="links and content",
    ),
    on_gpu=True,
)
def topic_pagerank(
    base: BaseSet,
    *,
    topics: TopicSeeds = NO_PAGES,
    smoothing: Smoothing = 1.0,
    damping: Damping = 0.75,
    dangling: TopicDanglingRule = "uniform",
    weighted: Weighted = False,
    tol: Tol = 1e-10,
    max_iter: MaxIter = 1000,
) -> Ranking:
    """Score pages by topic-sensitive PageRank.

    One PageRank vector per topic, with jumps to its pages only, mixed by the
    probability of each topic given the query: naive Bayes on the words of the
    topic's pages. Without a query or without texts, topics count equally. The
    rule for dangling pages does not depend on the topic, so that the mixture is
    the PageRank of the mixed teleport vector. Without `topics` those of the
    collection are used; on a bare graph this is PageRank, and `certainty`
    notes it.

    Examples
    --------
    >>> links = [("a", "x"), ("b", "x"), ("c", "y"), ("d", "y"), ("e", "y")]
    >>> topic_pagerank(links, topics=["first=a", "first=b"])
    <Ranking of 7 pages by topic-pagerank, led by x>
    """
    graph = base.graph
    topic_pages: Mapping[str, Sequence[str]] = parse_topics(topics) or base.topics
    teleport = (
        teleport_by_topic(graph, topic_pages)
        if topic_pages
        else uniform_distribution(len(graph))[:, None]
    )
    surfer = RandomSurfer.from_graph(graph, damping, dangling, weighted=weighted)
    ranks, trace = surfer.stationary_distribution(teleport, tol, max_iter)
    weights, note = weigh_topics(base, topic_pages, smoothing)
    scores = weighted_column_mean(ranks, weights)
    return Ranking(
        "topic-pagerank",
        graph.pages,
        {"score": scores},
        trace,
        unique_certainty(note),
        {"score": surfer.contributions(scores, weighted_column_mean(teleport, weights))},
        {
            "weights": dict(zip(topic_pages, weights.tolist(), strict=False)),
            "ranks": dict(zip(topic_pages, ranks.T, strict=False)),
            "topics": {name: len(pages) for name, pages in topic_pages.items()},
        },
    )


def teleport_by_topic(graph: WebGraph, topics: Mapping[str, Sequence[str]]) -> Floats:
    """The teleport vectors of topics, a column each: uniform over the pages of the topic."""
    return np.column_stack([teleport_vector(graph, pages) for pages in topics.values()])


def weighted_column_mean(columns: Floats, weights: Floats) -> Floats:
    """The weighted mean of the columns."""
    mixed: Floats = columns @ normalize_l1(np.asarray(weights, np.float64))
    return mixed


def parse_topics(pairs: Sequence[str]) -> dict[str, list[str]]:
    """Parse topic=page pairs into the pages of each topic, in the order of topics.

    Examples
    --------
    >>> parse_topics(["art=http://a.org/?q=1", "art=b.org", "news=c.org"])
    {'art': ['http://a.org/?q=1', 'b.org'], 'news': ['c.org']}
    """
    topics: dict[str, list[str]] = {}
    for pair in pairs:
        topic, _, page = pair.partition("=")
        if not topic or not page:
            raise BadParameter(f"{pair!r} is not topic=page", hint=TOPIC_SEED_HINT)
        topics.setdefault(topic, []).append(page)
    return topics


def weigh_topics(
    base: BaseSet, topics: Mapping[str, Sequence[str]], smoothing: float
) -> tuple[Floats, str]:
    """The probability of each topic given the query; with a note if all count equally."""
    uniform = uniform_distribution(max(len(topics), 1))
    if not topics:
        return uniform, "no topics: jumps lead to any page, as in PageRank"
    if not base.query or not base.texts:
        return uniform, f"no {'texts' if base.query else 'query'}: all topics count equally"
    classes = {
        topic: tokenize_unstemmed(_page_texts(base, pages)) for topic, pages in topics.items()
    }
    return naive_bayes_posterior(tokenize_unstemmed(base.query_terms), classes, smoothing), ""


def tokenize_unstemmed(texts: Iterable[str]) -> list[str]:
    """The words of texts, unstemmed, since a topic may have pages in any language."""
    analyze = build_analyser("xx").analyze
    return [word for text in texts for word in analyze(text)]


def _page_texts(base: BaseSet, pages: Sequence[str]) -> list[str]:
    texts = base.texts
    return [texts[i] for i in np.flatnonzero(named_page_mask(base.graph, pages)).tolist()]


def naive_bayes_posterior(
    words: Iterable[str], classes: Mapping[str, Iterable[str]], smoothing: float = 1.0
) -> Floats:
    """The probability of each class given words, by multinomial naive Bayes.

    P(class | words) ∝ product over words of (count + smoothing) / (total +
    smoothing * vocabulary), with equal priors. Words that no class has are
    ignored.

    Examples
    --------
    >>> naive_bayes_posterior(["jaguar", "engine"], {"cars": ["engine"] * 3, "cats": ["fur"] * 3})
    array([0.8, 0.2])
    """
    counts = [Counter(class_words) for class_words in classes.values()]
    vocabulary = set[str]().union(*counts)
    log_posterior = np.zeros(len(counts))
    for word in words:
        if word in vocabulary:
            log_posterior += [
                np.log((count[word] + smoothing) / (count.total() + smoothing * len(vocabulary)))
                for count in counts
            ]
    return normalize_l1(np.exp(log_posterior - log_posterior.max(initial=-np.inf)))
