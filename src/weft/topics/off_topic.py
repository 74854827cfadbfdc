"""Find members whose words differ from those of their topic."""

import numpy as np
import pyarrow as pa

from weft.core.arrays import Flags, Floats, Ids
from weft.kernels.affinity import similarity_to_group
from weft.store.arrow_files import string_buffers
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


def page_languages(term_weights: TermWeights) -> Ids:
    """The language of each page as a number, by the prefix of its first stem."""
    codes, _ = stem_languages(term_weights.stems)
    first = np.minimum(term_weights.matrix.starts[:-1], max(len(term_weights.matrix.ids) - 1, 0))
    return (
        codes[term_weights.matrix.ids[first]]
        if len(codes) and len(term_weights.matrix.ids)
        else np.zeros(len(term_weights), np.int32)
    )


def stem_languages(stems: pa.Array) -> tuple[Ids, list[str]]:
    """The language prefix of each stem as a number, and the names of the languages.

    Languages are numbered in order of appearance; stems without a prefix have
    the language "".

    Examples
    --------
    >>> codes, names = stem_languages(pa.array(["de/forst", "en/fir", "en/forest", "fir"]))
    >>> codes.tolist(), names
    ([0, 1, 1, 2], ['de', 'en', ''])
    """
    starts, letters = string_buffers(stems)
    start, letters = starts[:-1], np.append(letters, np.zeros(3, np.uint8))
    # the two letters before "/" as one 16-bit code; zero without a prefix
    has_prefix = (np.diff(starts) > 2) & (letters[start + 2] == ord("/"))
    code = np.where(has_prefix, letters[start].astype(np.uint16) << 8 | letters[start + 1], 0)
    changes = np.append(code[:1], code[1:][code[1:] != code[:-1]])
    codes, number_of_code = list(dict.fromkeys(changes.tolist())), np.zeros(1 << 16, np.int32)
    number_of_code[codes] = np.arange(len(codes))
    return number_of_code[code], [
        bytes(divmod(value, 256)).decode() if value else "" for value in codes
    ]
