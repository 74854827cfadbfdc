"""Stop words: those that say nothing of what a page is about, language by language."""

import tomllib
from functools import cache, lru_cache
from importlib.resources import files

from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

from weft.store.words import STEMMERS

LISTED = {"da", "de", "en", "es", "fi", "fr", "hu", "it", "nl", "no", "pt", "ru", "sv"}
WEB = "web"


@lru_cache(1 << 16)
def is_stop(word: str, language: str) -> bool:
    """Whether a word, in lower case, says nothing in a language; or is of the web in any.

    Examples
    --------
    >>> is_stop("die", "de"), is_stop("die", "en"), is_stop("homepage", "fr")
    (True, False, True)
    """
    own = _own()
    if word in own[WEB] or word in own.get(language, ()):
        return True
    return language in LISTED and not _filter(language).analyze(word)


@cache
def _own() -> dict[str, frozenset[str]]:
    lists = tomllib.loads((files("weft.store") / "stopwords.toml").read_text("utf-8"))
    return {code: frozenset(words.split()) for code, words in lists.items()}


@cache
def _filter(language: str) -> TextAnalyzer:
    """Lets through what is no stop word, by the lists of the index."""
    builder = TextAnalyzerBuilder(Tokenizer.whitespace())
    return builder.filter(Filter.stopword(STEMMERS[language])).build()
