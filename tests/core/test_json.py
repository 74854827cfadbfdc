"""Any value of a result becomes JSON and back."""

import json
import math
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from weft.core.json import to_json_value


@dataclass(frozen=True)
class Pair:
    """A part of a result."""

    left: float
    right: tuple[int, ...]


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (Pair(math.inf, (1, 2)), {"left": None, "right": [1, 2]}),
        ({1: np.float64("nan"), "x": np.int32(3)}, {"1": None, "x": 3}),
        (np.array([[1.5, -math.inf]]), [[1.5, None]]),
        (frozenset({"a"}), ["a"]),
        (datetime(2004, 5, 31, 12, 30, tzinfo=UTC), "2004-05-31T12:30:00+00:00"),
        (Path("a/b"), "a/b"),
        ([True, None, "x", 1], [True, None, "x", 1]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_values_become_json(value: object, wanted: object) -> None:
    assert to_json_value(value) == wanted
    assert json.loads(json.dumps(to_json_value(value), allow_nan=False)) == wanted
