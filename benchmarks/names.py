"""Do names say what they name? Draw functions at random, guess, then read their docstrings.

`python -m benchmarks.names --seed 1` prints 40 functions as folder, file and
name, and below them, in the same order, what they say of themselves. Cover the
second list, write down a guess for each, then compare. NetworkX and Scrapy reach
34 to 36 of 40; the aim here is 36.
"""

import argparse
import ast
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

SOURCE = Path(__file__).parents[1] / "src" / "weft"
Function = ast.FunctionDef | ast.AsyncFunctionDef


class Named(NamedTuple):
    """A function of the package: where it is, what it is called, and its docstring."""

    file: str
    name: str
    doc: str


def functions(source: Path = SOURCE) -> list[Named]:
    """Every function and method of the package but dunder ones, in the order of their files."""
    return [
        found
        for path in sorted(source.rglob("*.py"))
        for found in _inside(ast.parse(path.read_text()), str(path.relative_to(source)), "")
    ]


def _inside(scope: ast.AST, file: str, prefix: str) -> Iterator[Named]:
    """The functions of a module or class; those inside functions are not drawn."""
    for node in ast.iter_child_nodes(scope):
        if isinstance(node, ast.ClassDef):
            yield from _inside(node, file, f"{prefix}{node.name}.")
        elif isinstance(node, Function) and not node.name.startswith("__"):
            doc = ast.get_docstring(node) or "(no docstring) " + ast.unparse(node.args)
            yield Named(file, prefix + node.name, doc.split("\n\n")[0].replace("\n", " "))


def main() -> None:
    """Print a draw of names, then their docstrings."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=0, help="which draw (default 0)")
    parser.add_argument("--count", type=int, default=40, help="how many functions (default 40)")
    asked = parser.parse_args()
    every = functions()
    drawn = Random(asked.seed).sample(every, min(asked.count, len(every)))
    print(f"{len(drawn)} of {len(every):,} functions, seed {asked.seed}\n")
    for number, one in enumerate(drawn, start=1):
        print(f"{number:3}  {one.file}  {one.name}")
    print("\nWhat they do\n")
    for number, one in enumerate(drawn, start=1):
        print(f"{number:3}  {one.name}: {one.doc}")


if __name__ == "__main__":
    main()
