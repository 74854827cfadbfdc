"""The quality of communities: `python -m benchmarks.communities [PART ...]`.

Each other module of this folder is a part, with a function `measure` that returns
JSON data and a function `page` that formats it as Markdown. Results are saved under
`benchmarks/out/communities`, and `--page` writes all of them into
`docs/explanation/communities-quality.md`.
"""

import argparse
import json
import pkgutil
import sys
import time
from importlib import import_module
from typing import Any

import benchmarks.communities
from benchmarks.side_by_side import DOCS
from benchmarks.topics.sets import DATA
from benchmarks.topics.write import put
from benchmarks.webs import OUT

PAGE = DOCS / "explanation" / "communities-quality.md"
SAVED = OUT / "communities"


def main() -> None:
    """Measure the named parts, or all, and print them."""
    if not DATA.exists():
        sys.exit(f"the real data is not at {DATA}")
    found = parts()
    parser = argparse.ArgumentParser(prog="python -m benchmarks.communities", description=__doc__)
    parser.add_argument("part", nargs="*", choices=[[], *found], help="measure this part")
    parser.add_argument("--page", action="store_true", help="write the page of the docs")
    given = parser.parse_args()
    SAVED.mkdir(parents=True, exist_ok=True)
    for name in given.part or ([] if given.page else found):
        start = time.perf_counter()
        measured = found[name].measure()
        (SAVED / f"{name}.json").write_text(json.dumps(measured, indent=1))
        print(f"\n{name}: measured in {time.perf_counter() - start:.0f} s\n")
        print(found[name].page(measured), flush=True)
    if given.page:
        write_page(found)


def parts() -> dict[str, Any]:
    """The modules of this folder that measure something, by name."""
    names = [each.name for each in pkgutil.iter_modules(benchmarks.communities.__path__)]
    found = {
        name: import_module(f"benchmarks.communities.{name}")
        for name in names
        if name != "__main__"
    }
    return {name: module for name, module in found.items() if hasattr(module, "measure")}


def write_page(found: dict[str, Any]) -> None:
    """Write the generated parts of the page."""
    text = PAGE.read_text("utf-8")
    for name, module in found.items():
        saved = SAVED / f"{name}.json"
        if saved.exists():
            text = put(text, name, module.page(json.loads(saved.read_text())))
    PAGE.write_text(text, "utf-8")
    print(f"written: {PAGE}")


if __name__ == "__main__":
    main()
