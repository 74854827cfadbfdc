"""Find groups that link among themselves; importing this folder registers its methods."""

from weft.communities.agora import agora
from weft.communities.agreement import PartitionAgreement, compare_partitions
from weft.communities.bipartite_cores import find_cores
from weft.communities.flow import flow, focused_flow
from weft.communities.friends import friends, friends_of
from weft.communities.hits import hits
from weft.communities.modularity import modularity
from weft.communities.patterns import patterns
from weft.communities.trawling import trawling

__all__ = [
    "PartitionAgreement",
    "agora",
    "compare_partitions",
    "find_cores",
    "flow",
    "focused_flow",
    "friends",
    "friends_of",
    "hits",
    "modularity",
    "patterns",
    "trawling",
]
