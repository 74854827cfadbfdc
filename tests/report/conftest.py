"""Topics to report on."""

from collections.abc import Callable

import pytest
from tests.subjects import TWO_SUBJECTS

from weft.workspace.workspace import Workspace


@pytest.fixture
def two(keep: Callable[..., Workspace]) -> Workspace:
    """A collection with two topics of *jaguar*: engine and jungle."""
    return keep(*TWO_SUBJECTS)
