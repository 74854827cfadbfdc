"""Results are kept on their object: once for each arguments, and no longer than it lives."""

import gc
import pickle
import weakref
from typing import Any

from weft.core.memoize import memoize, memoize_latest


class Number:
    """Something to compute from."""

    def __init__(self, value: int) -> None:
        self.value, self.calls = value, list[int]()

    @memoize_latest
    def plus(self, other: int) -> int:
        """The sum."""
        self.calls.append(other)
        return self.value + other


@memoize
def times(number: Number, other: int) -> int:
    number.calls.append(other)
    return number.value * other


def test_once_for_each_object_and_arguments() -> None:
    two, three = Number(2), Number(3)
    assert [times(two, 5), times(two, 6), times(two, 5), times(three, 5)] == [10, 12, 10, 15]
    assert (two.calls, three.calls) == ([5, 6], [5])


def test_the_latest_alone() -> None:
    two = Number(2)
    assert [two.plus(5), two.plus(5), two.plus(6), two.plus(5)] == [7, 7, 8, 7]
    assert two.calls == [5, 6, 5]


def test_results_that_refer_to_the_object_are_released_with_it() -> None:
    refer = memoize(lambda number: [number])
    two = Number(2)
    refer(two)
    watched = weakref.ref(two)
    del two
    gc.collect()
    assert watched() is None


def test_what_holds_results_can_be_pickled() -> None:
    two = Number(2)
    times(two, 5)
    copied: Any = pickle.loads(pickle.dumps(two))
    assert (times(copied, 5), copied.calls) == (10, [5])
