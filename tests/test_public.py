"""The public interface: what `weft` exports, what the reference lists, and types for users."""

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import weft

ROOT = Path(__file__).parents[1]
KINDS = ("rank", "topics", "communities", "structure", "similar", "classify", "crawl", "usage")


def listed_names() -> list[str]:
    """The names in the first table of the reference."""
    page = (ROOT / "docs" / "reference" / "library.md").read_text()
    section = page.partition("## Public names")[2].partition("\n## ")[0]
    return re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)


def test_the_reference_lists_what_is_exported() -> None:
    assert listed_names() == weft.__all__


@pytest.mark.parametrize("name", weft.__all__)
def test_every_exported_name_is_there(name: str) -> None:
    assert getattr(weft, name) is not None
    assert name in dir(weft)


@pytest.mark.parametrize("kind", KINDS)
def test_every_method_is_exported_by_its_kind(kind: str) -> None:
    package = import_module(f"weft.{kind}")
    register = import_module("weft.core.register").METHODS
    names = {"similar", "suggest"} if kind == "similar" else {kind}
    methods = [method for (of, _), method in register.items() if of in names]
    assert methods
    for method in methods:
        function = method.run.__name__
        assert function in package.__all__
        assert getattr(package, function) is method.run


def test_an_unknown_name_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = weft.nonsense


def test_importing_weft_loads_no_numeric_library() -> None:
    script = "import sys, weft; print({'numpy', 'pyarrow', 'numba', 'scipy'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "set()"


def test_only_a_method_that_needs_them_loads_compilers() -> None:
    """They take a second, and 100 MB in every process, such as that of a crawl."""
    script = (
        "import sys, weft.workspace.workspace, weft.workspace.live_crawl;"
        "print({'numba', 'llvmlite', 'scipy', 'sklearn'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "set()"


def test_types_are_shipped() -> None:
    assert (Path(weft.__file__).parent / "py.typed").exists()
