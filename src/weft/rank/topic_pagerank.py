"""PageRank by topics: one for the pages of each topic, mixed for a query."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from weft.core.arrays import Floats
from weft.core.dimensions import Dimensions
from weft.core.errors import BadParameter
from weft.core.methods import method
from weft.core.params import Follow, Limit, Tolerance, Weighted
from weft.engine import unit
from weft.graph.baseset import BaseSet
from weft.graph.webgraph import WebGraph
from weft.rank.jumps import NONE, jumps_to, marked
from weft.rank.pagerank import Reader, evenly
from weft.rank.ranking import Ranking, certain
from weft.store.words import analyser

Fixed = Literal["uniform", "self", "leak"]
FixedRule = Annotated[
    Fixed,
    Field(
        description="where a reader goes from a page without links: to any page, nowhere (self), "
        "or lost (leak)"
    ),
]
Topics = Annotated[
    list[str],
    Field(
        description="pages of topics, each as topic=URL, or topic=host; may be repeated; "
        "if none are given, the collection's own"
    ),
]
Smoothing = Annotated[
    float, Field(gt=0, description="added to the count of each word in the words of a topic")
]
HINT = "write topic=URL, such as sports=http://www.example.com/"


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
)
def topic_pagerank(
    base: BaseSet,
    *,
    topics: Topics = NONE,
    smoothing: Smoothing = 1.0,
    follow: Follow = 0.75,
    dangling: FixedRule = "uniform",
    weighted: Weighted = False,
    tolerance: Tolerance = 1e-10,
    limit: Limit = 1000,
) -> Ranking:
    """Score pages by PageRank whose jumps lead to the topics that a query is about.

    There is a PageRank for each topic, with jumps to its pages alone; the
    score mixes them by how probable each topic is, given the words of the
    query and those of the topic's pages. Without a query, or without words,
    topics count alike. The rule for pages without links must not depend on
    the topic: then the mix is itself the PageRank of the mixed jumps. Without
    topics those of the collection are taken; on a bare graph, which has none,
    this is PageRank, and the result says so.

    Examples
    --------
    >>> links = [("a", "x"), ("b", "x"), ("c", "y"), ("d", "y"), ("e", "y")]
    >>> topic_pagerank(links, topics=["first=a", "first=b"])
    <Ranking of 7 pages by topic-pagerank, led by x>
    """
    graph, sets = base.graph, parse_topics(topics)
    jumps = jumps_by_topic(graph, sets) if sets else evenly(len(graph))[:, None]
    reader = Reader.of(graph, follow, dangling, weighted=weighted)
    ranks, trace = reader.read(jumps, tolerance, limit)
    weights, note = weigh(base, sets, smoothing)
    scores = mix(ranks, weights)
    parts = {"score": reader.parts(scores, mix(jumps, weights))}
    details = {
        "weights": dict(zip(sets, weights.tolist(), strict=False)),
        "ranks": dict(zip(sets, ranks.T, strict=False)),
    }
    look = certain(note)
    return Ranking("topic-pagerank", graph.pages, {"score": scores}, trace, look, parts, details)


def jumps_by_topic(graph: WebGraph, topics: Mapping[str, Sequence[str]]) -> Floats:
    """A column for each topic: jumps to its pages alone."""
    return np.column_stack([jumps_to(graph, pages) for pages in topics.values()])


def mix(ranks: Floats, weights: Floats) -> Floats:
    """The columns added up, each in the measure of its weight."""
    mixed: Floats = ranks @ unit(np.asarray(weights, np.float64))
    return mixed


def parse_topics(pairs: Sequence[str]) -> dict[str, list[str]]:
    """The pages of each topic, in the order in which topics are first named.

    Examples
    --------
    >>> parse_topics(["art=http://a.org/?q=1", "art=b.org", "news=c.org"])
    {'art': ['http://a.org/?q=1', 'b.org'], 'news': ['c.org']}
    """
    topics: dict[str, list[str]] = {}
    for pair in pairs:
        topic, _, page = pair.partition("=")
        if not topic or not page:
            raise BadParameter(f"{pair!r} names no topic and page", hint=HINT)
        topics.setdefault(topic, []).append(page)
    return topics


def weigh(
    base: BaseSet, topics: Mapping[str, Sequence[str]], smoothing: float
) -> tuple[Floats, str]:
    """How much each topic counts for the base set's query, and why if all count alike."""
    alike = evenly(max(len(topics), 1))
    if not topics:
        return alike, "no topics: jumps lead to any page, as in PageRank"
    if not base.query or not base.texts:
        return alike, f"no {'words' if base.query else 'query'}: all topics count alike"
    classes = {topic: cut(_texts(base, pages)) for topic, pages in topics.items()}
    return class_weights(cut(base.terms), classes, smoothing), ""


def cut(texts: Iterable[str]) -> list[str]:
    """The words of texts, unstemmed: a class has pages of any language."""
    words = analyser("xx").analyze
    return [word for text in texts for word in words(text)]


def _texts(base: BaseSet, pages: Sequence[str]) -> list[str]:
    texts = base.texts
    return [texts[i] for i in np.flatnonzero(marked(base.graph, pages)).tolist()]


def class_weights(
    words: Iterable[str], classes: Mapping[str, Iterable[str]], smoothing: float = 1.0
) -> Floats:
    """How probable each class is, given words: one model of single words for each class.

    All classes are as probable before a word is seen. A word that no class has
    says nothing; one that only some have counts in the others as often as
    `smoothing` says.

    Examples
    --------
    >>> class_weights(["jaguar", "engine"], {"cars": ["engine"] * 3, "cats": ["fur"] * 3})
    array([0.8, 0.2])
    """
    counts = [Counter(found) for found in classes.values()]
    known = set[str]().union(*counts)
    logs = np.zeros(len(counts))
    for word in words:
        if word in known:
            logs += [
                np.log((count[word] + smoothing) / (count.total() + smoothing * len(known)))
                for count in counts
            ]
    return unit(np.exp(logs - logs.max(initial=-np.inf)))
