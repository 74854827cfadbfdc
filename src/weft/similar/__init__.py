"""Find similar pages and missing links; importing this folder registers its methods."""

from weft.similar.activation import activation
from weft.similar.context import WebContext
from weft.similar.link_prediction import (
    adamic_adar,
    common_neighbours,
    jaccard,
    katz,
    personalised_pagerank,
    preferential_attachment,
    rank_fusion,
    resource_allocation,
    suggest_by_co_citation,
    suggest_by_coupling,
    suggest_by_text,
)
from weft.similar.similar_pages import (
    bibliographic_coupling,
    co_citation,
    combined_similarity,
    text_similarity,
    two_click_similarity,
)
from weft.similar.similarity import SimilarPage, SimilarPages, Witness
from weft.similar.suggestion import Suggestion, Suggestions
from weft.similar.usage_similarity import usage_similarity

__all__ = [
    "SimilarPage",
    "SimilarPages",
    "Suggestion",
    "Suggestions",
    "WebContext",
    "Witness",
    "activation",
    "adamic_adar",
    "bibliographic_coupling",
    "co_citation",
    "combined_similarity",
    "common_neighbours",
    "jaccard",
    "katz",
    "personalised_pagerank",
    "preferential_attachment",
    "rank_fusion",
    "resource_allocation",
    "suggest_by_co_citation",
    "suggest_by_coupling",
    "suggest_by_text",
    "text_similarity",
    "two_click_similarity",
    "usage_similarity",
]
