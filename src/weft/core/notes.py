"""What the cards of methods say beyond the register: formula, cost, failures, differences."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from weft.core.errors import UnknownName


@dataclass(frozen=True, slots=True)
class Notes:
    """The formula of a method, what it costs, when it fails, and how it differs from its paper.

    `differs` is a list of differences, each with the option that gives the
    rule of the paper; nothing where none is known.
    """

    formula: str
    cost: str
    fails: str
    differs: str = ""


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
    own = known[name]
    lists = _everything()["base sets"]
    shared = "".join(lists[each] for each in own.get("base set", "").split())
    parts = {part: own[part].strip("\n").rstrip() for part in ("formula", "cost", "fails")}
    return Notes(**parts, differs=f"{shared}{own.get('differs', '')}".strip("\n").rstrip())


@cache
def _everything() -> dict[str, dict[str, Any]]:
    return tomllib.loads((files("weft.core") / "notes.toml").read_text("utf-8"))
