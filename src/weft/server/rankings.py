"""Handlers for rankings: a ranking, a comparison of methods, the scores of a page."""

from typing import Annotated, Any

import pyarrow.compute as pc
from pydantic import Field

from weft.core.arrays import count_better
from weft.core.json import to_json_value
from weft.graph.selection import Level
from weft.graph.webgraph import to_name_array
from weft.rank import compare
from weft.rank.ranking import Ranking
from weft.server.downloads import Download, table_download
from weft.server.params import (
    EMPTY_LIST,
    MAX_ROWS,
    RankingParams,
    RankMethod,
    ScoreName,
    Top,
    Url,
    ViewParams,
)
from weft.server.schemas.responses import ApiResponse, Exclusion, PageRef, Schema, TraceSchema
from weft.server.session import Session, options_key
from weft.workspace.explain import GroupBy, explain_score
from weft.workspace.workspace import DEFAULT_METHODS


class ScoreExplanationParams(ViewParams):
    """The page whose score is explained."""

    url: Url
    by: ScoreName = ""
    group: Annotated[
        GroupBy, Field(description="sum by linking page, its site, or anchor text")
    ] = "page"
    top: Top = 20


RankMethods = Annotated[
    list[RankMethod], Field(max_length=10, description="methods; none: the default ones")
]


class RankingComparisonParams(ViewParams):
    """The methods to compare."""

    method: RankMethods = EMPTY_LIST
    by: ScoreName = ""
    top: Annotated[int, Field(ge=1, le=MAX_ROWS, description="k of the top-k measures")] = 10


class PageScoresParams(ViewParams):
    """A page, and the methods that score it."""

    url: Url
    method: RankMethods = EMPTY_LIST


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


def get_ranking(session: Session, params: RankingParams) -> RankingResponse | Download:
    """Pages, hosts or domains ranked by a method."""
    ranking = compute_ranking(session, params, params.method_name, params.option_values)
    if params.format != "json":
        table = ranking.to_table(params.by)
        return table_download(table, session.temp_path(params.format), f"rank-{params.method_name}")
    document = ranking.to_document(params.by, offset=params.offset, top=params.top)
    return session.respond(RankingResponse, document)


def compute_ranking(
    session: Session, params: ViewParams, method: str, options: dict[str, Any]
) -> Ranking:
    """The ranking of a view by a method, cached."""
    key = ("rank", method, params.selection, options_key(options))
    return session.get_or_compute(
        key, lambda: session.workspace.rank(method, params.selection, **options)
    )


def compare_rankings(
    session: Session, params: RankingComparisonParams
) -> RankingComparisonResponse:
    """Compare the rankings of several methods, and list where they disagree."""
    names = list(dict.fromkeys(params.method or DEFAULT_METHODS))
    comparison = compare(
        [compute_ranking(session, params, name, {}) for name in names], by=params.by, top=params.top
    )
    return session.respond(RankingComparisonResponse, comparison.to_document(params.top))


def get_page_scores(session: Session, params: PageScoresParams) -> PageScoresResponse:
    """A page's scores and places by several methods; those that do not rank it are left out."""
    page, rows = session.resolve_name(params.url, params.level), []
    for method in dict.fromkeys(params.method or DEFAULT_METHODS):
        ranking = compute_ranking(session, params, method, {})
        number = int(pc.index(to_name_array(ranking.pages), page).as_py())
        for by in ranking.scores if number >= 0 else ():
            values = ranking.score(by)
            place = count_better(values, number) + 1
            score = to_json_value(float(values[number]))
            rows.append(
                MethodScore(
                    method=method, by=by, score=score, place=place, ranked_pages=len(ranking)
                )
            )
    return PageScoresResponse(snapshot=session.snapshot_number, page=page, rows=rows)


def get_score_explanation(
    session: Session, params: ScoreExplanationParams
) -> ScoreExplanationResponse:
    """The contributions of links to the score of a page."""
    page = session.resolve_name(params.url, params.level)
    explanation = explain_score(
        session.collection,
        compute_ranking(session, params, params.method_name, params.option_values),
        page,
        params.by,
    )
    document = explanation.to_document(params.group, params.top)
    return session.respond(ScoreExplanationResponse, document)
