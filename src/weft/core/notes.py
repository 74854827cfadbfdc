"""What the cards of methods say beyond the register: formula, cost, when it fails."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from weft.core.errors import UnknownName


@dataclass(frozen=True, slots=True)
class Notes:
    """The formula of a method, what it costs, and when it fails."""

    formula: str
    cost: str
    fails: str


def notes(kind: str, name: str) -> Notes:
    """What is told of a method.

    Examples
    --------
    >>> notes("rank", "indegree").cost.splitlines()[-1]
    'Memory: one or two numbers per page; with weights, one page number per link as well.'
    """
    known = _everything().get(kind, {})
    if name not in known:
        raise UnknownName("method", name, known, hint="see `weft methods`")
    told = known[name]
    return Notes(*(told[part].strip("\n").rstrip() for part in ("formula", "cost", "fails")))


@cache
def _everything() -> dict[str, dict[str, Any]]:
    return tomllib.loads((files("weft.core") / "notes.toml").read_text("utf-8"))
