"""Find what a set of pages is about; importing this folder registers its methods."""

from weft.topics.atd import atd
from weft.topics.eigen import eigen
from weft.topics.factors import phits, plsa_phits
from weft.topics.hits import hits
from weft.topics.keywords import keyword_propagation
from weft.topics.tgm import tgm
from weft.topics.topic import Topic, Topics

__all__ = [
    "Topic",
    "Topics",
    "atd",
    "eigen",
    "hits",
    "keyword_propagation",
    "phits",
    "plsa_phits",
    "tgm",
]
