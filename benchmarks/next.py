"""Which method predicts the next click: `python -m benchmarks.next`.

Players of Wikispeedia walk from article to article by links. Every click of
held-out paths is predicted from the articles before it; the target of the game
is not known to any method. Of the finished paths a fifth is held out at random,
of the unfinished ones the latest fifth. It needs the real data beside the
project. The figures are saved in `benchmarks/out/next.json` and written into
the generated parts of `docs/explanation/next.md`; the prose is written by
hand. `--page` only writes the page, from saved figures.
"""

import argparse
import gzip
import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.measure import versions
from benchmarks.realwebs import DATA
from benchmarks.speed_page import DOCS, filled
from benchmarks.webs import OUT
from weft.core.arrays import Flags, Floats, Ids
from weft.graph.transitions import Sessions
from weft.graph.webgraph import WebGraph
from weft.usage.choice_trees import ChoiceTrees
from weft.usage.next_page import NextPageModel, PredictionQuality
from weft.usage.predictor import Predictor

PAGE = DOCS / "explanation" / "next.md"
FIGURES = OUT / "next.json"
TEST_SHARE, SEED = 0.2, 0
TOP = 1000
MEASURES = ("hit@1", "hit@5", "MRR")
REFERENCES = ("popularity", "out-links by popularity")
WITHOUT_TREES, WITHOUT_LINKS = "Kneser-Ney over links", "next without links"
SMOOTHED = "third-order Markov, Witten-Bell"  # backs off to links, as no paper does
# module and class of the other methods, and their options
MODELS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "first-order Markov": (
        "markov",
        "MarkovModel",
        {"order": 1, "smoothing": "none", "boundaries": False},
    ),
    "all-third-order Markov": (
        "markov",
        "MarkovModel",
        {"order": 3, "smoothing": "longest", "boundaries": False},
    ),
    SMOOTHED: ("markov", "MarkovModel", {"order": 3}),
    "Sarukkai": ("sarukkai", "HistoryModel", {}),
    "LRS": ("lrs", "RepeatModel", {}),
}


@dataclass(frozen=True, slots=True, eq=False)
class Game:
    """Paths to learn from and paths to predict."""

    name: str
    training: Sessions
    test: Sessions

    def replayed(self) -> Flags:
        """For each test click, whether a training path has the same first and last page."""
        known = {(int(path[0]), int(path[-1])) for path in self.training if len(path)}
        again = [
            (int(path[0]), int(path[-1])) in known
            for path in self.test
            for _ in range(len(path) - 1)
        ]
        return np.array(again, bool)


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """Pages by a fixed order, or the out-links of the last page by it."""

    order: Ids
    graph: WebGraph | None = None

    @classmethod
    def by_clicks(cls, sessions: Sessions, *, linked: bool) -> "Ranked":
        """By the number of clicks that led to a page."""
        counts = sessions.transitions.counts
        clicks = np.bincount(counts.ids, counts.weights, len(sessions.graph))
        order = np.argsort(-clicks, kind="stable").astype(np.int32)
        return cls(order, sessions.graph if linked else None)

    def predict(self, path: Ids, top: int) -> tuple[Ids, Floats]:
        """The first pages of the order; the probabilities are not estimated."""
        pages = self.order
        if self.graph is not None:
            pages = pages[np.isin(pages, self.graph.outlinks.row(int(path[-1])))]
        return pages[:top], np.full(len(pages[:top]), np.nan)


def read_rows(name: str) -> Iterator[list[str]]:
    """The rows of a table of Wikispeedia, without comments."""
    with gzip.open(DATA / "wikispeedia" / name, "rt", encoding="utf-8") as lines:
        for line in lines:
            if line.strip() and not line.startswith("#"):
                yield line.rstrip("\n").split("\t")


def follow_back_clicks(steps: list[str]) -> list[str]:
    """The path from the first article to the last one; `<` goes back to the one before."""
    path: list[str] = []
    for step in steps:
        if step != "<":
            path.append(step)
        elif len(path) > 1:
            path.pop()
    return path


def to_sessions(graph: WebGraph, paths: list[list[str]], times: list[int]) -> Sessions:
    """Paths of article names as sessions."""
    number = {name: k for k, name in enumerate(graph.pages)}
    known = [[number[name] for name in path if name in number] for path in paths]
    starts = np.cumsum([0, *(len(path) for path in known)], dtype=np.int64)
    pages = np.array([page for path in known for page in path], np.int32)
    return Sessions(
        graph,
        starts,
        pages,
        np.repeat(np.array(times, np.int64), np.diff(starts)),
        np.zeros(len(pages), bool),
        np.arange(len(paths), dtype=np.uint64),
        pa.repeat("", len(paths)),
    )


def read_games() -> Iterator[Game]:
    """Finished paths, split at random, and unfinished ones, split by time."""
    names = [row[0] for row in read_rows("articles.tsv.gz")]
    number = {name: k for k, name in enumerate(names)}
    links = [(number[a], number[b]) for a, b in read_rows("links.tsv.gz")]
    graph = WebGraph.from_arrays(names, *np.array(links).T)
    finished = [row[1].split(";") for row in read_rows("paths_finished.tsv.gz")]
    sessions = to_sessions(graph, finished, [0] * len(finished))
    yield split("finished", sessions, np.random.default_rng(SEED).permutation(len(sessions)))
    rows = sorted(read_rows("paths_unfinished.tsv.gz"), key=lambda row: int(row[1]))
    unfinished = [follow_back_clicks(row[3].split(";")) for row in rows]
    sessions = to_sessions(graph, unfinished, [int(row[1]) for row in rows])
    yield split("unfinished", sessions, np.arange(len(sessions)))


def split(name: str, sessions: Sessions, order: Any) -> Game:
    """The first sessions of an order, and those that are held out."""
    kept = int((1 - TEST_SHARE) * len(order))
    return Game(name, sessions.take(order[:kept]), sessions.take(order[kept:]))


def fitters() -> tuple[dict[str, Callable[[Sessions], Predictor]], list[str]]:
    """How to fit each method, and the names of those that are not there."""
    found: dict[str, Callable[[Sessions], Predictor]] = {
        "popularity": lambda sessions: Ranked.by_clicks(sessions, linked=False),
        "out-links by popularity": lambda sessions: Ranked.by_clicks(sessions, linked=True),
    }
    missing = []
    for name, (module, model, options) in MODELS.items():
        try:
            fit = getattr(import_module(f"weft.usage.{module}"), model).fit
        except ModuleNotFoundError:
            missing.append(name)
            continue
        found[name] = partial(fit, **options)
    found[WITHOUT_LINKS] = lambda sessions: NextPageModel.fit(unlinked(sessions))
    found["next"] = NextPageModel.fit
    return found, missing


def unlinked(sessions: Sessions) -> Sessions:
    """The sessions as a log alone has them, without the links between pages."""
    none = np.zeros(0, np.int32)
    return replace(sessions, graph=WebGraph.from_arrays(sessions.graph.pages, none, none))


def predict_all(model: Predictor, test: Sessions) -> tuple[Floats, Floats]:
    """The rank of the page of each test click, and the probability of the first page."""
    ranks, sure = [], []
    for path in test:
        for end in range(1, len(path)):
            pages, probabilities = model.predict(path[:end], TOP)
            at = np.flatnonzero(pages == path[end])
            ranks.append(at[0] + 1.0 if len(at) else np.inf)
            sure.append(probabilities[0] if len(pages) else 0.0)
    return np.array(ranks), np.array(sure)


def measure(game: Game) -> dict[str, Any]:
    """The figures of all methods on one game."""
    methods, missing = fitters()
    replayed = game.replayed()
    rows: dict[str, Any] = {}
    for name, fit in methods.items():
        start = time.process_time()
        model = fit(game.training)
        fitted = time.process_time() - start
        if name == "next" and isinstance(model, NextPageModel):
            plain = replace(model, trees=ChoiceTrees.empty())
            rows[WITHOUT_TREES] = evaluate(plain, game.test, replayed)
        rows[name] = evaluate(model, game.test, replayed) | {"fit": fitted}
        print(name, rows[name], flush=True)
    return {
        "methods": rows,
        "missing": missing,
        "training": [len(game.training), game.training.transitions.clicks],
        "test": [len(game.test), game.test.transitions.clicks],
        "replayed": float(replayed.mean()),
    }


def evaluate(model: Predictor, test: Sessions, replayed: Flags) -> dict[str, Any]:
    """Hits, reciprocal ranks, calibration and time of one method."""
    start = time.process_time()
    ranks, sure = predict_all(model, test)
    spent = time.process_time() - start
    return {
        "all": PredictionQuality.from_ranks(ranks)[1:],
        "new games": PredictionQuality.from_ranks(ranks[~replayed])[1:],
        "replayed games": PredictionQuality.from_ranks(ranks[replayed])[1:],
        "error": float(np.std(1 / ranks) / np.sqrt(len(ranks))),
        "calibration": calibration(sure, ranks == 1),
        "ms": 1000 * spent / len(ranks),
    }


def calibration(sure: Floats, right: Flags, bins: int = 5) -> list[list[float]]:
    """For fifths of the clicks by probability: mean probability, and share of hits."""
    if np.isnan(sure).any():
        return []
    parts = np.array_split(np.argsort(sure, kind="stable"), bins)
    return [[float(sure[part].mean()), float(right[part].mean())] for part in parts]


def table(figures: dict[str, Any], part: str) -> str:
    """A row per method, three measures for each game; the best figure of each column is bold."""
    games = figures["games"]
    methods = list(dict.fromkeys(name for game in games.values() for name in game["methods"]))
    cells = np.array(
        [[value for g in games.values() for value in g["methods"][m][part]] for m in methods]
    )
    heads = [f"{name} {measure}" for name in games for measure in MEASURES]
    lines = ["| method | " + " | ".join(heads) + " |", "|---|" + "--:|" * len(heads)]
    best = np.round(cells, 3).max(axis=0)
    for row in np.argsort(cells[:, 2], kind="stable"):
        shown = [
            f"**{value:.3f}**" if round(value, 3) == top else f"{value:.3f}"
            for value, top in zip(cells[row], best, strict=True)
        ]
        name = methods[row]
        lines.append(
            f"| {f'*{name}*' if name in REFERENCES else name} | " + " | ".join(shown) + " |"
        )
    return "\n".join(lines) + "\n"


def winners(figures: dict[str, Any]) -> str:
    """Which published method is best by which measure."""
    lines = []
    for name, game in figures["games"].items():
        ours = WITHOUT_TREES, WITHOUT_LINKS, SMOOTHED, "next"
        published = {m: row["all"] for m, row in game["methods"].items() if m not in ours}
        for k, measure in enumerate(MEASURES):
            best = max(published, key=lambda method: published[method][k])
            figures_of_next = game["methods"]["next"]["all"]
            lines.append(
                f"- {name}, {measure}: {best} with {published[best][k]:.3f}; "
                f"`next` has {figures_of_next[k]:.3f}."
            )
    return "\n".join(lines) + "\n"


def sizes(figures: dict[str, Any]) -> str:
    """Paths and clicks of each game, times of `next`, and what was left out."""
    lines = [
        "| paths | training paths | clicks | test paths | clicks | replayed games | "
        "fit of next, CPU s | a prediction, CPU ms |",
        "|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for name, game in figures["games"].items():
        ours = game["methods"]["next"]
        counts = " | ".join(f"{count:,}" for count in (*game["training"], *game["test"]))
        lines.append(
            f"| {name} | {counts} | {game['replayed']:.0%} | {ours['fit']:.0f} | {ours['ms']:.2f} |"
        )
    games = figures["games"].values()
    worst = max(row["error"] for game in games for row in game["methods"].values())
    lines.append(f"\nThe standard error of an MRR is at most {worst:.4f}.")
    missing = sorted({name for game in games for name in game["missing"]})
    if missing:
        lines.append(f"Not measured, because this version lacks them: {', '.join(missing)}.")
    return "\n".join(lines) + "\n"


def calibration_table(figures: dict[str, Any]) -> str:
    """The probabilities of `next` against what happened."""
    lines = ["| paths | fifth of the clicks | mean probability | hit@1 |", "|---|--:|--:|--:|"]
    for name, game in figures["games"].items():
        for k, (sure, right) in enumerate(game["methods"]["next"]["calibration"]):
            lines.append(f"| {name} | {k + 1} | {sure:.3f} | {right:.3f} |")
    return "\n".join(lines) + "\n"


def write_page(figures: dict[str, Any]) -> None:
    """Print the parts of the page, and fill them in."""
    parts = {
        "sizes": sizes(figures),
        "methods": table(figures, "all"),
        "winners": winners(figures),
        "new games": table(figures, "new games"),
        "calibration": calibration_table(figures),
        "machine": figures["versions"] + ".\n",
    }
    text = PAGE.read_text("utf-8")
    for name, part in parts.items():
        print(f"{name}\n\n{part}")
        text = filled(text, name, part)
    PAGE.write_text(text, "utf-8")


def main(words: list[str] | None = None) -> None:
    """Measure, save the figures, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument(
        "--page", action="store_true", help="only write the page, from saved figures"
    )
    given = parser.parse_args(words)
    if not given.page:
        if not Path(DATA / "wikispeedia").exists():
            sys.exit(f"the paths of Wikispeedia are not at {DATA}")
        figures = {
            "versions": versions("numpy", "scipy", "numba"),
            "games": {game.name: measure(game) for game in read_games()},
        }
        FIGURES.parent.mkdir(exist_ok=True)
        FIGURES.write_text(json.dumps(figures, indent=1))
    write_page(json.loads(FIGURES.read_text()))


if __name__ == "__main__":
    main()
