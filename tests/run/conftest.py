"""Pages on two subjects, and the demo web in two files."""

from pathlib import Path

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


@pytest.fixture(scope="session")
def halves(demo_warc: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The demo web in two files that share some pages."""
    raw = demo_warc.read_bytes()
    members = [b"\x1f\x8b\x08" + part for part in raw.split(b"\x1f\x8b\x08")[1:]]
    folder = tmp_path_factory.mktemp("halves")
    one, two = folder / "one.warc.gz", folder / "two.warc.gz"
    one.write_bytes(b"".join(members[: len(members) * 2 // 3]))
    two.write_bytes(b"".join([members[0], *members[len(members) // 3 :]]))
    return one, two
