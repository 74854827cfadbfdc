"""From what a person types to a query of the index."""

import re
from dataclasses import dataclass, field

from weft.core.errors import BadParameter

LONGEST = 2_000
DEEPEST = 20
TOKEN = re.compile(r'(?P<sign>[+-])?(?:"(?P<phrase>[^"]*)"?|(?P<paren>[()])|(?P<word>[^\s()"]+))')
FILTER = re.compile(r"(site|lang):(.+)", re.IGNORECASE)
OPERATORS = ("AND", "OR", "NOT")
BEGINNING = re.compile(r"\w\*+$")


@dataclass(frozen=True, slots=True)
class Query:
    """A query taken apart: the words for the index, and what only pages that pass may be.

    `words` is in the index's own language, with every word quoted, so that no
    character of the user's means anything but itself; only a word that ends in
    `*` is the beginning of one. `terms` are the words and phrases asked for.
    """

    words: str
    terms: tuple[str, ...]
    sites: tuple[str, ...]
    without_sites: tuple[str, ...]
    languages: tuple[str, ...]
    without_languages: tuple[str, ...]


@dataclass(slots=True)
class Reader:
    """A query half read; `opened` says of each open parenthesis whether it excludes."""

    pieces: list[str] = field(default_factory=list)
    terms: list[str] = field(default_factory=list)
    filters: dict[str, list[str]] = field(
        default_factory=lambda: {"site": [], "-site": [], "lang": [], "-lang": []}
    )
    opened: list[bool] = field(default_factory=list)
    negating: bool = False

    def take(self, token: re.Match[str]) -> None:
        """Read one token."""
        word = token["word"] or ""
        if word in OPERATORS and not token["sign"]:
            self._operator(word)
            return
        sign = "-" if self.negating else token["sign"] or ""
        self.negating = False
        if found := FILTER.fullmatch(word):
            self.filters[sign.replace("+", "") + found[1].lower()].append(found[2])
        elif token["paren"]:
            self._parenthesis(sign, token["paren"])
        elif words := _plain(word or token["phrase"] or ""):
            words += "*" * bool(BEGINNING.search(word))
            if sign != "-" and not any(self.opened):
                self.terms.append(words)
            self.pieces.append(f'{sign}"{words.lower()}"')

    def _operator(self, word: str) -> None:
        """The index knows AND NOT only as AND with a minus."""
        if word == "NOT":
            self.negating = True
        else:
            self.pieces.append(word)

    def _parenthesis(self, sign: str, sort: str) -> None:
        """Keep parentheses that match and are not too deep."""
        if sort == "(":
            self.opened.append(sign == "-")
        if 0 < len(self.opened) <= DEEPEST:
            self.pieces.append(sign + sort if sort == "(" else sort)
        if sort == ")" and self.opened:
            self.opened.pop()


def parse(text: str) -> Query:
    """Take a query apart: words, "phrases", AND, OR, NOT, parentheses, +, -, `site:` and `lang:`.

    Examples
    --------
    >>> parse('jaguar "e-type" -atari site:example.com').words
    '"jaguar" "e-type" -"atari"'
    >>> parse('democ* "big *"').terms
    ('democ*', 'big')
    """
    if len(text) > LONGEST:
        raise BadParameter(f"the query has {len(text):,} characters", hint=f"at most {LONGEST:,}")
    reader = Reader()
    for token in TOKEN.finditer(text.encode("utf-8", "replace").decode()):
        reader.take(token)
    words = _tidy(reader.pieces)
    filters = {name: tuple(values) for name, values in reader.filters.items()}
    if not reader.terms and (words or not any(filters.values())):
        what = "only excludes words" if words else "has no words"
        raise BadParameter(f"the query {what}", hint="write a word that the pages should have")
    return Query(words, tuple(reader.terms), *filters.values())


def _plain(words: str) -> str:
    """Words without the characters that quoting leaves special; nothing if no letter is left."""
    kept = re.sub(r'[\\"()*\x00-\x1f]', " ", words).strip()
    return kept if re.search(r"\w", kept) else ""


def _tidy(pieces: list[str]) -> str:
    """Close what was opened, and drop operators that have nothing to join."""
    text = " ".join(pieces)
    opened = text.count("(") - text.count(")")
    text += " )" * max(opened, 0)
    empty = re.compile(r"[+-]?\(\s*(?:(?:AND|OR)\s*)*\)")
    while empty.search(text):
        text = empty.sub(" ", text)
    text = re.sub(r"\s+", " ", text)
    text = re.sub(r"\b(AND|OR)(?: (?:AND|OR))+(?= |$)", r"\1", text)
    text = re.sub(r"^ ?(?:AND|OR)(?: |$)| (?:AND|OR) ?$", "", text)
    text = re.sub(r"\( (?:AND|OR) ", "( ", text)
    return re.sub(r" (?:AND|OR) \)", " )", text).strip()
