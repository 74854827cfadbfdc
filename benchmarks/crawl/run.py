"""Run the cases, keep their results, and compare them."""

import hashlib
import json
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from inspect import getsourcefile, unwrap
from pathlib import Path
from typing import Any

import numpy as np

import weft.crawl
from benchmarks.crawl import webs
from benchmarks.crawl.webs import SEED_SETS, BenchmarkWeb, Case, make_case, open_web
from benchmarks.measure import versions
from benchmarks.side_by_side import table
from benchmarks.webs import OUT
from weft.core.arrays import Floats
from weft.core.register import METHODS
from weft.crawl import CrawlTask
from weft.crawl.evaluation import (
    CHECKPOINTS,
    CrawlComparison,
    average_cosine,
    crawl_overlap,
    order_correlation,
)
from weft.store.collection import MAX_SEARCH_RESULTS

WEBS = ("wikispeedia", "webkb", "docs-web")
STARTS = ("near", "far")
PAGES = max(CHECKPOINTS)
BASELINE = "best-first"
AGREEMENT_PAGES = 500  # for cosine, overlap and order
SHARED_MODULES = ("crawl", "terms", "topic", "web")
RESULTS = OUT / "crawl"
STRATEGIES = sorted(name for kind, name in METHODS if kind == "crawl")
Results = dict[str, dict[str, Any]]


@cache
def shared_web(name: str) -> BenchmarkWeb:
    """A web that a worker process keeps."""
    return open_web(name)


@cache
def source_digest(strategy: str) -> str:
    """A digest of the code that the results of a strategy depend on."""
    folder = Path(weft.crawl.__file__).parent
    own = Path(getsourcefile(unwrap(METHODS["crawl", strategy].run)) or "")
    files = [*(folder / f"{name}.py" for name in SHARED_MODULES), Path(webs.__file__), own]
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:12]


def result_file(web: str, topic: str, seed_set: int) -> Path:
    """Where the results of a case are saved."""
    return RESULTS / web / f"{topic.replace(' ', '_')}-{seed_set}.json"


def read_results(path: Path) -> Results:
    """The results of a case by strategy and start."""
    results: Results = json.loads(path.read_text()) if path.exists() else {}
    return results


def run_case(web_name: str, topic: str, seed_set: int, strategies: Sequence[str]) -> str:
    """Crawl with each strategy from both starts, and save which pages were targets."""
    web, path = shared_web(web_name), result_file(web_name, topic, seed_set)
    results = read_results(path)
    case: Case | None = None
    for start in STARTS:
        for name in strategies:
            key = f"{name} {start}"
            if results.get(key, {}).get("digest") == source_digest(name):
                continue
            case = case or make_case(web, topic, seed_set)
            began = time.process_time()
            task = CrawlTask(web, case.starts[start], case.topic, PAGES, web.follow)
            crawl: Any = METHODS["crawl", name](task)
            results[key] = {
                "digest": source_digest(name),
                "targets": len(case.targets),
                "hits": np.flatnonzero([url in case.targets for url in crawl.urls]).tolist(),
                "members": np.flatnonzero(
                    [url in web.targets[topic] for url in crawl.urls]
                ).tolist(),
                "pages": len(crawl),
                "first": [web.places[url] for url in crawl.urls[:AGREEMENT_PAGES]],
                "cpu_seconds": time.process_time() - began,
            }
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(results))
    return f"{web_name}: {topic}, seeds {seed_set}"


def seed_sets(name: str) -> tuple[int, ...]:
    """The three seed sets of a web."""
    return SEED_SETS.get(name, (0, 1, 2))


def cases_of(name: str) -> Iterator[tuple[str, int]]:
    """The topics of a web with each of their seed sets."""
    for topic in shared_web(name).topics:
        for seed_set in seed_sets(name):
            yield topic, seed_set


def curve(result: dict[str, Any], measure: str) -> Floats:
    """Recall of hidden targets, or the share of pages on the topic, after each page."""
    hits: Floats = np.zeros(result["pages"])
    hits[result["hits" if measure == "recall" else "members"]] = 1
    total = max(result["targets"], 1) if measure == "recall" else np.arange(1, len(hits) + 1)
    shares: Floats = np.cumsum(hits) / total
    return shares


def saved_cases(name: str, start: str, sets: int = 3) -> list[tuple[str, Results]]:
    """The cases of a web that were crawled best-first, each with its topic and its results."""
    chosen = seed_sets(name)[:sets]
    cases = [(topic, k) for topic, k in cases_of(name) if k in chosen]
    found = [(topic, read_results(result_file(name, topic, k))) for topic, k in cases]
    return [(topic, results) for topic, results in found if f"{BASELINE} {start}" in results]


def compare(
    name: str, start: str, measure: str, strategies: Sequence[str], sets: int = 3
) -> CrawlComparison:
    """The saved curves of a web from one start, without strategies that lack a case."""
    curves: dict[str, list[Floats]] = {}
    cases = saved_cases(name, start, sets)
    for strategy in strategies:
        key = f"{strategy} {start}"
        if all(key in results for _, results in cases):
            curves[strategy] = [curve(results[key], measure) for _, results in cases]
    return CrawlComparison.from_curves(measure, curves, PAGES, BASELINE)


def comparison_table(name: str, start: str, strategies: Sequence[str], sets: int) -> str:
    """Recall and harvest rate at the checkpoints, and the paired difference to best-first."""
    recall = compare(name, start, "recall", strategies, sets)
    harvest = compare(name, start, "harvest", strategies, sets)
    topics = [topic for topic, _ in saved_cases(name, start, sets)]
    rows = []
    for strategy in sorted(recall.curves, key=lambda s: -recall.mean(s)[CHECKPOINTS[0] - 1]):
        error = recall.standard_error(strategy)
        gain = recall.curves[strategy] - recall.curves[BASELINE]
        gain_error = gain.std(axis=0, ddof=1) / np.sqrt(len(gain))
        cells = [strategy]
        cells += [f"{recall.mean(strategy)[n - 1]:.3f} ± {error[n - 1]:.3f}" for n in CHECKPOINTS]
        cells += [
            f"{gain[:, n - 1].mean():+.3f} ± {gain_error[n - 1]:.3f}" for n in CHECKPOINTS[:3]
        ]
        by_topic = [gain[np.array(topics) == topic, CHECKPOINTS[0] - 1] for topic in set(topics)]
        cells.append(f"{sum(bool(g.mean() > 0) for g in by_topic)} of {len(by_topic)}")
        cells += [f"{harvest.mean(strategy)[n - 1]:.2f}" for n in CHECKPOINTS]
        rows.append(cells)
    heading = ["strategy", *(f"recall @{n}" for n in CHECKPOINTS)]
    heading += [f"over best-first @{n}" for n in CHECKPOINTS[:3]]
    heading += [f"topics ahead @{CHECKPOINTS[0]}", *(f"harvest @{n}" for n in CHECKPOINTS)]
    return f"{len(topics)} crawls a strategy.\n\n" + table(heading, rows)


def agreement_table(name: str, strategies: Sequence[str], sets: int) -> str:
    """Average cosine, rank correlation with a search for the topic, and overlap of both starts.

    Over the first pages of each crawl; the cosines of a case share their IDF. The two
    starts of a case have disjoint seeds.
    """
    web, rows = shared_web(name), []
    urls = sorted(web.pages)
    cosines: defaultdict[str, list[float]] = defaultdict(list)
    orders: defaultdict[str, list[float]] = defaultdict(list)
    overlaps: defaultdict[str, list[float]] = defaultdict(list)
    for topic, results in saved_cases(name, STARTS[0], sets):
        known = [
            s for s in strategies if all("first" in results.get(f"{s} {t}", {}) for t in STARTS)
        ]
        crawls = {
            (s, t): [urls[k] for k in results[f"{s} {t}"]["first"]] for s in known for t in STARTS
        }
        words = [web.vocabulary.page_terms(web.page(u)).terms for u in sorted(web.targets[topic])]
        terms = [[web.vocabulary.page_terms(web.page(u)).terms for u in c] for c in crawls.values()]
        found = average_cosine(np.concatenate(words), terms)
        retrieved = retrieval_scores(web, topic)
        for (strategy, _), cosine, crawl in zip(crawls, found, crawls.values(), strict=True):
            cosines[strategy].append(float(cosine))
            orders[strategy].append(order_correlation(crawl, retrieved))
        for strategy in known:
            pair = [crawls[strategy, start] for start in STARTS]
            overlaps[strategy].append(crawl_overlap(*pair).urls)
    for strategy in sorted(cosines, key=lambda s: -np.mean(cosines[s])):
        means = [np.nanmean(each[strategy]) for each in (cosines, orders, overlaps)]
        rows.append([strategy, *(f"{value:.3f}" for value in means)])
    if not rows:
        return ""
    heading = ["strategy", "average cosine", "rank correlation with search", "overlap near, far"]
    return f"The first {AGREEMENT_PAGES} pages of each crawl:\n\n" + table(heading, rows) + "\n"


def retrieval_scores(web: BenchmarkWeb, topic: str) -> dict[str, float]:
    """The scores of a search for the name of a topic, by page."""
    found = web.collection.search(topic, MAX_SEARCH_RESULTS, with_snippets=False).table
    return dict(zip(found["url"].to_pylist(), found["score"].to_pylist(), strict=True))


def report(names: Sequence[str], strategies: Sequence[str], sets: int = 3) -> str:
    """Tables of the saved results of some webs."""
    parts = []
    for name in names:
        web = shared_web(name)
        sizes = ", ".join(f"{topic} ({len(web.targets[topic])})" for topic in web.topics)
        parts.append(f"### {name}\n\n{len(web.pages):,} pages. Topics and their pages: {sizes}.\n")
        parts += [
            f"From {start}: {comparison_table(name, start, strategies, sets)}\n" for start in STARTS
        ]
        parts.append(agreement_table(name, strategies, sets))
    return "\n".join([*parts, f"{versions('numpy', 'scipy', 'scikit-learn')}."])
