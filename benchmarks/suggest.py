"""Which method finds missing links: `python -m benchmarks.suggest`.

A tenth of the links of real webs is held out, and every method is asked for
them. It needs the real data beside the project; the documentation web is built
if there is none, or `--docs` names a collection of it. The figures are kept in
`benchmarks/out/suggest.json`, and written into the generated parts of
`docs/explanation/link-prediction.md`; the words between them are a person's.
`--page` writes the page from kept figures alone.
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
from weft.graph.baseset import BaseSet
from weft.graph.webgraph import WebGraph
from weft.run.workspace import Workspace
from weft.store.telling import Words
from weft.suggest import scores
from weft.suggest.around import Around
from weft.suggest.links import FUSED, SCORES
from weft.suggest.missing import fuse
from weft.suggest.scores import Question, Way

PAGE = DOCS / "explanation" / "link-prediction.md"
FIGURES = OUT / "suggest.json"
HELD, FIRST, ASKED, TIMED = 0.1, 10, 200, 100
DRAW = 100  # not a draw that options or the parts of fused were chosen on
WAYS: tuple[Way, ...] = ("to", "from")
BASELINES = ("popularity", "same folder")


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """A web without some of its links, and those links."""

    name: str
    web: Around
    source: Ids
    target: Ids

    @classmethod
    def of(
        cls,
        name: str,
        graph: WebGraph,
        fetched: Flags | None = None,
        words: Callable[[], Words] | None = None,
    ) -> "Held":
        """Hold out a tenth of the links, at random, among pages that were fetched."""
        rows = graph.outlinks
        source = np.repeat(np.arange(len(graph), dtype=np.int32), np.diff(rows.starts))
        target = np.asarray(rows.ids)
        chosen = np.random.default_rng(DRAW).random(len(source)) < HELD
        if fetched is not None:
            chosen &= fetched[source] & fetched[target]
        left = WebGraph.from_arrays(graph.pages, source[~chosen], target[~chosen])
        web = Around(replace(BaseSet.whole(left), read_words=words and cache(words)))
        return cls(name, web, source[chosen], target[chosen])

    def questions(self, way: Way, most: int) -> Iterator[tuple[Question, Ids]]:
        """Pages drawn at random, and the links that each lacks."""
        own, other = (self.source, self.target) if way == "to" else (self.target, self.source)
        pages = np.random.default_rng(DRAW + 1).permutation(np.unique(own))[:most]
        for page in pages.tolist():
            yield Question(self.web, page, way), other[own == page]


@dataclass(frozen=True, slots=True)
class Worth:
    """What a method is worth to one page: the measures of the specification."""

    precision: float
    reciprocal: float
    auc: float


def worth(values: Floats, lost: Flags) -> Worth:
    """Judge scores of pages, some of which are the ends of lost links; ties count as expected."""
    own, order = values[lost], np.sort(values)
    others = np.sort(values[~lost])
    low, high = (np.searchsorted(order, own, side) for side in ("left", "right"))
    above, equal = len(order) - high, high - low
    below = (np.searchsorted(others, own) + np.searchsorted(others, own, "right")) / 2
    hits = np.clip((FIRST - above) / np.maximum(equal, 1), 0, 1).sum()
    middle = above + (equal + 1) / 2
    return Worth(
        float(hits / FIRST),
        float((1 / middle).max(initial=0)),
        float((below / max(len(others), 1)).mean()) if len(own) else 0.0,
    )


def measure(held: Held, way: Way, most: int) -> dict[str, Any]:
    """The mean worth of every method on a web, one way."""
    found: dict[str, list[Worth]] = {}
    reached, all_ = 0, 0
    for question, lost in held.questions(way, most):
        near = np.flatnonzero(question.open())
        marked = np.isin(near, lost)
        reached, all_ = reached + int(marked.sum()), all_ + len(lost)
        for method, values in every_score(question).items():
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
    return {"methods": table, "pages": pages, "lost": all_, "near": reached}


def every_score(question: Question) -> dict[str, Floats]:
    """The scores of all methods and of what they must beat."""
    near = question.open()
    made = {method: score(question) * near for method, score in SCORES.items()}
    if not len(question.around.base.words.stems):
        del made["text"]
    made["katz"] = scores.katz(question, scores.katz_b(question, 0)) * near
    made["fused"] = fuse([made[method] for method in FUSED if method in made])
    _, popular = question.sizes()
    made["popularity"] = popular
    made["same folder"] = same_folder(question) + popular / (popular.max() + 1)
    return made


def same_folder(question: Question) -> Floats:
    """Which pages lie in the same folder."""

    def make() -> Ids:
        names = [page.rpartition("/")[0] for page in question.graph.pages]
        return np.unique(names, return_inverse=True)[1].astype(np.int32)

    folder = question.around.once("folders", make)
    same: Floats = (folder == folder[question.page]).astype(np.float64)
    return same


def webs(folder: Path, docs: Path | None) -> Iterator[Held]:
    """The webs in turn."""
    yield Held.of("Political blogs", added(folder, "blogs", DATA / "polblogs/polblogs.gml").graph())
    crawled = added(folder, "wikispeedia", DATA / "wikispeedia.warc.gz")
    graph = articles(crawled).graph
    yield Held.of("Wikispeedia", graph, words=lambda: words_of(crawled, graph))
    webkb = added(folder, "webkb", DATA / "webkb.warc.gz")
    yield Held.of("WebKB", webkb.graph(), fetched(webkb), lambda: words_of(webkb, webkb.graph()))
    manuals = collection_of(docs)
    yield Held.of(
        "Documentation",
        manuals.graph(),
        fetched(manuals),
        lambda: words_of(manuals, manuals.graph()),
    )


def words_of(workspace: Workspace, graph: WebGraph) -> Words:
    """The telling words of the pages of a graph."""
    numbers = [workspace.collection.find(page) for page in graph.pages]
    return workspace.collection.words(np.array(numbers, np.int32))


def fetched(workspace: Workspace) -> Flags:
    """Which pages were fetched."""
    kinds: Flags = workspace.collection.pages["kind"].to_numpy() == 0
    return kinds


def collection_of(docs: Path | None) -> Workspace:
    """The documentation web: as given, or built."""
    return Workspace(docs) if docs else current(OUT / "topics" / "docs-web.weft", docs_web)


def timed(docs: Path | None) -> dict[str, Any]:
    """How long pages of the documentation web wait for an answer, in milliseconds."""
    workspace = collection_of(docs)
    pages = np.flatnonzero(fetched(workspace))
    drawn = np.random.default_rng(2).choice(pages, TIMED + 1, replace=False)
    urls = [workspace.graph().pages[int(page)] for page in drawn]
    asks: dict[str, Callable[[str], object]] = {
        "similar": workspace.similar,
        "similar, with text": lambda url: workspace.similar(url, text=True),
        "similar, a vote per site": lambda url: workspace.similar(url, vote="site"),
        "suggest": workspace.suggest,
        "suggest by adamic-adar": lambda url: workspace.suggest(url, "adamic-adar"),
        "suggest by katz": lambda url: workspace.suggest(url, "katz"),
    }
    found = {}
    for name, ask in asks.items():
        took = []
        for url in urls:
            start = time.perf_counter()
            ask(url)
            took.append(1000 * (time.perf_counter() - start))
        median, slow = np.percentile(took[1:], [50, 95])
        found[name] = {"first": took[0], "median": float(median), "slow": float(slow)}
    graph = workspace.graph()
    return {"asks": found, "pages": len(graph), "links": graph.link_count, "asked": TIMED}


def write_page(figures: dict[str, Any]) -> None:
    """Fill the page from kept figures."""
    text = PAGE.read_text("utf-8")
    for way in WAYS:
        found = {name: each[way] for name, each in figures["webs"].items()}
        text = filled(text, f"links {way}", table(found))
    text = filled(text, "webs", sizes(figures["webs"]))
    text = filled(text, "speed", speed(figures["speed"]))
    text = filled(text, "machine", figures["versions"] + ".\n")
    PAGE.write_text(text, "utf-8")


def table(found: dict[str, Any]) -> str:
    """A row for each method, the best on average first; three measures for each web."""
    methods = list(dict.fromkeys(method for each in found.values() for method in each["methods"]))

    def soon(method: str) -> float:
        cells = [each["methods"].get(method) for each in found.values()]
        return float(np.mean([cell["reciprocal"] for cell in cells if cell]))

    lines = ["| method | " + " | ".join(found) + " |", "|---|" + "---|" * len(found)]
    for method in sorted(methods, key=soon, reverse=True):
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
    lines.append(f"\nThe standard error of a reciprocal rank is {worst:.3f} at most.")
    return "\n".join(lines) + "\n"


def sizes(found: dict[str, Any]) -> str:
    """How large each web is, and how many links were lost."""
    lines = [
        "| web | pages | links left | held out | pages asked | their lost links | within reach |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for name, each in found.items():
        to = each["to"]
        near = to["near"] / max(to["lost"], 1)
        cells = (each["pages"], each["links"], each["held"], to["pages"], to["lost"])
        lines.append(f"| {name} | {' | '.join(f'{cell:,}' for cell in cells)} | {near:.0%} |")
    return "\n".join(lines) + "\n"


def speed(found: dict[str, Any]) -> str:
    """How long each question takes."""
    lines = [
        f"{found['pages']:,} pages and {found['links']:,} links; {found['asked']} pages asked, in "
        "one process.\n",
        "| question | median ms | of a hundred, 95 within ms | the first, ms |",
        "|---|--:|--:|--:|",
    ]
    lines += [
        f"| {name} | {row['median']:.0f} | {row['slow']:.0f} | {row['first']:.0f} |"
        for name, row in found["asks"].items()
    ]
    return "\n".join(lines) + "\n"


def main(words: list[str] | None = None) -> None:
    """Measure, keep the figures, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--docs", type=Path, help="a collection of the documentation web")
    parser.add_argument("--asked", type=int, default=ASKED, help="pages asked on each web")
    parser.add_argument("--only", default="", help="measure this web alone, and keep the others")
    parser.add_argument("--page", action="store_true", help="write the page from kept figures")
    asked = parser.parse_args(words)
    if not asked.page:
        if not DATA.exists():
            sys.exit(f"the real data is not at {DATA}")
        kept = json.loads(FIGURES.read_text()) if asked.only else {"webs": {}}
        found = figures_of(kept, asked.docs, asked.asked, asked.only)
        FIGURES.write_text(json.dumps(found, indent=1))
    write_page(json.loads(FIGURES.read_text()))


def figures_of(figures: dict[str, Any], docs: Path | None, most: int, only: str) -> dict[str, Any]:
    """What was measured before, with all that is measured now."""
    figures["versions"] = versions("numpy", "scipy", "numba")
    print(figures["versions"], flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for held in webs(Path(folder), docs):
            if only and held.name != only:
                continue
            graph = held.web.graph
            found: dict[str, Any] = {way: measure(held, way, most) for way in WAYS}
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
