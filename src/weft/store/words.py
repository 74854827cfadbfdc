"""Words: how each language's text is cut and stemmed for the index."""

from tantivy import Filter, Index, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

STEMMERS = {
    "ar": "arabic",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
}
UNSPACED = ("zh", "ja", "th", "km", "lo", "my")
LONGEST_WORD = 60


def family(language: str) -> str:
    """Which of the analysers a language's text goes to; `xx` is text left unstemmed."""
    if language in STEMMERS:
        return language
    return "cjk" if language in UNSPACED else "xx"


def analyser(name: str) -> TextAnalyzer:
    """Lower case, stemmed, accents folded; pairs of characters where words are not spaced."""
    if name == "cjk":
        return TextAnalyzerBuilder(Tokenizer.ngram(1, 2)).filter(Filter.lowercase()).build()
    builder = TextAnalyzerBuilder(Tokenizer.simple())
    builder = builder.filter(Filter.remove_long(LONGEST_WORD)).filter(Filter.lowercase())
    if name in STEMMERS:
        builder = builder.filter(Filter.stemmer(STEMMERS[name]))
    return builder.filter(Filter.ascii_fold()).build()


def register(index: Index, families: list[str]) -> None:
    """Make an index know the analysers; it forgets them whenever it is closed."""
    for name in {*families, "xx"}:
        index.register_tokenizer(f"weft_{name}", analyser(name))
