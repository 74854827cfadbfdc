"""The table of all API routes; those of methods follow from the register."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from weft.core.register import METHODS, Method, find_method
from weft.graph.baseset.options import UNFILTERED_OPTIONS
from weft.report.plots import PLOT_FUNCTIONS
from weft.server import (
    collection,
    communities,
    compare_sites,
    drawings,
    methods,
    pages,
    params,
    rankings,
    similar,
    structure,
    topic_members,
    topics,
)
from weft.server.downloads import Download
from weft.server.params import Params, add_base_options, params_for_method
from weft.server.schemas.collection import (
    CollectionResponse,
    CollectionSummaryResponse,
    GraphCountsResponse,
    HostsResponse,
)
from weft.server.schemas.communities import (
    AgreementResponse,
    CommunitiesResponse,
    CommunityLinksResponse,
    CommunityResponse,
    PageCommunitiesResponse,
)
from weft.server.schemas.drawings import DrawingResponse
from weft.server.schemas.methods import MethodCardResponse, MethodsResponse
from weft.server.schemas.pages import (
    KnownForResponse,
    PageLinksResponse,
    PageResponse,
    SearchResponse,
)
from weft.server.schemas.rankings import (
    PageScoresResponse,
    RankingComparisonResponse,
    RankingResponse,
    ScoreExplanationResponse,
)
from weft.server.schemas.responses import ApiResponse
from weft.server.schemas.similar import SimilarPagesResponse, SuggestedLinksResponse
from weft.server.schemas.structure import PageRegionResponse, RegionPagesResponse, ShapeResponse
from weft.server.schemas.topics import (
    PageTopicsResponse,
    TopicMembersResponse,
    TopicResponse,
    TopicSitesResponse,
    TopicsResponse,
)
from weft.server.session import Session

Handler = Callable[[Session, Any], ApiResponse | Download]


@dataclass(frozen=True, slots=True)
class Route:
    """A path below /api with its parameters, handler and response.

    A `quick` route has a worker of its own, and never waits for long jobs.
    `file_suffix` is set where a route returns files of one type only.
    """

    path: str
    params_class: type[Params]
    handler: Handler
    response_class: type[ApiResponse] | None
    summary: str
    quick: bool = False
    tag: str = ""
    file_suffix: str = ""


RouteRow = tuple[str, type[Params], Handler, type[ApiResponse] | None]
FIXED_ROUTES: list[RouteRow] = [
    ("collection", params.NoParams, collection.get_collection, CollectionResponse),
    ("hosts", params.HostsParams, collection.get_hosts, HostsResponse),
    ("structure/counts", params.LevelParams, collection.get_graph_counts, GraphCountsResponse),
    ("structure/overview", params.StructureParams, structure.get_structure, ShapeResponse),
    ("compare-sites", params.CompareSitesParams, compare_sites.compare_sites, ShapeResponse),
    (
        "compare",
        add_base_options(params.RankingComparisonParams),
        rankings.compare_rankings,
        RankingComparisonResponse,
    ),
    (
        "page/scores",
        add_base_options(params.PageScoresParams),
        rankings.get_page_scores,
        PageScoresResponse,
    ),
    (
        "page/known-for",
        add_base_options(params.KnownForParams, UNFILTERED_OPTIONS),
        pages.get_known_for,
        KnownForResponse,
    ),
    (
        "graph/around",
        params.NeighbourhoodDrawingParams,
        drawings.draw_neighbourhood,
        DrawingResponse,
    ),
    ("graph/level", params.LevelDrawingParams, drawings.draw_most_linked_nodes, DrawingResponse),
    ("export/edges", params.ExportEdgesParams, collection.export_edges, None),
    ("export/pages", params.ExportPagesParams, collection.export_pages, None),
]
QUICK_ROUTES: list[RouteRow] = [
    (
        "collection/summary",
        params.NoParams,
        collection.get_collection_summary,
        CollectionSummaryResponse,
    ),
    ("search", params.SearchParams, pages.search_pages, SearchResponse),
    ("page", params.PageParams, pages.get_page, PageResponse),
    ("page/links", params.PageLinksParams, pages.get_page_links, PageLinksResponse),
    ("methods", params.NoParams, methods.get_methods, MethodsResponse),
    ("methods/card", params.MethodCardParams, methods.get_method_card, MethodCardResponse),
]
METHOD_ROUTES: dict[str, list[RouteRow]] = {
    "rank": [
        ("rank/{}", params.RankingParams, rankings.get_ranking, RankingResponse),
        (
            "why/{}",
            params.ScoreExplanationParams,
            rankings.get_score_explanation,
            ScoreExplanationResponse,
        ),
    ],
    "topics": [
        ("topics/{}", params.TopicsParams, topics.get_topics, TopicsResponse),
        ("topics/{}/topic", params.TopicParams, topics.get_topic, TopicResponse),
        (
            "topics/{}/members",
            params.TopicMembersParams,
            topic_members.get_topic_members,
            TopicMembersResponse,
        ),
        (
            "topics/{}/sites",
            params.TopicRowsParams,
            topic_members.get_topic_sites,
            TopicSitesResponse,
        ),
        ("topics/{}/map", params.TopicDrawingParams, drawings.draw_topic, DrawingResponse),
        ("topics/{}/report", params.TopicReportParams, topics.write_topic_report, None),
        ("topics/{}/of", params.PageTopicsParams, topics.get_page_topics, PageTopicsResponse),
    ],
    "structure": [
        ("structure/{}", params.StructureParams, structure.get_structure, ShapeResponse),
    ],
    "communities": [
        (
            "communities/{}",
            params.CommunitiesParams,
            communities.get_communities,
            CommunitiesResponse,
        ),
        (
            "communities/{}/community",
            params.CommunityParams,
            communities.get_community,
            CommunityResponse,
        ),
        (
            "communities/{}/map",
            params.CommunityDrawingParams,
            drawings.draw_community,
            DrawingResponse,
        ),
        (
            "communities/{}/of",
            params.PageCommunitiesParams,
            communities.get_page_communities,
            PageCommunitiesResponse,
        ),
        (
            "communities/{}/links",
            params.CommunityLinksParams,
            communities.get_links_between_communities,
            CommunityLinksResponse,
        ),
        (
            "communities/{}/agreement",
            params.AgreementParams,
            communities.get_partition_agreement,
            AgreementResponse,
        ),
    ],
    "similar": [
        (
            "page/similar/{}",
            params.SimilarPagesParams,
            similar.find_similar_pages,
            SimilarPagesResponse,
        )
    ],
    "suggest": [
        (
            "page/suggest/{}",
            params.SuggestedLinksParams,
            similar.suggest_links,
            SuggestedLinksResponse,
        )
    ],
}
PICTURE_ROUTE: RouteRow = (
    "structure/{}/picture",
    params.PictureParams,
    structure.get_plot_svg,
    None,
)
BOW_TIE_ROUTES: list[RouteRow] = [
    ("structure/{}/why", params.PageRegionParams, structure.explain_region, PageRegionResponse),
    (
        "structure/{}/region",
        params.RegionPagesParams,
        structure.get_region_pages,
        RegionPagesResponse,
    ),
]
FILE_SUFFIXES = {"topics/{}/report": "html", PICTURE_ROUTE[0]: "svg"}


def _fixed_routes() -> Iterator[Route]:
    """The routes that do not depend on a method."""
    for quick, rows in ((False, FIXED_ROUTES), (True, QUICK_ROUTES)):
        for path, params_class, handler, response_class in rows:
            summary, tag = _first_doc_line(handler), path.partition("/")[0]
            yield Route(path, params_class, handler, response_class, summary, quick=quick, tag=tag)


def _method_routes() -> Iterator[Route]:
    """The routes of every registered method, and those of the default methods by kind."""
    for method in METHODS.values():
        for row in METHOD_ROUTES.get(method.kind, ()):
            yield _method_route(method, row)
        if method.kind == "structure" and method.name in PLOT_FUNCTIONS:
            yield _method_route(method, PICTURE_ROUTE)
    for row in BOW_TIE_ROUTES:
        yield _method_route(find_method("structure", "bow-tie"), row)
    defaults = collection.default_methods()
    for kind, name in (("similar", defaults.similar), ("suggest", defaults.suggest)):
        yield replace(
            _method_route(find_method(kind, name), METHOD_ROUTES[kind][0]), path=f"page/{kind}"
        )


def _method_route(method: Method, row: RouteRow) -> Route:
    """A row of the table for one method, with its options as parameters."""
    template, params_class, handler, response_class = row
    return Route(
        template.format(method.name),
        params_for_method(params_class, method),
        handler,
        response_class,
        f"{method.name}: {_first_doc_line(handler)}",
        tag=template.partition("/")[0],
        file_suffix=FILE_SUFFIXES.get(template, ""),
    )


def _first_doc_line(function: Callable[..., Any]) -> str:
    return (function.__doc__ or "").partition("\n")[0].removesuffix(".")


ROUTES = {route.path: route for route in (*_fixed_routes(), *_method_routes())}
