"""Rules of the house that no linter knows."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import weft
import weft.communities
import weft.rank
import weft.structure
import weft.suggest
import weft.topics
from weft.core.methods import METHODS, Method, reference
from weft.graph.webgraph import WebGraph

SOURCE = Path(weft.__file__).parent
TOYS = {
    "links": [("a", "x"), ("b", "x"), ("b", "y")],
    "one page": [("a", "a")],
    "two topics": [("a", "x"), ("b", "y")],
    "nothing": [],
}
every_method = pytest.mark.parametrize(
    "method", METHODS.values(), ids=lambda m: f"{m.kind} {m.name}"
)


def test_methods_are_registered() -> None:
    assert ("rank", "indegree") in METHODS
    assert ("topics", "atd") in METHODS


@every_method
def test_a_method_has_summary_and_citation(method: Method) -> None:
    assert method.summary.endswith(".")
    assert re.fullmatch(r"[a-z]+(?:[0-9]{4}[a-z]*)?", method.cites)
    assert reference(method.cites)


@every_method
def test_an_option_says_what_it_means(method: Method) -> None:
    for option, field in method.schema.model_fields.items():
        assert field.description, option


@every_method
@pytest.mark.parametrize("toy", TOYS)
def test_a_method_answers_on_every_toy(method: Method, toy: str) -> None:
    graph = WebGraph.from_links(TOYS[toy])
    table = method(graph).to_table()
    assert len(table) == len(graph) or method.kind != "rank"
    assert "\n" not in repr(method(graph))


def test_help_loads_no_numeric_library() -> None:
    script = (
        "import sys; sys.argv = ['weft', '--help']\n"
        "from weft.show.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'pyarrow', 'scipy', 'tantivy', 'rich', 'resiliparse'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=os.environ
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_nothing_is_pickled_to_disk() -> None:
    for path in SOURCE.rglob("*.py"):
        text = path.read_text()
        assert "import pickle" not in text, path
        assert "allow_pickle=True" not in text, path
