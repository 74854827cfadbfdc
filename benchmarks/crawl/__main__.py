"""Compare crawl strategies on the same pages.

    python -m benchmarks.crawl                           # all webs, all strategies; hours
    python -m benchmarks.crawl --web wikispeedia --strategy auto --strategy best-first
    python -m benchmarks.crawl --page                    # tables and plots of the docs

Each topic is known by five examples, its name, and 200 pages off the topic. Near, the crawl
begins at the examples; far, at five pages off the topic. Targets are the other pages of the
topic. Results are saved under `benchmarks/out/crawl`, and computed again only when the source of
the strategies has changed.
"""

import argparse
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from benchmarks.crawl.page import write_page
from benchmarks.crawl.run import STRATEGIES, WEBS, cases_of, report, run_case, seed_sets


def main(given: Sequence[str] | None = None) -> None:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--web", action="append", choices=WEBS)
    parser.add_argument("--strategy", action="append", choices=STRATEGIES)
    parser.add_argument("--seed-sets", type=int, default=3, help="seed sets of a topic to run")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--page", action="store_true", help="write these webs' part of the page")
    options = parser.parse_args(given)
    names, strategies = options.web or WEBS, options.strategy or STRATEGIES
    if options.page:
        write_page(names, options.seed_sets)
        return
    jobs = [
        (name, topic, seed_set)
        for name in names
        for topic, seed_set in cases_of(name)
        if seed_set in seed_sets(name)[: options.seed_sets]
    ]
    with ProcessPoolExecutor(options.workers, mp_context=get_context("spawn")) as pool:
        for done, label in enumerate(
            pool.map(run_case, *zip(*jobs, strict=True), [strategies] * len(jobs)), start=1
        ):
            print(f"{done} of {len(jobs)}: {label}", flush=True)
    print(report(names, strategies, options.seed_sets))


if __name__ == "__main__":
    main()
