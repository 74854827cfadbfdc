"""Every question that the server answers; those to methods follow from the register."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from weft.core.methods import METHODS
from weft.show.api import asks, cards, drawings, facts, findings, page, rankings, shapes, topics
from weft.show.api.asks import Ask, for_method
from weft.show.api.desk import Desk
from weft.show.api.files import File


@dataclass(frozen=True, slots=True)
class Route:
    """A path below /api, what it takes and gives, and who answers it.

    A `quick` one is answered at a desk of its own, and never waits for long
    work.
    """

    path: str
    asks: type[Ask]
    answer: Callable[[Desk, Any], shapes.Answer | File]
    gives: type[shapes.Answer] | None
    summary: str
    quick: bool = False
    group: str = ""


Row = tuple[str, type[Ask], Callable[[Desk, Any], shapes.Answer | File], Any]


def _line(function: Callable[..., Any]) -> str:
    return (function.__doc__ or "").partition("\n")[0].removesuffix(".")


def _fixed() -> Iterator[Route]:
    plain: list[Row] = [
        ("collection", asks.Nothing, facts.collection, shapes.CollectionFacts),
        ("hosts", asks.Paged, facts.hosts, shapes.Hosts),
        ("structure", asks.AtSomeLevel, facts.structure, shapes.Structure),
        ("compare", asks.Compare, rankings.compare, findings.Compared),
        ("page/scores", asks.Scores, rankings.scores, findings.PageScores),
        ("page/similar", asks.Likeness, page.similar, shapes.Similar),
        ("page/known-for", asks.Fame, page.known_for, shapes.KnownFor),
        ("graph/around", asks.Around, drawings.around, shapes.Drawing),
        ("graph/level", asks.Map, drawings.level, shapes.Drawing),
        ("export/edges", asks.ExportEdges, facts.edges, None),
        ("export/pages", asks.ExportPages, facts.pages, None),
    ]
    for path, asked, answer, gives in plain:
        yield Route(path, asked, answer, gives, _line(answer), group=path.partition("/")[0])
    quick: list[Row] = [
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
    """What each method answers: a ranking and why, or topics in all the forms they come in."""
    forms: dict[str, list[Row]] = {
        "rank": [
            ("rank/{}", asks.Rank, rankings.rank, findings.RankingFound),
            ("why/{}", asks.Why, rankings.why, findings.Explained),
        ],
        "topics": [
            ("topics/{}", asks.Topics, topics.topics, findings.TopicsFound),
            ("topics/{}/topic", asks.OneTopic, topics.one_topic, findings.TopicFound),
            ("topics/{}/map", asks.TopicMap, drawings.topic, shapes.Drawing),
            ("topics/{}/report", asks.Report, topics.written, None),
            ("topics/{}/of", asks.TopicsOf, topics.of_page, findings.TopicsOfPage),
        ],
    }
    for method in METHODS.values():
        for path, asked, answer, gives in forms.get(method.kind, ()):
            own, summary = for_method(asked, method), f"{method.name}: {_line(answer)}"
            group = path.partition("/")[0]
            yield Route(path.format(method.name), own, answer, gives, summary, group=group)


ROUTES = {route.path: route for route in (*_fixed(), *_of_methods())}
