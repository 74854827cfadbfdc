"""Which method finds missing links: `python -m benchmarks.suggest`.

A tenth of the links of real webs is held out, and every method predicts them. It
needs the real data beside the project; the documentation web is built if there is
none, or `--docs` names a collection of it. The figures are saved in
`benchmarks/out/suggest.json` and written into the generated parts of
`docs/explanation/link-prediction.md`; the prose is written by hand. `--page`
only writes the page, from saved figures.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measure import versions
from benchmarks.realwebs import DATA, added, articles
from benchmarks.speed_page import DOCS, filled
from benchmarks.topics.kept import current
from benchmarks.topics.speed import docs_web
from benchmarks.webs import OUT
from weft.core.arrays import Flags, Floats, Ids
from weft.core.memoize import memoize
from weft.graph.baseset.baseset import BaseSet
from weft.graph.webgraph import WebGraph
from weft.similar import link_scores as scores
from weft.similar.context import WebContext
from weft.similar.link_prediction import FUSED_METHODS, LINK_SCORES
from weft.similar.link_scores import LinkDirection, LinkQuery
from weft.similar.missing_links import (
    MissingLinkOptions,
    eligible_pages,
    reciprocal_rank_fusion,
)
from weft.store.term_weights import TermWeights
from weft.workspace.workspace import Workspace

PAGE = DOCS / "explanation" / "link-prediction.md"
FIGURES = OUT / "suggest.json"
HELD_OUT_SHARE, TOP, PAGES, TIMED_PAGES = 0.1, 10, 200, 100
SEED = 100  # not a seed on which options or the parts of fused were chosen
DIRECTIONS: tuple[LinkDirection, ...] = ("to", "from")
BASELINES = ("popularity", "same folder")


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """A web without some of its links, and those links."""

    name: str
    web: WebContext
    source: Ids
    target: Ids

    @classmethod
    def of(
        cls,
        name: str,
        graph: WebGraph,
        captured: Flags | None = None,
        words: Callable[[], TermWeights] | None = None,
    ) -> "Held":
        """Hold out a tenth of the links, at random, among captured pages."""
        rows = graph.outlinks
        source = np.repeat(np.arange(len(graph), dtype=np.int32), np.diff(rows.starts))
        target = np.asarray(rows.ids)
        chosen = np.random.default_rng(SEED).random(len(source)) < HELD_OUT_SHARE
        if captured is not None:
            chosen &= captured[source] & captured[target]
        left = replace(
            WebGraph.from_arrays(graph.pages, source[~chosen], target[~chosen]),
            uncaptured=None if captured is None else ~captured,
        )
        web = WebContext(
            replace(BaseSet.from_graph(left), read_term_weights=words and cache(words))
        )
        return cls(name, web, source[chosen], target[chosen])

    def questions(
        self, direction: LinkDirection, max_pages: int
    ) -> Iterator[tuple[LinkQuery, Ids]]:
        """Pages drawn at random, and the links that each lacks."""
        own, other = (self.source, self.target) if direction == "to" else (self.target, self.source)
        pages = np.random.default_rng(SEED + 1).permutation(np.unique(own))[:max_pages]
        for page in pages.tolist():
            yield LinkQuery(self.web, page, direction), other[own == page]


@dataclass(frozen=True, slots=True)
class Worth:
    """Precision at ten, reciprocal rank and AUC for one page."""

    precision: float
    reciprocal: float
    auc: float


def worth(values: Floats, lost: Flags) -> Worth:
    """Evaluate scores of pages, some with lost links; ties count by their expected value."""
    own, order = values[lost], np.sort(values)
    others = np.sort(values[~lost])
    low, high = (np.searchsorted(order, own, side) for side in ("left", "right"))
    above, equal = len(order) - high, high - low
    below = (np.searchsorted(others, own) + np.searchsorted(others, own, "right")) / 2
    hits = np.clip((TOP - above) / np.maximum(equal, 1), 0, 1).sum()
    middle = above + (equal + 1) / 2
    return Worth(
        float(hits / TOP),
        float((1 / middle).max(initial=0)),
        float((below / max(len(others), 1)).mean()) if len(own) else 0.0,
    )


def measure(held: Held, direction: LinkDirection, max_pages: int) -> dict[str, Any]:
    """The mean evaluation of every method on a web, in one direction."""
    found: dict[str, list[Worth]] = {}
    near_count, lost_count = 0, 0
    for query, lost in held.questions(direction, max_pages):
        near = np.flatnonzero(eligible_pages(query, MissingLinkOptions()))
        marked = np.isin(near, lost)
        near_count, lost_count = near_count + int(marked.sum()), lost_count + len(lost)
        for method, values in every_score(query).items():
            found.setdefault(method, []).append(worth(values[near], marked))
    table = {
        method: {
            name: float(np.mean([asdict(one)[name] for one in each]))
            for name in ("precision", "reciprocal", "auc")
        }
        | {"error": float(np.std([one.reciprocal for one in each]) / np.sqrt(len(each)))}
        for method, each in found.items()
    }
    pages = len(next(iter(found.values())))
    return {"methods": table, "pages": pages, "lost": lost_count, "near": near_count}


def every_score(query: LinkQuery) -> dict[str, Floats]:
    """The scores of all methods and of the baselines."""
    near = query.unlinked_nearby_pages()
    made = {method: score(query) * near for method, score in LINK_SCORES.items()}
    if not len(query.context.base.term_weights.stems):
        del made["text"]
    made["katz"] = scores.katz(query, scores.choose_katz_beta(query, 0)) * near
    made["fused"] = reciprocal_rank_fusion(
        [made[method] for method in FUSED_METHODS if method in made]
    )
    _, popular = query.endpoint_degrees()
    made["popularity"] = popular
    made["same folder"] = same_folder(query) + popular / (popular.max() + 1)
    return made


@memoize
def folders(graph: WebGraph) -> Ids:
    """The folder of each page, as a number."""
    names = [page.rpartition("/")[0] for page in graph.pages]
    return np.unique(names, return_inverse=True)[1].astype(np.int32)


def same_folder(query: LinkQuery) -> Floats:
    """Which pages lie in the same folder."""
    folder = folders(query.graph)
    same: Floats = (folder == folder[query.page]).astype(np.float64)
    return same


def webs(folder: Path, docs: Path | None) -> Iterator[Held]:
    """The webs in turn."""
    yield Held.of("Political blogs", added(folder, "blogs", DATA / "polblogs/polblogs.gml").graph())
    crawled = added(folder, "wikispeedia", DATA / "wikispeedia.warc.gz")
    graph = articles(crawled).graph
    yield Held.of("Wikispeedia", graph, words=lambda: words_of(crawled, graph))
    webkb = added(folder, "webkb", DATA / "webkb.warc.gz")
    yield Held.of("WebKB", webkb.graph(), captured(webkb), lambda: words_of(webkb, webkb.graph()))
    manuals = collection_of(docs)
    yield Held.of(
        "Documentation",
        manuals.graph(),
        captured(manuals),
        lambda: words_of(manuals, manuals.graph()),
    )


def words_of(workspace: Workspace, graph: WebGraph) -> TermWeights:
    """The term weights of the pages of a graph."""
    numbers = [workspace.collection.find_page(page) for page in graph.pages]
    return workspace.collection.term_weights(np.array(numbers, np.int32))


def captured(workspace: Workspace) -> Flags:
    """Which pages were captured."""
    kinds: Flags = workspace.collection.pages["kind"].to_numpy() == 0
    return kinds


def collection_of(docs: Path | None) -> Workspace:
    """The documentation web, given or built."""
    return Workspace(docs) if docs else current(OUT / "topics" / "docs-web.weft", docs_web)


def timed(docs: Path | None) -> dict[str, Any]:
    """Response times on the documentation web, in milliseconds."""
    workspace = collection_of(docs)
    pages = np.flatnonzero(captured(workspace))
    drawn = np.random.default_rng(2).choice(pages, TIMED_PAGES + 1, replace=False)
    urls = [workspace.graph().pages[int(page)] for page in drawn]
    calls: dict[str, Callable[[str], object]] = {
        "similar": workspace.similar,
        "similar, with text": lambda url: workspace.similar(url, text=True),
        "similar, a vote per site": lambda url: workspace.similar(url, vote="site"),
        "suggest": workspace.suggest,
        "suggest by adamic-adar": lambda url: workspace.suggest(url, "adamic-adar"),
        "suggest by katz": lambda url: workspace.suggest(url, "katz"),
    }
    found = {}
    for name, call in calls.items():
        times = []
        for url in urls:
            start = time.perf_counter()
            call(url)
            times.append(1000 * (time.perf_counter() - start))
        median, slow = np.percentile(times[1:], [50, 95])
        found[name] = {"first": times[0], "median": float(median), "slow": float(slow)}
    graph = workspace.graph()
    return {"calls": found, "pages": len(graph), "links": graph.link_count, "asked": TIMED_PAGES}


def write_page(figures: dict[str, Any]) -> None:
    """Fill the page from saved figures."""
    text = PAGE.read_text("utf-8")
    for direction in DIRECTIONS:
        found = {name: each[direction] for name, each in figures["webs"].items()}
        text = filled(text, f"links {direction}", table(found))
    text = filled(text, "webs", sizes(figures["webs"]))
    text = filled(text, "speed", speed(figures["speed"]))
    text = filled(text, "machine", figures["versions"] + ".\n")
    PAGE.write_text(text, "utf-8")


def table(found: dict[str, Any]) -> str:
    """A row per method, best mean reciprocal rank first; three measures for each web."""
    methods = list(dict.fromkeys(method for each in found.values() for method in each["methods"]))

    def mean_reciprocal_rank(method: str) -> float:
        cells = [each["methods"].get(method) for each in found.values()]
        return float(np.mean([cell["reciprocal"] for cell in cells if cell]))

    lines = ["| method | " + " | ".join(found) + " |", "|---|" + "---|" * len(found)]
    for method in sorted(methods, key=mean_reciprocal_rank, reverse=True):
        cells = [each["methods"].get(method) for each in found.values()]
        shown = [
            f"{cell['precision']:.3f} · {cell['reciprocal']:.3f} · {cell['auc']:.3f}"
            if cell
            else ""
            for cell in cells
        ]
        name = f"*{method}*" if method in BASELINES else method
        lines.append(f"| {name} | " + " | ".join(shown) + " |")
    worst = max(cell["error"] for each in found.values() for cell in each["methods"].values())
    lines.append(f"\nThe standard error of a reciprocal rank is at most {worst:.3f}.")
    return "\n".join(lines) + "\n"


def sizes(found: dict[str, Any]) -> str:
    """The size of each web, and the number of held-out links."""
    lines = [
        "| web | pages | links left | held out | pages tested | lost links | within 3 steps |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for name, each in found.items():
        to = each["to"]
        near = to["near"] / max(to["lost"], 1)
        cells = (each["pages"], each["links"], each["held"], to["pages"], to["lost"])
        lines.append(f"| {name} | {' | '.join(f'{cell:,}' for cell in cells)} | {near:.0%} |")
    return "\n".join(lines) + "\n"


def speed(found: dict[str, Any]) -> str:
    """Response times as a table."""
    lines = [
        f"{found['pages']:,} pages and {found['links']:,} links; {found['asked']} pages, one "
        "process.\n",
        "| call | median ms | 95th percentile ms | first call ms |",
        "|---|--:|--:|--:|",
    ]
    lines += [
        f"| {name} | {row['median']:.0f} | {row['slow']:.0f} | {row['first']:.0f} |"
        for name, row in found["calls"].items()
    ]
    return "\n".join(lines) + "\n"


def main(words: list[str] | None = None) -> None:
    """Measure, save the figures, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--docs", type=Path, help="a collection of the documentation web")
    parser.add_argument("--pages", type=int, default=PAGES, help="pages tested on each web")
    parser.add_argument("--only", default="", help="measure only this web, and keep the others")
    parser.add_argument(
        "--page", action="store_true", help="only write the page, from saved figures"
    )
    given = parser.parse_args(words)
    if not given.page:
        if not DATA.exists():
            sys.exit(f"the real data is not at {DATA}")
        saved = json.loads(FIGURES.read_text()) if given.only else {"webs": {}}
        found = figures_of(saved, given.docs, given.pages, given.only)
        FIGURES.write_text(json.dumps(found, indent=1))
    write_page(json.loads(FIGURES.read_text()))


def figures_of(
    figures: dict[str, Any], docs: Path | None, max_pages: int, only: str
) -> dict[str, Any]:
    """The saved figures, updated with new measurements."""
    figures["versions"] = versions("numpy", "scipy", "numba")
    print(figures["versions"], flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for held in webs(Path(folder), docs):
            if only and held.name != only:
                continue
            graph = held.web.graph
            found: dict[str, Any] = {
                direction: measure(held, direction, max_pages) for direction in DIRECTIONS
            }
            found |= {"pages": len(graph), "links": graph.link_count, "held": len(held.source)}
            figures["webs"][held.name] = found
            print(held.name, f"{len(graph):,} pages", flush=True)
            print(table({held.name: found["to"]}), flush=True)
            print(table({held.name: found["from"]}), flush=True)
            if only:
                break
    if not only or "speed" not in figures:
        figures["speed"] = timed(docs)
        print(speed(figures["speed"]))
    return figures


if __name__ == "__main__":
    main()
