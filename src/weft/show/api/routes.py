"""Every question that the server answers; those to methods follow from the register."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from weft.core.methods import METHODS, Method, find
from weft.graph.options import UNFILTERED
from weft.run.plots import DRAWN
from weft.show.api import (
    across,
    asks,
    cards,
    drawings,
    facts,
    findings,
    members,
    nearby,
    page,
    questions,
    rankings,
    shapes,
    sites,
    structure,
    surveyed,
    topics,
)
from weft.show.api import communities as groups
from weft.show.api.asks import Ask, for_method, with_base
from weft.show.api.desk import Desk
from weft.show.api.files import File


@dataclass(frozen=True, slots=True)
class Route:
    """A path below /api, what it takes and gives, and who answers it.

    A `quick` one is answered at a desk of its own, and never waits for long
    work. `ending` is that of the file, where a route gives files of one kind.
    """

    path: str
    asks: type[Ask]
    answer: Callable[[Desk, Any], shapes.Answer | File]
    gives: type[shapes.Answer] | None
    summary: str
    quick: bool = False
    group: str = ""
    ending: str = ""


Row = tuple[str, type[Ask], Callable[[Desk, Any], shapes.Answer | File], Any]


def _line(function: Callable[..., Any]) -> str:
    return (function.__doc__ or "").partition("\n")[0].removesuffix(".")


def _fixed() -> Iterator[Route]:
    plain: list[Row] = [
        ("collection", asks.Nothing, facts.collection, shapes.CollectionFacts),
        ("hosts", asks.Hosts, facts.hosts, shapes.Hosts),
        ("structure/ends", asks.AtSomeLevel, facts.ends, shapes.LooseEnds),
        ("structure/overview", questions.Described, structure.structure, surveyed.ShapeFound),
        ("compare-sites", questions.Sites, sites.compare_sites, surveyed.ShapeFound),
        ("compare", with_base(asks.Compare), rankings.compare, findings.Compared),
        ("page/scores", with_base(asks.Scores), rankings.scores, findings.PageScores),
        ("page/known-for", with_base(asks.Fame, UNFILTERED), page.known_for, shapes.KnownFor),
        ("graph/around", asks.Around, drawings.around, shapes.Drawing),
        ("graph/level", asks.Map, drawings.level, shapes.Drawing),
        ("export/edges", asks.ExportEdges, facts.edges, None),
        ("export/pages", asks.ExportPages, facts.pages, None),
    ]
    for path, asked, answer, gives in plain:
        yield Route(path, asked, answer, gives, _line(answer), group=path.partition("/")[0])
    quick: list[Row] = [
        ("collection/brief", asks.Nothing, facts.brief, shapes.CollectionBrief),
        ("search", asks.Search, page.search, shapes.Found),
        ("page", asks.Page, page.page, shapes.PageFacts),
        ("page/links", asks.Links, page.links, shapes.PageLinks),
        ("methods", asks.Nothing, cards.methods, shapes.Methods),
        ("methods/card", asks.MethodCard, cards.card, shapes.Card),
    ]
    for path, asked, answer, gives in quick:
        group = path.partition("/")[0]
        yield Route(path, asked, answer, gives, _line(answer), quick=True, group=group)


def _of_methods() -> Iterator[Route]:
    """What each method answers, in all the forms it comes in."""
    for method in METHODS.values():
        for row in FORMS.get(method.kind, ()):
            yield _of(method, row)
        if method.kind == "structure" and method.name in DRAWN:
            yield _of(method, PICTURE)
    for row in BOW_TIE:
        yield _of(find("structure", "bow-tie"), row)
    usual = facts.defaults()
    for kind, name in (("similar", usual.similar), ("suggest", usual.suggest)):
        yield replace(_of(find(kind, name), FORMS[kind][0]), path=f"page/{kind}")


def _of(method: Method, row: Row) -> Route:
    """What a method answers in a form."""
    form, asked, answer, gives = row
    own, summary = for_method(asked, method), f"{method.name}: {_line(answer)}"
    group, ending = form.partition("/")[0], ENDINGS.get(form, "")
    path = form.format(method.name)
    return Route(path, own, answer, gives, summary, group=group, ending=ending)


FORMS: dict[str, list[Row]] = {
    "rank": [
        ("rank/{}", asks.Rank, rankings.rank, findings.RankingFound),
        ("why/{}", asks.Why, rankings.why, findings.Explained),
    ],
    "topics": [
        ("topics/{}", asks.Topics, topics.topics, findings.TopicsFound),
        ("topics/{}/topic", asks.OneTopic, topics.one_topic, findings.TopicFound),
        ("topics/{}/members", asks.Members, members.members, findings.TopicMembers),
        ("topics/{}/sites", asks.TopicPart, members.sites, findings.TopicSites),
        ("topics/{}/map", asks.TopicMap, drawings.topic, shapes.Drawing),
        ("topics/{}/report", asks.Report, topics.written, None),
        ("topics/{}/of", asks.TopicsOf, topics.of_page, findings.TopicsOfPage),
    ],
    "structure": [
        ("structure/{}", questions.Described, structure.structure, surveyed.ShapeFound),
    ],
    "communities": [
        ("communities/{}", questions.Groups, groups.communities, surveyed.CommunitiesFound),
        ("communities/{}/community", questions.OneGroup, groups.one, surveyed.CommunityFound),
        ("communities/{}/map", questions.GroupMap, drawings.community, shapes.Drawing),
        ("communities/{}/of", questions.PageGroups, groups.of_page, surveyed.CommunitiesOfPage),
        ("communities/{}/links", questions.GroupLinks, across.links, surveyed.CommunityLinks),
        ("communities/{}/agreement", questions.Agreeing, across.agree, surveyed.AgreementFound),
    ],
    "similar": [("page/similar/{}", questions.Nearby, nearby.similar, surveyed.SimilarFound)],
    "suggest": [("page/suggest/{}", questions.Missing, nearby.suggest, surveyed.SuggestionsFound)],
}
PICTURE: Row = ("structure/{}/picture", questions.Pictured, structure.picture, None)
BOW_TIE: list[Row] = [
    ("structure/{}/why", questions.Placed, structure.why, surveyed.PlaceFound),
    ("structure/{}/region", questions.Region, structure.region, surveyed.RegionFound),
]
ENDINGS = {"topics/{}/report": "html", PICTURE[0]: "svg"}
ROUTES = {route.path: route for route in (*_fixed(), *_of_methods())}
