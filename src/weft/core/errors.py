"""Every error a user can cause or cure; anything else is a bug of ours."""

from collections.abc import Iterable
from difflib import get_close_matches

LONGEST, NEAR, FEW = 200, 0.75, 20


class WeftError(Exception):
    """Base of the family: `str(error)` is one plain sentence, `hint` the cure."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class UnknownName(WeftError):
    """A method, collection or page was asked for by a name we do not know."""

    def __init__(self, kind: str, name: object, known: Iterable[str], *, hint: str = "") -> None:
        known, asked = list(known), str(name)
        few = f"one of {', '.join(known)}" if 0 < len(known) <= FEW else ""
        cure = close_to(asked, known).strip() or hint or few or "check the name"
        told = asked if len(asked) <= LONGEST else asked[:LONGEST] + "…"
        super().__init__(f"no {kind} is called {told!r}", hint=cure)


def close_to(name: str, known: Iterable[str]) -> str:
    """The question whether a known name was meant, where one is close enough.

    Examples
    --------
    >>> close_to("tolerence", ["follow", "tolerance"])
    "did you mean 'tolerance'? "
    """
    near = get_close_matches(name, known, n=1, cutoff=NEAR)
    return f"did you mean {near[0]!r}? " if near else ""


class BadParameter(WeftError):
    """A parameter is of the wrong type or out of its range."""


class Damaged(WeftError):
    """A file of a collection is not what was committed."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        cure = hint or "`weft doctor COLLECTION` lists every damaged file"
        super().__init__(message, hint=cure)


class Malformed(Damaged):
    """A file of a collection has its digest, but holds what Weft would not write."""

    def __init__(self, path: object, reason: str) -> None:
        cure = "`weft doctor COLLECTION --deep` checks every file; trust none of this collection"
        super().__init__(f"{path} is malformed: {reason}", hint=cure)


class Busy(WeftError):
    """Another process is writing to the collection."""
