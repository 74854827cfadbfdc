"""Keywords of a page by contrast: phrases in texts about it that texts about others lack."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log

import numpy as np
import pyarrow as pa

from weft.graph.baseset.baseset import BaseSet
from weft.store.tokens import is_stop_word, stem_text

MAX_PHRASE_WORDS, MAX_PHRASE_TOKENS = 4, 6
MAX_TEXT_CHARS = 300
MIN_LIFT = 2
MIN_LOG_LIKELIHOOD_RATIO = 10.83  # p = 0.001 of chi-squared with one degree of freedom
MIN_MENTIONS = 2
MIN_ALONE_SHARE = 1 / 3
MAX_CANDIDATES, MAX_KEYWORDS = 100, 30
LANGUAGE = "en"
ADDRESS = re.compile(r"@|://|^www\.")
INITIAL = r"\b[^\W\d_]\.(?=\s)"
TOKEN = re.compile(rf"{INITIAL}|\w+(?:[-.'\u2019&]\w+)*|\S")
POSSESSIVE = re.compile("['\u2019]s?$")
TWO_LETTERS = re.compile(r"[^\W\d_].*[^\W\d_]")

StemKey = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ContrastingTexts:
    """Texts about a page, and texts of the same sort about other pages with their counts."""

    own: Sequence[str]
    others: Mapping[str, int]

    def count_mentions(self) -> Counter[StemKey]:
        """How many of the texts about the page have each phrase."""
        return Counter(key for text in self.own for key in find_phrases(text))

    def contrast(self) -> dict[StemKey, float]:
        """The log-likelihood ratio of each phrase of the page against the other texts."""
        mentions, elsewhere = self.count_mentions(), Counter[StemKey]()
        for text, count in self.others.items():
            for key in find_phrases(text).keys() & mentions.keys():
                elsewhere[key] += count
        own, others = len(self.own), sum(self.others.values())
        return {
            key: log_likelihood_ratio(count, own, elsewhere[key], others)
            for key, count in mentions.items()
        }


def find_keywords(base: BaseSet, page: int) -> list[str]:
    """The phrases that are typical of the texts about a page, most typical first.

    These texts are the anchor texts of links to the page, the titles of the
    pages that link to it, and its own title; each sort is compared with the
    same sort for all other pages of the base set, and the log-likelihood ratios
    are added up. A phrase counts where its share is at least twice that among
    the others, if two texts or the own title have it. Phrases that mostly occur
    inside longer keywords are left out; forms of one stem count together.
    """
    anchors, titles, own_title = texts_about(base, page)
    scores, mentions = Counter[StemKey](), Counter[StemKey]()
    for texts in (anchors, titles, own_title):
        scores.update(texts.contrast())  # adds
        mentions.update(texts.count_mentions())
    min_mentions = min(MIN_MENTIONS, len(base.graph.inlinks.row(page)))
    in_title = own_title.count_mentions()
    typical = [
        key
        for key, score in sorted(scores.items(), key=lambda item: (-round(item[1], 9), item[0]))
        if score >= MIN_LOG_LIKELIHOOD_RATIO and (mentions[key] >= min_mentions or key in in_title)
    ]
    texts_with_phrases = [
        find_phrases(text) for texts in (anchors, titles, own_title) for text in texts.own
    ]
    kept = _drop_parts_of_phrases(typical[:MAX_CANDIDATES], texts_with_phrases)
    return _most_common_forms(kept[:MAX_KEYWORDS], texts_with_phrases)


def texts_about(
    base: BaseSet, page: int
) -> tuple[ContrastingTexts, ContrastingTexts, ContrastingTexts]:
    """The anchor texts of links to a page, the titles of pages that link to it, its own title."""
    linking = base.graph.inlinks.row(page)
    titles = base.titles or [""] * len(base)
    own = [titles[page]] if titles[page] else []
    linking_titles = [titles[source] for source in linking.tolist() if titles[source]]
    others = Counter(filter(None, titles))
    others.subtract(own)
    unrelated = others.copy()
    unrelated.subtract(linking_titles)
    return (
        _anchors_about(base, page),
        ContrastingTexts(linking_titles, unrelated),
        ContrastingTexts(own, others),
    )


def _anchors_about(base: BaseSet, page: int) -> ContrastingTexts:
    """The anchor texts of links to a page, parallel links as one text, and of all other links."""
    rows = base.graph.outlinks
    sources = np.repeat(np.arange(len(base), dtype=np.int32), np.diff(rows.starts))
    targets = np.asarray(rows.ids)
    offsets, anchors = base.anchor_texts(sources, targets)
    coded = anchors if isinstance(anchors, pa.DictionaryArray) else anchors.dictionary_encode()
    texts, codes = coded.dictionary.to_pylist(), np.asarray(coded.indices)
    by_link = np.repeat(targets == page, np.diff(offsets))
    counts = np.bincount(codes[~by_link], minlength=len(texts)).tolist()
    own = (
        " | ".join(texts[code] for code in codes[offsets[link] : offsets[link + 1]].tolist())
        for link in np.flatnonzero(targets == page).tolist()
    )
    others = {text: count for text, count in zip(texts, counts, strict=True) if text and count}
    return ContrastingTexts([text for text in own if text.strip(" |")], others)


def find_phrases(text: str) -> dict[StemKey, str]:
    """The phrases of up to four words in a text, by the stems of their words.

    A phrase does not cross punctuation, and neither begins nor ends with a stop
    word or an initial. Addresses are left out.

    Examples
    --------
    >>> list(find_phrases("The History of Cars - Home Page").values())
    ['history', 'history of cars', 'cars']
    """
    parts = text[:MAX_TEXT_CHARS].casefold().split()
    tokens = TOKEN.findall(" ".join("|" if ADDRESS.search(part) else part for part in parts))
    words = [_analyse_token(token) for token in tokens]
    phrases: dict[StemKey, str] = {}
    for first, (_, stem) in enumerate(words):
        if stem:
            phrases |= _phrases_from(words[first : first + MAX_PHRASE_TOKENS])
    return phrases


def _phrases_from(words: Sequence[tuple[str, str]]) -> dict[StemKey, str]:
    """The phrases that begin with the first of some words."""
    phrases: dict[StemKey, str] = {}
    forms = list[str]()
    key: StemKey = ()
    for form, stem in words:
        if not form or len(key) == MAX_PHRASE_WORDS:
            break
        forms.append(form)
        if stem:
            key = (*key, stem)
            phrase = " ".join(forms)
            if TWO_LETTERS.search(phrase):
                phrases[key] = phrase
    return phrases


@lru_cache(1 << 16)
def _analyse_token(token: str) -> tuple[str, str]:
    """The form and the stem of a word; no stem for stop words and initials, none for signs."""
    form = POSSESSIVE.sub("", token)
    if not re.match(r"\w", form):
        return "", ""
    if form.endswith(".") or is_stop_word(form, LANGUAGE):
        return form, ""
    return form, " ".join(stem_text(form, LANGUAGE))


def log_likelihood_ratio(own: int, own_total: int, others: int, others_total: int) -> float:
    """Dunning's G² of a phrase in `own` of `own_total` texts and `others` of `others_total`.

    It is 0 where the share among the own texts is less than twice that among the
    others.

    Examples
    --------
    >>> round(log_likelihood_ratio(2, 2, 0, 2), 4)  # 4 ln 2 + 4 ln 2
    5.5452
    >>> log_likelihood_ratio(2, 4, 2, 4)
    0.0
    """
    if not own or own * others_total < MIN_LIFT * others * own_total:
        return 0.0
    share = (own + others) / (own_total + others_total)
    cells = (
        (own, own_total * share),
        (own_total - own, own_total * (1 - share)),
        (others, others_total * share),
        (others_total - others, others_total * (1 - share)),
    )
    return 2 * sum(observed * log(observed / expected) for observed, expected in cells if observed)


def _drop_parts_of_phrases(
    keys: Sequence[StemKey], texts: Iterable[Mapping[StemKey, str]]
) -> list[StemKey]:
    """Drop phrases that stand alone, outside longer ones of `keys`, in few of their texts."""
    parts = {key: {other for other in keys if _is_part(other, key)} for key in keys}
    mentions, alone = Counter[StemKey](), Counter[StemKey]()
    for phrases in texts:
        present = phrases.keys() & parts.keys()
        mentions.update(present)
        alone.update(present.difference(*(parts[key] for key in present)))
    return [key for key in keys if alone[key] >= MIN_ALONE_SHARE * mentions[key]]


def _is_part(key: StemKey, longer: StemKey) -> bool:
    size = len(key)
    return size < len(longer) and any(
        longer[first : first + size] == key for first in range(len(longer) - size + 1)
    )


def _most_common_forms(
    keys: Sequence[StemKey], texts: Iterable[Mapping[StemKey, str]]
) -> list[str]:
    counts = {key: Counter[str]() for key in keys}
    for phrases in texts:
        for key in phrases.keys() & counts.keys():
            counts[key][phrases[key]] += 1
    return [min(forms, key=lambda form: (-forms[form], form)) for forms in counts.values()]
