"""The dimensions by which hyperlink analyses are classified, and what they are for.

After Desikan, Srivastava, Kumar and Tan (2002): their sections on knowledge
models, metrics, algorithms, analysis scope and applications give the terms.
"""

from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

Model = Literal[
    "single node",
    "hubs and authorities",
    "direct and indirect reference",
    "co-citation and co-reference",
    "bipartite core",
    "community",
    "whole graph",
    "Markov model",
    "maximal flow",
    "probabilistic model",
    "vector space",
]
Metric = Literal[
    "in-degree",
    "hub and authority scores",
    "PageRank",
    "page reputation",
    "distance between pages",
    "bibliometric measures",
    "similarity",
    "term weights",
    "density of links",
    "likelihood",
    "whole-graph properties",
]
Algorithm = Literal[
    "counting",
    "HITS",
    "PageRank",
    "eigenvectors",
    "graph traversal",
    "best-first search",
    "maximal flow",
    "expectation-maximisation",
    "sampling",
    "clustering",
    "enumeration",
    "keyword propagation",
    "cosine similarity",
    "rank fusion",
    "distribution fitting",
]
Scope = Literal["single page", "multiple pages", "whole web"]
Application = Literal[
    "web search",
    "topic distillation",
    "page categorisation",
    "web communities",
    "web crawling",
    "personalisation",
    "page recommendation",
    "link prediction",
    "adaptive web sites",
    "modelling the web graph",
]
Data = Literal["links", "links and content", "links and document structure", "content"]
Dimension = Literal["model", "metric", "algorithm", "scope", "data", "application"]

VALUES: dict[Dimension, tuple[str, ...]] = {
    "model": get_args(Model),
    "metric": get_args(Metric),
    "algorithm": get_args(Algorithm),
    "scope": get_args(Scope),
    "data": get_args(Data),
    "application": get_args(Application),
}
TITLES: dict[Dimension, str] = {
    "model": "Knowledge model",
    "metric": "Metric",
    "algorithm": "Algorithm",
    "scope": "Analysis scope",
    "data": "Data",
    "application": "Application",
}


@dataclass(frozen=True, slots=True)
class Dimensions:
    """What a method stands on, what it measures and how, of what, what for, and from which data."""

    model: Model
    metric: Metric
    algorithm: Algorithm
    scope: Scope
    applications: tuple[Application, ...]
    data: Data = "links"

    def __post_init__(self) -> None:
        for dimension, known in VALUES.items():
            values = self.along(dimension)
            unknown = [value for value in values if value not in known]
            if unknown or not values:
                wrong = unknown[0] if unknown else "nothing"
                raise ValueError(f"{wrong!r} is no {dimension}; choose from {', '.join(known)}")

    def along(self, dimension: Dimension) -> tuple[str, ...]:
        """The values in a dimension: one, or of applications one or more."""
        return self.applications if dimension == "application" else (getattr(self, dimension),)

    def row(self) -> dict[str, Any]:
        """Every dimension by its name."""
        return {**asdict(self), "applications": list(self.applications)}
