"""What tests of communities share."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

VALUES = Path(__file__).parents[1] / "data" / "mining-values.json"


@pytest.fixture(scope="session")
def mining() -> Callable[[str], Any]:
    """The worked values of a section."""

    def section(name: str) -> Any:
        return json.loads(VALUES.read_text())[name]

    return section
