"""Order the pages of a graph; importing this folder registers its methods."""

from weft.rank.indegree import indegree
from weft.rank.ranking import Ranking

__all__ = ["Ranking", "indegree"]
