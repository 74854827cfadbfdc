"""Ask a collection about one page: which are like it, and which links it lacks."""

import re
from collections import Counter
from dataclasses import replace
from typing import Any, cast

import pyarrow as pa

from weft.core.arrays import Flags, Ids
from weft.core.errors import BadParameter
from weft.core.methods import Method, find
from weft.graph.baseset import BaseSet
from weft.graph.expand import whole
from weft.graph.levels import load
from weft.graph.neighbours import KIND_NAMES
from weft.graph.nofollow import marked_to, read_marks
from weft.graph.noted import stopped
from weft.graph.options import Level
from weft.graph.stoplist import read_stoplist
from weft.run.analyse import Seen, View, provenance
from weft.run.names import named
from weft.store.collection import Collection
from weft.store.words import Stemmed, family
from weft.suggest import Around, Similar, Suggestions

WORD = re.compile(r"[^\W_]+")
LONGEST_TEXT = 1 << 18


def similar(
    collection: Collection, url: str, method: str, level: Level, options: dict[str, Any]
) -> Similar:
    """The pages, hosts or domains most like one."""
    chosen, web, asked = _asked("similar", collection, url, method, level, options)
    found = cast("Similar", chosen(web, **asked))
    return replace(found, provenance=_provenance(collection, web))


def suggest(
    collection: Collection, url: str, method: str, level: Level, options: dict[str, Any]
) -> Suggestions:
    """The links that a page, host or domain lacks."""
    chosen, web, asked = _asked("suggest", collection, url, method, level, options)
    found = cast("Suggestions", chosen(web, **asked))
    return replace(found, provenance=_provenance(collection, web))


def _asked(
    kind: str, collection: Collection, url: str, method: str, level: Level, options: dict[str, Any]
) -> tuple[Method, Around, dict[str, Any]]:
    """A method, its web, and its options, checked before the web is loaded."""
    chosen = find(kind, method)
    if "page" in options:
        raise BadParameter(f"{method}: the page is {url!r} already", hint="leave out page=")
    asked = chosen.checked(options)
    return chosen, around(collection, level), {**asked, "page": named(collection, level, url)}


def around(collection: Collection, level: Level) -> Around:
    """The web of a collection at a level, with what was found out about it before."""

    def make() -> Around:
        if level != "page":
            return Around(BaseSet.whole(load(collection, level)))
        pages = collection.pages

        def titles(numbers: Ids) -> list[str]:
            return cast("list[str]", pages["title"].take(pa.array(numbers)).to_pylist())

        def kinds(numbers: Ids) -> list[str]:
            codes = pages["kind"].take(pa.array(numbers)).combine_chunks()
            return cast("list[str]", KIND_NAMES.take(codes).to_pylist())

        def listed(numbers: Ids) -> Flags:
            return stopped(collection, numbers, read_stoplist("default"))

        def marked() -> Ids:
            return marked_to(read_marks(collection), len(pages))

        def written(number: int) -> dict[str, str]:
            return _written(collection, number)

        return Around(whole(collection), titles, kinds, listed, marked, written)

    return collection.once(f"around {level}s", make)


def _written(collection: Collection, number: int) -> dict[str, str]:
    """How a page mostly writes the words of each stem."""
    title, language = (collection.pages[name][number].as_py() for name in ("title", "language"))
    text = f"{title}\n{collection.texts([number])[0][:LONGEST_TEXT]}"
    words = Counter(WORD.findall(text.lower()))
    stemmed = Stemmed.of(pa.array(words, pa.string()), family(language)).texts()
    best: dict[str, str] = {}
    for word, stems in zip(words, stemmed, strict=True):
        stem = stems.strip()
        if words[word] > words[best.get(stem, "")]:
            best[stem] = word
    return best


def _provenance(collection: Collection, web: Around) -> dict[str, Any]:
    return provenance(collection, Seen(View(web.level), web.base))
