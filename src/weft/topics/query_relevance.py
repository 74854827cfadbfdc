"""Relevance of the pages of a base set to the query: yes, no or unknown."""

import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import Flags, Floats
from weft.graph.baseset.baseset import GIVEN, ROOT, BaseSet
from weft.groups.titles import stem_languages
from weft.store.tokens import UNSTEMMED, stem_with_each_stemmer

MIN_SUBSTRING_CHARS = 4


def query_relevance(base: BaseSet) -> Floats:
    """One for a page about the query, zero for any other page, NaN if unknown.

    A page is about the query if the search found it, if it was given, or if a
    query word is among its keywords or in its URL. Pages that are only linked,
    without words of their own, are unknown. Without a search every page is
    relevant.

    Examples
    --------
    >>> query_relevance(BaseSet.from_any([("a", "x")])).tolist()
    [1.0, 1.0]
    """
    is_root = (base.origin == ROOT) | (base.origin == GIVEN)
    if is_root.all():
        return np.ones(len(base))
    is_known = is_root | (np.diff(base.term_weights.matrix.starts) > 0)
    is_relevant = is_root | _has_query_keyword(base) | _has_query_word_in_url(base)
    return np.where(is_relevant, 1.0, np.where(is_known, 0.0, np.nan))


def _has_query_keyword(base: BaseSet) -> Flags:
    """Whether each page has a query word among its keywords."""
    terms = base.term_weights
    families = {UNSTEMMED, *stem_languages(terms.stems)[1]} - {""}
    variants = [
        stems
        for term in base.query_terms
        for stems in stem_with_each_stemmer(term, sorted(families))
    ]
    wanted = pa.array(sorted({stem for stems in variants for stem in stems}), terms.stems.type)
    is_query_stem = pc.is_in(terms.stems, wanted).to_numpy(zero_copy_only=False)
    has_keyword = np.zeros(len(base), bool)
    positions = np.flatnonzero(is_query_stem[terms.matrix.ids])
    has_keyword[np.searchsorted(terms.matrix.starts, positions, side="right") - 1] = True
    return has_keyword


def _has_query_word_in_url(base: BaseSet) -> Flags:
    """Whether each URL contains the stem of a query word; short stems must be whole words."""
    variants = [
        variant for term in base.query_terms for variant in stem_with_each_stemmer(term, ["en"])
    ]
    stems = sorted({stem.rpartition("/")[2] for variant in variants for stem in variant})
    patterns = [
        re.escape(s) if len(s) >= MIN_SUBSTRING_CHARS else rf"\b{re.escape(s)}\b" for s in stems
    ]
    if not patterns:
        return np.zeros(len(base), bool)
    matches = pc.match_substring_regex(base.graph.names, "|".join(patterns), ignore_case=True)
    return np.asarray(matches.to_numpy(zero_copy_only=False), bool)
