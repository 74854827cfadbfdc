"""Order the pages of a graph; importing this folder registers its methods."""

from weft.rank.average_hits import average_hits
from weft.rank.bayesian import bayesian, bayesian_simple
from weft.rank.bfs import bfs
from weft.rank.bharat_henzinger import bharat_henzinger
from weft.rank.centrality import centrality
from weft.rank.clever import clever
from weft.rank.compare import Comparison, compare
from weft.rank.hits import hits
from weft.rank.hits_variants import (
    authority_threshold,
    full_threshold,
    hub_averaging,
    hub_threshold,
    max_hits,
    norm_hits,
)
from weft.rank.hits_vectors import hits_vectors
from weft.rank.indegree import indegree
from weft.rank.informativeness import informativeness
from weft.rank.judgements import Evaluation, Evaluations, Judgements, evaluate, read_ratings
from weft.rank.pagerank import pagerank, pagerank_hubs
from weft.rank.personalised_pagerank import personalised_pagerank, spam_aware_pagerank
from weft.rank.phits import phits
from weft.rank.plsa_phits import plsa_phits
from weft.rank.prestige import prestige
from weft.rank.randomized_hits import randomized_hits
from weft.rank.ranking import Certainty, Contributions, RankedPage, Ranking, ScoreBreakdown
from weft.rank.reputation import KnownFor, known_for, reputation
from weft.rank.salsa import salsa
from weft.rank.stability import Stability, stability
from weft.rank.subspace_hits import subspace_hits
from weft.rank.topic_pagerank import topic_pagerank
from weft.rank.trustrank import trustrank
from weft.rank.unified_hits import inorm, onorm, snorm, unified_hits
from weft.rank.usage_pagerank import usage_pagerank
from weft.rank.weighted_pagerank import weighted_pagerank

__all__ = [
    "Certainty",
    "Comparison",
    "Contributions",
    "Evaluation",
    "Evaluations",
    "Judgements",
    "KnownFor",
    "RankedPage",
    "Ranking",
    "ScoreBreakdown",
    "Stability",
    "authority_threshold",
    "average_hits",
    "bayesian",
    "bayesian_simple",
    "bfs",
    "bharat_henzinger",
    "centrality",
    "clever",
    "compare",
    "evaluate",
    "full_threshold",
    "hits",
    "hits_vectors",
    "hub_averaging",
    "hub_threshold",
    "indegree",
    "informativeness",
    "inorm",
    "known_for",
    "max_hits",
    "norm_hits",
    "onorm",
    "pagerank",
    "pagerank_hubs",
    "personalised_pagerank",
    "phits",
    "plsa_phits",
    "prestige",
    "randomized_hits",
    "read_ratings",
    "reputation",
    "salsa",
    "snorm",
    "spam_aware_pagerank",
    "stability",
    "subspace_hits",
    "topic_pagerank",
    "trustrank",
    "unified_hits",
    "usage_pagerank",
    "weighted_pagerank",
]
