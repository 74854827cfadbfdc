"""The table of all API routes; those of methods follow from the register.

Parameters, response and summary of a route are those of its handler: the type
of its second argument, the type it returns, the first line of its docstring.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, get_args, get_type_hints

from weft.core.register import METHODS, Method, find_method
from weft.report.plots import PLOT_FUNCTIONS
from weft.report.plots.usage import USAGE_PLOT_FUNCTIONS
from weft.server import (
    classify,
    collection,
    crawls,
    curate,
    drawings,
    groups,
    methods,
    pages,
    rankings,
    structure,
    usage,
)
from weft.server.downloads import MEDIA_TYPES, Download
from weft.server.params import Params, params_for_method
from weft.server.schemas.responses import ApiResponse
from weft.server.session import Session

Handler = Callable[[Session, Any], ApiResponse | Download]

ROUTE_HANDLERS: dict[str, Handler] = {
    "collection": collection.get_collection,
    "collection/summary": collection.get_collection_summary,
    "hosts": collection.get_hosts,
    "search": pages.search_pages,
    "search/facets": pages.get_facets,
    "complete": pages.complete_name,
    "page": pages.get_page,
    "page/links": pages.get_page_links,
    "page/captures": pages.get_captures,
    "page/text": pages.get_page_text,
    "page/scores": rankings.get_page_scores,
    "page/known-for": pages.get_known_for,
    "compare": rankings.compare_rankings,
    "compare-sites": structure.compare_sites,
    "structure/counts": collection.get_graph_counts,
    "structure/overview": structure.get_structure,
    "graph/around": drawings.draw_neighbourhood,
    "graph/level": drawings.draw_most_linked_nodes,
    **collection.EXPORT_HANDLERS,
    "crawl": crawls.get_crawl,
    "crawl/picture": crawls.get_harvest_svg,
    "group-edits": groups.get_group_edits,
    "curate/tags": curate.get_tags,
    "curate/entities": curate.get_entities,
    "curate/candidates": curate.get_candidates,
    "curate/proposals": curate.get_proposals,
    "curate/effect": curate.get_tag_effect,
    "methods": methods.get_methods,
    "methods/card": methods.get_method_card,
}
QUICK_ROUTES = {
    "collection/summary",
    "search",
    "complete",
    "page",
    "page/captures",
    "page/text",
    "page/links",
    "methods",
    "methods/card",
    "crawl",
    "group-edits",
    "curate/tags",
    "curate/candidates",
}
GROUP_ROUTES: dict[str, Handler] = {
    "group": groups.get_group,
    "members": groups.get_group_members,
    "sites": groups.get_group_sites,
    "links": groups.get_group_links,
    "map": drawings.draw_group,
    "of": groups.get_membership,
}
METHOD_ROUTE_HANDLERS: dict[str, dict[str, Handler]] = {
    "rank": {"rank/{}": rankings.get_ranking, "why/{}": rankings.get_score_explanation},
    "topics": {
        "topics/{}": groups.get_topics,
        **{f"topics/{{}}/{name}": handler for name, handler in GROUP_ROUTES.items()},
        "topics/{}/report": groups.write_topic_report,
        "topics/{}/comparison": groups.compare_topics,
    },
    "structure": {"structure/{}": structure.get_structure},
    "communities": {
        "communities/{}": groups.get_communities,
        **{f"communities/{{}}/{name}": handler for name, handler in GROUP_ROUTES.items()},
        "communities/{}/agreement": groups.get_partition_agreement,
    },
    "similar": {"page/similar/{}": pages.find_similar_pages},
    "suggest": {"page/suggest/{}": pages.suggest_links},
    "classify": {"classify/{}": classify.classify_pages},
    "usage": {"usage/{}": usage.get_usage},
}
BOW_TIE_ROUTE_HANDLERS: dict[str, Handler] = {
    "structure/{}/why": structure.explain_region,
    "structure/{}/region": structure.get_region_pages,
}


@dataclass(frozen=True)
class Route:
    """A path below /api with its handler and what that takes and returns.

    A `quick` route has a worker of its own, and never waits for long jobs.
    `response_class` is None where a route returns files only. A route of a
    method takes its options besides `handler_params`.
    """

    path: str
    handler: Handler
    handler_params: type[Params]
    response_class: type[ApiResponse] | None
    summary: str
    tag: str
    quick: bool = False
    method: Method | None = None

    @cached_property
    def params_class(self) -> type[Params]:
        """What it takes; made on first use, since a worker uses few of hundreds of routes."""
        if self.method is None:
            return self.handler_params
        return params_for_method(self.handler_params, self.method)

    @classmethod
    def from_handler(cls, path: str, handler: Handler, method: Method | None = None) -> "Route":
        """A route of the table; that of a method has its options as parameters."""
        types = get_type_hints(handler)
        returned, handler_params = types.pop("return"), list(types.values())[1]
        responses = [each for each in get_args(returned) or (returned,) if each is not Download]
        summary = (handler.__doc__ or "").partition("\n")[0].removesuffix(".")
        if method is not None:
            path, summary = path.format(method.name), f"{method.name}: {summary}"
        return cls(
            path=path,
            handler=handler,
            handler_params=handler_params,
            response_class=responses[0] if responses else None,
            summary=summary,
            tag=path.partition("/")[0],
            quick=path in QUICK_ROUTES,
            method=method,
        )

    @property
    def verb(self) -> str:
        """The HTTP method: POST where a parameter is in the body."""
        return "POST" if self.params_class.body_field else "GET"

    @property
    def media_types(self) -> list[str]:
        """The media types of the files that it returns."""
        if self.response_class is None and "format" not in self.params_class.model_fields:
            return [MEDIA_TYPES["svg" if self.path.endswith("/picture") else "html"]]
        return [MEDIA_TYPES[name] for name in file_formats(self.params_class) if name != "json"]


def file_formats(params_class: type[Params]) -> list[str]:
    """The values of the parameter `format`, where there is one."""
    field = params_class.model_fields.get("format")
    parts = get_args(field.annotation) if field else ()
    return [name for part in parts for name in (get_args(part) or (part,))]


def _build_routes() -> Iterator[Route]:
    """The routes of the table, of every registered method, and of the default methods."""
    for path, handler in ROUTE_HANDLERS.items():
        yield Route.from_handler(path, handler)
    for _, method in sorted(METHODS.items()):
        for path, handler in METHOD_ROUTE_HANDLERS.get(method.kind, {}).items():
            yield Route.from_handler(path, handler, method)
        if method.kind == "structure" and method.name in PLOT_FUNCTIONS:
            yield Route.from_handler("structure/{}/picture", structure.get_plot_svg, method)
        if method.kind == "usage" and method.name in USAGE_PLOT_FUNCTIONS:
            yield Route.from_handler("usage/{}/picture", usage.get_usage_svg, method)
    bow_tie = find_method("structure", "bow-tie")
    for path, handler in BOW_TIE_ROUTE_HANDLERS.items():
        yield Route.from_handler(path, handler, bow_tie)
    defaults = collection.default_methods()
    for kind, name in (("similar", defaults.similar), ("suggest", defaults.suggest)):
        [(path, handler)] = METHOD_ROUTE_HANDLERS[kind].items()
        route = Route.from_handler(path, handler, find_method(kind, name))
        yield replace(route, path=f"page/{kind}")


ROUTES = {route.path: route for route in _build_routes()}
