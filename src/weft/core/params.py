"""The shared vocabulary of parameters: each name, range and meaning, once."""

from typing import Annotated, Literal

from pydantic import Field

Weighted = Annotated[bool, Field(description="count links by their weight")]
Follow = Annotated[
    float, Field(gt=0, lt=1, description="probability of following a link; else the reader jumps")
]
Tolerance = Annotated[float, Field(gt=0, lt=1, description="stop when scores change by less")]
Limit = Annotated[int, Field(ge=1, le=1_000_000, description="stop after so many rounds")]
Top = Annotated[int, Field(ge=1, description="how many first places")]
Seed = Annotated[int, Field(ge=0, description="seed of random choices")]
Vectors = Annotated[int, Field(ge=1, le=100, description="how many pairs of singular vectors")]
Factors = Annotated[int, Field(ge=1, le=1000, description="how many factors")]
Restarts = Annotated[int, Field(ge=1, le=1000, description="how many random starts; the best wins")]
Dangling = Literal["teleport", "uniform", "self", "leak"]
DanglingRule = Annotated[
    Dangling,
    Field(
        description="where a reader goes from a page without links: where jumps go, to any page, "
        "nowhere (self), or lost (leak)"
    ),
]
Strength = Literal["count", "cosine", "jaccard", "min", "max", "out-normalised", "lift"]
HowStrong = Annotated[
    Strength,
    Field(
        description="how strong it is to share pages: their number, the cosine, their share of all "
        "(jaccard), of the larger side (min) or the smaller (max), their number with each counting "
        "the less the more links it has (out-normalised), or how many times chance (lift)"
    ),
]
Vote = Literal["page", "site"]
Votes = Annotated[
    Vote, Field(description="count shared pages one by one, or those of one site once")
]
Cap = Annotated[int, Field(ge=1, description="shared pages with more links than this do not count")]
