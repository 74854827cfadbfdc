"""What topics and communities share: groups of pages, their labels and their evidence."""

from weft.groups.group import BridgePage, Group, Groups, LinkCounts, MicroHub, VoteStability
from weft.groups.membership import Membership
from weft.groups.site_diversity import SiteDiversity

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
