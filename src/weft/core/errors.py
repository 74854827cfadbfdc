"""Every error that a user can cause and fix; anything else is a bug and keeps its traceback.

All derive from one class:

    WeftError
      - UnknownName
      - BadParameter
      - DamagedFile
        - MalformedFile
      - CollectionBusy
      - NotEnoughMemory
"""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

MAX_NAME_CHARS, MIN_NAME_SIMILARITY, MAX_LISTED_NAMES = 200, 0.75, 30


class WeftError(Exception):
    """Base of all errors: `str(error)` is one plain sentence, `hint` says how to fix it."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class UnknownName(WeftError):
    """A method, option, collection or page was asked for by a name that does not exist.

    The hint suggests a similar name and lists the known ones. A `hint` given
    takes the place of the list, and is used where no name is similar.
    """

    def __init__(self, kind: str, name: object, known: Iterable[str], *, hint: str = "") -> None:
        known, asked = list(known), str(name)
        suggestion = did_you_mean(asked, known)
        hint = suggestion or hint if hint else suggestion + list_known_names(asked, known)
        short = asked if len(asked) <= MAX_NAME_CHARS else asked[:MAX_NAME_CHARS] + "…"
        super().__init__(f"no {kind} is called {short!r}", hint=hint.strip() or "check the name")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Suggest the most similar known name; nothing where none is similar enough.

    Examples
    --------
    >>> did_you_mean("dampin", ["damping", "tol"])
    "did you mean 'damping'? "
    """
    near = get_close_matches(name, known, n=1, cutoff=MIN_NAME_SIMILARITY)
    return f"did you mean {near[0]!r}? " if near else ""


def list_known_names(name: str, known: Iterable[str]) -> str:
    """List the known names, or the most similar 30 of a longer list.

    Examples
    --------
    >>> list_known_names("dampin", ["damping", "tol"])
    'known: damping, tol'
    """
    names = list(known)
    if len(names) <= MAX_LISTED_NAMES:
        return f"known: {', '.join(names)}" if names else ""
    near = get_close_matches(name, names, n=MAX_LISTED_NAMES, cutoff=0.0)
    return f"known: {', '.join(near)}, …"


class BadParameter(WeftError):
    """A parameter has the wrong type or is out of range."""


class DamagedFile(WeftError):
    """A file of a collection differs from what was committed."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint or "`weft doctor COLLECTION` lists every damaged file")


class MalformedFile(DamagedFile):
    """A file of a collection matches its digest, but has contents that Weft never writes."""

    def __init__(self, path: object, reason: str) -> None:
        hint = "`weft doctor COLLECTION --deep` checks every file; trust none of this collection"
        super().__init__(f"{path} is malformed: {reason}", hint=hint)


class CollectionBusy(WeftError):
    """Another process is writing to the collection."""


class NotEnoughMemory(WeftError):
    """A computation needs more memory than there is; `need` is its `MemoryNeed`."""

    def __init__(self, message: str, *, need: Any, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.need = need
