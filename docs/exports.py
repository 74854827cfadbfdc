"""Write the imports and `__all__` of the method folders, so that a new method needs no list.

The `__init__.py` of a method folder is a docstring, imports from its modules and
`__all__`. Registered functions that it lacks are added; the rest stays as it is.
Nothing of Weft is imported here, because a module that its folder does not import
registers nothing.
"""

import ast
import re
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src" / "weft"
KINDS = ("classify", "communities", "crawl", "rank", "similar", "structure", "topics", "usage")
LINE_LENGTH = 100


def method_folders() -> list[Path]:
    """The files that say what each method folder exports."""
    return [SOURCE / kind / "__init__.py" for kind in KINDS]


def exports(path: Path) -> str:
    """What the `__init__.py` of a method folder should say today."""
    text = path.read_text("utf-8")
    body = ast.parse(text).body
    imports = [node for node in body if isinstance(node, ast.ImportFrom)]
    [listed] = [node for node in body if isinstance(node, ast.Assign)]
    names = {str(node.module): {ast.unparse(alias) for alias in node.names} for node in imports}
    public = set(ast.literal_eval(listed.value))
    for module in path.parent.glob("[!_]*.py"):
        if found := registered_functions(module):
            names.setdefault(f"weft.{path.parent.name}.{module.stem}", set()).update(found)
            public |= found
    lines = text.splitlines(keepends=True)
    between = lines[imports[-1].end_lineno : listed.lineno - 1]
    rest = lines[listed.end_lineno :]
    statements = [import_statement(module, names[module]) for module in sorted(names, key=natural)]
    every = "".join(f'    "{name}",\n' for name in sorted(public, key=by_case))
    return "".join(
        [*lines[: imports[0].lineno - 1], *statements, *between, f"__all__ = [\n{every}]\n", *rest]
    )


def registered_functions(module: Path) -> set[str]:
    """The functions of a module that carry `@method(…)`."""
    return {
        node.name
        for node in ast.parse(module.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef)
        and any(ast.unparse(decorator).startswith("method(") for decorator in node.decorator_list)
    }


def import_statement(module: str, names: set[str]) -> str:
    """An import as ruff formats it: on one line, or a name a line."""
    ordered = sorted(names, key=by_case)
    line = f"from {module} import {', '.join(ordered)}\n"
    if len(line) <= LINE_LENGTH + 1:
        return line
    return f"from {module} import (\n" + "".join(f"    {name},\n" for name in ordered) + ")\n"


def by_case(name: str) -> tuple[bool, bool, list[str | int]]:
    """Sort as ruff does: constants, then classes, then functions."""
    return not name.isupper(), not name[0].isupper(), natural(name)


def natural(name: str) -> list[str | int]:
    """Sort numbers in names by their value."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]
