"""What topics and communities share: groups of pages, their labels and their evidence."""

from weft.groups.group import BridgePage, Group, LinkCounts, MicroHub, SiteDiversity, VoteStability
from weft.groups.groups import Groups
from weft.groups.membership import Membership

__all__ = [
    "BridgePage",
    "Group",
    "Groups",
    "LinkCounts",
    "Membership",
    "MicroHub",
    "SiteDiversity",
    "VoteStability",
]
