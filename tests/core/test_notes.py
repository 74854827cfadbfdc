"""Notes on methods come with the package."""

import pytest

from weft.core.errors import UnknownName
from weft.core.notes import notes


def test_what_is_told_of_a_method() -> None:
    told = notes("rank", "indegree")
    assert "share(v)" in told.formula
    assert told.cost.startswith("Without weights")
    assert told.fails.startswith("- ")


def test_what_nobody_wrote_is_an_error() -> None:
    with pytest.raises(UnknownName, match="no method is called 'indegre'") as error:
        notes("rank", "indegre")
    assert "indegree" in error.value.hint
    with pytest.raises(UnknownName):
        notes("cook", "indegree")
