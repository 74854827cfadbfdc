"""How good communities are: `python -m benchmarks.communities [PART ...]`.

Each other module of this folder is a part, with a function `measure`, which
gives what JSON holds, and a function `page`, which makes Markdown of that. What
was measured is kept under `benchmarks/out/communities`, and `--page` writes all
that is kept into `docs/explanation/communities-quality.md`.
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
KEPT = OUT / "communities"


def main() -> None:
    """Measure the parts that are asked for, or all, and print them."""
    if not DATA.exists():
        sys.exit(f"the real data is not at {DATA}")
    found = parts()
    parser = argparse.ArgumentParser(prog="python -m benchmarks.communities", description=__doc__)
    parser.add_argument("part", nargs="*", choices=[[], *found], help="measure this part")
    parser.add_argument("--page", action="store_true", help="write the page of the docs")
    asked = parser.parse_args()
    KEPT.mkdir(parents=True, exist_ok=True)
    for name in asked.part or ([] if asked.page else found):
        start = time.perf_counter()
        measured = found[name].measure()
        (KEPT / f"{name}.json").write_text(json.dumps(measured, indent=1))
        print(f"\n{name}: measured in {time.perf_counter() - start:.0f} s\n")
        print(found[name].page(measured), flush=True)
    if asked.page:
        write_page(found)


def parts() -> dict[str, Any]:
    """The modules of this folder that measure something, by their names."""
    names = [each.name for each in pkgutil.iter_modules(benchmarks.communities.__path__)]
    found = {
        name: import_module(f"benchmarks.communities.{name}")
        for name in names
        if name != "__main__"
    }
    return {name: module for name, module in found.items() if hasattr(module, "measure")}


def write_page(found: dict[str, Any]) -> None:
    """Make the generated parts of the page anew."""
    text = PAGE.read_text("utf-8")
    for name, module in found.items():
        kept = KEPT / f"{name}.json"
        if kept.exists():
            text = put(text, name, module.page(json.loads(kept.read_text())))
    PAGE.write_text(text, "utf-8")
    print(f"written: {PAGE}")


if __name__ == "__main__":
    main()
