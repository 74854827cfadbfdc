"""The demo web in two files, and a process that forks commands."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.workspace.zygote import Zygote

Halve = Callable[[int], tuple[Path, Path]]


@pytest.fixture(scope="session")
def zygote() -> Iterator[Zygote]:
    """`zygote.run("add", …)`: a command that need not import anything."""
    ready = Zygote()
    yield ready
    ready.close()


@pytest.fixture(scope="session")
def halve(demo_warc: Path, tmp_path_factory: pytest.TempPathFactory) -> Halve:
    """`halve(step)`: every `step`-th page of the demo web, in two files that share some."""
    raw = demo_warc.read_bytes()
    members = [b"\x1f\x8b\x08" + part for part in raw.split(b"\x1f\x8b\x08")[1:]]

    def split(step: int) -> tuple[Path, Path]:
        folder = tmp_path_factory.mktemp("halves")
        one, two = folder / "one.warc.gz", folder / "two.warc.gz"
        kept = members[::step]
        one.write_bytes(b"".join(kept[: len(kept) * 2 // 3]))
        two.write_bytes(b"".join([kept[0], *kept[len(kept) // 3 :]]))
        return one, two

    return split


@pytest.fixture(scope="session")
def halves(halve: Halve) -> tuple[Path, Path]:
    """Every third page of the demo web, in two files that share some."""
    return halve(3)
