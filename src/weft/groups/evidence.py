"""Evidence for the authorities and hubs of a group: the links behind their scores, with anchors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, combinations, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import (
    Flags,
    Floats,
    Ids,
    Offsets,
    link_positions,
    pack_pairs,
    round_significant,
    unpack_first_ids,
    unpack_second_ids,
)
from weft.core.text import pluralise
from weft.graph.baseset.baseset import BaseSet
from weft.graph.levels import encode_owners
from weft.groups.group import ROLES, Group, Role

if TYPE_CHECKING:
    from weft.groups.groups import Groups


# Space at either end, two in a row, or other white space than a plain space.
UNTIDY_SPACE = (
    r"^ | $|  |[\t-\r\x1c-\x1f\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}"
    r"\x{3000}]"
)


@dataclass(frozen=True, slots=True, eq=False)
class PairAnchors:
    """The distinct anchor texts of links between pairs of pages, as parallel arrays.

    `anchor_ids` are positions in `anchor_texts`. Pairs ascend; the anchor texts
    of a pair are in page order.
    """

    pair: Ids
    anchor_ids: Ids
    anchor_texts: Sequence[str]

    @classmethod
    def from_links(cls, base: BaseSet, sources: Ids, targets: Ids) -> "PairAnchors":
        """The anchor texts of the links from each source to its target."""
        bounds, anchors = base.anchor_texts(sources, targets)
        encoded = anchors.dictionary_encode()
        texts = encoded.dictionary.to_pylist()
        id_of_text, merged_id = (
            {text: k for k, text in enumerate(texts)},
            np.arange(len(texts), dtype=np.int32),
        )
        for k in np.flatnonzero(
            pc.match_substring_regex(encoded.dictionary, UNTIDY_SPACE)
        ).tolist():
            texts[k] = " ".join(texts[k].split())
            merged_id[k] = id_of_text.setdefault(texts[k], k)
        anchor_ids = merged_id[encoded.indices.to_numpy()]
        counts = np.diff(bounds)
        pair = np.repeat(np.arange(len(sources), dtype=np.int32), counts)
        kept, candidates = anchor_ids != id_of_text.get("", -1), np.flatnonzero(counts[pair] > 1)
        _, first = np.unique(
            pack_pairs(pair[candidates], anchor_ids[candidates]), return_index=True
        )
        is_duplicate = np.ones(len(candidates), bool)
        is_duplicate[first] = False
        kept[candidates[is_duplicate]] = False
        return cls(pair[kept], anchor_ids[kept], texts)

    @property
    def anchors_per_pair(self) -> Offsets:
        """For each anchor text the number of anchor texts of its pair."""
        return np.bincount(self.pair)[self.pair]

    def texts_of_pairs(self, pairs: Offsets) -> list[tuple[str, ...]]:
        """The anchor texts of each of some pairs."""
        ends = zip(*(np.searchsorted(self.pair, pairs + k).tolist() for k in (0, 1)), strict=True)
        return [tuple(self.anchor_texts[k] for k in self.anchor_ids[a:b].tolist()) for a, b in ends]

    def top_anchors(self, owner: Ids, weight: Floats, max_anchors: int) -> "TopAnchors":
        """The anchor texts of largest weight of each owner of pairs.

        `weight` is that of each anchor text of a pair. Ties go by alphabet.
        """
        key = pack_pairs(owner[self.pair], self.anchor_ids)
        cell, first, cell_of = np.unique(key, return_index=True, return_inverse=True)
        total = np.bincount(cell_of, weight, len(cell))
        cell_owner, anchor_ids = unpack_first_ids(cell), unpack_second_ids(cell).astype(np.int32)
        alphabetical_rank = np.empty(len(self.anchor_texts), np.int32)
        alphabetical_rank[
            sorted(range(len(self.anchor_texts)), key=self.anchor_texts.__getitem__)
        ] = np.arange(len(self.anchor_texts))
        order = np.lexsort((alphabetical_rank[anchor_ids], -total, cell_owner))
        rank = np.arange(len(order)) - np.searchsorted(cell_owner[order], cell_owner[order])
        best = order[rank < max_anchors]
        owner_total = np.bincount(cell_owner, total, int(owner.max(initial=-1)) + 1)
        return TopAnchors(
            cell_owner[best].astype(np.int32),
            [self.anchor_texts[k] for k in anchor_ids[best].tolist()],
            self.pair[first[best]],
            total[best] / owner_total[cell_owner[best]],
            np.bincount(cell_of, minlength=len(cell))[best],
        )


class TopAnchors(NamedTuple):
    """The best anchor texts, owner by owner: the first pair with each, its share, its links."""

    owner: Ids
    anchor_texts: Sequence[str]
    pair: Ids
    share: Floats
    link_count: Offsets


class GroupSide(NamedTuple):
    """Some authorities, or some hubs, of a group."""

    group: Group
    role: Role
    pages: Ids

    def scores_from_links(self) -> Floats:
        """The parts of scores that links give: votes for an authority, all of it for a hub."""
        scores = self.group.scores_of(self.role, self.pages)
        if self.role == "hub" or self.group.vote_score is None:
            return scores
        return np.where(scores, self.group.look_up(self.group.vote_score, self.pages), 0.0)


class FarEnds(NamedTuple):
    """The pages at the other ends of the links of some pages, page by page, best first.

    `owner` numbers the pages of all sides; each link leads from `source` to
    `target`.
    """

    owner: Ids
    page: Ids
    score: Floats
    source: Ids
    target: Ids

    @property
    def rank_in_owner(self) -> Offsets:
        """The rank of each end among those of its owner, from zero."""
        return np.arange(len(self.owner)) - np.searchsorted(self.owner, self.owner)

    def select(self, mask: Flags) -> "FarEnds":
        """The ends that a mask selects."""
        return FarEnds(
            self.owner[mask],
            self.page[mask],
            self.score[mask],
            self.source[mask],
            self.target[mask],
        )


def find_far_ends(base: BaseSet, sides: Sequence[GroupSide]) -> FarEnds:
    """The hubs that link to some authorities, or the authorities that some hubs link to.

    Only pages of the same topic with a positive score count.
    """
    ends = [NO_FAR_ENDS, *(_far_ends_of_side(base, side) for side in sides)]
    first = np.cumsum([0, 0, *(len(side.pages) for side in sides)], dtype=np.int32)
    return FarEnds(
        np.concatenate([own.owner + shift for own, shift in zip(ends, first, strict=False)]),
        np.concatenate([own.page for own in ends]),
        np.concatenate([own.score for own in ends]),
        np.concatenate([own.source for own in ends]),
        np.concatenate([own.target for own in ends]),
    )


NO_IDS = np.zeros(0, np.int32)
NO_FAR_ENDS = FarEnds(NO_IDS, NO_IDS, np.zeros(0), NO_IDS, NO_IDS)


def _far_ends_of_side(base: BaseSet, side: GroupSide) -> FarEnds:
    group, role, pages = side
    rows = base.graph.inlinks if role == "authority" else base.graph.outlinks
    at, _ = link_positions(rows, pages)
    ends = np.asarray(rows.ids[at])
    hub_scores = group.hub if group.trust is None else group.trust
    scores = hub_scores if role == "authority" else group.authority
    score = group.look_up(scores, ends)
    if role == "hub" and len(group.uncaptured):  # hubs list uncaptured pages too
        votes = np.zeros(len(base))
        votes[group.uncaptured] = group.uncaptured_votes
        score = np.where(votes[ends] > 0, votes[ends], score)
    counts = np.asarray(rows.starts[pages + 1]) - rows.starts[pages]
    owner = np.repeat(np.arange(len(pages), dtype=np.int32), counts)
    kept = np.flatnonzero(score > 0)
    rounded = round_significant(score[kept], float(np.abs(scores).max(initial=0)))
    kept = kept[np.lexsort((-rounded, owner[kept]))]
    owner, ends = owner[kept], ends[kept]
    near = pages[owner]
    source, target = (ends, near) if role == "authority" else (near, ends)
    return FarEnds(owner, ends, score[kept], source, target)


MAX_ANCHOR_LINKS = 100
MIN_SCORE_SUM = np.finfo(float).tiny


class LinkedPage(NamedTuple):
    """A page at the other end of a link: name, number, contribution and anchor texts."""

    page: str
    page_number: int
    contribution: float
    anchors: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class LinkedPages:
    """The pages of some sides of topics, and the other ends of their links.

    The `far_ends` of page k, best first, are from `starts[k]` to
    `starts[k + 1]`, each with its contribution to the part of the page's score
    that links give, which is proportional to its own score. Anchor texts are
    read for the best hundred links of each page, `anchored_ends`.
    """

    base: BaseSet
    scores: Sequence[float]
    far_ends: FarEnds
    starts: Offsets
    contributions: Floats
    anchors: PairAnchors
    anchored_ends: Offsets

    @classmethod
    def from_sides(cls, base: BaseSet, sides: Sequence[GroupSide]) -> "LinkedPages":
        """Look up the links of all sides at once."""
        far_ends = find_far_ends(base, sides)
        scores = [score for s in sides for score in s.group.scores_of(s.role, s.pages).tolist()]
        from_links = [score for s in sides for score in s.scores_from_links().tolist()]
        starts = np.searchsorted(far_ends.owner, np.arange(len(scores) + 1))
        contributions = np.empty(len(far_ends.page))
        for score, (start, end) in zip(from_links, pairwise(starts.tolist()), strict=True):
            end_scores = far_ends.score[start:end]
            contributions[start:end] = score * end_scores / max(end_scores.sum(), MIN_SCORE_SUM)
        anchored_ends = np.flatnonzero(far_ends.rank_in_owner < MAX_ANCHOR_LINKS)
        anchors = PairAnchors.from_links(
            base, far_ends.source[anchored_ends], far_ends.target[anchored_ends]
        )
        return cls(base, scores, far_ends, starts, contributions, anchors, anchored_ends)

    @property
    def link_counts(self) -> list[int]:
        """The number of far ends of each page."""
        counts: list[int] = np.diff(self.starts).tolist()
        return counts

    def site_counts(self) -> list[int]:
        """The number of sites of the far ends of each page."""
        ends, position = np.unique(self.far_ends.page, return_inverse=True)
        site, _ = encode_owners(self.base.graph.names.take(pa.array(ends)), "site")
        pair = np.unique(pack_pairs(self.far_ends.owner, site[position]))
        counts: list[int] = np.bincount(unpack_first_ids(pair), minlength=len(self.scores)).tolist()
        return counts

    def top_anchors(self, max_anchors: int) -> list[tuple[str, ...]]:
        """The anchor texts of the links of each page, by the contribution of the far ends."""
        weight = (
            self.contributions[self.anchored_ends][self.anchors.pair]
            / self.anchors.anchors_per_pair
        )
        best = self.anchors.top_anchors(
            self.far_ends.owner[self.anchored_ends], weight, max_anchors
        )
        bounds = np.searchsorted(best.owner, np.arange(len(self.scores) + 1)).tolist()
        return [tuple(best.anchor_texts[start:end]) for start, end in pairwise(bounds)]

    def top_linked_pages(self, max_pages: int) -> list[list[LinkedPage]]:
        """The best far ends of each page."""
        pairs = np.flatnonzero(self.far_ends.rank_in_owner[self.anchored_ends] < max_pages)
        ends = self.anchored_ends[pairs]
        pages = self.far_ends.page[ends]
        names = self.base.graph.names.take(pa.array(pages)).to_pylist()
        anchors = self.anchors.texts_of_pairs(pairs)
        rows = list(
            map(LinkedPage, names, pages.tolist(), self.contributions[ends].tolist(), anchors)
        )
        bounds = np.searchsorted(ends, self.starts).tolist()
        return [rows[start:end] for start, end in pairwise(bounds)]


MAX_SUPPORTS = 5


PageRefs = Mapping[int, dict[str, str]]


@dataclass(frozen=True, slots=True)
class SupportingLink:
    """A page at the other end of a link, its contribution and the anchor texts.

    The contributions of all pages at the other end add up to the score; each is
    proportional to the score of that page. `page_number` is its number in the
    base set.
    """

    page: str
    page_number: int
    contribution: float
    anchors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence for a page of a group.

    `links` are the hubs that link to an authority, or the authorities that a
    hub links to, strongest first; `count` is their number, `sites` the number
    of their sites. `anchors` are the anchor texts of highest weight,
    `other_groups` the numbers of the other groups of the page. An `uncaptured`
    page is linked, but not captured.
    """

    group: int
    role: Role
    place: int
    page: str
    page_number: int
    title: str
    score: float
    count: int
    sites: int
    anchors: tuple[str, ...]
    links: tuple[SupportingLink, ...]
    other_groups: tuple[int, ...]
    uncaptured: bool = False

    def to_row(self, noun: str, label: str) -> dict[str, Any]:
        """A row of a table, where groups are called by a noun."""
        return {
            noun: self.group,
            "label": label,
            "role": self.role,
            "place": self.place,
            "page": self.page,
            "title": self.title,
            "score": self.score,
            "links": self.count,
            "sites": self.sites,
            "anchors": " | ".join(self.anchors),
            f"other_{pluralise(2, noun).partition(' ')[2]}": list(self.other_groups),
            "uncaptured": self.uncaptured,
        }

    def to_document(self, page_refs: PageRefs) -> dict[str, Any]:
        """The evidence as JSON, with the URL, title and kind of each page."""
        return {
            **page_refs[self.page_number],
            "place": self.place,
            "score": self.score,
            "count": self.count,
            "sites": self.sites,
            "anchors": list(self.anchors),
            "links": [
                {
                    **page_refs[link.page_number],
                    "contribution": link.contribution,
                    "anchors": list(link.anchors),
                }
                for link in self.links
            ],
            "other_groups": list(self.other_groups),
        }


def evidence_schema(noun: str) -> pa.Schema:
    """The columns of tables of evidence, where groups are called by a noun."""
    return pa.schema(
        {
            noun: pa.int32(),
            "label": pa.string(),
            "role": pa.string(),
            "place": pa.int32(),
            "page": pa.string(),
            "title": pa.string(),
            "score": pa.float64(),
            "links": pa.int32(),
            "sites": pa.int32(),
            "anchors": pa.string(),
            f"other_{pluralise(2, noun).partition(' ')[2]}": pa.list_(pa.int32()),
            "uncaptured": pa.bool_(),
        }
    )


@dataclass(frozen=True)
class EvidenceCollector:
    """Collects the evidence for pages of groups."""

    groups: "Groups"

    @property
    def base(self) -> BaseSet:
        """The base set of the groups."""
        return self.groups.base

    def page_refs(self, evidence: Sequence[Evidence]) -> PageRefs:
        """URL, title and kind of all pages in some evidence, by page number."""
        linked = (link.page_number for item in evidence for link in item.links)
        numbers = list(dict.fromkeys([*(item.page_number for item in evidence), *linked]))
        refs = self.base.page_refs(np.array(numbers, np.int32))
        return dict(zip(numbers, refs, strict=True))

    def for_role(
        self, number: int, role: Role, top: int = 10, max_supports: int = MAX_SUPPORTS
    ) -> list[Evidence]:
        """The evidence for the best authorities or hubs of a group, numbered from one.

        At most `max_supports` links, and as many anchor texts, are listed for each page.
        """
        return self._for_groups_and_roles([number], [role], top, max_supports)[number][role]

    def for_groups(
        self, top: int = 10, max_supports: int = MAX_SUPPORTS, numbers: Sequence[int] = ()
    ) -> "EvidenceByGroup":
        """The evidence for all groups, or some, in both roles; faster than one by one."""
        selected = numbers or range(1, len(self.groups) + 1)
        return self._for_groups_and_roles(selected, ROLES, top, max_supports)

    def for_page(self, number: int, group: Group, role: Role, page: int) -> list[Evidence]:
        """The evidence for one page in a role of a group; empty if it has no score."""
        if page not in group:
            return []
        ranked = group.leaders(role, len(group))
        places = np.flatnonzero(ranked == page)
        [evidence] = self._collect_evidence(
            [number], [GroupSide(group, role, ranked[places])], MAX_SUPPORTS
        )
        return [
            replace(own, place=place + 1)
            for own, place in zip(evidence, places.tolist(), strict=True)
        ]

    def _for_groups_and_roles(
        self, numbers: Sequence[int], roles: Sequence[Role], top: int, max_supports: int
    ) -> "EvidenceByGroup":
        sides = []
        for number in numbers:
            group = self.groups[number - 1]
            sides += [GroupSide(group, role, group.leaders(role, top)) for role in roles]
        evidence = iter(
            self._collect_evidence([n for n in numbers for _ in roles], sides, max_supports)
        )
        return {number: {role: next(evidence) for role in roles} for number in numbers}

    def _collect_evidence(
        self, numbers: Sequence[int], sides: Sequence[GroupSide], max_supports: int
    ) -> list[list[Evidence]]:
        """The evidence for the pages of some sides, whose groups have these numbers."""
        linked, titles = LinkedPages.from_sides(self.base, sides), self.base.titles
        uncaptured = self.base.graph.uncaptured
        counts = zip(linked.scores, linked.link_counts, linked.site_counts(), strict=True)
        details = zip(
            counts,
            linked.top_anchors(max_supports),
            linked.top_linked_pages(max_supports),
            strict=True,
        )
        return [
            [
                Evidence(
                    number,
                    side.role,
                    place,
                    self.base.pages[page],
                    page,
                    titles[page] if len(titles) else "",
                    *score_and_counts,
                    anchors,
                    tuple(SupportingLink(*link) for link in links),
                    tuple(k for k in self.groups_of_page(page) if k != number),
                    uncaptured is not None and bool(uncaptured[page]),
                )
                for place, (page, (score_and_counts, anchors, links)) in enumerate(
                    zip(side.pages.tolist(), details, strict=False), start=1
                )
            ]
            for number, side in zip(numbers, sides, strict=True)
        ]

    @cached_property
    def page_group_pairs(self) -> tuple[Ids, Ids]:
        """Pages and the groups, from one, in which they have a score; by page, then group."""
        scoring = [t.members[(t.authority > 0) | (t.hub > 0)] for t in self.groups]
        page = np.concatenate([np.zeros(0, np.int32), *scoring])
        numbers = np.arange(1, len(scoring) + 1, dtype=np.int32)
        topic = np.repeat(numbers, [len(own) for own in scoring])
        order = np.lexsort((topic, page))
        return page[order], topic[order]

    def groups_of_page(self, page: int) -> Sequence[int]:
        """The numbers, from one, of the groups in which a page has a score."""
        pages, topics = self.page_group_pairs
        first, last = np.searchsorted(pages, [page, page + 1])
        numbers: list[int] = topics[first:last].tolist()
        return numbers

    def to_table(self, top: int = 10, max_groups: int | None = None) -> pa.Table:
        """One row per group, role and page, with its links and anchor texts."""
        numbers = range(1, len(self.groups) + 1)[:max_groups]
        noun = self.groups.noun
        rows = [
            evidence.to_row(noun, self.groups[number - 1].name)
            for number, by_role in self.for_groups(top, numbers=numbers).items()
            for evidence in chain(*by_role.values())
        ]
        return pa.Table.from_pylist(rows, schema=evidence_schema(noun))


EvidenceByGroup = dict[int, dict[Role, list[Evidence]]]


def group_overlaps(groups: "Groups") -> list[dict[str, Any]]:
    """Pairs of groups that share pages: their number, and its share of the smaller group."""
    rows = []
    for (number, group), (other_number, other) in combinations(enumerate(groups, start=1), 2):
        common = len(np.intersect1d(group.members, other.members))
        if common:
            share = common / min(len(group), len(other))
            rows.append({"number": number, "other": other_number, "pages": common, "share": share})
    return rows
