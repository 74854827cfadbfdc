"""Titles of pages without the boilerplate that hosts repeat in many of them, and phrases."""

import re
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from weft.core.arrays import Ids
from weft.graph.baseset.baseset import BaseSet
from weft.graph.levels import encode_owners
from weft.store.arrow_files import string_buffers
from weft.store.term_weights import TermWeights
from weft.store.tokens import (
    UNSPACED_CHARACTERS,
    UNSPACED_RUN,
    is_stop_word,
    stem_text,
    stemmer_code,
)

MAX_CONTENT_WORDS = 5
MAX_TEXT_CHARS = 300
MAX_UNSPACED_CHARS = 12
LETTERS_PATTERN = rf"[^\W_{UNSPACED_CHARACTERS}]++"
WORD_PATTERN = re.compile(
    rf"[{UNSPACED_CHARACTERS}]++|{LETTERS_PATTERN}(?:[-'\u2019&]{LETTERS_PATTERN}|[.]\d++)*+[+#]*+"
)
WORD_OR_PUNCTUATION = re.compile(rf"{WORD_PATTERN.pattern}|\S")
# Where a name of code falls into words: fooBar, foo_bar, foo.bar, foo::bar.
HYPHENATED_NAME = re.compile(r"(?<![\w-])\w++(?:-\w++){2,}+")
CODE_NAME_JOINT = re.compile(r"(?<=[a-z])(?=[A-Z])|_+|(?<=[^\W\d_])(?:\.|::)(?=[^\W\d_])")
TWO_LETTERS = re.compile(r"[^\W\d_].*[^\W\d_]")
ELIDING_LANGUAGES = {"ca", "fr", "it"}
ELIDED_PREFIX = re.compile("^(?:[cdjlmnst]|qu|dell|nell|all|sull|un)['\u2019]", re.IGNORECASE)
POSSESSIVE = re.compile("['\u2019][sS]?$")

StemKey = tuple[str, ...]


class PhraseWord(NamedTuple):
    """A word as written, with its stem in the key language, empty for a stop word."""

    form: str
    stem: str
    can_stand_alone: bool


@lru_cache(1 << 15)
def find_phrases(text: str, language: str = "en", key_language: str = "en") -> dict[StemKey, str]:
    """The phrases of a text: the stems of their content words, and the form written first.

    A phrase does not cross punctuation, neither begins nor ends with a stop word,
    and has at most five other words, none of them twice. Names of code fall into
    words. In scripts without spaces a run of characters is a word. Keys are stems
    in `key_language`, so that texts in several languages can be compared.

    Examples
    --------
    >>> list(find_phrases("The History of Cars - Home Page").values())
    ['History', 'History of Cars', 'Cars']
    >>> list(find_phrases("scipy.signal.firwin"))[-1]
    ('en/firwin',)
    """
    words = [_analyse_word(word, language, key_language) for word in _split_words(text)]
    found: dict[StemKey, str] = {}
    for start, first in enumerate(words):
        if first is None or not first.stem:
            continue
        for end in range(start + 1, len(words) + 1):
            last = words[end - 1]
            if last is None:
                break
            phrase = [word for word in words[start:end] if word is not None]
            key = tuple(word.stem for word in phrase if word.stem)
            if len(key) > MAX_CONTENT_WORDS or len(set(key)) < len(key):
                break
            if last.stem and any(word.can_stand_alone for word in phrase):
                form = POSSESSIVE.sub("", " ".join(word.form for word in phrase))
                found.setdefault(key, _strip_elided(form, language))
    return found


def _split_words(text: str) -> list[str]:
    """The words and signs of a text, with names of code in parts."""
    plain = HYPHENATED_NAME.sub(lambda name: name[0].replace("-", " "), text[:MAX_TEXT_CHARS])
    return WORD_OR_PUNCTUATION.findall(CODE_NAME_JOINT.sub(" ", plain))


def query_stems(terms: tuple[str, ...], languages: Set[str]) -> frozenset[str]:
    """The stems of the words of a query in each language."""
    return frozenset(
        stem
        for term in terms
        for word in WORD_PATTERN.findall(term.lower())
        for language in {*languages, ""}
        for stem in stem_word(word, language)
    )


@lru_cache(1 << 16)
def stem_word(word: str, language: str) -> StemKey:
    """The stems of one word; several if it has a hyphen."""
    if UNSPACED_RUN.match(word):
        return (word,)
    return tuple(stem_text(POSSESSIVE.sub("", word), stemmer_code(language)))


@lru_cache(1 << 16)
def _analyse_word(word: str, language: str, key_language: str) -> PhraseWord | None:
    """A word of a text; None for punctuation."""
    if not WORD_PATTERN.match(word):
        return None
    form = _strip_elided(POSSESSIVE.sub("", word), language)
    low = form.lower()
    is_content_word = len(low) <= 60 and bool(stem_word(low, language))
    is_content_word = is_content_word and not is_stop_word(low, language)
    stem = "-".join(stem_word(low, key_language)) if is_content_word else ""
    return PhraseWord(word, stem, _can_stand_alone(form))


def _strip_elided(text: str, language: str) -> str:
    """A text without an article that is part of its first word."""
    return ELIDED_PREFIX.sub("", text) if language in ELIDING_LANGUAGES else text


def _can_stand_alone(word: str) -> bool:
    """Whether a word can be a phrase: two letters, or a short run of a script without spaces."""
    if UNSPACED_RUN.match(word):
        return 2 <= len(word) <= MAX_UNSPACED_CHARS
    return bool(TWO_LETTERS.search(word))


MIN_REPEATS, ENOUGH_REPEATS = 3, 10
MIN_REPEAT_SHARE = 0.25
MIN_TITLES_FOR_COMMON_WORDS, MAX_COMMON_SHARE = 20, 0.2
SEPARATOR = re.compile(r"\s[-\u2013\u2014|\u00b7\u00bb:/]+(?:\s|$)|:\s|\u00b6")
SEPARATOR_AT_END = re.compile(rf"(?:{SEPARATOR.pattern})$")
PLACEHOLDER_TITLE = re.compile(
    r"\W*(?:(?:(?:empty|no|untitled|new|blank)\W+)?(?:title|document|page)(?: field|\W*\d+)?"
    r"|untitled|index of /.*|(?:\d{3} )?(?:object |document )?moved(?: permanently)?)\W*",
    re.IGNORECASE,
)
# Parts of titles that say that a page lists pages.
INDEX_PART = re.compile(
    r"(?:(?:general|alphabetical|subject|main|full|global|site|python|module|api|page) ?){0,2}index"
    r"|(?:table of )?contents|site ?map|search(?: page| results)?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, eq=False)
class Titles:
    """The titles of a base set, without what their hosts repeat in many titles.

    `host_ids` is the host of each page, `languages` the language of its words.
    Without titles there are no hosts.
    """

    base: BaseSet
    titles: Sequence[str]
    host_ids: Sequence[int]
    languages: Sequence[str]
    hosts: dict[int, "HostTitles"] = field(default_factory=dict)
    own_titles: dict[int, str] = field(default_factory=dict)

    @classmethod
    def from_base_set(cls, base: BaseSet) -> "Titles":
        """The titles of a base set."""
        no_ids = np.zeros(0, np.int32)
        titles = base.titles
        host_ids = encode_owners(base.graph.names, "host")[0] if len(titles) else no_ids
        names = stem_languages(base.term_weights.stems)[1] or [""]
        codes = page_languages(base.term_weights)
        return cls(base, titles, host_ids.tolist(), [names[code] for code in codes.tolist()])

    def __getitem__(self, page: int) -> str:
        """The title of a page; empty for a placeholder such as "Untitled"."""
        title = collapse_spaces(self.titles[page] or "") if len(self.titles) else ""
        return "" if PLACEHOLDER_TITLE.fullmatch(title) else title

    def __len__(self) -> int:
        return len(self.titles)

    def own_title(self, page: int) -> str:
        """The title of a page without boilerplate, or with it where nothing else is left."""
        if page not in self.own_titles:
            title = self[page]
            self.own_titles[page] = self.strip_boilerplate(title, page) or title
        return self.own_titles[page]

    def stems(self, page: int) -> frozenset[str]:
        """The stems of the content words of the title without boilerplate."""
        return find_stems(self.own_title(page), self.language(page))

    def language(self, page: int) -> str:
        """The language of a page's words, English where it has none."""
        return self.languages[page] or "en"

    def strip_boilerplate(self, text: str, page: int) -> str:
        """Remove the boilerplate of the page's host from both ends of a text."""
        return strip_parts(text, self._host(page).boilerplate) if self.host_ids else text

    def common_stems(self, page: int) -> frozenset[str]:
        """The stems of words that a fifth of the titles of a page's host have."""
        return self._host(page).common_stems if self.host_ids else frozenset()

    def _host(self, page: int) -> "HostTitles":
        host = self.host_ids[page]
        if host not in self.hosts:
            titles = tuple(self.base.host_titles(page))
            self.hosts[host] = analyse_host_titles(titles, self.language(page))
        return self.hosts[host]


class HostTitles(NamedTuple):
    """What the titles of a host share.

    `boilerplate` are parts that a quarter of its titles have and at least
    three, or ten of them; `common_stems` are of words that a fifth have
    otherwise, none for a host of few pages.
    """

    boilerplate: tuple[str, ...]
    common_stems: frozenset[str]


@lru_cache(1 << 12)
def analyse_host_titles(titles: tuple[str, ...], language: str) -> HostTitles:
    """Find what the titles of a host share."""
    tidy = [title for text in titles if (title := collapse_spaces(text or ""))]
    parts = Counter(part for title in tidy for part in {*SEPARATOR.split(title)} - {title})
    min_count = max(min(MIN_REPEAT_SHARE * len(tidy), ENOUGH_REPEATS), MIN_REPEATS)
    boilerplate = tuple(
        part for part, count in parts.items() if part.strip() and count >= min_count
    )
    if len(tidy) < MIN_TITLES_FOR_COMMON_WORDS:
        return HostTitles(boilerplate, frozenset())
    stems = Counter(
        stem for title in tidy for stem in find_stems(strip_parts(title, boilerplate), language)
    )
    common = (stem for stem, count in stems.items() if count > MAX_COMMON_SHARE * len(tidy))
    return HostTitles(boilerplate, frozenset(common))


def find_stems(text: str, language: str) -> frozenset[str]:
    """The stems of the content words of a text."""
    return frozenset(stem for key in find_phrases(text, language, language) for stem in key)


def strip_parts(text: str, parts: Sequence[str]) -> str:
    """Remove parts from both ends of a text."""
    for part in parts:
        if part in text and (shorter := remove_title_part(text, part)) != text:
            return strip_parts(shorter, parts)
    return text


def is_index_title(title: str) -> bool:
    """Whether a title is that of an index, a table of contents or a search page.

    Examples
    --------
    >>> titles = "Index - Flask", "Wiki : Subject Index : Birds", "Human Development Index"
    >>> [is_index_title(title) for title in titles]
    [True, True, False]
    """
    return any(INDEX_PART.fullmatch(part.strip()) for part in SEPARATOR.split(title))


def collapse_spaces(text: str) -> str:
    """Replace runs of white space by one space."""
    return " ".join(text.split())


def remove_title_part(text: str, part: str) -> str:
    """Remove a part that a separator sets off at one end of a text.

    Examples
    --------
    >>> remove_title_part("OpenStack Docs: Glance", "OpenStack Docs")
    'Glance'
    >>> remove_title_part("Glance - Installation", "Installation")
    'Glance'
    >>> remove_title_part("Installation of Glance", "Installation")
    'Installation of Glance'
    """
    if text == part:
        return ""
    if text.startswith(part) and (separator := SEPARATOR.match(text, len(part))):
        return text[separator.end() :]
    if text.endswith(part) and (separator := SEPARATOR_AT_END.search(text[: -len(part)])):
        return text[: separator.start()]
    return text


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
