"""Topics to report on."""

from collections.abc import Callable

import pytest

from weft.gather.page import Link, Page
from weft.run.workspace import Workspace

GROUPS = {"cars": "engine", "cats": "jungle"}


def both(extra: tuple[Page, ...] = ()) -> list[Page]:
    """Two groups of hubs, each with four authorities that were never fetched."""
    return [
        Page(
            f"http://{group}{k}.org/",
            title=f"{word} links {'abcdef'[k]}",
            text=f"jaguar {word}",
            language="en",
            links=tuple(Link(f"http://{group}.com/{n}", f"{word} page {n}") for n in range(4)),
        )
        for group, word in GROUPS.items()
        for k in range(6)
    ] + list(extra)


@pytest.fixture
def two(keep: Callable[..., Workspace]) -> Workspace:
    """A collection with two topics of *jaguar*: engine and jungle."""
    return keep(*both())
