"""Find pages like another, and missing links; importing this folder registers its methods."""

from weft.suggest.around import Around
from weft.suggest.likeness import Likeness, Similar, Witness
from weft.suggest.links import (
    adamic_adar,
    common_neighbours,
    fused,
    jaccard,
    katz,
    linked_by_peers,
    linked_together,
    personalised_pagerank,
    preferential_attachment,
    resource_allocation,
    said_alike,
)
from weft.suggest.similar import co_citation, combined, coupling, indirect, text
from weft.suggest.suggestion import Suggestion, Suggestions

__all__ = [
    "Around",
    "Likeness",
    "Similar",
    "Suggestion",
    "Suggestions",
    "Witness",
    "adamic_adar",
    "co_citation",
    "combined",
    "common_neighbours",
    "coupling",
    "fused",
    "indirect",
    "jaccard",
    "katz",
    "linked_by_peers",
    "linked_together",
    "personalised_pagerank",
    "preferential_attachment",
    "resource_allocation",
    "said_alike",
    "text",
]
