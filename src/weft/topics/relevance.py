"""Which pages of a base set are about the query, as far as is known."""

import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import Flags, Floats
from weft.graph.baseset import GIVEN, ROOT, BaseSet
from weft.store.words import UNSTEMMED, stem_choices
from weft.topics.speech import marks

SHORT = 4


def relevance(base: BaseSet) -> Floats:
    """One for a page that is about the query, zero for one that is not, NaN where unknown.

    A page is about the query if the search found it or it was given, or if a
    word of the query is among its telling words or in its address. Where
    nothing else is known of a page than that it is linked to, it is unknown.
    Without a search every page is as good.

    Examples
    --------
    >>> relevance(BaseSet.of([("a", "x")])).tolist()
    [1.0, 1.0]
    """
    found = (base.origin == ROOT) | (base.origin == GIVEN)
    if found.all():
        return np.ones(len(base))
    known = found | (np.diff(base.words.rows.starts) > 0)
    about = found | _said(base) | _named(base)
    return np.where(about, 1.0, np.where(known, 0.0, np.nan))


def _said(base: BaseSet) -> Flags:
    """Whether a page has a word of the query among its telling words."""
    words = base.words
    families = {UNSTEMMED, *marks(words.stems)[1]} - {""}
    choices = [choice for term in base.terms for choice in stem_choices(term, sorted(families))]
    wanted = pa.array(sorted({stem for choice in choices for stem in choice}), words.stems.type)
    asked = pc.is_in(words.stems, wanted).to_numpy(zero_copy_only=False)
    said = np.zeros(len(base), bool)
    hits = np.flatnonzero(asked[words.rows.ids])
    said[np.searchsorted(words.rows.starts, hits, side="right") - 1] = True
    return said


def _named(base: BaseSet) -> Flags:
    """Whether the address of a page has a word of the query, or its stem if that is not short."""
    choices = [choice for term in base.terms for choice in stem_choices(term, ["en"])]
    stems = sorted({stem.rpartition("/")[2] for choice in choices for stem in choice})
    forms = [re.escape(s) if len(s) >= SHORT else rf"\b{re.escape(s)}\b" for s in stems]
    if not forms:
        return np.zeros(len(base), bool)
    named = pc.match_substring_regex(base.graph.names, "|".join(forms), ignore_case=True)
    return np.asarray(named.to_numpy(zero_copy_only=False), bool)
