"""What stands in a report: topics with their evidence, who points to whom, where pages ended."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from weft.core.arrays import Floats
from weft.graph.baseset import GIVEN, LINKED, LINKING, ROOT
from weft.run.discover import snippets
from weft.store.collection import Collection
from weft.store.numbering import KINDS
from weft.topics.evidence import Case, Evidence, overlap
from weft.topics.topic import Topic, Topics

DRAWN = 8
CAME = {
    ROOT: "found by the search",
    GIVEN: "given",
    LINKED: "linked from these",
    LINKING: "linking to these",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """A page of a topic, what speaks for it, a piece of its text, and whether there is one."""

    case: Evidence
    snippet: str
    fetched: bool


@dataclass(frozen=True, slots=True, eq=False)
class Ties:
    """The best hubs and authorities of a topic, and the links from one to the other.

    `weight` has a row per hub and a column per authority: the product of their
    scores as a share of the largest, zero where there is no link.
    """

    hubs: Sequence[Evidence]
    authorities: Sequence[Evidence]
    weight: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Section:
    """A topic of a report."""

    number: int
    topic: Topic
    authorities: Sequence[Entry]
    hubs: Sequence[Entry]
    ties: Ties


@dataclass(frozen=True, slots=True)
class Share:
    """Some of the pages of a base set; `topic` is its number where they are of one."""

    what: str
    pages: int
    topic: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """Everything that a report says.

    `found` are all topics, `sections` those that are shown, and `shared` the
    pairs of these with pages in common, the most alike first. `came` says how
    the pages of the base set came into it, `ended` in which topic they are; a
    page of several counts for the first. `name`, `size` and `history` are those
    of the collection.
    """

    found: Topics
    sections: Sequence[Section]
    shared: Sequence[dict[str, Any]]
    came: Sequence[Share]
    ended: Sequence[Share]
    name: str
    size: int
    history: Sequence[dict[str, Any]]
    top: int
    most: int

    @property
    def pages(self) -> int:
        """How many pages are in the base set."""
        return len(self.found.base)

    @property
    def thing(self) -> str:
        """What a page is: a page, a host or a domain."""
        return self.found.base.level


def assemble(collection: Collection, found: Topics, top: int, most: int) -> Report:
    """Gather all that the report on some topics says."""
    shown = replace(found, topics=found.topics[:most])
    case = Case(shown)
    wanted = max(top, DRAWN)
    best = case.shown(wanted)
    listed = [one.page for both in best.values() for ends in both.values() for one in ends[:top]]
    said, seen = _said(collection, found, listed), _seen(collection, found)

    def entries(ends: Sequence[Evidence]) -> list[Entry]:
        return [Entry(one, said.get(one.page, ""), one.page not in seen) for one in ends[:top]]

    sections = [
        Section(
            number,
            shown[number - 1],
            entries(both["authority"]),
            entries(both["hub"]),
            ties(found, both["hub"][:DRAWN], both["authority"][:DRAWN]),
        )
        for number, both in best.items()
    ]
    return Report(
        found,
        sections,
        sorted(overlap(shown).to_pylist(), key=lambda row: -row["share"]),
        came(found),
        ended(found, most),
        collection.folder.resolve().name,
        collection.manifest.counts["fetched"] + collection.manifest.counts["listed"],
        collection.manifest.adds,
        top,
        most,
    )


def _said(collection: Collection, found: Topics, pages: Sequence[str]) -> dict[str, str]:
    """A piece of the text of each page, where pages have text."""
    if found.base.level != "page":
        return {}
    each = list(dict.fromkeys(pages))
    return dict(zip(each, snippets(collection, found.base, each), strict=True))


def _seen(collection: Collection, found: Topics) -> set[str]:
    """The pages that are known by links to them alone."""
    if found.base.level != "page":
        return set()
    kinds = collection.pages["kind"].to_numpy()[found.base.numbers]
    return {found.base.pages[k] for k in np.flatnonzero(kinds == KINDS["seen"]).tolist()}


def ties(found: Topics, hubs: Sequence[Evidence], authorities: Sequence[Evidence]) -> Ties:
    """The links from some hubs to some authorities."""
    graph = found.base.graph
    sources, targets = ([graph.number(one.page) for one in ends] for ends in (hubs, authorities))
    weight = np.outer([one.score for one in hubs], [one.score for one in authorities])
    rows = graph.outlinks
    for place, source in enumerate(sources):
        linked = rows.ids[rows.starts[source] : rows.starts[source + 1]]
        weight[place] *= np.isin(targets, linked)
    return Ties(hubs, authorities, weight / max(weight.max(initial=0), np.finfo(float).tiny))


def came(found: Topics) -> list[Share]:
    """How many pages of the base set came in which way."""
    counts = np.bincount(found.base.origin, minlength=len(CAME))
    return [Share(how, int(counts[code])) for code, how in CAME.items() if counts[code]]


def ended(found: Topics, most: int) -> list[Share]:
    """How many pages of the base set are in which topic, in a later one, set aside, or in none."""
    later, aside, none = most + 1, most + 2, most + 3
    place = np.full(len(found.base), none)
    for topic in found.aside:
        place[topic.members] = aside
    for number, topic in reversed(list(enumerate(found, start=1))):
        place[topic.members] = min(number, later)
    counts = np.bincount(place, minlength=none + 1)
    shares = [
        Share(topic.name or "(no words)", int(counts[number]), number)
        for number, topic in enumerate(found.topics[:most], start=1)
    ]
    rest = {later: "in further topics", aside: "set aside", none: "in no topic"}
    shares += [Share(what, int(counts[code])) for code, what in rest.items()]
    return [share for share in shares if share.pages]
