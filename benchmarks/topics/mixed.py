"""Several real base sets mixed into one graph, whose topics are then the sets.

from benchmarks.topics.case import score
from benchmarks.topics.mixed import mixtures
for case in mixtures():
    print(case, score(case, method(case.base)).combined)
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.topics.case import Case
from benchmarks.topics.sets import SETS, LinkSet, distinct, read_blogs, read_set
from weft.core.arrays import Floats, Ids
from weft.graph.baseset.baseset import ROOT, BaseSet
from weft.graph.webgraph import WebGraph

SHARES = (0.0, 0.05, 0.1)


def mixtures(
    paths: Sequence[Path] = SETS, shares: Sequence[float] = SHARES, seeds: int = 20
) -> Iterator[Case]:
    """The sets alone, then with the blogs; with each share of links rewired, by each seed.

    Nothing is drawn where no link is rewired, so one seed does.
    """
    sets = [read_set(path) for path in paths]
    for webs in (sets, [*sets, read_blogs()]):
        for share in shares:
            for seed in range(seeds if share else 1):
                yield mixed(webs, share, seed)


def mixed(webs: Sequence[LinkSet], share: float = 0.0, seed: int = 0) -> Case:
    """Webs in one graph; a page of several webs is there once and belongs to all of them.

    The query is that of all webs together. The first root page of each web
    comes first, then the second of each, as a search for all queries might rank
    them. No search was run, so root pages have text score one, others zero.
    """
    number: dict[str, int] = {}
    places = [
        np.array([number.setdefault(page, len(number)) for page in web.pages], np.int32)
        for web in webs
    ]
    n = len(number)
    names = {name: np.zeros(n, bool) for web in webs for name in web.sets}
    for web, place in zip(webs, places, strict=True):
        for name, flags in web.sets.items():
            names[name][place[flags]] = True
    graph = WebGraph.from_arrays(list(number), *rewired(webs, places, share, seed))
    label = f"{' + '.join(names)}, {share:.0%} rewired"
    return Case.of(label, base_set(graph, webs, places), names, seed)


def rewired(
    webs: Sequence[LinkSet], places: Sequence[Ids], share: float, seed: int
) -> tuple[Ids, Ids]:
    """All links, of which a share lead to where a link of another web leads."""
    source = np.concatenate([place[web.source] for web, place in zip(webs, places, strict=True)])
    target = np.concatenate([place[web.target] for web, place in zip(webs, places, strict=True)])
    owner = np.repeat(np.arange(len(webs)), [len(web.source) for web in webs])
    draw = np.random.default_rng(seed)
    moved = draw.permutation(len(source))[: round(share * len(source))]
    changed = target.copy()
    for web in range(len(webs)):
        own = moved[owner[moved] == web]
        changed[own] = draw.choice(target[owner != web], len(own)) if len(own) else ()
    return distinct(source, changed)


def base_set(graph: WebGraph, webs: Sequence[LinkSet], places: Sequence[Ids]) -> BaseSet:
    """A mixture as a method sees it: titles, the words of addresses, and root pages."""
    n = len(graph)
    titles, texts = [""] * n, [""] * n
    origin, turn = np.full(n, -1, np.int32), np.full(n, np.inf)
    for number, (web, place) in enumerate(zip(webs, places, strict=True)):
        rows = zip(place.tolist(), web.titles, web.texts, strict=True)
        for page, title, text in rows:
            titles[page], texts[page] = titles[page] or title, texts[page] or text
        fresh = (origin[place] < 0) | (web.origin == ROOT)
        origin[place[fresh]] = web.origin[fresh]
        roots = place[web.origin == ROOT]
        turn[roots] = np.minimum(turn[roots], np.arange(len(roots)) + number / len(webs))
    asked = " ".join(dict.fromkeys(web.query for web in webs))
    base = BaseSet.from_graph(
        graph, query=asked, read_texts=lambda: texts, read_titles=lambda: titles
    )
    return replace(base, origin=origin, rank=_ranks(turn), text_score=(origin == ROOT) * 1.0)


def _ranks(turn: Floats) -> Ids:
    """Places from one in the order of turns; zero for a page without a turn."""
    rank = np.zeros(len(turn), np.int32)
    order = np.argsort(turn, kind="stable")[: int(np.isfinite(turn).sum())]
    rank[order] = np.arange(1, len(order) + 1)
    return rank
