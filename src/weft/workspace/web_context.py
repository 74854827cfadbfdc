"""What methods for similar pages and missing links read from a collection."""

import re
from collections import Counter
from typing import cast

import pyarrow as pa

from weft.core.arrays import Ids
from weft.graph.baseset.baseset import BaseSet
from weft.graph.link_facts import count_nofollow_inlinks, read_nofollow_links
from weft.similar import WebContext
from weft.store.collection import Collection
from weft.store.tokens import StemmedTexts, stemmer_code

WORD_PATTERN = re.compile(r"[^\W_]+")
MAX_TEXT_CHARS = 1 << 18


def build_web_context(collection: Collection, base: BaseSet) -> WebContext:
    """A base set of pages with their titles, kinds and word forms; hosts have none."""
    if base.level != "page":
        return WebContext(base)
    numbers = base.page_numbers

    def read_titles(pages: Ids) -> list[str]:
        titles = collection.pages["title"].take(pa.array(numbers[pages]))
        return cast("list[str]", titles.to_pylist())

    def read_kinds(pages: Ids) -> list[str]:
        return cast("list[str]", collection.page_kinds(numbers[pages]).to_pylist())

    def read_nofollow_counts() -> Ids:
        links = read_nofollow_links(collection)
        return count_nofollow_inlinks(links, len(collection))[numbers]

    def read_word_forms(page: int) -> dict[str, str]:
        return _common_word_forms(collection, int(numbers[page]))

    return WebContext(base, read_titles, read_kinds, read_nofollow_counts, read_word_forms)


def _common_word_forms(collection: Collection, number: int) -> dict[str, str]:
    """The most frequent form of each stem on a page."""
    title, language = (collection.pages[name][number].as_py() for name in ("title", "language"))
    text = f"{title}\n{collection.texts([number])[0][:MAX_TEXT_CHARS]}"
    counts = Counter(WORD_PATTERN.findall(text.lower()))
    words = pa.array(counts, pa.string())
    stems = StemmedTexts.from_texts(words, stemmer_code(language)).to_strings()
    forms: dict[str, str] = {}
    for word, padded_stem in zip(counts, stems, strict=True):
        stem = padded_stem.strip()
        if counts[word] > counts[forms.get(stem, "")]:
            forms[stem] = word
    return forms
