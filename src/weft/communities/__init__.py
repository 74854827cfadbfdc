"""Find groups that link among themselves; importing this folder registers its methods."""

from weft.communities.agora import Agora, Meeting, agora
from weft.communities.agreement import Agreement, agreement
from weft.communities.community import Communities, Community
from weft.communities.cores import find_cores
from weft.communities.flow import flow
from weft.communities.focused import focused_flow
from weft.communities.friends import friends, friends_of
from weft.communities.hits import hits
from weft.communities.modularity import modularity
from weft.communities.patterns import patterns
from weft.communities.trawling import trawling

__all__ = [
    "Agora",
    "Agreement",
    "Communities",
    "Community",
    "Meeting",
    "agora",
    "agreement",
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
