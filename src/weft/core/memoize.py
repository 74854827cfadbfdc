"""Results kept on the object that they were computed from."""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar, TypeVarTuple

Owner = TypeVar("Owner")
Rest = TypeVarTuple("Rest")
R = TypeVar("R")


def memoize(function: Callable[[Owner, *Rest], R]) -> Callable[[Owner, *Rest], R]:
    """Keep the results of a function on its first argument, one for all others given with it.

    They are released with that object, which should be immutable. The others
    are hashable, and passed by position.

    Examples
    --------
    >>> class Text(str): ...
    >>> count = memoize(lambda text, word: print("counting") or text.count(word))
    >>> text = Text("a rose is a rose")
    >>> count(text, "rose"), count(text, "rose")
    counting
    (2, 2)
    """

    @wraps(function)
    def look_up(owner: Owner, *rest: *Rest) -> R:
        results = _results_of(owner, look_up)
        if rest not in results:
            results[rest] = function(owner, *rest)
        return results[rest]

    return look_up


def memoize_latest(function: Callable[[Owner, *Rest], R]) -> Callable[[Owner, *Rest], R]:
    """Like `memoize`, but keep only the result of the last call."""

    @wraps(function)
    def look_up(owner: Owner, *rest: *Rest) -> R:
        results = _results_of(owner, look_up)
        if rest not in results:
            result = function(owner, *rest)
            results.clear()
            results[rest] = result
        return results[rest]

    return look_up


def _results_of(owner: object, function: Callable[..., R]) -> dict[object, R]:
    every: dict[Callable[..., R], dict[object, R]] = vars(owner).setdefault("_memoized", {})
    return every.setdefault(function, {})
