"""The demo web in two files."""

from collections.abc import Callable
from pathlib import Path

import pytest

Halve = Callable[[int], tuple[Path, Path]]


@pytest.fixture(scope="session")
def halve(demo_warc: Path, tmp_path_factory: pytest.TempPathFactory) -> Halve:
    """`halve(step)`: one page in so many of the demo web, in two files that share some."""
    raw = demo_warc.read_bytes()
    members = [b"\x1f\x8b\x08" + part for part in raw.split(b"\x1f\x8b\x08")[1:]]

    def cut(step: int) -> tuple[Path, Path]:
        folder = tmp_path_factory.mktemp("halves")
        one, two = folder / "one.warc.gz", folder / "two.warc.gz"
        kept = members[::step]
        one.write_bytes(b"".join(kept[: len(kept) * 2 // 3]))
        two.write_bytes(b"".join([kept[0], *kept[len(kept) // 3 :]]))
        return one, two

    return cut


@pytest.fixture(scope="session")
def halves(halve: Halve) -> tuple[Path, Path]:
    """The demo web in two files that share some pages."""
    return halve(1)
