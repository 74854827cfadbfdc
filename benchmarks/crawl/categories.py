"""How much recall depends on which categories are drawn: best-first on all of them.

    python -m benchmarks.crawl.categories [--page]

The crawls begin near, from three sets of seeds, on every category of Wikispeedia of 50 to 250
articles. Relevance is computed for all articles at once. `--page` puts the table into the page.
"""

import json
import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.crawl.page import PAGE
from benchmarks.crawl.run import PAGES, RESULTS, seed_sets, source_digest
from benchmarks.crawl.webs import (
    BenchmarkWeb,
    CountedPages,
    make_case,
    open_web,
    usable_categories,
)
from benchmarks.side_by_side import table
from benchmarks.topics.write import put
from weft.core.arrays import Floats
from weft.core.register import METHODS
from weft.crawl import CrawlTask
from weft.crawl.evaluation import CHECKPOINTS, recall_curve
from weft.crawl.topic import classified_text

STRATEGY, DRAWN, DRAWS = "best-first", 12, 20_000


def recalls(web: BenchmarkWeb, name: str, counted: CountedPages) -> list[list[float]]:
    """The recall at each checkpoint, for each set of seeds."""
    found = []
    for seed_set in seed_sets(web.name):
        case = make_case(web, name, seed_set)
        case.topic.judge(counted)
        task = CrawlTask(web, case.starts["near"], case.topic, PAGES, web.follow)
        crawl: Any = METHODS["crawl", STRATEGY](task)
        curve = recall_curve(crawl.urls, case.targets)
        found.append([float(curve[min(n, len(curve)) - 1]) for n in CHECKPOINTS])
    return found


def measure() -> tuple[BenchmarkWeb, dict[str, Floats]]:
    """The mean recall of each category; those that were measured before are read."""
    path = RESULTS / "categories.json"
    saved: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    if saved.get("digest") != source_digest(STRATEGY):
        saved = {"digest": source_digest(STRATEGY), "recalls": {}}
    web = open_web("wikispeedia")
    missing = [name for name in usable_categories(web.targets) if name not in saved["recalls"]]
    if missing:
        urls = sorted(web.pages)
        counted = CountedPages(urls, [classified_text(web.page(url)) for url in urls])
    for name in missing:
        saved["recalls"][name] = recalls(web, name, counted)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(saved))
        print(name, np.mean(saved["recalls"][name], axis=0).round(3).tolist(), flush=True)
    return web, {name: np.mean(rows, axis=0) for name, rows in sorted(saved["recalls"].items())}


def report(web: BenchmarkWeb, found: dict[str, Floats]) -> str:
    """A row per category, and what twelve of them that are drawn at random give."""
    rows = [[f"{name} ({len(web.targets[name])})", *_cells(found[name])] for name in found]
    every = np.stack(list(found.values()))
    draw = random.Random(0)
    draws = np.stack(
        [every[draw.sample(range(len(every)), DRAWN)].mean(axis=0) for _ in range(DRAWS)]
    )
    published = np.stack([found[name] for name in web.topics])
    rows += [
        [f"**mean of all {len(found)}**", *_cells(every.mean(axis=0))],
        [f"mean of the {len(published)} in the tables above", *_cells(published.mean(axis=0))],
        [f"standard deviation of the mean of {DRAWN} drawn", *_cells(draws.std(axis=0))],
        [f"5 % of draws of {DRAWN} are below", *_cells(np.percentile(draws, 5, axis=0))],
        [f"95 % of draws of {DRAWN} are below", *_cells(np.percentile(draws, 95, axis=0))],
    ]
    return table(["category (articles)", *(f"recall @{n}" for n in CHECKPOINTS)], rows)


def _cells(values: Floats) -> Sequence[str]:
    return [f"{value:.3f}" for value in values]


def main(given: Sequence[str]) -> None:
    """Measure what is missing, and print or write the table."""
    web, found = measure()
    text = report(web, found)
    print(text)
    if "--page" in given:
        PAGE.write_text(put(PAGE.read_text("utf-8"), "categories", text), "utf-8")


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
