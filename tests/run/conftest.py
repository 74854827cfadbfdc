"""Pages on two subjects, each with six lists of links to the same four pages."""

import pytest

from weft.gather.page import Link, Page

TWO = [
    Page(
        f"http://{group}{k}.org/",
        title=f"{word} links",
        text=f"jaguar {word}",
        language="en",
        links=tuple(Link(f"http://{group}.com/{n}", f"{word} page {n}") for n in range(4)),
    )
    for group, word in (("cars", "engine"), ("cats", "jungle"))
    for k in range(6)
]


@pytest.fixture
def two_subjects() -> list[Page]:
    """Twelve pages that say jaguar, six on engines and six on the jungle."""
    return TWO
