"""What bash completes: commands, methods, and the pages of the collection on the line."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from weft.cli import completion
from weft.demo import DemoWeb, write_warc
from weft.workspace.workspace import Workspace

# What typer installs in ~/.bashrc, with the words of the line instead of keys.
LINE = """
eval "$(weft --show-completion bash)"
read -ra COMP_WORDS <<< "$1"
[[ "$1" == *" " ]] && COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
COMP_LINE="$1"
_weft_completion weft "${COMP_WORDS[COMP_CWORD]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("completion")
    write_warc(DemoWeb(pages=200), folder / "demo.warc.gz")
    Workspace(folder / "demo.weft").add(str(folder / "demo.warc.gz"))
    return folder


def complete(line: str, folder: Path) -> list[str]:
    """What bash offers at the end of a line."""
    programs = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    done = subprocess.run(
        ["bash", "-c", LINE, "bash", line],
        cwd=folder,
        env={"PATH": programs, "HOME": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed"),
]


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("weft compare-s", ["compare-sites"]),
        ("weft rank hi", ["hits", "hits-vectors"]),
        ("weft topics at", ["atd"]),
        ("weft rank hits demo.weft --tol", ["--tol"]),
        ("weft methods salsa", ["salsa"]),
        ("weft report demo.weft --method tg", ["tgm"]),
        ("weft compare-methods demo.weft --methods salsa,indeg", ["salsa,indegree"]),
    ],
)
def test_commands_and_methods(line: str, offered: list[str], folder: Path) -> None:
    assert complete(line, folder) == offered


def test_pages_of_the_collection(folder: Path) -> None:
    offered = complete("weft links demo.weft jaguarm", folder)
    assert "jaguarmagazine.example/" in offered
    assert all(page.startswith("jaguarm") for page in offered)
    assert complete("weft similar demo.weft jaguarmag", folder)[0] == "jaguarmagazine.example/"
    assert complete("weft links nowhere.weft jaguarm", folder) == []
    for page in offered:
        Workspace(folder / "demo.weft").links(page)  # as offered, so accepted


def test_many_pages_are_offered_part_by_part() -> None:
    urls = [f"{host}.example/{n}" for host in "ab" for n in range(3)]
    assert completion._next_parts(urls, 0) == ["a.example/", "b.example/"]
    assert completion._next_parts(urls[:3], len("a.example/")) == urls[:3]
