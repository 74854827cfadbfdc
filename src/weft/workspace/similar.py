"""Find pages similar to a page of a collection, and suggest links that it lacks."""

import re
from collections import Counter
from dataclasses import replace
from typing import Any, cast

import pyarrow as pa

from weft.core.arrays import Ids
from weft.core.errors import BadParameter
from weft.core.memoize import memoize
from weft.core.register import Method, find_method
from weft.graph.baseset.baseset import BaseSet
from weft.graph.baseset.expand import whole_base_set
from weft.graph.baseset.options import Level
from weft.graph.levels import load_graph
from weft.graph.link_facts import count_nofollow_inlinks, read_nofollow_links
from weft.similar import SimilarPages, Suggestions, WebContext
from weft.store.collection import Collection
from weft.store.tokens import StemmedTexts, stemmer_code
from weft.workspace.analyse import LoadedSelection, Selection, provenance, resolve_name

WORD_PATTERN = re.compile(r"[^\W_]+")
MAX_TEXT_CHARS = 1 << 18


def find_similar(
    collection: Collection, url: str, method: str, level: Level, options: dict[str, Any]
) -> SimilarPages:
    """The pages, hosts or domains most similar to one."""
    run, context, options = _prepare_method("similar", collection, url, method, level, options)
    result = cast("SimilarPages", run(context, **options))
    return replace(result, provenance=_context_provenance(collection, context))


def suggest_links(
    collection: Collection, url: str, method: str, level: Level, options: dict[str, Any]
) -> Suggestions:
    """The links that a page, host or domain lacks."""
    run, context, options = _prepare_method("suggest", collection, url, method, level, options)
    result = cast("Suggestions", run(context, **options))
    return replace(result, provenance=_context_provenance(collection, context))


def _prepare_method(
    kind: str, collection: Collection, url: str, method: str, level: Level, options: dict[str, Any]
) -> tuple[Method, WebContext, dict[str, Any]]:
    """A method, its data, and its options, which are validated before the data is loaded."""
    registered = find_method(kind, method)
    if "page" in options:
        raise BadParameter(f"{method}: the page is {url!r} already", hint="omit page=")
    validated = registered.validate_options(options)
    context = load_web_context(collection, level)
    return registered, context, {**validated, "page": resolve_name(collection, level, url)}


@memoize
def load_web_context(collection: Collection, level: Level) -> WebContext:
    """The graph of a level with titles and kinds of pages, memoized in the collection."""
    if level != "page":
        return WebContext(BaseSet.from_graph(load_graph(collection, level)))
    pages = collection.pages

    def read_titles(numbers: Ids) -> list[str]:
        return cast("list[str]", pages["title"].take(pa.array(numbers)).to_pylist())

    def read_kinds(numbers: Ids) -> list[str]:
        return cast("list[str]", collection.page_kinds(numbers).to_pylist())

    def read_nofollow_counts() -> Ids:
        return count_nofollow_inlinks(read_nofollow_links(collection), len(pages))

    def read_word_forms(number: int) -> dict[str, str]:
        return _common_word_forms(collection, number)

    return WebContext(
        whole_base_set(collection),
        read_titles,
        read_kinds,
        read_nofollow_counts,
        read_word_forms,
    )


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


def _context_provenance(collection: Collection, context: WebContext) -> dict[str, Any]:
    return provenance(collection, LoadedSelection(Selection(context.level), context.base))
