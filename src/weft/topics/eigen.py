"""One topic for each end of several pairs of singular vectors."""

from weft.core.dimensions import Dimensions
from weft.core.methods import method
from weft.core.params import Vectors, Weighted
from weft.engine import CLOSED
from weft.graph.baseset import BaseSet
from weft.rank.ends import End, ends
from weft.rank.singular import leading
from weft.topics.hits import Size
from weft.topics.tkc import with_sites
from weft.topics.topic import Topic, Topics


@method(
    "topics",
    "eigen",
    cites="kleinberg1999",
    dimensions=Dimensions(
        model="hubs and authorities",
        metric="hub and authority scores",
        algorithm="eigenvectors",
        scope="multiple pages",
        applications=("topic distillation", "web communities"),
    ),
)
def eigen(
    base: BaseSet, *, vectors: Vectors = 10, size: Size = 20, weighted: Weighted = False
) -> Topics:
    """Find a topic at each end of several pairs of singular vectors.

    The principal pair is that of HITS, and has one end. Each further pair has
    two, pages with positive and pages with negative entries, which hardly
    link to each other. Topics stand in the order of their singular values,
    the end that has the largest entry first; they may overlap. Pairs of equal value span a
    space without axes of its own: they make one topic, whose `note` says so.

    Examples
    --------
    >>> two = [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y"), ("c", "x"), ("c", "z"), ("d", "z")]
    >>> [topic.facts["pair"] for topic in eigen(two, vectors=2)]
    ['1', '2+', '2-']
    """
    found = leading(base.graph.flow(weighted=weighted), vectors)
    made = [topic_of(e, size, e.value) for e in ends(base.graph, found, weighted=weighted)]
    return Topics("eigen", base, with_sites(base, made), CLOSED)


def topic_of(end: End, size: int, strength: float) -> Topic:
    """The topic of the best authorities and hubs of an end."""
    return Topic(*end.foremost(size), strength, facts=end.facts())
