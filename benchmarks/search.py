"""Search latency in process: `python -m benchmarks.search [COLLECTION]`, default the demo web."""

import random
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.measure import versions
from weft.demo import DemoWeb, write_warc
from weft.workspace.workspace import Workspace

QUERIES = 400


def main() -> None:
    """Print percentiles for three kinds of queries, drawn from the titles of the collection."""
    print(versions("weft", "tantivy"))
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace(Path(sys.argv[1])) if len(sys.argv) > 1 else _demo(Path(folder))
        print(repr(workspace))
        titles = workspace.collection.pages["title"].to_pylist()
        words = [word for title in titles for word in re.findall(r"\w{4,}", title)]
        draw = random.Random(0)
        kinds: dict[str, Callable[[], str]] = {
            "one word": lambda: draw.choice(words),
            "three words": lambda: " ".join(draw.sample(words, 3)),
            "phrase": lambda: _phrase(draw.choice(titles)) or draw.choice(words),
        }
        for name, query in kinds.items():
            queries = [query() for _ in range(QUERIES)]
            for k, snippets in ((200, False), (10, True)):
                _report(workspace, name, queries, k, with_snippets=snippets)


def _phrase(title: str) -> str:
    words = re.findall(r"\w+", title)[:2]
    return f'"{" ".join(words)}"' if words else ""


def _report(
    workspace: Workspace, name: str, queries: list[str], k: int, *, with_snippets: bool
) -> None:
    spent = []
    for query in queries:
        start = time.perf_counter()
        workspace.collection.search(query, k, with_snippets=with_snippets)
        spent.append((time.perf_counter() - start) * 1e3)
    cuts = statistics.quantiles(spent, n=100)
    kind = "with snippets" if with_snippets else "without snippets"
    print(f"{name:12} top {k:<4}{kind:18} p50 {cuts[49]:7.2f} ms   p99 {cuts[98]:7.2f} ms")


def _demo(folder: Path) -> Workspace:
    write_warc(DemoWeb(pages=5000), folder / "demo.warc.gz")
    workspace = Workspace(folder / "demo.weft")
    workspace.add(folder / "demo.warc.gz")
    return workspace


if __name__ == "__main__":
    main()
