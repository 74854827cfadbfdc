"""Arguments validated against annotations."""

import subprocess
import sys
from collections.abc import Iterable
from typing import Annotated, Any, Literal

import numpy as np
import pytest
from pydantic import Field

from weft.core.errors import BadParameter
from weft.core.register import validate_call

Share = Annotated[float, Field(ge=0, lt=1, description="a share")]


class Noun:
    """A class to pass around."""


@validate_call
def verb(
    noun: Noun,
    *names: str,
    share: Share = 0.5,
    how: Literal["fast", "slow"] = "fast",
    many: Iterable[int] = (),
) -> tuple[Any, ...]:
    assert isinstance(noun, Noun)
    return names, share, how, many


def test_valid_arguments_pass() -> None:
    assert verb(Noun()) == ((), 0.5, "fast", ())
    quarter: Any = np.float32(0.25)
    given = verb(Noun(), "a", "b", share=quarter, how="slow", many=(n for n in (1, 2)))
    assert given == (("a", "b"), 0.25, "slow", [1, 2])


@pytest.mark.parametrize(
    ("names", "options", "message"),
    [
        ((), {"share": 1}, "verb: share should be less than 1, not 1"),
        ((), {"share": float("nan")}, "verb: share should be a finite number, not nan"),
        ((), {"share": "0.5"}, "verb: share should be a valid number, not '0.5'"),
        ((), {"how": "slowly"}, "verb: how should be 'fast' or 'slow', not 'slowly'"),
        ((), {"how": ["slow"]}, "verb: how should be 'fast' or 'slow', not \\['slow'\\]"),
        ((), {"many": [1, "2"]}, r"verb: many\[1\] should be a valid integer, not '2'"),
        ((), {"many": "12"}, "verb: many should be a valid list, not '12'"),
        ((5,), {}, r"verb: names\[0\] should be a valid string, not 5"),
        ((), {"shares": 1}, "verb: there is no option 'shares'"),
        ((), {"share": "x" * 1000}, "not 'x{197,198}…$"),
    ],
)
def test_invalid_arguments_are_named(
    names: tuple[Any], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(BadParameter, match=message):
        verb(Noun(), *names, **options)


def test_hints_suggest_names_and_values() -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"how": "slowly"}, "did you mean 'slow'?"),
        ({"shares": 1}, "did you mean 'share'? known: noun, names, share, how, many"),
        ({"share": 2}, "share: a share (at least 0, below 1)"),
    ]
    for options, hint in wrong:
        with pytest.raises(BadParameter) as caught:
            verb(Noun(), **options)
        assert caught.value.hint == hint


def test_classes_are_checked_by_isinstance() -> None:
    other: Any = 5
    with pytest.raises(BadParameter, match="noun should be an instance of Noun, not 5"):
        verb(other)


def test_plain_values_load_no_pydantic() -> None:
    """A search from the command line does not need it."""
    code = (
        "import sys\n"
        "from weft.core.register import validate_call\n"
        "@validate_call\n"
        "def verb(query: str, k: int = 10, *, snippets: bool = True) -> str: return query\n"
        "assert verb('jaguar', k=5) == 'jaguar'\n"
        "assert 'pydantic' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
