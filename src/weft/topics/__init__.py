"""Find the topics of a set of pages; importing this folder registers the methods."""

from weft.topics.atd import atd
from weft.topics.auto import auto
from weft.topics.centroids import centroids
from weft.topics.dom_hits import dom_hits
from weft.topics.eigen import eigen
from weft.topics.factors import phits, plsa_phits
from weft.topics.hits import hits
from weft.topics.keyword_propagation import keyword_propagation
from weft.topics.leiden_votes import leiden_votes
from weft.topics.tgm import tgm

__all__ = [
    "atd",
    "auto",
    "centroids",
    "dom_hits",
    "eigen",
    "hits",
    "keyword_propagation",
    "leiden_votes",
    "phits",
    "plsa_phits",
    "tgm",
]
