"""Relevance of page blocks to the query by the words of their links."""

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import Flags, Floats, Offsets
from weft.graph.baseset.baseset import BaseSet
from weft.groups.titles import page_languages, stem_languages
from weft.store.term_weights import TermWeights
from weft.topics.dom_tree import CutRule, DomForest
from weft.topics.micro_hubs import text_around_links

RELATIVE_TOLERANCE = 1e-9
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
