"""Find what a set of pages is about; importing this folder registers its methods."""

from weft.topics.atd import atd
from weft.topics.auto import auto
from weft.topics.centroids import centroids
from weft.topics.dom_hits import dom_hits
from weft.topics.dom_hubs import MicroHub
from weft.topics.eigen import eigen
from weft.topics.factors import phits, plsa_phits
from weft.topics.hits import hits
from weft.topics.keywords import keyword_propagation
from weft.topics.tgm import tgm
from weft.topics.topic import Topic, Topics

__all__ = [
    "MicroHub",
    "Topic",
    "Topics",
    "atd",
    "auto",
    "centroids",
    "dom_hits",
    "eigen",
    "hits",
    "keyword_propagation",
    "phits",
    "plsa_phits",
    "tgm",
]
