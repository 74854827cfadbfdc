"""Typeset the formulas of the methods as MathML, which browsers show without a script.

In `core/methods.toml` and on a terminal a formula is plain text:

    score(v) = d * sum over u of P(u, v) score(u)  +  (1 - d) / n

Two spaces around an operator mean that it binds less than those with one.
`sum over X of`, `product over X of`, `sqrt(X)`, `x^y`, `x_y` and `x / y` become
signs; names that are called or have one letter are variables; other words stay
words. Nothing is left out: each name and number of the text is in the MathML.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from itertools import groupby, pairwise

TOKEN = re.compile(
    r"(?P<gap> {2,})| |(?P<number>\d+(?:\.\d+)?|(?<![\w.])\.\d+)"
    r"|(?P<name>--[a-z-]+|[^\W\d_]{2,}(?:[-_][^\W\d_]{2,})+|[^\W\d_]+\d*)"
    r"|(?P<mark>'+|\.\.\.|<=|=>|>=|->|!=|\S)"
)
MINUS, PRIME, BAR = "\N{MINUS SIGN}", "\N{PRIME}", "\N{DIVIDES}"
SIMILAR = "\N{TILDE OPERATOR}"
RELATIONS = {
    "=": "=",
    "~": SIMILAR,
    "=>": "⇒",
    "<=": "≤",
    ">=": "≥",
    "<": "<",
    ">": ">",
    "!=": "≠",
    "->": "→",
}
OPERATORS = {"+": "+", "-": MINUS, "*": "·", "·": "·"}
LARGE = {"sum": "∑", "product": "∏"}
UNDER = {*LARGE, "mean", "max", "min"}
GREEK = {
    "alpha": "\N{GREEK SMALL LETTER ALPHA}",
    "beta": "β",
    "mu": "μ",
    "eps": "ε",
    "lam": "λ",
    "pi": "π",
}
BRACKETS = {"(": ")", "[": "]", "{": "}"}
FUNCTIONS = {"ln", "log", "exp", "min", "max", "cos"}
GAP = '<mspace width="1.5em"/>'
BEFORE_COMMA = re.compile(r"&#160;(</mtext><mo>[,;:.)])")
MOST_WORDS = 0.5  # a block with more words than this is a list, not a formula


@dataclass(frozen=True, slots=True)
class Token:
    """A name, number or mark, and whether a gap of several spaces, or none, comes before it."""

    kind: str
    text: str
    is_after_gap: bool
    is_tight: bool


def tokens_of(line: str) -> list[Token]:
    """The names, numbers and marks of a line."""
    found, is_after_gap, is_tight = [], False, False
    for match in TOKEN.finditer(line.strip().replace("`", "")):
        kind = match.lastgroup
        if kind in {"number", "name", "mark"}:
            found.append(Token(str(kind), match[0], is_after_gap, is_tight))
        is_after_gap, is_tight = kind == "gap", kind in {"number", "name", "mark"}
    return found


def is_formula(lines: list[str]) -> bool:
    """Whether an indented block is a formula, not a list of words."""
    if any(_is_entry(tokens_of(line)) for line in lines):
        return False
    tokens = [token for line in lines for token in tokens_of(line) if token.kind != "mark"]
    keywords = {*UNDER, *FUNCTIONS, *GREEK, "over", "of", "sqrt"}
    called = {a.text for a, b in _pairs([t for li in lines for t in tokens_of(li)]) if b == "("}
    words = [t for t in tokens if len(t.text) > 2 and t.text not in keywords | called]
    return bool({"=", "~"} & set("".join(lines))) and len(words) <= MOST_WORDS * len(tokens)


def _is_entry(tokens: list[Token]) -> bool:
    """Whether a line is one of a list: a name, a gap, and what it means."""
    if any(token.text in RELATIONS for _, token in _outside(tokens)):
        return False
    return any(
        a.kind == "name" and b.kind != "mark" and b.is_after_gap for a, b in pairwise(tokens)
    )


def _pairs(tokens: list[Token]) -> Iterator[tuple[Token, str]]:
    return ((a, b.text) for a, b in pairwise(tokens))


def mathml(lines: list[str]) -> str:
    """A block of formulas, aligned at their relations."""
    rows = []
    for line in filter(str.strip, lines):
        tokens = tokens_of(line)
        at = next((k for k, t in _outside(tokens) if t.text in RELATIONS), None)
        left = [] if at is None else tokens[:at]
        relation = "" if at is None else f"<mo>{escape(RELATIONS[tokens[at].text])}</mo>"
        right = tokens if at is None else tokens[at + 1 :]
        cells = (_row(left), relation, _row(right))
        rows.append("".join(f"<mtd>{cell}</mtd>" for cell in cells))
    table = "".join(f"<mtr>{row}</mtr>" for row in rows)
    return f'<math display="block"><mtable displaystyle="true">{table}</mtable></math>'


def inline(text: str) -> str | None:
    """A variable or an expression in running text; None for options and other words."""
    tokens = tokens_of(text)
    names = [t.text for t in tokens if t.kind == "name"]
    called = {a.text for a, b in _pairs(tokens) if b == "("}
    known = {*called, *FUNCTIONS, *GREEK}
    if not names or any(len(name.rstrip("0123456789")) > 1 and name not in known for name in names):
        return None
    if any(a.kind == b.kind == "name" for a, b in pairwise(tokens)):
        return None
    return f"<math>{_row(tokens)}</math>"


def _outside(tokens: list[Token]) -> Iterator[tuple[int, Token]]:
    """The tokens that are in no brackets, with their places."""
    depth = 0
    for k, token in enumerate(tokens):
        depth -= token.text in BRACKETS.values()
        if depth <= 0:
            yield k, token
        depth += token.text in BRACKETS


def _row(tokens: list[Token]) -> str:
    """A side of a formula: parts between operators with gaps, of which `/` makes fractions."""
    parts: list[str] = []
    signs: list[str] = []
    start = 0
    for k, token in _outside(tokens):
        is_wide = token.is_after_gap and k + 1 < len(tokens) and tokens[k + 1].is_after_gap
        if is_wide and token.text in {*OPERATORS, "/"}:
            parts.append(_Reader(tokens[start:k]).all())
            signs.append(token.text)
            start = k + 1
    parts.append(_Reader(tokens[start:]).all())
    made = [parts[0]]
    for sign, part in zip(signs, parts[1:], strict=True):
        if sign == "/":
            made[-1] = f"<mfrac><mrow>{made[-1]}</mrow><mrow>{part}</mrow></mfrac>"
        else:
            made += [f"<mo>{OPERATORS[sign]}</mo>", part]
    return "<mrow>" + BEFORE_COMMA.sub(r"\1", "".join(made)) + "</mrow>"


class _Reader:
    """Reads tokens from left to right; `parts` are (MathML, is one factor, is in brackets)."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.at = 0

    def all(self) -> str:
        """Everything to the end."""
        parts: list[tuple[str, str]] = []  # MathML, and what it is: factor, group, word or sign
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            if token.is_after_gap and parts and token.kind != "mark":
                parts.append((GAP, "sign"))
            if token.text == "/" and self._joins(parts):
                self.at += 1
                top, bottom = _bare(parts.pop()), _bare(self._factor())
                parts.append((f"<mfrac>{top}{bottom}</mfrac>", "factor"))
            elif token.text in {*RELATIONS, *OPERATORS, "/"}:
                self.at += 1
                sign = (RELATIONS | OPERATORS).get(token.text, token.text)
                parts.append((f"<mo>{escape(sign)}</mo>", "sign"))
            else:
                parts.append(self._factor())
        return "".join(_with_spaces(parts))

    def _joins(self, parts: list[tuple[str, str]]) -> bool:
        """Whether the slash here stands between two factors."""
        if not parts or parts[-1][1] not in {"factor", "group"} or self.at + 1 >= len(self.tokens):
            return False
        after = self.tokens[self.at + 1]
        is_called = self.at + 2 < len(self.tokens) and self.tokens[self.at + 2].text == "("
        return after.kind == "number" or after.text in "([" or _is_variable(after, is_called)

    def _factor(self) -> tuple[str, str]:
        """One factor with what is called, raised or lowered after it."""
        token = self.tokens[self.at]
        if token.text in UNDER and (found := self._large(token.text)):
            return found
        made = self._atom()
        if token.kind == "number" and self.at < len(self.tokens):
            after = self.tokens[self.at]
            if after.is_tight and after.kind == "name":
                return f"<mrow>{made[0]}{self._factor()[0]}</mrow>", "factor"
        while self.at < len(self.tokens) and made[1] in {"factor", "group"}:
            mark = self.tokens[self.at].text
            if mark in {"^", "_"} and self.at + 1 < len(self.tokens):
                self.at += 1
                tag = "msup" if mark == "^" else "msub"
                power = self._exponent() if mark == "^" else self._atom()
                made = (f"<{tag}>{_one(made[0])}{_bare(power)}</{tag}>", "factor")
            elif mark.startswith("'"):
                self.at += 1
                prime = f'<mo lspace="0" rspace="0">{PRIME * len(mark)}</mo>'
                made = (f"<mrow>{made[0]}{prime}</mrow>", "factor")
            elif mark == "(" and made[1] == "factor" and token.kind == "name":
                made = (made[0] + self._bracket(), "factor")
            else:
                break
        return made

    def _exponent(self) -> tuple[str, str]:
        if self.tokens[self.at].text == "-":
            self.at += 1
            return f"<mrow><mo>{MINUS}</mo>{self._atom()[0]}</mrow>", "factor"
        made = self._atom()
        if self.at < len(self.tokens) and self.tokens[self.at].text == "(" and made[1] == "factor":
            return f"<mrow>{made[0]}{self._bracket()}</mrow>", "factor"
        return made

    def _large(self, name: str) -> tuple[str, str] | None:
        """`sum over X of`: the sign with X below it."""
        rest = self.tokens[self.at + 1 :]
        if not rest or rest[0].text != "over":
            return None
        end = next((k for k, t in _outside(rest) if t.text == "of"), None)
        if end is None:
            return None
        sign = f"<mo>{LARGE[name]}</mo>" if name in LARGE else f"<mi>{name}</mi>"
        below = _Reader(rest[1:end]).all()
        self.at += end + 2
        return f"<munder>{sign}<mrow>{below}</mrow></munder>", "sign"

    def _atom(self) -> tuple[str, str]:
        token = self.tokens[self.at]
        if token.text in BRACKETS:
            return self._bracket(), "group"
        self.at += 1
        if token.kind != "name":
            return _number_or_mark(token)
        is_called = self.at < len(self.tokens) and self.tokens[self.at].text in {"(", "_", "^"}
        if token.text == "a" and self._is_between_words():
            return "<mtext>a</mtext>", "word"
        if token.text == "sqrt" and is_called:
            inside = self._bracket()
            return f"<msqrt>{_without_brackets(inside)}</msqrt>", "factor"
        if _is_variable(token, is_called):
            return _variable(token.text), "factor"
        return f"<mtext>{escape(token.text)}</mtext>", "word"

    def _is_between_words(self) -> bool:
        """Whether what was just read stands between two names: "with a path"."""
        around = self.tokens[max(self.at - 2, 0) : self.at + 1]
        return len(around) == 3 and all(token.kind == "name" for token in around)

    def _bracket(self) -> str:
        """What is in brackets, with them."""
        opening = self.tokens[self.at].text
        depth, start = 0, self.at
        while self.at < len(self.tokens):
            depth += self.tokens[self.at].text in BRACKETS
            depth -= self.tokens[self.at].text in BRACKETS.values()
            self.at += 1
            if not depth:
                break
        is_closed = not depth
        inside = self.tokens[start + 1 : self.at - is_closed]
        closing = f'<mo stretchy="true">{self.tokens[self.at - 1].text}</mo>' if is_closed else ""
        return f'<mrow><mo stretchy="true">{opening}</mo>{_row(inside)}{closing}</mrow>'


def _number_or_mark(token: Token) -> tuple[str, str]:
    if token.kind == "number":
        return f"<mn>{token.text}</mn>", "factor"
    text = {"...": "…", "'": PRIME, "|": BAR}.get(token.text, token.text)
    return f"<mo>{escape(text)}</mo>", "sign"


def _is_variable(token: Token, is_called: bool) -> bool:  # noqa: FBT001
    name = token.text.rstrip("0123456789")
    return token.kind == "name" and (len(name) == 1 or is_called or name in {*FUNCTIONS, *GREEK})


def _variable(text: str) -> str:
    name = text.rstrip("0123456789")
    index = text[len(name) :]
    shown = f"<mi>{escape(GREEK.get(name, name))}</mi>"
    return f"<msub>{shown}<mn>{index}</mn></msub>" if index else shown


def _one(made: str) -> str:
    return f"<mrow>{made}</mrow>"


def _bare(made: tuple[str, str]) -> str:
    """A factor for a fraction or an exponent, where brackets around all of it are not needed."""
    text, kind = made
    return f"<mrow>{_without_brackets(text) if kind == 'group' else text}</mrow>"


def _without_brackets(text: str) -> str:
    return re.sub(r"^<mrow><mo[^>]*>[(]</mo>(.*)<mo[^>]*>[)]</mo></mrow>$", r"\1", text)


def _with_spaces(parts: list[tuple[str, str]]) -> Iterator[str]:
    """Words with spaces around them, and a thin space between factors."""
    before = "sign"
    for kind, run in groupby(parts, key=lambda part: part[1] == "word"):
        texts = list(run)
        if kind:
            words = " ".join(re.sub(r"</?mtext>", "", text) for text, _ in texts)
            yield f"<mtext>&#160;{words}&#160;</mtext>"
            before = "word"
            continue
        for text, now in texts:
            if before in {"factor", "group"} and now in {"factor", "group"}:
                yield '<mspace width="0.2em"/>'
            yield text
            before = now
