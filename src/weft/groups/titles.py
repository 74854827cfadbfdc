"""Titles of pages without the boilerplate that hosts repeat in many titles."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from weft.core.arrays import Ids
from weft.graph.baseset.baseset import BaseSet
from weft.graph.baseset.filters import encode_owners
from weft.groups.phrases import find_phrases
from weft.store.arrow_files import string_buffers
from weft.store.term_weights import TermWeights

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
