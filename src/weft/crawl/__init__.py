"""Crawl strategies, the simulated web they are compared on, and their evaluation."""

from weft.crawl.apprentice import apprentice
from weft.crawl.auto import auto
from weft.crawl.best_first import best_first, n_best
from weft.crawl.context_graph import context_graph
from weft.crawl.crawl import Crawl, CrawlStep, CrawlTask
from weft.crawl.fish import fish, shark
from weft.crawl.focused import focused
from weft.crawl.infospiders import infospiders
from weft.crawl.intelligent import intelligent
from weft.crawl.ordered import backlink_count, breadth_first, location, pagerank
from weft.crawl.topic import CrawlTopic
from weft.crawl.web import Response, SimulatedWeb, Web

__all__ = [
    "Crawl",
    "CrawlStep",
    "CrawlTask",
    "CrawlTopic",
    "Response",
    "SimulatedWeb",
    "Web",
    "apprentice",
    "auto",
    "backlink_count",
    "best_first",
    "breadth_first",
    "context_graph",
    "fish",
    "focused",
    "infospiders",
    "intelligent",
    "location",
    "n_best",
    "pagerank",
    "shark",
]
