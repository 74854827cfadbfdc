"""DOM-HITS: hubs and authorities where a hub is a block of a page, not the page."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Annotated

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from weft.core.arrays import Flags, Floats, Ids, Offsets, round_significant
from weft.core.params import MaxIter, Tol
from weft.core.register import Dimensions, method
from weft.engine import Trace, fixed_point, normalize_l1
from weft.graph.baseset.baseset import BLOCK_SCHEMA, BaseSet
from weft.groups.group import Group, MicroHub, add_site_diversity
from weft.groups.groups import Groups
from weft.groups.titles import page_languages, stem_languages
from weft.store.term_weights import TermWeights
from weft.topics.atd import worst_trace
from weft.topics.dom_tree import CutRule, DomForest
from weft.topics.micro_hubs import build_micro_hub, text_around_links

MaxTopics = Annotated[int, Field(ge=1, le=1000, description="maximum number of topics")]
MinSize = Annotated[int, Field(ge=2, description="minimum number of pages in a topic")]
FilterByText = Annotated[
    bool,
    Field(description="ignore blocks whose words differ from the pages found"),
]

MAX_MICRO_HUBS = 10
MIN_ROOT_LINK_RATIO = 0.5
MIN_HUB_SCORE_RATIO = 0.5
RELATIVE_TOLERANCE = 1e-9
NO_BLOCKS_NOTE = "no blocks known: each page counts as one"
NO_WORDS_NOTE = "no words known: every block counts"


@dataclass(frozen=True, slots=True, eq=False)
class BlockLinks:
    """The links of a base set as leaves of DOM trees, and the start vector of authority.

    `is_active` says which links count; `lacks_words` means that words should
    have decided that, but there are none.
    """

    base: BaseSet
    table: pa.Table
    source: Ids
    target: Ids
    forest: DomForest
    start_authority: Floats
    is_active: Flags
    lacks_words: bool = False

    @classmethod
    def from_base_set(cls, base: BaseSet) -> "BlockLinks":
        """The links of a base set; without blocks each page is one block."""
        table = base.blocks if len(base.blocks) else single_block_table(base)
        source, target = (table[end].to_numpy() for end in ("source", "target"))
        path = table["path"].combine_chunks()
        forest = DomForest.from_paths(source, path.indices.to_numpy(), path.dictionary.to_pylist())
        start = np.zeros(len(base))
        start[base.roots] = 1.0
        return cls(base, table, source, target, forest, start, np.ones(len(target), bool))

    def filter_by_text(self, cut: CutRule) -> "BlockLinks":
        """Keep only links in blocks whose words are like those of the pages found."""
        if not len(self.target):
            return self
        cosines = link_topic_cosines(self.base, self.table)
        is_active = links_in_relevant_blocks(self.forest, cosines, cut)
        return replace(self, is_active=is_active, lacks_words=not cosines.any())

    @property
    def missing_data_note(self) -> str:
        """A note on missing blocks or words; empty if there are both."""
        has_paths = any(self.table["path"].combine_chunks().dictionary.to_pylist())
        notes = [NO_BLOCKS_NOTE] if len(self.table) and not has_paths else []
        return "; ".join([*notes, NO_WORDS_NOTE] if self.lacks_words else notes)


@dataclass(frozen=True, slots=True, eq=False)
class MicroHubTopic:
    """The result of one iteration: authorities, and the links of the micro-hubs.

    `hub_nodes` and `hub_scores` are the micro-hub of each link in `link_ids`,
    and the authority that it links to.
    """

    authority: Floats
    link_ids: Offsets
    hub_nodes: Offsets
    hub_scores: Floats
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
    cut: CutRule = "kl_u0",
    max_topics: MaxTopics = 10,
    min_size: MinSize = 20,
    text: FilterByText = False,
    tol: Tol = 1e-8,
    max_iter: MaxIter = 100,
) -> Groups:
    """Find topics by HITS with blocks of pages as hubs.

    HITS starts from the pages that the search found. Each page is a tree of
    blocks and is segmented into micro-hubs that separate its links to good
    pages from its other links: a list about the topic counts, the
    advertisements beside it do not, and a page may serve several topics. The
    topic consists of the micro-hubs that link to pages of at least average
    authority, and of others with at least half the score of the best. Its links
    are removed before the next topic is looked for, until no page that was
    found is linked. Topics are ordered by the number of links to pages that
    were found; a topic with hardly any is set aside as topic drift. The fact
    `micro-hubs` has the best ones. Without blocks, as in edge lists, each page
    is one block.

    With `text`, pages are first segmented by words: blocks whose anchors and
    text are less similar to the pages found than average are ignored.

    Examples
    --------
    >>> found = dom_hits([("a", "x"), ("a", "y"), ("b", "x"), ("c", "z"), ("d", "z")], min_size=3)
    >>> [[hub.page for hub in topic.micro_hubs] for topic in found]
    [['a', 'b'], ['c', 'd']]
    """
    block_links = (
        BlockLinks.from_base_set(base).filter_by_text(cut)
        if text
        else BlockLinks.from_base_set(base)
    )
    results = list(peel_topics(block_links, cut, max_topics, tol, max_iter))
    pairs = [(result, topic_from_micro_hubs(block_links, result)) for result in results]
    pairs.sort(key=lambda pair: -pair[1].strength)
    reasons = [rejection_reason(block_links, *pair, min_size) for pair in pairs]
    kept = [
        add_best_micro_hubs(block_links, *pair)
        for pair, reason in zip(pairs, reasons, strict=True)
        if not reason
    ]
    set_aside = tuple(
        replace(topic, reason=reason)
        for (_, topic), reason in zip(pairs, reasons, strict=True)
        if reason
    )
    trace = worst_trace([result.trace for result in results])
    return Groups("topics", "dom-hits", base, add_site_diversity(base, kept), trace, set_aside)


def single_block_table(base: BaseSet) -> pa.Table:
    """The links of a graph as a table of blocks, with one block per page."""
    rows = base.graph.outlinks
    source = rows.row_ids()
    no_position, zeros = np.full(len(source), -1, np.int32), np.zeros(len(source), np.int32)
    columns = {
        "source": pa.array(source),
        "target": pa.array(np.asarray(rows.ids, np.int32)),
        "anchor": pa.repeat(pa.scalar("", pa.large_string()), len(source)),
        "position": pa.array(no_position),
        "path": pa.DictionaryArray.from_arrays(pa.array(zeros), pa.array([""])),
    }
    return pa.table(columns, schema=BLOCK_SCHEMA)


def peel_topics(
    block_links: BlockLinks, cut: CutRule, max_topics: int, tol: float, max_iter: int
) -> Iterator[MicroHubTopic]:
    """Find topics one after the other, each without the links of those before.

    If a topic takes at least half of the in-links of a page, the other links to
    that page are removed too.
    """
    target, n = block_links.target, len(block_links.base)
    active = np.flatnonzero(block_links.is_active)
    start_authority = block_links.start_authority.copy()
    for _ in range(max_topics):
        is_active = np.isin(np.arange(len(target)), active)
        result = micro_hub_hits(
            block_links.forest.prune_to_links(is_active),
            target[active],
            start_authority,
            cut,
            tol,
            max_iter,
        )
        if not len(result.link_ids):
            return
        result = replace(result, link_ids=active[result.link_ids])
        yield result
        is_taken = are_inlinks_mostly_taken(target[result.link_ids], target[active], n)
        start_authority[is_taken] = 0.0
        active = active[~np.isin(active, result.link_ids) & ~is_taken[target[active]]]


def micro_hub_hits(
    forest: DomForest, target: Ids, start_authority: Floats, cut: CutRule, tol: float, max_iter: int
) -> MicroHubTopic:
    """HITS with micro-hubs, from a start vector of authority.

    The score of a micro-hub is the sum of the authority of its links' targets;
    each of its links passes that sum to its target. In the end a micro-hub is
    taken if the mean authority of its targets is at least that of all links, or
    if its score is at least half of the best.
    """

    def segment_and_sum(authority: Floats) -> tuple[Offsets, Floats]:
        total = forest.subtree_sums(authority[target])
        return forest.link_segments(total, cut) if total.any() else np.arange(len(target)), total

    def hits_step(authority: Floats) -> Floats:
        segment, total = segment_and_sum(authority)
        return normalize_l1(
            np.bincount(target, total[segment], minlength=len(start_authority)).astype(float)
        )

    authority, trace = fixed_point(
        hits_step, normalize_l1(start_authority), tol, max_iter, "dom-hits"
    )
    segment, total = segment_and_sum(authority)
    score, total_authority = total[segment], authority[target].sum()
    is_above_average = (
        score * (1 + RELATIVE_TOLERANCE) * len(segment)
        >= total_authority * forest.links_below[segment]
    )
    taken = np.flatnonzero(
        (score > 0) & (is_above_average | (score >= MIN_HUB_SCORE_RATIO * score.max(initial=0)))
    )
    return MicroHubTopic(authority, taken, segment[taken], score[taken], trace)


def are_inlinks_mostly_taken(taken_targets: Ids, all_targets: Ids, page_count: int) -> Flags:
    """Whether at least half of the links to each page are taken."""
    taken, indegrees = (
        np.bincount(ends, minlength=page_count) for ends in (taken_targets, all_targets)
    )
    return (taken > 0) & (2 * taken >= indegrees)


def topic_from_micro_hubs(block_links: BlockLinks, result: MicroHubTopic) -> Group:
    """Build a topic: pages with micro-hubs as hubs, the pages they link to as authorities."""
    source, target = block_links.source[result.link_ids], block_links.target[result.link_ids]
    members = np.union1d(source, target).astype(np.int32)
    hub = np.zeros(len(block_links.base))
    np.add.at(hub, source, result.authority[target])
    authority = np.zeros(len(block_links.base))
    authority[target] = result.authority[target]
    strength = float(block_links.start_authority[target].sum())
    facts = {"links": len(target), "links to pages found": int(strength)}
    if not block_links.is_active.all():
        facts["links ignored by words"] = int(np.count_nonzero(~block_links.is_active))
    note = block_links.missing_data_note
    return Group(members, authority[members], hub[members], strength, note=note, facts=facts)


def rejection_reason(
    block_links: BlockLinks, result: MicroHubTopic, topic: Group, min_size: int
) -> str:
    """Why a result is not a topic; empty if it is."""
    if len(topic) < min_size:
        return f"{len(topic):,} pages, fewer than {min_size}"
    links, root_links = len(result.link_ids), int(topic.strength)
    if (
        root_links
        < MIN_ROOT_LINK_RATIO * links * block_links.start_authority[block_links.target].mean()
    ):
        return f"topic drift: {root_links:,} of {links:,} links lead to pages that were found"
    return ""


def add_best_micro_hubs(block_links: BlockLinks, result: MicroHubTopic, topic: Group) -> Group:
    """Add the best micro-hubs to a topic, by score, then by fewest links."""
    nodes, first, count = np.unique(result.hub_nodes, return_index=True, return_counts=True)
    best = np.lexsort((first, count, -round_significant(result.hub_scores[first])))[:MAX_MICRO_HUBS]
    base, table, texts = block_links.base, block_links.table, block_links.base.texts
    micro_hubs: list[MicroHub] = [
        build_micro_hub(base, table, result.link_ids[result.hub_nodes == node], float(score), texts)
        for node, score in zip(nodes[best], result.hub_scores[first[best]], strict=True)
    ]
    return replace(topic, micro_hubs=tuple(micro_hubs))


MIN_NORM = np.finfo(float).tiny


def links_in_relevant_blocks(forest: DomForest, cosines: Floats, cut: CutRule) -> Flags:
    """Whether each link is in a block whose mean cosine with the topic is at least average.

    Links of the same block get the mean of their cosines: a bare name in a list
    is about the subject of the list. Pages are segmented by these values, as
    they are by authority, and each segment is judged by its mean. If all
    cosines are zero, every link counts.
    """
    parent = forest.parent[: forest.link_count]
    block = np.where(parent < 0, np.arange(forest.link_count), parent)
    cosines = (np.bincount(block, cosines) / np.maximum(np.bincount(block), 1))[block]
    total = forest.subtree_sums(cosines)
    if not total.any():
        return np.ones(forest.link_count, bool)
    segment = forest.link_segments(total, cut)
    is_relevant: Flags = (
        total[segment] * (1 + RELATIVE_TOLERANCE) >= forest.links_below[segment] * cosines.mean()
    )
    return is_relevant


def link_topic_cosines(base: BaseSet, links: pa.Table) -> Floats:
    """The cosine of the words of each link and of the pages that the search found.

    The words of a link are its anchor text and the text beside it. The topic is
    the sum of the unit term vectors of the root pages. Zero without words.
    """
    link_terms, root_terms = link_term_weights(base, links), base.term_weights.take(base.roots)
    total = np.bincount(
        root_terms.matrix.ids, _normalize_rows(root_terms)[1], len(root_terms.stems)
    )
    topic = total / max(float(np.sqrt(np.square(total).sum())), MIN_NORM)
    position = pc.index_in(link_terms.stems, root_terms.stems.cast(link_terms.stems.type))
    topic_weights = np.append(topic, 0.0)[pc.fill_null(position, len(topic)).to_numpy()]
    row, weight = _normalize_rows(link_terms)
    cosines: Floats = np.bincount(
        row, weight * topic_weights[link_terms.matrix.ids], len(link_terms)
    ).astype(np.float64)
    return cosines


def _normalize_rows(term_weights: TermWeights) -> tuple[Offsets, Floats]:
    """The row of each weight, and the weights normalized to unit rows."""
    weight = np.asarray(term_weights.weights, np.float64)
    row = np.repeat(np.arange(len(term_weights)), np.diff(term_weights.matrix.starts))
    norms = np.sqrt(np.bincount(row, np.square(weight), len(term_weights)))
    return row, weight / np.maximum(norms, MIN_NORM)[row]


def link_term_weights(base: BaseSet, links: pa.Table) -> TermWeights:
    """The term weights of the anchor text of each link and the text beside it."""
    source, position = links["source"].to_numpy(), links["position"].to_numpy()
    anchors, texts = links["anchor"].to_pylist(), base.texts
    order = np.lexsort((position, source))
    bounds = np.flatnonzero(np.diff(source[order], prepend=-1, append=-1))
    contexts = [""] * len(order)
    for start, end in pairwise(bounds.tolist()):
        rows = order[start:end].tolist()
        own_anchors = [anchors[row] for row in rows]
        text = texts[source[rows[0]]] if len(texts) else ""
        around = text_around_links(text, position[rows].tolist(), own_anchors)
        for row, anchor, (before, after) in zip(rows, own_anchors, around, strict=True):
            contexts[row] = f"{before} {anchor} {after}"
    names = stem_languages(base.term_weights.stems)[1] or [""]
    languages = [names[code] for code in page_languages(base.term_weights)[source].tolist()]
    return TermWeights.from_texts([""] * len(contexts), contexts, languages)
