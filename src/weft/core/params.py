"""Options that several methods share: each name, range and description, once."""

from typing import Annotated, Literal

from pydantic import Field

Weighted = Annotated[bool, Field(description="use link weights")]
Damping = Annotated[
    float, Field(gt=0, lt=1, description="damping factor: probability of following a link")
]
Tol = Annotated[float, Field(gt=0, lt=1, description="stop when the scores change by less")]
MaxIter = Annotated[int, Field(ge=1, le=1_000_000, description="maximum number of iterations")]
Top = Annotated[int, Field(ge=1, description="how many top-ranked pages")]
Seed = Annotated[int, Field(ge=0, description="seed of the random generator")]
VectorPairs = Annotated[int, Field(ge=1, le=100, description="how many pairs of singular vectors")]
Factors = Annotated[int, Field(ge=1, le=1000, description="how many latent factors")]
Restarts = Annotated[
    int, Field(ge=1, le=1000, description="how many random starts; the best one is kept")
]
Dangling = Literal["teleport", "uniform", "self", "leak"]
DanglingRule = Annotated[
    Dangling,
    Field(
        description="dangling pages: jump as by teleport, jump to any page, stay (self) or lose "
        "the score (leak)"
    ),
]
SimilarityMeasure = Literal["count", "cosine", "jaccard", "min", "max", "out-normalised", "lift"]
Similarity = Annotated[
    SimilarityMeasure,
    Field(
        description="similarity of two pages by their shared neighbours; "
        "formulas: `weft methods patterns`"
    ),
]
VoteUnit = Literal["page", "site"]
CountVotesBy = Annotated[
    VoteUnit, Field(description="count shared neighbours by page, or once for each site")
]
MaxDegree = Annotated[int, Field(ge=1, description="ignore shared neighbours with more links")]
InformationNeed = Annotated[str, Field(description="what users look for, in a few words")]
ScentSource = Annotated[
    str, Field(description="page where all users start; default: where sessions begin, or home")
]
ScentTargets = Annotated[list[str], Field(description="pages that answer the need; repeatable")]
ShareGoingOn = Annotated[
    float, Field(ge=0, lt=1, description="share of users who go on after each page")
]
ScentFloor = Annotated[float, Field(ge=0, description="scent of a link that does not smell")]
ViewedPath = Annotated[
    list[str],
    Field(
        description="pages viewed so far, first one first; none: where sessions begin; repeatable"
    ),
]
SkipSeen = Annotated[bool, Field(description="leave out the pages of the path")]
MaxRunLength = Annotated[int, Field(ge=2, le=100, description="maximum number of pages in a run")]
