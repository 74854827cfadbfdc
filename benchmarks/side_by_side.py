"""All rank methods on real webs, side by side: `python -m benchmarks.side_by_side`.

It needs the real data beside the project. It writes the generated parts of
`docs/explanation/methods-side-by-side.md`, each between two comments with its
name, and the pictures; the prose is written by hand.
"""

import re
import sys
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

import weft.rank
from benchmarks.heatmap import heatmap
from benchmarks.realwebs import DATA, FIRST, RealWeb, real_webs
from weft.core.arrays import round_significant
from weft.core.errors import BadParameter
from weft.core.register import METHODS, find_method
from weft.graph.baseset.baseset import BaseSet
from weft.graph.webgraph import WebGraph
from weft.rank import Ranking, compare
from weft.rank.rank_correlation import count_concordant_pairs

DOCS = Path(__file__).parents[1] / "docs"
PAGE = DOCS / "explanation" / "methods-side-by-side.md"
PICTURED = {"Movies": "methods-movies.svg", "Political blogs": "methods-blogs.svg"}
LEADERS = ("indegree", "salsa", "pagerank", "hits", "onorm", "bharat-henzinger")
HUBS = {"informativeness", "pagerank-hubs", "centrality"}
SEARCH_ONLY = "the search alone"
SHORT: dict[str, dict[str, Any]] = {
    "bayesian": {"samples": 4000},
    "bayesian-simple": {"samples": 4000},
    "phits": {"restarts": 1, "max_iter": 100},
    "plsa-phits": {"max_iter": 100},
}
UNIFIED: dict[str, tuple[str, dict[str, Any]]] = {
    "hits": ("hits", {}),
    "onorm": ("onorm", {}),
    "onorm, surfing": ("onorm", {"scheme": "surfing"}),
    "inorm": ("inorm", {}),
    "inorm, surfing": ("inorm", {"scheme": "surfing"}),
    "snorm": ("snorm", {}),
    "salsa": ("salsa", {}),
    "pagerank": ("pagerank", {}),
}


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """The ranking by a method, or why there is none."""

    method: str
    ranking: Ranking | None
    reason: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class WebResult:
    """A web with the runs of all methods."""

    web: RealWeb
    runs: Mapping[str, Run]

    @property
    def rankings(self) -> dict[str, Ranking]:
        """The runs that gave a ranking, by method."""
        return {name: run.ranking for name, run in self.runs.items() if run.ranking is not None}


def main() -> None:
    """Rank every web, and write the results into the page."""
    if not DATA.exists():
        sys.exit(f"the real data is not at {DATA}")
    with tempfile.TemporaryDirectory() as folder:
        found = []
        for web in real_webs(Path(folder)):
            print(f"{web.name}: {web.base!r}", flush=True)
            found.append(WebResult(web, {name: run(web, name) for name in rank_methods()}))
    parts = {
        "webs": webs_table(found),
        "tables": "\n\n".join(chapter(each) for each in found),
        "prediction": prediction(found),
        "hubs": hub_table(found),
        "concentration": concentration(found),
        "judges": judges_table(found),
        "sides": sides(found),
    }
    text = PAGE.read_text("utf-8")
    for name, part in parts.items():
        text = put(text, name, part)
    PAGE.write_text(text, "utf-8")
    for each in found:
        if each.web.name in PICTURED:
            (DOCS / "images" / PICTURED[each.web.name]).write_text(picture(each), "utf-8")
    print(f"written: {PAGE}")


def put(text: str, name: str, part: str) -> str:
    """The page with one of its generated parts replaced."""
    between = re.compile(rf"(?sm)(?<=<!-- begin {name} -->\n).*?(?=^<!-- end {name} -->)")
    if not between.search(text):
        raise SystemExit(f"{PAGE} has no part {name}")
    return between.sub(lambda _: f"\n{part}\n\n", text)


def rank_methods() -> list[str]:
    """The names of all rank methods, in alphabetical order."""
    return sorted(name for kind, name in METHODS if kind == "rank")


def run(web: RealWeb, name: str) -> Run:
    """Run a method, unless the web lacks what it needs."""
    reason = lacking(web, name)
    if reason:
        return Run(name, None, reason)
    method = find_method("rank", name)
    options = {**SHORT.get(name, {}), **web.options.get(name, {})}
    data = web.base if method.input_type is BaseSet else web.graph
    try:
        return Run(name, cast("Ranking", method(data, **options)))
    except BadParameter as error:
        return Run(name, None, f"too large: {error}")


def lacking(web: RealWeb, name: str) -> str:
    """What a method needs and the web does not have; empty if nothing."""
    needs = {
        "personalised": ("no seeds", name in web.options),
        "topic-pagerank": ("no topics", name in web.options),
        "spam-aware": ("no list of spam", False),
        "clever": ("no anchors: the same as HITS", bool(len(web.base.anchors))),
        "plsa-phits": ("no words", bool(len(web.base.texts))),
        "bharat-henzinger": ("one host: no links count", len(hosts(web.graph)) > 1),
    }
    reason, has = needs.get(name, ("", True))
    return "" if has else reason


def hosts(graph: WebGraph) -> set[str]:
    """The hosts of the pages of a graph."""
    return {re.sub(r"^\w+://", "", page).partition("/")[0] for page in graph.pages}


def webs_table(found: Iterable[WebResult]) -> str:
    """The webs in numbers."""
    rows = []
    for each in found:
        graph = each.web.graph
        parts = graph.operator().hub_authority_components()
        linked = parts.authority_labels[parts.authority_labels >= 0]
        largest = np.bincount(linked).max() / len(linked)
        rows.append(
            [
                each.web.name,
                f"{len(graph):,}",
                f"{graph.link_count:,}",
                f"{int((graph.indegrees() > 0).sum()):,}",
                f"{parts.count:,}",
                f"{largest:.2f}",
                f"{each.rankings['hits'].certainty.gap:.2f}",
            ]
        )
    head = ["web", "pages", "links", "linked pages", "components", "largest", "gap of HITS"]
    return table(head, rows, "l" + "r" * 6)


def chapter(found: WebResult) -> str:
    """The section of a web: what it is, every method in a line, the first ten of some."""
    web = found.web
    parts = [f"### {web.name}", web.description]
    if web.judge is not None:
        parts.append(f"*{web.judge.heading}*: {web.judge.meaning}.")
    return "\n\n".join([*parts, methods_table(found), notes(found), leaders(found)])


def methods_table(found: WebResult) -> str:
    """Every method in a row: convergence, and similarity to in-degree."""
    web, base = found.web, found.rankings["indegree"]
    judge = web.judge
    head = ["method", "iterations", "converged", "unique", "tau-b", "RBO", "top 10"]
    rows = []
    for name, each in found.runs.items():
        if each.ranking is None:
            rows.append([name, each.reason, *[""] * (len(head) - 2 + bool(judge))])
            continue
        trace, certainty = each.ranking.trace, each.ranking.certainty
        against = compare([base, each.ranking]).agreements[0]
        row = [
            name + (" (hubs)" if name in HUBS else ""),
            f"{trace.iterations}" if trace.iterations else "-",
            "yes" if trace.converged else "**no**",
            "yes" if certainty.unique else "no",
            number(against.pair_counts.tau_b),
            number(against.rbo.extrapolated),
            f"{round(10 * against.overlap.share)}" + (" (tied)" if against.overlap.cut_tie else ""),
        ]
        rows.append([*row, number(judge.of(each.ranking))] if judge else row)
    return table([*head, judge.heading] if judge else head, rows, "lrllrrrr")


def notes(found: WebResult) -> str:
    """The notes on certainty, each once with its methods."""
    methods_by_note: dict[str, list[str]] = {}
    for name, ranking in found.rankings.items():
        if ranking.certainty.note:
            methods_by_note.setdefault(ranking.certainty.note, []).append(name)
    return "\n".join(
        f"- {', '.join(names)}: {escaped(note)}." for note, names in methods_by_note.items()
    )


def leaders(found: WebResult) -> str:
    """The first ten pages of some methods side by side."""
    columns = {name: found.rankings[name] for name in LEADERS if name in found.rankings}
    rows = [
        [str(place + 1)] + [name_of(found.web, int(r.order()[place])) for r in columns.values()]
        for place in range(10)
    ]
    return table(["", *columns], rows, "r" + "l" * len(columns))


def name_of(web: RealWeb, page: int) -> str:
    """The name of a page; an address is set as code, so that it does not become a link."""
    shown = " ".join("".join(c if c.isprintable() else " " for c in web.names[page]).split())
    cut = shown if len(shown) <= 44 else f"{shown[:43].rstrip()}…"
    is_address = " " not in shown and re.search(r"[./]", shown)
    return "`" + cut.replace("`", "'").replace("|", "¦") + "`" if is_address else escaped(cut)


def escaped(words: str) -> str:
    """Text with Markdown characters escaped."""
    plain = re.sub(r"([\\`*_\[\]|~#$!])", r"\\\1", words)
    plain = plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"(?i)(www|http)([.:s])", r"\1&#8203;\2", plain)


def prediction(found: Iterable[WebResult]) -> str:
    """Tau-b with in-degree among linked pages, on each web and on the web with links shuffled."""
    columns = list(found)
    rows = [
        [
            label,
            *(
                f"{tau(each.web.graph, *call)} / {tau(shuffled(each.web.graph), *call)}"
                for each in columns
            ),
        ]
        for label, call in UNIFIED.items()
    ]
    return table(["authorities", *(each.web.name for each in columns)], rows)


def tau(graph: WebGraph, name: str, options: Mapping[str, Any]) -> str:
    """Tau-b of a method with in-degree, among pages with in-links."""
    linked = graph.indegrees() > 0
    ranking = cast("Ranking", find_method("rank", name)(graph, **options))
    return number(
        count_concordant_pairs(
            round_significant(ranking.score())[linked], graph.indegrees()[linked]
        ).tau_b
    )


def shuffled(graph: WebGraph, seed: int = 0) -> WebGraph:
    """The graph with permuted targets: the same degrees, except that parallel links are merged."""
    source = np.repeat(np.arange(len(graph)), np.diff(graph.outlinks.starts))
    target = np.random.default_rng(seed).permutation(graph.outlinks.ids)
    return WebGraph.from_arrays(graph.pages, source, target, np.ones(len(source)))


def hub_table(found: Iterable[WebResult]) -> str:
    """Tau-b of hub scores with out-degree, among pages that have links."""
    columns = list(found)
    named = {label: call for label, call in UNIFIED.items() if label != "pagerank"}
    named |= {name: (name, {}) for name in ("pagerank-hubs", "informativeness")}
    rows = []
    for label, (name, options) in named.items():
        row = [label]
        for each in columns:
            graph = each.web.graph
            degrees = graph.outdegrees()
            ranking = cast("Ranking", find_method("rank", name)(graph, **options))
            hub = round_significant(ranking.score("hub"))[degrees > 0]
            row.append(number(count_concordant_pairs(hub, degrees[degrees > 0]).tau_b))
        rows.append(row)
    return table(["hubs", *(each.web.name for each in columns)], rows)


def concentration(found: Iterable[WebResult]) -> str:
    """The number of pages that hold half of the total score."""
    columns = list(found)
    rows = []
    for name in ("indegree", "salsa", "pagerank", "hits", "onorm", "inorm", "prestige"):
        row = [name]
        for each in columns:
            scores = np.sort(each.rankings[name].score())[::-1]
            row.append(f"{1 + int(np.searchsorted(np.cumsum(scores), scores.sum() / 2)):,}")
        rows.append(row)
    return table(["pages with half of the score", *(each.web.name for each in columns)], rows)


def judges_table(found: Iterable[WebResult]) -> str:
    """Every method, evaluated by independent knowledge."""
    columns = [each for each in found if each.web.judge is not None]
    judged = [judged_by(each) for each in columns]
    names = [SEARCH_ONLY, *sorted({name for each in judged for name in each} - {SEARCH_ONLY})]
    rows = [[name, *(each.get(name, "") for each in judged)] for name in names]
    head = [f"{each.web.name}: {each.web.judge.heading}" for each in columns if each.web.judge]
    return table(["method", *head], rows)


def judged_by(found: WebResult) -> dict[str, str]:
    """The evaluation of each method, of the search, and of bharat-henzinger without words."""
    rankings, web = dict(found.rankings), found.web
    if web.search is not None:
        rankings[SEARCH_ONLY] = web.search
    if "bharat-henzinger" in rankings and len(web.base.texts):
        plain = weft.rank.bharat_henzinger(web.base, weigh_by_relevance=False)
        rankings["bharat-henzinger, without words"] = plain
    return {name: number(web.judge.of(r)) for name, r in rankings.items()} if web.judge else {}


def sides(found: Iterable[WebResult]) -> str:
    """How seeds and factors separate left and right blogs."""
    web = next(each.web for each in found if each.web.name == "Political blogs")
    graph, judge = web.graph, web.judge
    assert judge is not None
    seeded = [page for page in web.options["topic-pagerank"]["topics"] if page.startswith("right=")]
    seeds = {
        "left": list(web.options["personalised"]["seeds"]),
        "right": [page.partition("=")[2] for page in seeded],
    }
    rows = [["indegree", "", number(judge.of(weft.rank.indegree(graph)))]]
    for side, pages in seeds.items():
        for name in ("personalised", "trustrank"):
            ranking = cast("Ranking", find_method("rank", name)(graph, seeds=pages))
            rows.append([name, f"seeds on the {side}", number(judge.of(ranking))])
    pair = weft.rank.hits_vectors(graph, vectors=2)
    factors = weft.rank.phits(graph, factors=2)
    for name, ranking in (("hits-vectors", pair), ("phits, 2 factors", factors)):
        for score, values in ranking.scores.items():
            if score.startswith("authority"):
                single = Ranking(name, ranking.pages, {score: values}, ranking.trace)
                rows.append([name, score, number(judge.of(single))])
    return table(["method", "seeds or score", f"left among the first {FIRST}"], rows, "llr")


def picture(found: WebResult) -> str:
    """Tau-b of every pair of methods among linked pages, most similar to in-degree first."""
    linked = found.web.graph.indegrees() > 0
    scores = {
        n: round_significant(r.score())[linked] for n, r in found.rankings.items() if n not in HUBS
    }
    near = {n: count_concordant_pairs(each, scores["indegree"]).tau_b for n, each in scores.items()}
    labels = sorted(scores, key=lambda name: -near[name])
    values = np.array(
        [[count_concordant_pairs(scores[x], scores[y]).tau_b for y in labels] for x in labels]
    )
    title = f"{found.web.name}: rank correlation of methods on linked pages (tau-b in hundredths)"
    return heatmap(title, labels, values)


def number(value: float) -> str:
    """A number with two decimals, and no negative zero."""
    return "-" if np.isnan(value) else f"{round(value, 2) + 0.0:.2f}"


def table(head: list[str], rows: list[list[str]], alignment: str = "") -> str:
    """A Markdown table."""
    rules = {"l": "---", "r": "--:"}
    line = [rules[side] for side in (alignment or "l" + "r" * (len(head) - 1))[: len(head)]]
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, line, *rows])


if __name__ == "__main__":
    main()
