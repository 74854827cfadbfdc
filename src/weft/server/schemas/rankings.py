"""Responses about rankings: rows, comparisons of methods, scores of a page."""

from typing import Any

from pydantic import Field

from weft.graph.baseset.options import Level
from weft.server.schemas.responses import ApiResponse, Exclusion, PageRef, Schema, TraceSchema


class RankingRow(PageRef):
    """A page with its place and scores."""

    place: int
    scores: dict[str, float | None]


class CertaintySchema(Schema):
    """Whether the solution is unique; unknown numbers are null."""

    unique: bool
    components: int
    multiplicity: int
    gap: float | None
    note: str


class RankingResponse(ApiResponse):
    """A slice of a ranking."""

    method: str
    level: Level
    query: str
    options: dict[str, Any]
    by: str = Field(description="the score that orders the rows")
    scores: list[str]
    total: int
    offset: int
    rows: list[RankingRow]
    trace: TraceSchema
    certainty: CertaintySchema
    left_out: list[Exclusion]
    provenance: dict[str, Any]


class RankingPair(Schema):
    """Rank correlations and top-k overlaps of two rankings."""

    first: str
    second: str
    tau_b: float | None
    weak_distance: float | None
    strict_distance: float | None
    top: int
    overlap: float | None
    jaccard: float | None
    cut_tie: bool
    rbo: float | None
    rbo_min: float | None
    geometric: float | None


class Disagreement(PageRef):
    """A page on which rankings disagree, with its place in each.

    Tied pages share the best of their places; `log2_ratio` compares the
    midranks: log2 of the worst over the best.
    """

    log2_ratio: float
    places: dict[str, int]
    tied_pages: dict[str, int] = Field(description="pages at that place, this one included")


class RankingComparisonResponse(ApiResponse):
    """Several rankings compared; `matrix` holds Kendall's tau-b in the order of `methods`."""

    methods: list[str]
    level: Level
    query: str
    pages: int
    left_out: dict[str, int]
    not_converged: list[str]
    matrix: list[list[float | None]]
    pairs: list[RankingPair]
    disagreements: list[Disagreement]


class MethodScore(Schema):
    """A page's score by a method, and its place among all ranked pages."""

    method: str
    by: str
    score: float | None
    place: int
    ranked_pages: int


class PageScoresResponse(ApiResponse):
    """A page's scores by several methods; methods that do not rank it are missing."""

    page: str
    rows: list[MethodScore]


class ScoreContribution(Schema):
    """The contribution of a page, a site or an anchor text; other sources are in brackets."""

    source: str
    pages: int
    amount: float | None
    share: float | None


class ScoreExplanationResponse(ApiResponse):
    """Contributions to a score: the amounts of `rows` and the `remainder` add up to it."""

    page: str
    method: str
    by: str
    score: float | None
    place: int
    ranked_pages: int
    total: int
    remainder: float
    rows: list[ScoreContribution]
