"""Errors say what is wrong, and what helps."""

import pytest

from weft.core.errors import LONGEST, Busy, Damaged, UnknownName, WeftError


def test_a_name_that_is_nearly_known_is_offered() -> None:
    error = UnknownName("method", "hitz", ["pagerank", "hits"])
    assert str(error) == "no method is called 'hitz'"
    assert error.hint == "did you mean 'hits'?"


def test_a_name_like_no_other_gets_the_hint() -> None:
    assert UnknownName("page", "xyz", ["hits"], hint="look around").hint == "look around"
    assert UnknownName("rank", "xyz", ["hits", "salsa"]).hint == "one of hits, salsa"
    assert UnknownName("page", "xyz", []).hint == "check the name"


def test_a_long_name_is_cut() -> None:
    told = str(UnknownName("page", "x" * 1000, []))
    assert "x" * LONGEST + "…" in told
    assert "x" * (LONGEST + 1) not in told


def test_one_family() -> None:
    for error in (Damaged("a file is gone"), Busy("busy", hint="wait")):
        with pytest.raises(WeftError):
            raise error
    assert Damaged("a file is gone").hint.startswith("`weft doctor")
