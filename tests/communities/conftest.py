"""Shared fixtures for community tests."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

VALUES = Path(__file__).parents[1] / "data" / "mining-values.json"


@pytest.fixture(scope="session")
def mining() -> Callable[[str], Any]:
    """Load a section of the worked values."""

    def section(name: str) -> Any:
        return json.loads(VALUES.read_text())[name]

    return section
