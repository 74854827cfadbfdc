"""Parse what a person types into a query for the index."""

import re
from dataclasses import dataclass, field

from weft.core.errors import BadParameter

MAX_QUERY_CHARS = 2_000
MAX_NESTING = 20
QUERY_TOKEN = re.compile(
    r'(?P<sign>[+-])?(?:"(?P<phrase>[^"]*)"?|(?P<paren>[()])|(?P<word>[^\s()"]+))'
)
FILTER_TERM = re.compile(r"(site|lang):(.+)", re.IGNORECASE)
OPERATORS = ("AND", "OR", "NOT")
PREFIX_WORD = re.compile(r"\w\*+$")


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query: the expression for the index, and the filters on pages.

    `expression` is in tantivy's query language, with every word quoted, so that
    no character of the user's is an operator there; a word that ends in `*` is
    a prefix. `terms` are the words and phrases asked for, not the excluded ones.
    """

    expression: str
    terms: tuple[str, ...]
    sites: tuple[str, ...]
    excluded_sites: tuple[str, ...]
    languages: tuple[str, ...]
    excluded_languages: tuple[str, ...]


@dataclass(slots=True)
class QueryParser:
    """The state of parsing; `open_parens` says of each open parenthesis whether it is negated."""

    clauses: list[str] = field(default_factory=list)
    terms: list[str] = field(default_factory=list)
    filters: dict[str, list[str]] = field(
        default_factory=lambda: {"site": [], "-site": [], "lang": [], "-lang": []}
    )
    open_parens: list[bool] = field(default_factory=list)
    negating: bool = False

    def read_token(self, token: re.Match[str]) -> None:
        """Read one token."""
        word = token["word"] or ""
        if word in OPERATORS and not token["sign"]:
            self._read_operator(word)
            return
        sign = "-" if self.negating else token["sign"] or ""
        self.negating = False
        if filter_term := FILTER_TERM.fullmatch(word):
            name, value = filter_term.groups()
            self.filters[sign.replace("+", "") + name.lower()].append(value)
        elif token["paren"]:
            self._read_parenthesis(sign, token["paren"])
        elif words := _strip_special_characters(word or token["phrase"] or ""):
            words += "*" * bool(PREFIX_WORD.search(word))
            if sign != "-" and not any(self.open_parens):
                self.terms.append(words)
            self.clauses.append(f'{sign}"{words.lower()}"')

    def _read_operator(self, word: str) -> None:
        """Read AND, OR or NOT; tantivy writes AND NOT as AND with a minus."""
        if word == "NOT":
            self.negating = True
        else:
            self.clauses.append(word)

    def _read_parenthesis(self, sign: str, paren: str) -> None:
        """Keep parentheses that match and are nested at most `MAX_NESTING` deep."""
        if paren == "(":
            self.open_parens.append(sign == "-")
        if 0 < len(self.open_parens) <= MAX_NESTING:
            self.clauses.append(sign + paren if paren == "(" else paren)
        if paren == ")" and self.open_parens:
            self.open_parens.pop()


def parse_query(text: str) -> Query:
    """Parse words, "phrases", AND, OR, NOT, parentheses, +, -, `site:` and `lang:`.

    Examples
    --------
    >>> parse_query('jaguar "e-type" -atari site:example.com').expression
    '"jaguar" "e-type" -"atari"'
    >>> parse_query('democ* "big *"').terms
    ('democ*', 'big')
    """
    if len(text) > MAX_QUERY_CHARS:
        raise BadParameter(
            f"the query has {len(text):,} characters", hint=f"at most {MAX_QUERY_CHARS:,}"
        )
    parser = QueryParser()
    for token in QUERY_TOKEN.finditer(text.encode("utf-8", "replace").decode()):
        parser.read_token(token)
    expression = _repair_expression(parser.clauses)
    filters = {name: tuple(values) for name, values in parser.filters.items()}
    if not parser.terms and (expression or not any(filters.values())):
        problem = "only excludes words" if expression else "has no words"
        raise BadParameter(f"the query {problem}", hint="add a word that the pages should contain")
    return Query(expression, tuple(parser.terms), *filters.values())


def _strip_special_characters(words: str) -> str:
    """Blank the characters that stay special inside quotes; empty if no word is left."""
    kept = re.sub(r'[\\"()*\x00-\x1f]', " ", words).strip()
    return kept if re.search(r"\w", kept) else ""


def _repair_expression(clauses: list[str]) -> str:
    """Close open parentheses, and drop empty ones and operators with nothing to join."""
    text = " ".join(clauses)
    unclosed = text.count("(") - text.count(")")
    text += " )" * max(unclosed, 0)
    empty = re.compile(r"[+-]?\(\s*(?:(?:AND|OR)\s*)*\)")
    while empty.search(text):
        text = empty.sub(" ", text)
    text = re.sub(r"\s+", " ", text)
    # Of several operators in a row the first counts; none begins or ends an expression.
    text = re.sub(r"\b(AND|OR)(?: (?:AND|OR))+(?= |$)", r"\1", text)
    text = re.sub(r"^ ?(?:AND|OR)(?: |$)| (?:AND|OR) ?$", "", text)
    text = re.sub(r"\( (?:AND|OR) ", "( ", text)
    return re.sub(r" (?:AND|OR) \)", " )", text).strip()
