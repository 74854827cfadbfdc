"""Hubs and authorities where a hub is a block of a page, not the whole of it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
import pyarrow as pa
from pydantic import Field

from weft.core.arrays import Flags, Floats, Ids, Offsets
from weft.core.dimensions import Dimensions
from weft.core.methods import method
from weft.core.params import Limit, Tolerance
from weft.engine import Trace, fixed_point, unit
from weft.graph.baseset import BLOCKS, BaseSet
from weft.rank.ranking import rounded
from weft.topics.atd import longest
from weft.topics.dom import Cut, Forest
from weft.topics.dom_hubs import MicroHub, micro_hub
from weft.topics.dom_text import coherent, link_cosines
from weft.topics.tkc import with_sites
from weft.topics.topic import Topic, Topics

Most = Annotated[int, Field(ge=1, le=1000, description="how many topics to look for")]
Least = Annotated[int, Field(ge=2, description="set aside topics with fewer pages")]
Text = Annotated[
    bool,
    Field(description="leave out blocks whose words are unlike those of the pages found"),
]

BEST = 10
DRIFT = 0.5
STRONG = 0.5
NEAR = 1e-9
ONE_BLOCK = "no blocks are known: each page is one"
NO_WORDS = "no words are known: every block takes part"


@dataclass(frozen=True, slots=True, eq=False)
class Leaves:
    """The links of a base set as leaves of their pages, and which pages all begins with.

    `live` are the links that take part; `silent` is true where that was to be
    decided by words, and there are none.
    """

    base: BaseSet
    table: pa.Table
    source: Ids
    target: Ids
    forest: Forest
    start: Floats
    live: Flags
    silent: bool = False

    @classmethod
    def of(cls, base: BaseSet) -> "Leaves":
        """Those of a base set; without blocks each of its links stands on its page once."""
        table = base.blocks if len(base.blocks) else plain(base)
        source, target = (table[end].to_numpy() for end in ("source", "target"))
        path = table["path"].combine_chunks()
        forest = Forest.plant(source, path.indices.to_numpy(), path.dictionary.to_pylist())
        start = np.zeros(len(base))
        start[base.roots] = 1.0
        return cls(base, table, source, target, forest, start, np.ones(len(target), bool))

    def about(self, cut: Cut) -> "Leaves":
        """With those links alone that stand in blocks with words of the pages found."""
        if not len(self.target):
            return self
        cosines = link_cosines(self.base, self.table)
        live = coherent(self.forest, cosines, cut)
        return replace(self, live=live, silent=not cosines.any())

    @property
    def note(self) -> str:
        """What is missing, in words."""
        known = any(self.table["path"].combine_chunks().dictionary.to_pylist())
        missing = [ONE_BLOCK] if len(self.table) and not known else []
        return "; ".join([*missing, NO_WORDS] if self.silent else missing)


@dataclass(frozen=True, slots=True, eq=False)
class Round:
    """What one round found: authorities, and the links of its micro-hubs.

    Beside each link that was `taken` stands its micro-hub, and how much
    authority this points to.
    """

    authority: Floats
    taken: Offsets
    hub: Offsets
    score: Floats
    trace: Trace


@method(
    "topics",
    "dom-hits",
    cites="chakrabarti2001",
    dimensions=Dimensions(
        model="hubs and authorities",
        metric="hub and authority scores",
        algorithm="HITS",
        scope="multiple pages",
        applications=("topic distillation",),
        data="links and document structure",
    ),
)
def dom_hits(
    base: BaseSet,
    *,
    cut: Cut = "kl_u0",
    most: Most = 10,
    least: Least = 20,
    text: Text = False,
    tolerance: Tolerance = 1e-8,
    limit: Limit = 100,
) -> Topics:
    """Find topics by hubs and authorities, where a hub is a block of links on a page.

    All begins with the pages that the search found. Each page is a tree of
    blocks, and is cut into micro-hubs where its links to good pages and its
    other links lie apart: a list of one topic counts, the advertisements
    beside it do not, and a page may serve several topics. Micro-hubs that lead
    to better pages than links do on average make the topic, with others that
    lead to as much. It is taken out before the next is looked for, until no
    page that was found is linked to. Topics stand by how many of their links
    lead to pages that were found; one with hardly any has drifted off, and is
    set aside. The fact `micro-hubs` has the best of each. Where no blocks are
    known, as in edge lists, each page is one.

    With `text` pages are first cut by their words: blocks whose anchors and
    text are less like the pages found than is usual take no part.

    Examples
    --------
    >>> found = dom_hits([("a", "x"), ("a", "y"), ("b", "x"), ("c", "z"), ("d", "z")], least=3)
    >>> [[hub.page for hub in topic.facts["micro-hubs"]] for topic in found]
    [['a', 'b'], ['c', 'd']]
    """
    leaves = Leaves.of(base).about(cut) if text else Leaves.of(base)
    rounds = list(peeled(leaves, cut, most, tolerance, limit))
    made = [(one, topic_of(leaves, one)) for one in rounds]
    made.sort(key=lambda pair: -pair[1].strength)
    doubts = [doubt(leaves, topic, least) for _, topic in made]
    kept = [
        with_micro_hubs(leaves, *pair) for pair, why in zip(made, doubts, strict=True) if not why
    ]
    aside = tuple(
        replace(topic, reason=why) for (_, topic), why in zip(made, doubts, strict=True) if why
    )
    trace = longest([one.trace for one in rounds])
    return Topics("dom-hits", base, with_sites(base, kept), trace, aside)


def plain(base: BaseSet) -> pa.Table:
    """The links of a graph as they would stand on pages of one block."""
    rows = base.graph.outlinks
    source = rows.owners()
    nowhere, nothing = np.full(len(source), -1, np.int32), np.zeros(len(source), np.int32)
    columns = {
        "source": pa.array(source),
        "target": pa.array(np.asarray(rows.ids, np.int32)),
        "anchor": pa.repeat(pa.scalar("", pa.large_string()), len(source)),
        "position": pa.array(nowhere),
        "path": pa.DictionaryArray.from_arrays(pa.array(nothing), pa.array([""])),
    }
    return pa.table(columns, schema=BLOCKS)


def peeled(leaves: Leaves, cut: Cut, most: int, tolerance: float, limit: int) -> Iterator[Round]:
    """Round after round, each without the links of the micro-hubs of those before.

    A page at least half of whose links a round takes is its own: other links
    to it are gone too.
    """
    target, n = leaves.target, len(leaves.base)
    live, start = np.flatnonzero(leaves.live), leaves.start.copy()
    for _ in range(most):
        rest = np.isin(np.arange(len(target)), live)
        found = settled(leaves.forest.only(rest), target[live], start, cut, tolerance, limit)
        if not len(found.taken):
            return
        found = replace(found, taken=live[found.taken])
        yield found
        own = owned(target[found.taken], target[live], n)
        start[own] = 0.0
        live = live[~np.isin(live, found.taken) & ~own[target[live]]]


def settled(
    forest: Forest, target: Ids, start: Floats, cut: Cut, tolerance: float, limit: int
) -> Round:
    """Hubs and authorities of some links with these targets, from some pages on.

    Each link has the authority of its target; a micro-hub adds up what its
    links have, and gives the sum to all of them; these pass it on. In the end
    the links of a micro-hub are taken if they lead to pages that are on average
    no worse than those of all links, or if it has half of what the best has.
    """

    def summed(authority: Floats) -> tuple[Offsets, Floats]:
        total = forest.sums(authority[target])
        return forest.segment(total, cut) if total.any() else np.arange(len(target)), total

    def step(authority: Floats) -> Floats:
        node, total = summed(authority)
        return unit(np.bincount(target, total[node], minlength=len(start)).astype(float))

    authority, trace = fixed_point(step, unit(start), tolerance, limit, "dom-hits")
    node, total = summed(authority)
    score, all_ = total[node], authority[target].sum()
    hot = score * (1 + NEAR) * len(node) >= all_ * forest.count[node]
    taken = np.flatnonzero((score > 0) & (hot | (score >= STRONG * score.max(initial=0))))
    return Round(authority, taken, node[taken], score[taken], trace)


def owned(taken: Ids, target: Ids, n: int) -> Flags:
    """The pages at least half of whose links are taken, by the targets of links."""
    took, into = (np.bincount(ends, minlength=n) for ends in (taken, target))
    return (took > 0) & (2 * took >= into)


def topic_of(leaves: Leaves, found: Round) -> Topic:
    """The pages of a round's micro-hubs as hubs, and those that these point to as authorities."""
    source, target = leaves.source[found.taken], leaves.target[found.taken]
    members = np.union1d(source, target).astype(np.int32)
    hub = np.zeros(len(leaves.base))
    np.add.at(hub, source, found.authority[target])
    authority = np.zeros(len(leaves.base))
    authority[target] = found.authority[target]
    strength = float(leaves.start[target].sum())
    note = {"note": leaves.note} if leaves.note else {}
    facts = {"links": len(target), "links to pages found": int(strength), **note}
    if not leaves.live.all():
        facts["links left out by their words"] = int(np.count_nonzero(~leaves.live))
    return Topic(members, authority[members], hub[members], strength, facts=facts)


def doubt(leaves: Leaves, topic: Topic, least: int) -> str:
    """Why a round is no topic, in words; nothing where it is one."""
    if len(topic) < least:
        return f"{len(topic):,} pages, fewer than {least}"
    links, found = topic.facts["links"], topic.facts["links to pages found"]
    if found < DRIFT * links * leaves.start[leaves.target].mean():
        return f"drifted off: links to pages that were found are {found:,} of {links:,}"
    return ""


def with_micro_hubs(leaves: Leaves, found: Round, topic: Topic) -> Topic:
    """A topic with its best micro-hubs, by what their links have together, then by each."""
    nodes, first, count = np.unique(found.hub, return_index=True, return_counts=True)
    best = np.lexsort((first, count, -rounded(found.score[first])))[:BEST]
    base, table, texts = leaves.base, leaves.table, leaves.base.texts
    told: list[MicroHub] = [
        micro_hub(base, table, found.taken[found.hub == node], float(score), texts)
        for node, score in zip(nodes[best], found.score[first[best]], strict=True)
    ]
    return replace(topic, facts={**topic.facts, "micro-hubs": told})
