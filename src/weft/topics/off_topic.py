"""Find members whose words differ from those of their topic."""

import numpy as np

from weft.core.arrays import Flags, Floats
from weft.groups.titles import page_languages
from weft.kernels.affinity import similarity_to_group
from weft.store.term_weights import TermWeights
from weft.topics.soft_membership import PageTopicPairs

MIN_TERMS = 20
OFF_TOPIC_RATIO = 0.45


def find_off_topic_members(term_weights: TermWeights, members: PageTopicPairs) -> Flags:
    """Find members that are linked with their topic but off topic: advertisers, portals.

    A member is off topic if its cosine with the topic is below 0.45 of the
    median of the topic. Only pages with enough words, in the most common
    language of the topic, are judged. Containing the query does not matter.
    """
    cosines = member_topic_cosines(term_weights, members)
    languages = page_languages(term_weights)[members.page_ids]
    has_enough_terms = np.diff(term_weights.matrix.starts)[members.page_ids] >= MIN_TERMS
    is_off_topic = np.zeros(len(members.page_ids), bool)
    for topic in range(members.topic_count):
        at = members.indices_of_topic(topic)
        at = at[has_enough_terms[at]]
        if len(at):
            at = at[languages[at] == np.bincount(languages[at]).argmax()]
            is_off_topic[at] = cosines[at] < OFF_TOPIC_RATIO * median(cosines[at])
    return is_off_topic


def member_topic_cosines(term_weights: TermWeights, members: PageTopicPairs) -> Floats:
    """The cosine of the term weights of each member and of its topic."""
    rows, pages = term_weights.matrix, members.page_ids[members.topic_order]
    products = similarity_to_group(
        rows.starts,
        rows.ids,
        term_weights.weights,
        pages,
        members.topic_starts,
        len(term_weights.stems),
    )
    # with topic vector t = sum of the member vectors v, the products v.t sum to |t|^2
    norms = np.sqrt(
        np.bincount(members.topic_ids[members.topic_order], products, members.topic_count)
    )
    cosines = np.empty(len(products))
    cosines[members.topic_order] = products / np.maximum(
        np.repeat(norms, np.diff(members.topic_starts)), 1e-12
    )
    return cosines


def median(values: Floats) -> float:
    """The median of some values; faster than `np.median`, which checks for NaN."""
    ranked, half = np.sort(values), len(values) // 2
    return float(ranked[half] if len(values) % 2 else (ranked[half - 1] + ranked[half]) / 2)
