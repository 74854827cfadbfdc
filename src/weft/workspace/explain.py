"""Explain the score of a page by the links that contribute to it."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import round_significant
from weft.core.errors import BadParameter, WeftError
from weft.core.json import JsonObject, to_json_value
from weft.core.register import validate_call
from weft.core.tables import Tabular
from weft.gather.url import site
from weft.graph.baseset.baseset import BaseSet
from weft.graph.baseset.expand import build_query_base_set
from weft.graph.link_facts import neighbour_table
from weft.graph.selection import UNFILTERED_SELECTION, LinkDirection, Selection
from weft.graph.webgraph import to_name_array
from weft.rank.ranking import Ranking, ScoreBreakdown
from weft.store.collection import Collection
from weft.workspace.analyse import reject_unused_words

GroupBy = Literal["page", "site", "anchor"]
NO_ANCHOR_TEXT = "(no words)"
# Options without effect on the base set around a page, which has two steps and all links.
UNUSED_AROUND_PAGE = frozenset({"root_size", "roots", "steps", "between"})
AnchorsByPage = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True, eq=False)
class Explanation(Tabular):
    """The contributions to a page's score, by linking page, by site or by anchor text.

    `rank` is the page's rank among `page_count` pages; ties share the best.
    """

    breakdown: ScoreBreakdown
    method: str
    score_name: str
    rank: int
    page_count: int
    read_anchors: Callable[[], AnchorsByPage] | None = field(default=None, repr=False)
    provenance: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @validate_call
    def table(self, group_by: GroupBy = "page") -> pa.Table:
        """The contribution of each page, site or anchor, and of other sources; they sum up."""
        if group_by == "anchor":
            return self.breakdown.group_by(self._anchor_lookup())
        return self.breakdown.group_by(
            (lambda name: [site(name)]) if group_by == "site" else lambda n: [n]
        )

    def _anchor_lookup(self) -> Callable[[str], Sequence[str]]:
        if self.read_anchors is None:
            raise BadParameter("links between hosts or domains have no anchors", hint="give a page")
        anchors = self.read_anchors()
        return lambda name: anchors.get(name) or [NO_ANCHOR_TEXT]

    def to_table(self) -> pa.Table:
        """The contribution of each page, and of other sources."""
        return self.table()

    def to_document(self, group_by: GroupBy = "page", top: int | None = None) -> JsonObject:
        """The one JSON of it: the score, its first contributions, and the sum of the others."""
        rows = self.table(group_by).rename_columns({"from": "source"}).to_pylist()
        shown, others = rows[:top], rows[len(rows[:top]) :]
        document: JsonObject = to_json_value(
            {
                "page": self.breakdown.page,
                "method": self.method,
                "by": self.score_name,
                "score": self.breakdown.score,
                "place": self.rank,
                "ranked_pages": self.page_count,
                "total": len(rows),
                "remainder": float(sum(row["amount"] for row in others)),
                "rows": shown,
            }
        )
        return document

    def __repr__(self) -> str:
        return (
            f"<{self.breakdown.page} scores {self.breakdown.score:.4g} by {self.method}, "
            f"place {self.rank:,} of {self.page_count:,}>"
        )


def explain_score(collection: Collection, ranking: Ranking, page: str, by: str = "") -> Explanation:
    """Break down the score of a page, which is given by its name in the ranking."""
    number = int(pc.index(to_name_array(ranking.pages), page).as_py())
    if number < 0:
        raise WeftError(
            f"{page} is not among the {len(ranking):,} ranked",
            hint="omit the query or what is excluded, or check the level",
        )
    breakdown = ranking.explain(page, by)
    scores = round_significant(ranking.score(by))
    rank = int(np.sum(scores > scores[number])) + 1

    def read_anchors() -> AnchorsByPage:
        return anchors_by_page(collection, page, breakdown.neighbours)

    return Explanation(
        breakdown,
        ranking.method,
        by or next(iter(ranking.scores)),
        rank,
        len(ranking),
        read_anchors if ranking.level == "page" else None,
        ranking.provenance,
    )


def anchors_by_page(
    collection: Collection, page: str, others: Sequence[str]
) -> dict[str, list[str]]:
    """The anchors of links between a page and others, by the other page.

    Links into the page or out of it, whichever direction has more of the others.
    """
    number, wanted = collection.find_page(page), set(others)
    best: dict[str, list[str]] = {}
    directions: tuple[LinkDirection, ...] = ("in", "out")
    for direction in directions:
        anchors: defaultdict[str, list[str]] = defaultdict(list)
        for row in neighbour_table(collection, number, direction).to_pylist():
            if row["url"] in wanted:
                anchors[row["url"]].append(row["anchor"] or NO_ANCHOR_TEXT)
        if len(anchors) > len(best):
            best = dict(anchors)
    return best


def reputation_base_set(
    collection: Collection, page: str, selection: Selection = UNFILTERED_SELECTION
) -> BaseSet:
    """The pages on which the reputation of a page rests: of a query, or within two links."""
    if selection.level != "page":
        raise BadParameter("pages are known for words, not hosts or domains", hint="omit the level")
    reject_unused_words(selection, UNUSED_AROUND_PAGE, UNFILTERED_SELECTION)
    if selection.has_base_set:
        return build_query_base_set(collection, selection=selection)
    around = selection.with_changes(pages=(page,), steps=2, between="page")
    return build_query_base_set(collection, selection=around)
