"""Rules for every registered method, and for the code base as a whole, that no linter checks."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import weft
import weft.classify
import weft.communities
import weft.crawl
import weft.rank
import weft.similar
import weft.structure
import weft.topics
import weft.usage
from weft.core.register import METHODS, Method, format_citation
from weft.graph.webgraph import WebGraph

SOURCE = Path(weft.__file__).parent
HAVE_CONTRACT = ("rank", "topics", "classify", "crawl", "usage")  # tests/KIND/test_contract.py
TOYS = {
    "three links": [("a", "x"), ("b", "x"), ("b", "y")],
    "one page": [("a", "a")],
    "two components": [("a", "x"), ("b", "y")],
    "empty": [],
}
every_method = pytest.mark.parametrize(
    "method", METHODS.values(), ids=lambda m: f"{m.kind} {m.name}"
)
methods_without_contract = pytest.mark.parametrize(
    "method",
    [method for method in METHODS.values() if method.kind not in HAVE_CONTRACT],
    ids=lambda m: f"{m.kind} {m.name}",
)


def test_all_kinds_are_registered() -> None:
    kinds = {kind for kind, _ in METHODS}
    expected = "rank topics communities structure similar suggest classify crawl usage"
    assert kinds >= set(expected.split())


@every_method
def test_a_method_has_summary_and_citation(method: Method) -> None:
    assert method.summary.endswith(".")
    assert re.fullmatch(r"[a-z]+(?:[0-9]{4}[a-z]*)?", method.cites)
    assert format_citation(method.cites)


@every_method
def test_every_option_has_a_description(method: Method) -> None:
    for option, field in method.options_schema_model.model_fields.items():
        assert field.description, option


@methods_without_contract
@pytest.mark.parametrize("toy", TOYS)
def test_every_method_runs_on_every_toy(method: Method, toy: str) -> None:
    result = method(WebGraph.from_links(TOYS[toy]))
    result.to_table()
    assert "\n" not in repr(result)


def test_help_loads_no_numeric_library() -> None:
    script = (
        "import sys; sys.argv = ['weft', '--help']\n"
        "from weft.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'pyarrow', 'scipy', 'tantivy', 'rich', 'resiliparse', 'sklearn'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=os.environ
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_nothing_is_pickled_to_files() -> None:
    for path in SOURCE.rglob("*.py"):
        text = path.read_text()
        assert "import pickle" not in text, path
        assert "allow_pickle=True" not in text, path
