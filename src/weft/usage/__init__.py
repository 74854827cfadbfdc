"""What visitors do, joined to the links; importing this folder registers its methods."""

from weft.usage.absorption import absorption
from weft.usage.arhp import arhp
from weft.usage.citation_clusters import citation_clusters
from weft.usage.forward_references import forward_paths
from weft.usage.index_pages import index_pages
from weft.usage.lrs import lrs
from weft.usage.markov import markov
from weft.usage.need import need
from weft.usage.next_page import next_page
from weft.usage.one import one
from weft.usage.overview import around, overview
from weft.usage.pagerate import pagerate
from weft.usage.predictor import Predictor
from weft.usage.profiles import profiles
from weft.usage.recommend import recommend
from weft.usage.sarukkai import sarukkai
from weft.usage.scent import ScentData, scent
from weft.usage.sessions import session_overview
from weft.usage.transactions import TitledSessions
from weft.usage.usage import Usage

__all__ = [
    "Predictor",
    "ScentData",
    "TitledSessions",
    "Usage",
    "absorption",
    "arhp",
    "around",
    "citation_clusters",
    "forward_paths",
    "index_pages",
    "lrs",
    "markov",
    "need",
    "next_page",
    "one",
    "overview",
    "pagerate",
    "profiles",
    "recommend",
    "sarukkai",
    "scent",
    "session_overview",
]
