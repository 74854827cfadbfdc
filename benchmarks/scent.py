"""Does scent predict clicks? `python -m benchmarks.scent`.

Players of Wikispeedia look for a given article by clicking links. The need is that article.
Predicted flows are compared with the clicks of finished games, beside those of random surfers
who know nothing of the need. It needs the real data beside the project. The figures are saved in
`benchmarks/out/scent.json` and written into the generated parts of `docs/explanation/scent.md`;
the prose is written by hand. `--page` only writes the page, from saved figures.
"""

import argparse
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any
from urllib.parse import unquote

import numpy as np
from scipy.sparse import csr_array
from scipy.stats import rankdata

from benchmarks.measure import versions
from benchmarks.realwebs import DATA, article, lines
from benchmarks.speed_page import DOCS, filled
from benchmarks.topics.kept import current
from benchmarks.webs import OUT
from weft.core.arrays import CSR, Floats, Ids, link_keys, pack_pairs
from weft.graph.baseset.baseset import BaseSet
from weft.graph.baseset.expand import whole_base_set
from weft.graph.baseset.stoplist import restrict_base_set
from weft.graph.webgraph import WebGraph, csr_from_keys, csr_to_scipy, transpose
from weft.usage.scent import ScentData, ScentFlow
from weft.workspace.usage_data import build_scent_data

PAGE = DOCS / "explanation" / "scent.md"
FIGURES = OUT / "scent.json"
TARGETS, SEED, BOOTSTRAPS = 1_000, 100, 200
CLICKS, FLOOR = 25, 0.01
MIN_CLICKS, MIN_LINKS = 50, 5
NEED_TERMS = 10
Surfer = Callable[[int], Floats]


@dataclass(frozen=True, slots=True, eq=False)
class Games:
    """The clicks of finished games: target, source and end of each, and whether it is the last."""

    target: Ids
    source: Ids
    end: Ids
    link: Ids
    is_last: Any
    starts: dict[int, Ids]
    views: int


def read_games(data: ScentData) -> Games:
    """The games whose articles and links are all in the web, for a sample of their targets."""
    number = {article(page): at for at, page in enumerate(data.graph.pages)}
    rows = data.graph.outlinks
    position = {
        link: at
        for at, link in enumerate(zip(rows.row_ids().tolist(), rows.ids.tolist(), strict=True))
    }
    paths = []
    for line in lines("paths_finished"):
        path = [number.get(unquote(step), -1) for step in line.split("\t")[1].split(";")]
        clicks = list(pairwise(path))
        if clicks and all(click in position for click in clicks):
            paths.append(path)
    targets = np.unique([path[-1] for path in paths])
    drawn = np.random.default_rng(SEED).permutation(targets)[:TARGETS]
    paths = [path for path in paths if path[-1] in set(drawn.tolist())]
    rows_of_clicks = [
        (path[-1], a, b, position[a, b], k == len(path) - 2)
        for path in paths
        for k, (a, b) in enumerate(pairwise(path))
    ]
    target, source, end, link, last = np.array(rows_of_clicks).T
    starts = {
        int(goal): np.array([path[0] for path in paths if path[-1] == goal], np.int32)
        for goal in drawn
    }
    return Games(target, source, end, link, last.astype(bool), starts, sum(map(len, paths)))


class CueMatrix:
    """The term weights of the cues of all links, and of all pages, over one list of stems."""

    def __init__(self, data: ScentData) -> None:
        cues, pages = data.cues, data.term_weights
        stems: list[str] = cues.stems.to_pylist()
        self.number = {stem: at for at, stem in enumerate(stems)}
        counts = csr_to_scipy(cues.link_texts, cues.text_count) @ csr_to_scipy(
            cues.text_stems, len(stems)
        )
        counts.data = (1 + np.log(counts.data)) * data.read_idf(stems)[counts.indices]
        self.of_links = counts.tocsr()
        self.page_number = {stem: at for at, stem in enumerate(pages.stems.to_pylist())}
        self.page_stems = pages.stems.to_pylist()
        self.of_pages = csr_to_scipy(pages.matrix, len(self.page_stems))
        self.has_cues = data.has_cues

    def proximal(self, need: Mapping[str, float]) -> Floats:
        """The scent of each link by its cues."""
        return np.asarray(self.of_links @ _vector(need, self.number))

    def distal(self, need: Mapping[str, float]) -> Floats:
        """The relevance of each page."""
        return np.asarray(self.of_pages @ _vector(need, self.page_number))

    def words_of(self, page: int) -> dict[str, float]:
        """The leading terms of a page, the largest of weight one."""
        row = self.of_pages[[page]]
        order = np.argsort(-row.data, kind="stable")[:NEED_TERMS]
        largest = row.data.max(initial=1.0)
        return {self.page_stems[row.indices[at]]: float(row.data[at] / largest) for at in order}


def _vector(need: Mapping[str, float], number: Mapping[str, int]) -> Floats:
    x = np.zeros(len(number))
    for stem, weight in need.items():
        if stem in number:
            x[number[stem]] = weight
    return x


def surfers(data: ScentData) -> dict[str, Surfer]:
    """For each surfer the probability of each link, by the target that is looked for."""
    rows, cues = data.graph.outlinks, CueMatrix(data)
    ends = np.asarray(rows.ids)
    indegrees = data.graph.indegrees()[ends]
    names = [article(page).replace("_", " ") for page in data.graph.pages]

    def name_of(target: int) -> Mapping[str, float]:
        return data.stem_need(names[target])

    def words_of(target: int) -> Mapping[str, float]:
        return {**cues.words_of(target), **name_of(target)}

    def auto(need: Mapping[str, float]) -> Floats:
        return np.where(cues.has_cues, cues.proximal(need), cues.distal(need)[ends])

    return {
        "random surfer": lambda _: normalised(rows, np.ones(len(ends))),
        "in-degree surfer": lambda _: normalised(rows, indegrees),
        "cues, name": lambda t: normalised(rows, auto(name_of(t)) + FLOOR),
        "cues, name and words": lambda t: normalised(rows, auto(words_of(t)) + FLOOR),
        "target's text, name": lambda t: normalised(rows, cues.distal(name_of(t))[ends] + FLOOR),
        "target's text, name and words": lambda t: normalised(
            rows, cues.distal(words_of(t))[ends] + FLOOR
        ),
    }


def normalised(rows: CSR, scent: Floats) -> Floats:
    """Probabilities that sum to one over the links of each page."""
    source = rows.row_ids()
    sums = np.bincount(source, scent, len(rows.starts) - 1)[source]
    return np.divide(scent, sums, out=np.zeros(len(scent)), where=sums > 0)


def measure(data: ScentData) -> dict[str, Any]:
    """Compare each surfer with the clicks."""
    games = read_games(data)
    alpha = len(games.target) / games.views
    goals = sorted(games.starts)
    found = {
        name: evaluate(data, games, surfer, alpha, goals) for name, surfer in surfers(data).items()
    }
    return {
        "surfers": with_margins(found),
        "pages": len(data.graph),
        "links": data.graph.link_count,
        "targets": len(goals),
        "games": sum(len(each) for each in games.starts.values()),
        "clicks": len(games.target),
        "alpha": alpha,
        "tested pages": found["random surfer"]["tested pages"],
        "versions": versions("numpy", "scipy"),
    }


def evaluate(
    data: ScentData, games: Games, surfer: Surfer, alpha: float, goals: list[int]
) -> dict[str, Any]:
    """Flows per page, choices per page, and single clicks."""
    rows, n = data.graph.outlinks, len(data.graph)
    expected, arrivals = np.zeros(len(rows.ids)), np.zeros((len(goals), n), np.float32)
    bits, first = np.zeros(len(games.target)), np.zeros(len(games.target))
    for at, goal in enumerate(goals):
        probability = surfer(goal)
        start = np.bincount(games.starts[goal], minlength=n).astype(np.float64)
        flow = ScentFlow(data.graph, probability, alpha)
        arrivals[at] = flow.visits(start, CLICKS)[0] - start
        clicks = np.flatnonzero(games.target == goal)
        for click in clicks.tolist():
            page = games.source[click]
            inside = slice(int(rows.starts[page]), int(rows.starts[page + 1]))
            own, others = probability[games.link[click]], probability[inside]
            expected[inside] += others
            bits[click] = -np.log2(max(own, 1e-12))
            best = others >= others.max() - 1e-12
            first[click] = (own >= others.max() - 1e-12) / best.sum()
    measured = np.array(
        [np.bincount(games.end[games.target == goal], minlength=n) for goal in goals]
    )
    samples = bootstrap(arrivals, measured)
    per_page = page_correlations(rows, games, expected)
    quartiles = np.percentile(per_page, [25, 50, 75])
    before = ~games.is_last
    return {
        "visits": samples[0],
        "samples": samples,
        "choices": float(quartiles[1]),
        "choices low": float(quartiles[0]),
        "choices high": float(quartiles[2]),
        "first": float(first.mean()),
        "first before the last": float(first[before].mean()),
        "bits": float(bits.mean()),
        "bits before the last": float(bits[before].mean()),
        "tested pages": len(per_page),
    }


def bootstrap(predicted: Any, measured: Any) -> list[float]:
    """Spearman's rank correlation over pages, first of all targets, then of samples of them.

    The samples are the same for every surfer.
    """
    generator, count = np.random.default_rng(SEED), len(predicted)
    weights = [np.ones(count)] + [
        np.bincount(generator.integers(count, size=count), minlength=count).astype(float)
        for _ in range(BOOTSTRAPS)
    ]
    return [spearman(w @ predicted, w @ measured) for w in weights]


def with_margins(found: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Replace the samples by 1.96 standard errors, also of the lead over the random surfer."""
    random = np.array(found["random surfer"]["samples"])
    for each in found.values():
        samples = np.array(each.pop("samples"))
        each["margin"] = 1.96 * float(np.std(samples[1:]))
        lead = samples - random
        each["lead"], each["lead margin"] = float(lead[0]), 1.96 * float(np.std(lead[1:]))
    return found


def spearman(first: Floats, second: Floats) -> float:
    """The correlation of ranks; zero where all are equal."""
    one, two = (rankdata(values.round(9)) for values in (first, second))
    if one.std() == 0 or two.std() == 0:
        return 0.0
    return float(np.corrcoef(one, two)[0, 1])


def page_correlations(rows: CSR, games: Games, expected: Floats) -> Floats:
    """For each page with enough clicks the rank correlation over its links."""
    clicked = np.bincount(games.link, minlength=len(rows.ids)).astype(np.float64)
    totals = csr_array((clicked, rows.ids, rows.starts)).sum(axis=1)
    tested = np.flatnonzero((totals >= MIN_CLICKS) & (np.diff(rows.starts) >= MIN_LINKS))
    return np.array(
        [
            spearman(
                expected[rows.starts[p] : rows.starts[p + 1]],
                clicked[rows.starts[p] : rows.starts[p + 1]],
            )
            for p in tested.tolist()
        ]
    )


def table(figures: Mapping[str, Any]) -> str:
    """A row per surfer, as Markdown."""
    columns = (
        "visits | lead | choices | bits | strongest link | bits, not last | strongest, not last"
    )
    rows = [f"| surfer | {columns} |", "|---|--:|--:|--:|--:|--:|--:|--:|"]
    for name, each in figures["surfers"].items():
        rows.append(
            f"| {name} | {each['visits']:.3f} ± {each['margin']:.3f} | {each['lead']:+.3f} ± "
            f"{each['lead margin']:.3f} | {each['choices']:.3f} ({each['choices low']:.3f} to "
            f"{each['choices high']:.3f}) | {each['bits']:.2f} | {each['first']:.1%} | "
            f"{each['bits before the last']:.2f} | {each['first before the last']:.1%} |"
        )
    return "\n".join(rows) + "\n"


def sizes(figures: Mapping[str, Any]) -> str:
    """What was measured, as a sentence."""
    parts = [
        f"{figures['pages']:,} articles and {figures['links']:,} links between them",
        f"{figures['games']:,} finished games for {figures['targets']:,} targets drawn at random",
        f"{figures['clicks']:,} clicks, after a share of {figures['alpha']:.3f} of the views",
        f"choices on {figures['tested pages']:,} pages with at least {MIN_CLICKS} clicks and "
        f"{MIN_LINKS} links",
        f"a need is the name of the target, or its name and the {NEED_TERMS} terms that weigh most "
        "in it",
    ]
    return "".join(f"- {part}\n" for part in parts)


def write_page(figures: Mapping[str, Any]) -> None:
    """Fill the page from saved figures."""
    text = PAGE.read_text("utf-8")
    text = filled(text, "sizes", sizes(figures))
    text = filled(text, "surfers", table(figures))
    text = filled(text, "machine", figures["versions"] + ".\n")
    PAGE.write_text(text, "utf-8")


def keep_game_links(base: BaseSet) -> BaseSet:
    """The articles with the links that players could click: no menus, no footers."""
    number = {article(page): at for at, page in enumerate(base.pages)}
    ends = [[unquote(end) for end in line.split("\t")[:2]] for line in lines("links")]
    clickable = [(number[s], number[t]) for s, t in ends if s in number and t in number]
    keys = np.unique(pack_pairs(*np.array(clickable, np.int32).T))
    rows = csr_from_keys(np.intersect1d(keys, link_keys(base.graph.outlinks)), None, len(base))
    graph = WebGraph(base.pages, rows, transpose(rows, len(base)))
    return replace(base, graph=graph)


def main() -> None:
    """Measure, save, print, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--page", action="store_true", help="only write the page")
    if not parser.parse_args().page:
        workspace = current(OUT / "wikispeedia.weft", lambda: DATA / "wikispeedia.warc.gz")
        known = {unquote(line) for line in lines("articles")}
        whole = whole_base_set(workspace.collection)
        kept = np.array(["/wp/" in page and article(page) in known for page in whole.pages])
        base = keep_game_links(restrict_base_set(whole, kept, "no article"))
        FIGURES.write_text(json.dumps(measure(build_scent_data(base)), indent=1))
    figures = json.loads(FIGURES.read_text())
    print(sizes(figures), table(figures), sep="\n")
    write_page(figures)


if __name__ == "__main__":
    main()
