"""Find the links that a page lacks, once it is said how links are scored."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from weft.core.arrays import Flags, Floats, Ids
from weft.core.wording import count
from weft.graph.alike import best_of
from weft.suggest.around import Around
from weft.suggest.copies import not_copies
from weft.suggest.reasons import anchors_for, reasons
from weft.suggest.scores import Question, Way
from weft.suggest.suggestion import Suggestion, Suggestions
from weft.suggest.unmeant import carried, known, paid

Page = Annotated[str, Field(description="the page whose missing links are wanted, by its name")]
Direction = Annotated[
    Literal["both", "to", "from"],
    Field(description="links that it should have to others, from others, or both"),
]
Undirected = Annotated[bool, Field(description="count every link in both directions")]
SameSite = Annotated[bool, Field(description="suggest pages of the same site alone")]
Top = Annotated[int, Field(ge=1, le=1_000, description="how many links to suggest each way")]
Score = Callable[[Question], Floats]
RRF = 60
SPARE = 3
STOPPED = "on the stop-list left out"
PAID = "left out, as a third of the links there or more are marked nofollow or sponsored"
CARRIED = "left out for standing in the menus or footers of most sites that link there"
KNOWN = "left out that a quarter of all sites link to"
REFUSED: dict[str, Callable[[Around, Ids], Flags]] = {
    STOPPED: lambda around, pages: around.stopped(pages),
    PAID: paid,
    CARRIED: carried,
    KNOWN: known,
}
BOTH_WAYS = (STOPPED, PAID)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """What is asked: which page, which way, among which pages, and how many links."""

    page: Page = ""
    direction: Direction = "both"
    undirected: Undirected = False
    same_site: SameSite = False
    top: Top = 10

    @property
    def ways(self) -> tuple[Way, ...]:
        """The ways to look."""
        return ("to", "from") if self.direction == "both" else (self.direction,)


def missing(
    around: Around,
    name: str,
    ask: Ask,
    scores: Mapping[str, Score],
    fused: tuple[str, ...] = (),
    notes: tuple[str, ...] = (),
) -> Suggestions:
    """The links that a page lacks, by the one score, or by the places that several give."""
    if not ask.page:
        return Suggestions(name, "", notes=("no page was asked about",))
    page, told = around.number(ask.page), list(notes)
    found: dict[Way, tuple[Suggestion, ...]] = {}
    for way in ask.ways:
        question = Question(around, page, way, ask.undirected)
        open_ = _open(question, ask)
        ordering = fused or tuple(scores)
        each = {method: scores[method](question) * open_ for method in ordering}
        total = fuse(list(each.values())) if fused else next(iter(each.values()))
        best, refused = _wanted(around, total, way, ask.top)
        linked = np.concatenate([[page], question.links]).astype(np.int32)
        chosen = not_copies(around, linked, best, ask.top)
        shown = replace(question, alone=chosen)
        each = {name: each[name] if name in each else scores[name](shown) for name in scores}
        found[way] = tuple(_suggestions(question, chosen, total, each))
        told += [f"{way}: {count(many, 'page')} {why}" for why, many in refused.items()]
        if len(chosen) < min(ask.top, len(best)):
            told.append(f"{way}: {count(len(best) - len(chosen), 'copy')} of other pages left out")
    return Suggestions(name, ask.page, found.get("to", ()), found.get("from", ()), tuple(told))


def _wanted(around: Around, total: Floats, way: Way, top: int) -> tuple[Ids, dict[str, int]]:
    """The best pages but for those that nobody means, with some to spare, and how many went why."""
    most = SPARE * top
    while True:
        best = best_of(total, most).astype(np.int32)
        kept, told = np.ones(len(best), bool), dict[str, int]()
        for why, refused in REFUSED.items():
            if way == "to" or why in BOTH_WAYS:
                gone = kept & refused(around, best)
                kept &= ~gone
                told |= {why: int(gone.sum())} if gone.any() else {}
        if kept.sum() >= top or len(best) < most:
            return best[kept], told
        most *= 2


def _open(question: Question, ask: Ask) -> Flags:
    """The pages that a link might lead to or come from."""
    found = question.open()
    if ask.same_site:
        sites = question.around.sites
        found &= sites == sites[question.page]
    return found


def fuse(scores: list[Floats]) -> Floats:
    """Reciprocal rank fusion: one over sixty and the place, summed; equal scores share a place."""
    total = np.zeros(len(scores[0]))
    for values in scores:
        some = np.flatnonzero(values > 0)
        falling = some[np.argsort(-values[some])]
        first = np.diff(values[falling], prepend=np.inf) != 0
        place = np.maximum.accumulate(np.where(first, np.arange(1, len(some) + 1), 1))
        total[falling] += 1 / (RRF + place)
    return total


def _suggestions(
    question: Question, chosen: Ids, total: Floats, each: Mapping[str, Floats]
) -> list[Suggestion]:
    around = question.around
    titles, kinds = around.titles(chosen), around.kinds(chosen)
    own = np.array([question.page], np.int32)
    anchors = anchors_for(around, chosen if question.way == "to" else own)
    made = []
    for k, reason in enumerate(reasons(question, chosen)):
        page = int(chosen[k])
        made.append(
            Suggestion(
                around.graph.pages[page],
                titles[k],
                kinds[k],
                question.way,
                float(total[page]),
                {method: float(values[page]) for method, values in each.items()},
                reason.between,
                reason.peers,
                reason.told,
                reason.witnesses,
                reason.words,
                *anchors[k if question.way == "to" else 0],
            )
        )
    return made
