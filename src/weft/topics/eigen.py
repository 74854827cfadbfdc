"""Topics at the ends of several pairs of singular vectors."""

from weft.core.params import VectorPairs, Weighted
from weft.core.register import Dimensions, method
from weft.engine import CLOSED_FORM
from weft.graph.baseset.baseset import BaseSet
from weft.groups.group import Group, add_site_diversity
from weft.groups.groups import Groups
from weft.rank.hits_vectors import leading_triplets
from weft.rank.vector_ends import VectorEnd, iter_vector_ends
from weft.topics.hits import MaxSize


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
    base: BaseSet, *, vectors: VectorPairs = 10, max_size: MaxSize = 20, weighted: Weighted = False
) -> Groups:
    """Find a topic at each end of several singular vectors.

    The principal pair of singular vectors is that of HITS and has one end. Each
    further pair has two ends, the pages with positive and with negative
    entries, which hardly link to each other. Topics are in descending order of
    singular value, the end with the largest entry first; they may overlap.
    Pairs of equal value span a space without preferred axes: they give one
    topic, with a `note`.

    Examples
    --------
    >>> two = [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y"), ("c", "x"), ("c", "z"), ("d", "z")]
    >>> [topic.facts["pair"] for topic in eigen(two, vectors=2)]
    ['1', '2+', '2-']
    """
    triplets = leading_triplets(base.graph.operator(weighted=weighted), vectors)
    topics = [
        end_to_topic(end, max_size, end.singular_value)
        for end in iter_vector_ends(base.graph, triplets, weighted=weighted)
    ]
    return Groups("topics", "eigen", base, add_site_diversity(base, topics), CLOSED_FORM)


def end_to_topic(end: VectorEnd, max_size: int, strength: float) -> Group:
    """Build a topic from the best authorities and hubs of an end."""
    return Group(*end.top_members(max_size), strength, note=end.note, facts=end.facts())
