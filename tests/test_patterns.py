"""Every regular expression of the package takes time in proportion to what it reads.

Patterns are found by looking through the modules, so that none is forgotten,
and each is measured by the calls that the code makes of it. The inputs come
from the pattern itself: the beginning of a match, followed by a long run of
what one of its pieces takes. Expressions given to Arrow run in RE2, which is
linear by construction.
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

TINY, SHORT, LONG = 800, 16_000, 256_000
WORTH_COMPARING = 0.005
STEEPEST = 60
MOST = 1.0
PARSER = importlib.import_module("re._parser")
CALLS = {"match", "fullmatch", "search", "findall", "finditer", "split", "sub", "subn"}
LETTERS = " \t\n\x0b\0aAbexz059_-+.,;:/?#%&=<>\"'()[]{}|!*~@\u00a0\u00e9\u2019\u3042\u6f22"
# What reads files of the package itself, and who puts patterns together from escaped words.
OWN = "weft.core.methods"
BUILT = {OWN, "weft.gather.damage", "weft.rank.terms"}

Use = tuple[str, str | bytes, int, str]


class TooSlow(Exception):
    """The pattern did not answer in the time that any linear one needs."""


def modules() -> Iterator[ModuleType]:
    for found in pkgutil.walk_packages(weft.__path__, "weft."):
        if not found.name.endswith("__main__"):
            yield importlib.import_module(found.name)


def uses(module: ModuleType) -> Iterator[Use]:
    """Each pattern of a module with the method that is called; one that is handed on is searched.

    Those that are put together in a function come as an empty pattern.
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
    """A pattern as it is written, or under the name of a constant; else nothing."""
    value = getattr(module, node.id, "") if isinstance(node, ast.Name) else ""
    value = node.value if isinstance(node, ast.Constant) else value
    return value if isinstance(value, str | bytes) else ""


USES = sorted({(module.__name__, *use) for module in modules() for use in uses(module)}, key=repr)
ALL = [use for use in USES if use[0] != OWN and use[2]]


def takes(piece: tuple[Any, Any], code: int) -> bool:
    """Whether a piece of a pattern that stands for one character takes this one."""
    kind, value = str(piece[0]), piece[1]
    if kind == "RANGE":
        return bool(value[0] <= code <= value[1])
    if kind == "CATEGORY":
        group = str(value).rpartition("_")[2]
        test = {"SPACE": r"\s", "DIGIT": r"\d", "WORD": r"\w"}[group]
        return (re.match(test, chr(code)) is None) == ("_NOT_" in str(value))
    if kind == "IN":
        negated = str(value[0][0]) == "NEGATE"
        return any(takes(part, code) for part in value[negated:]) != negated
    if kind == "NOT_LITERAL":
        return bool(code != value)
    return kind == "ANY" or code in (value, ord(chr(value).swapcase()))


@dataclass
class Shape:
    """What a pattern is made of: beginnings of its matches, and the parts that repeat.

    `pieces` are the parts of one character inside those.
    """

    beginnings: dict[str, None]
    repeated: dict[tuple[str, str], None]
    pieces: list[tuple[Any, Any]]

    def follow(self, parts: Any, before: str, repeats: bool = False) -> str:  # noqa: FBT001, FBT002
        """Walk along a pattern; an example of what it matches."""
        for part in parts:
            if str(part[0]) != "LITERAL":
                self.beginnings.setdefault(before)
            before = self.step(part, before, repeats)
        self.beginnings.setdefault(before)
        return before

    def step(self, part: Any, before: str, repeats: bool) -> str:  # noqa: FBT001
        """Walk along one part of a pattern."""
        kind, value = str(part[0]), part[1]
        if kind.endswith("REPEAT"):
            _, most, body = value
            once = self.follow(body, before, repeats or most > 100)
            self.repeated.setdefault((before, once.removeprefix(before)))
            return once
        if kind == "BRANCH":
            ends = [self.follow(branch, before, repeats) for branch in value[1]]
            self.repeated.setdefault((before, "".join(end.removeprefix(before) for end in ends)))
            return ends[0]
        if kind in ("SUBPATTERN", "ATOMIC_GROUP", "ASSERT", "ASSERT_NOT"):
            end = self.follow(value if kind == "ATOMIC_GROUP" else value[-1], before, repeats)
            return before if kind.startswith("ASSERT") else end
        if kind in ("AT", "GROUPREF"):
            return before
        if repeats:
            self.pieces.append(part)
        if kind == "LITERAL":
            return before + chr(value)
        codes = chain(map(ord, LETTERS), range(0x10000))
        return before + chr(next(code for code in codes if takes(part, code)))

    @property
    def characters(self) -> list[str]:
        """One character of each sort that the repeated parts tell apart."""
        own = [chr(value) for kind, value in self.pieces if str(kind) == "LITERAL"]
        sorts = {tuple(takes(p, ord(c)) for p in self.pieces): c for c in [*LETTERS, *own][::-1]}
        return list(sorts.values())


@dataclass(frozen=True)
class Text:
    """A text of any length: a start, a unit again and again, and an end that nothing takes."""

    start: str
    unit: str

    def of(self, length: int) -> str:
        """About so many characters."""
        return f"{self.start}{self.unit * (length // len(self.unit))}\1"


def inputs(pattern: re.Pattern[Any]) -> Iterator[Text]:
    """Long texts that a pattern may stumble over."""
    shape = Shape({}, {}, [])
    shape.follow(PARSER.parse(pattern.pattern, pattern.flags & ~re.UNICODE), "")
    runs = [(start, c) for start in shape.beginnings for c in (*shape.characters, "")]
    for start, unit in dict.fromkeys([*runs, *shape.repeated]):
        if unit:
            yield Text(start, unit)
        if start:
            yield Text("", start + unit)


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Interrupt a pattern that takes more CPU time; matching looks for signals now and then."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def cost(pattern: re.Pattern[Any], call: str, text: str) -> float:
    """The CPU time of a call that reads all of a text."""
    read = text if isinstance(pattern.pattern, str) else text.encode("latin-1", "replace")
    start = time.process_time()
    with at_most(MOST):
        if call in ("match", "fullmatch"):
            getattr(pattern, call)(read)
        else:
            for _ in pattern.finditer(read):
                pass
    return time.process_time() - start


@pytest.mark.parametrize(
    ("module", "name", "text", "flags", "call"), ALL, ids=[f"{a}.{b}.{e}" for a, b, _, _, e in ALL]
)
def test_a_pattern_is_linear(
    module: str, name: str, text: str | bytes, flags: int, call: str
) -> None:
    """Sixteen times the text may take sixty times as long; by the square it would be 256 times.

    A short text is enough to find those that never end.
    """
    pattern = re.compile(text, flags)
    for hostile in inputs(pattern):
        cost(pattern, call, hostile.of(TINY))
        short = cost(pattern, call, hostile.of(SHORT))
        if short > WORTH_COMPARING:
            long = cost(pattern, call, hostile.of(LONG))
            assert long < STEEPEST * short, (module, name, hostile)


def test_the_search_for_slow_patterns_finds_some() -> None:
    """Patterns that were in the package once, or are slow in a well-known way."""
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


def test_patterns_are_constants_but_for_known_ones() -> None:
    """One that is put together in a function is not measured here; say why it is linear."""
    assert {module for module, _, text, _, _ in USES if not text} == BUILT
