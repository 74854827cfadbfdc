"""The cues of links: what a reader sees of a link before following it, as stems."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import (
    CSR,
    Flags,
    Ids,
    Offsets,
    pack_pairs,
    sort_unique,
    take_rows,
    unpack_pairs,
)
from weft.graph.webgraph import csr_to_scipy
from weft.store.term_weights import StemDictionary, TermCounts
from weft.store.tokens import StemmedTexts, find_stop_words

URL_WORD = re.compile(r"[^\W\d_]{2,}")
FILE_WORDS = frozenset({"htm", "html", "xhtml", "php", "asp", "aspx", "jsp", "cgi", "index"})
MAX_URL_CHARS = 500


@dataclass(frozen=True, slots=True, eq=False)
class LinkCues:
    """The texts that cue each link, and the stems of each distinct text.

    Row k of `link_texts` has the texts of the k-th link; row t of `text_stems`
    the stems of text t, with the number of times that each occurs. Stop words
    are left out.
    """

    stems: pa.Array
    text_stems: CSR
    link_texts: CSR

    @property
    def has_words(self) -> Flags:
        """The links with any word that is no stop word."""
        worded = (np.diff(self.text_stems.starts) > 0).astype(np.float64)
        found: Flags = csr_to_scipy(self.link_texts, len(worded)) @ worded > 0
        return found

    def count_stems(self, stems: Sequence[str]) -> Any:
        """How often each link has each of some stems: a SciPy matrix, a row for each link."""
        numbers = pc.index_in(pa.array(stems, pa.large_string()), self.stems).to_pylist()
        column_of_stem = np.full(len(self.stems), -1, np.int32)
        for column, number in enumerate(numbers):
            if number is not None:
                column_of_stem[number] = column
        rows = self.text_stems
        columns = column_of_stem[rows.ids]
        wanted = columns >= 0
        starts = np.concatenate([[0], np.cumsum(wanted)])[rows.starts]
        found = CSR(starts, columns[wanted], np.asarray(rows.weights)[wanted])
        texts = csr_to_scipy(self.link_texts, self.text_count)
        return (texts @ csr_to_scipy(found, len(stems))).tocsr()

    def stems_of(self, links: Ids | Offsets) -> tuple[CSR, list[str]]:
        """The stems of some links with their counts, a row for each, and the names of the stems."""
        texts = csr_to_scipy(take_rows(self.link_texts, np.asarray(links)), self.text_count)
        found = (texts @ csr_to_scipy(self.text_stems, len(self.stems))).tocsr()
        used, columns = np.unique(found.indices, return_inverse=True)
        names: list[str] = self.stems.take(pa.array(used)).to_pylist()
        return CSR(found.indptr.astype(np.int64), columns.astype(np.int32), found.data), names

    @property
    def text_count(self) -> int:
        """The number of distinct texts."""
        return len(self.text_stems.starts) - 1


class CueCollector:
    """Collects texts of links, and stems each distinct one once."""

    def __init__(self, link_count: int, stemmers: Sequence[str]) -> None:
        self.link_count, self.stemmers, self.text_count = link_count, stemmers, 0
        self.texts = list[tuple[str, pa.Array]]()
        self.pairs = [np.zeros(0, np.int64)]

    def add(self, links: Ids | Offsets, texts: pa.Array, stemmer_of_text: Ids) -> None:
        """Add a text for each of some links, and its stemmer as a position in `stemmers`."""
        encoded = texts if pa.types.is_dictionary(texts.type) else texts.dictionary_encode()
        indices = encoded.indices.to_numpy(zero_copy_only=False)
        for code, stemmer in enumerate(self.stemmers):
            own = np.flatnonzero(stemmer_of_text == code)
            used, text = np.unique(indices[own], return_inverse=True)
            own_texts = encoded.dictionary.take(pa.array(used)).cast(pa.string())
            self.texts.append((stemmer, own_texts))
            self.pairs.append(pack_pairs(np.asarray(links)[own], text + self.text_count))
            self.text_count += len(used)

    def to_cues(self) -> LinkCues:
        """The cues of all links; a text that is given twice for a link counts once."""
        dictionary, parts, first = StemDictionary(), [TermCounts.empty()], 0
        for stemmer, texts in self.texts:
            parts.append(count_text_stems(texts, stemmer, dictionary, first))
            first += len(texts)
        text, stem, count = map(np.concatenate, zip(*parts, strict=True))
        kept = is_content_stem(dictionary.stems)[stem]
        rows = CSR(
            np.searchsorted(text[kept], np.arange(self.text_count + 1)).astype(np.int64),
            stem[kept].astype(np.int32),
            count[kept].astype(np.float64),
        )
        link, of_text = unpack_pairs(sort_unique(np.concatenate(self.pairs)))
        starts = np.searchsorted(link, np.arange(self.link_count + 1)).astype(np.int64)
        return LinkCues(dictionary.stems, rows, CSR(starts, of_text))


def count_text_stems(
    texts: pa.Array, stemmer: str, dictionary: StemDictionary, first: int = 0
) -> TermCounts:
    """Count the stems of texts, which are numbered from `first` on."""
    # counts are of titles and bodies: these texts are bodies without titles
    untitled = pa.concat_arrays([pa.repeat("", len(texts)), texts.cast(pa.string())])
    stemmed = StemmedTexts.from_texts(untitled, stemmer)
    numbers = np.arange(first, first + len(texts), dtype=np.int32)
    return TermCounts.from_stemmed(numbers, stemmed, dictionary)


def is_content_stem(stems: pa.Array) -> Flags:
    """Which stems, such as `en/cat`, are no stop words of their language."""
    names: list[str] = stems.to_pylist()
    languages = np.array([stem.rpartition("/")[0] for stem in names], dtype=str)
    content = np.ones(len(names), bool)
    for language in np.unique(languages).tolist():
        own = np.flatnonzero(languages == language)
        words = [names[at].rpartition("/")[2] for at in own]
        stop_words = find_stop_words(words, language, of_the_web=False)
        content[own] = [word not in stop_words for word in words]
    return content


def url_words(url: str) -> str:
    """The words of the path and query of a URL, without those of file types.

    Examples
    --------
    >>> url_words("http://a.org/guide/Big%20cats_2.html"), url_words("a")
    ('guide Big cats', '')
    """
    _, found, rest = url[:MAX_URL_CHARS].partition("://")
    path = unquote(unquote(rest)).partition("/")[2] if found else ""
    return " ".join(word for word in URL_WORD.findall(path) if word.lower() not in FILE_WORDS)
