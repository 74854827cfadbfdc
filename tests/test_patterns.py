"""Every regular expression of the package takes linear time.

Patterns are collected from all modules, so that none is forgotten, and each is
measured by the methods that the code calls on it. The inputs come from the
pattern itself: the start of a match, followed by a long run of what one of its
parts matches. Expressions given to Arrow run in RE2, which is linear.
"""

import ast
import importlib
import pkgutil
import re
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import pytest

import weft

TINY_CHARS, SHORT_CHARS, LONG_CHARS = 800, 16_000, 256_000
MIN_COMPARED_SECONDS = 0.005
MAX_COST_RATIO = 60  # for sixteen times the text; quadratic time would be 256
MAX_SECONDS = 1.0
PARSER = importlib.import_module("re._parser")
CALLS = {"match", "fullmatch", "search", "findall", "finditer", "split", "sub", "subn"}
LETTERS = " \t\n\x0b\0aAbexz059_-+.,;:/?#%&=<>\"'()[]{}|!*~@\u00a0\u00e9\u2019\u3042\u6f22"
# Modules that build patterns from escaped words.
BUILDS_PATTERNS = {
    "weft.gather.fetch.scope",
    "weft.gather.logs.line_format",
    "weft.gather.salvage",
    "weft.rank.term_matrix",
    "weft.spark.cluster",
}

Use = tuple[str, str | bytes, int, str]


class TooSlow(Exception):
    """The pattern took more time than any linear one needs."""


def all_modules() -> Iterator[ModuleType]:
    for found in pkgutil.walk_packages(weft.__path__, "weft."):
        if not found.name.endswith("__main__"):
            yield importlib.import_module(found.name)


def pattern_uses(module: ModuleType) -> Iterator[Use]:
    """Each pattern of a module with the method called; `search` if it is passed on.

    A pattern that is built inside a function comes as an empty one.
    """
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    called = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    constant = {
        id(node) for row in tree.body if isinstance(row, ast.Assign) for node in ast.walk(row)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            pattern = getattr(module, node.value.id, None)
            if isinstance(pattern, re.Pattern) and node.attr in CALLS:
                yield node.value.id, pattern.pattern, pattern.flags, node.attr
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            pattern = getattr(module, node.id, None)
            if isinstance(pattern, re.Pattern) and id(node) not in called:
                yield node.id, pattern.pattern, pattern.flags, "search"
        elif isinstance(node, ast.Call) and id(node) not in constant:
            call = ast.unparse(node.func).removeprefix("re.")
            if ast.unparse(node.func) == f"re.{call}" and call in {*CALLS, "compile"}:
                text = literal(node.args[0], module)
                yield str(text), text, 0, call if call in CALLS else "search"


def literal(node: ast.expr, module: ModuleType) -> str | bytes:
    """A pattern that is a literal or a constant of the module; else nothing."""
    value = getattr(module, node.id, "") if isinstance(node, ast.Name) else ""
    value = node.value if isinstance(node, ast.Constant) else value
    return value if isinstance(value, str | bytes) else ""


USES = sorted(
    {(module.__name__, *use) for module in all_modules() for use in pattern_uses(module)}, key=repr
)
MEASURED = [use for use in USES if use[2]]


def matches_code(piece: tuple[Any, Any], code: int) -> bool:
    """Whether a single-character part of a pattern matches a code point."""
    kind, value = str(piece[0]), piece[1]
    if kind == "RANGE":
        return bool(value[0] <= code <= value[1])
    if kind == "CATEGORY":
        group = str(value).rpartition("_")[2]
        test = {"SPACE": r"\s", "DIGIT": r"\d", "WORD": r"\w"}[group]
        return (re.match(test, chr(code)) is None) == ("_NOT_" in str(value))
    if kind == "IN":
        negated = str(value[0][0]) == "NEGATE"
        return any(matches_code(part, code) for part in value[negated:]) != negated
    if kind == "NOT_LITERAL":
        return bool(code != value)
    return kind == "ANY" or code in (value, ord(chr(value).swapcase()))


@dataclass
class PatternParts:
    """The structure of a pattern: prefixes of its matches, and its repeated parts.

    `pieces` are the single-character parts inside repetitions.
    """

    prefixes: dict[str, None]
    repeated: dict[tuple[str, str], None]
    pieces: list[tuple[Any, Any]]

    def walk(self, parts: Any, before: str, repeats: bool = False) -> str:  # noqa: FBT001, FBT002
        """Walk through a pattern; return an example of a match."""
        for part in parts:
            if str(part[0]) != "LITERAL":
                self.prefixes.setdefault(before)
            before = self.step(part, before, repeats)
        self.prefixes.setdefault(before)
        return before

    def step(self, part: Any, before: str, repeats: bool) -> str:  # noqa: FBT001
        """Walk through one part of a pattern."""
        kind, value = str(part[0]), part[1]
        if kind.endswith("REPEAT"):
            _, max_repeats, body = value
            once = self.walk(body, before, repeats or max_repeats > 100)
            self.repeated.setdefault((before, once.removeprefix(before)))
            return once
        if kind == "BRANCH":
            ends = [self.walk(branch, before, repeats) for branch in value[1]]
            self.repeated.setdefault((before, "".join(end.removeprefix(before) for end in ends)))
            return ends[0]
        if kind in ("SUBPATTERN", "ATOMIC_GROUP", "ASSERT", "ASSERT_NOT"):
            end = self.walk(value if kind == "ATOMIC_GROUP" else value[-1], before, repeats)
            return before if kind.startswith("ASSERT") else end
        if kind in ("AT", "GROUPREF"):
            return before
        if repeats:
            self.pieces.append(part)
        if kind == "LITERAL":
            return before + chr(value)
        codes = chain(map(ord, LETTERS), range(0x10000))
        return before + chr(next(code for code in codes if matches_code(part, code)))

    @property
    def characters(self) -> list[str]:
        """One character of each class that the repeated parts distinguish."""
        own = [chr(value) for kind, value in self.pieces if str(kind) == "LITERAL"]
        sorts = {
            tuple(matches_code(p, ord(c)) for p in self.pieces): c for c in [*LETTERS, *own][::-1]
        }
        return list(sorts.values())


@dataclass(frozen=True)
class HostileText:
    """A text of any length: a start, a repeated unit, and an end that nothing matches."""

    start: str
    unit: str

    def of_length(self, length: int) -> str:
        """The text with about `length` characters."""
        return f"{self.start}{self.unit * (length // len(self.unit))}\1"


def hostile_texts(pattern: re.Pattern[Any]) -> Iterator[HostileText]:
    """Texts that may be slow for a pattern: runs of a character, and of repeated parts."""
    parts = PatternParts({}, {}, [])
    parts.walk(PARSER.parse(pattern.pattern, pattern.flags & ~re.UNICODE), "")
    runs = [(start, c) for start in parts.prefixes for c in (*parts.characters, "")]
    for start, unit in dict.fromkeys([*runs, *parts.repeated]):
        if unit:
            yield HostileText(start, unit)
        if start:
            yield HostileText("", start + unit)


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Interrupt a pattern that takes more CPU time; the matcher checks for signals."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def matching_seconds(pattern: re.Pattern[Any], call: str, text: str) -> float:
    """The CPU time of a call that reads all of a text."""
    subject = text if isinstance(pattern.pattern, str) else text.encode("latin-1", "replace")
    start = time.process_time()
    with time_limit(MAX_SECONDS):
        if call in ("match", "fullmatch"):
            getattr(pattern, call)(subject)
        else:
            for _ in pattern.finditer(subject):
                pass
    return time.process_time() - start


@pytest.mark.parametrize(
    ("module", "name", "text", "flags", "call"),
    MEASURED,
    ids=[f"{module}.{name}.{call}" for module, name, _, _, call in MEASURED],
)
def test_a_pattern_is_linear(
    module: str, name: str, text: str | bytes, flags: int, call: str
) -> None:
    """Sixteen times the text may take sixty times as long; quadratic time would be 256 times.

    A tiny text is enough to find exponential patterns.
    """
    pattern = re.compile(text, flags)
    for hostile in hostile_texts(pattern):
        matching_seconds(pattern, call, hostile.of_length(TINY_CHARS))
        short = matching_seconds(pattern, call, hostile.of_length(SHORT_CHARS))
        if short > MIN_COMPARED_SECONDS:
            long = matching_seconds(pattern, call, hostile.of_length(LONG_CHARS))
            assert long < MAX_COST_RATIO * short, (module, name, hostile)


@pytest.mark.slow
def test_slow_patterns_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Patterns that were in the package once, or are slow in a well-known way."""
    monkeypatch.setattr(f"{__name__}.MAX_SECONDS", 0.2)
    slow = [
        (r"<base\s[^>]*href\s*=\s*[\"']?\s*(https?://[^\"'>\s]+)", "search"),
        (r"\s*0*[01]?(?:\.\d*)?\s*[;,]\s*(?:url\s*=\s*)?[\"']?([^\"']+)", "match"),
        (r"(?:[\s/]++|[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:\"[^\"]*+\"?|[^\s>]*+))?){500}", "match"),
        (r"\s+$", "search"),
        (r"(?:aa|a)*b", "match"),
    ]
    for text, call in slow:
        with pytest.raises((AssertionError, TooSlow)):
            test_a_pattern_is_linear("", "", text, 0, call)


def test_patterns_are_constants_except_in_known_modules() -> None:
    """A pattern built inside a function is not measured here."""
    assert {module for module, _, text, _, _ in USES if not text} == BUILDS_PATTERNS
