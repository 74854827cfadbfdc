"""All measurements as small tasks: one web with one seed, evaluated by method."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, cast
from urllib.parse import parse_qsl

import numpy as np

import weft.topics  # noqa: F401  registers its methods
from benchmarks.topics import demo, drift, mixed, partitions
from benchmarks.topics.baselines import BASELINES
from benchmarks.topics.case import Case, score
from benchmarks.topics.kept import current
from benchmarks.topics.sets import (
    CALIFORNIA,
    SETS,
    LinkSet,
    read_blogs,
    read_california,
    read_set,
    set_of_query,
)
from benchmarks.topics.speed import docs_web
from benchmarks.webs import OUT
from weft.core.register import METHODS, find_method
from weft.demo import DemoWeb
from weft.graph.baseset.baseset import BaseSet
from weft.groups import Groups

PARTS = ("demo", "mixed", "drift", "partitions")
FIRST_METHODS = ("auto", "hits", "tgm", "atd", "leiden", "text clusters")
SHORT: dict[str, dict[str, Any]] = {"phits": {"restarts": 1, "max_iter": 100}}
SHORT["plsa-phits"] = {"max_iter": 100}
RANKING = "ranking: "

Measures = dict[str, float]


@dataclass(frozen=True, slots=True)
class Task:
    """A web to evaluate methods on: its part, name and seed, and the function that does it."""

    part: str
    name: str
    seed: int
    judge: Callable[[str], Measures]

    @property
    def key(self) -> str:
        """The key of its results."""
        return f"{self.name} | {self.seed}"


@dataclass(frozen=True, slots=True)
class Extent:
    """How much is measured."""

    seeds: int = 20
    sizes: Sequence[int] = demo.SIZES
    noises: Sequence[float] = demo.NOISES
    shares: Sequence[float] = mixed.SHARES
    paths: Sequence[Path] = SETS
    queries: int = 1000


QUICK = Extent(seeds=2, sizes=(400,), noises=(0.05, 0.3), shares=(0.0, 0.1), queries=3)


def topic_methods() -> list[str]:
    """The default and the baselines, then all others that are registered."""
    named = {name for kind, name in METHODS if kind == "topics"} | set(BASELINES)
    first = [name for name in FIRST_METHODS if name in named]
    return [*first, *sorted(named - set(first))]


def part_methods(part: str, chosen: Sequence[str]) -> list[str]:
    """The methods of a part; where drift is measured, rankings that know no topics as well."""
    methods = list(chosen or topic_methods())
    return [*methods, *(RANKING + name for name in drift.RIVALS)] if part == "drift" else methods


def tasks(part: str, extent: Extent) -> Iterator[Task]:
    """All tasks of a part."""
    return {
        "demo": demo_tasks,
        "mixed": mixed_tasks,
        "drift": drift_tasks,
        "partitions": partition_tasks,
    }[part](extent)


def find_topics(method: str, base: BaseSet) -> Groups:
    """The topics that a registered method or a baseline finds in a base set."""
    if method in BASELINES:
        return BASELINES[method](base)
    name, options = with_options(method)
    return cast("Groups", find_method("topics", name)(base, **options))


def with_options(method: str) -> tuple[str, dict[str, Any]]:
    """The name of a method and its options, which may follow the name.

    Examples
    --------
    >>> with_options("atd?min_size=5&max_iter=10")
    ('atd', {'min_size': '5', 'max_iter': '10'})
    """
    name, _, given = method.partition("?")
    return name, {**SHORT.get(name, {}), **dict(parse_qsl(given))}


def judged(case: Case, method: str) -> Measures:
    """The measures of a method on a case, and its time."""
    start = time.perf_counter()
    found = find_topics(method, case.base)
    seconds = time.perf_counter() - start
    return {**score(case, found).to_dict(), "seconds": seconds}


def demo_tasks(extent: Extent) -> Iterator[Task]:
    """Demo webs of all sizes, levels of noise, and seeds."""
    for pages in extent.sizes:
        for noise in extent.noises:
            for seed in range(extent.seeds):
                web = DemoWeb(pages=pages, seed=seed, noise=noise)
                yield Task("demo", f"{pages:,} pages, noise {noise}", seed, partial(demo_run, web))


def demo_run(web: DemoWeb, method: str) -> Measures:
    """Judge a method on a demo web; registered methods go through the whole chain."""
    case = demo_case(web)
    if method in BASELINES:
        return judged(case, method)
    start = time.perf_counter()
    name, options = with_options(method)
    found = demo.topics_of(web, name, **options)
    seconds = time.perf_counter() - start
    return {**score(case, found).to_dict(), "seconds": seconds}


def mixed_tasks(extent: Extent) -> Iterator[Task]:
    """Mixtures of the sets, without and with the blogs; nothing is drawn where none is rewired."""
    for blogs in (False, True):
        names = [path.name for path in extent.paths] + ["left", "right"] * blogs
        for share in extent.shares:
            for seed in range(extent.seeds if share else 1):
                make = partial(mixture, tuple(extent.paths), blogs, share, seed)
                run = partial(run_case, make)
                yield Task("mixed", f"{' + '.join(names)}, {share:.0%} rewired", seed, run)


def run_case(make: Callable[[], Case], method: str) -> Measures:
    """Judge a method on a case that is made when it is needed."""
    return judged(make(), method)


def drift_tasks(extent: Extent) -> Iterator[Task]:
    """Each set with nothing hidden, then with one half after another hidden."""
    for path in extent.paths:
        whole = partial(drift_run, path, -1)
        yield Task("drift", f"{path.name}, nothing hidden", 0, whole)
        for seed in range(extent.seeds):
            yield Task("drift", path.name, seed, partial(drift_run, path, seed))


def drift_run(path: Path, seed: int, method: str) -> Measures:
    """Judge a method, or a ranking that knows no topics, on one half of a set."""
    part = half(path, seed)
    start = time.perf_counter()
    if method.startswith(RANKING):
        found = drift.judge(part, drift.rival(part, method.removeprefix(RANKING)))
    else:
        found = drift.judge_topics(part, find_topics(method, part.base))
    seconds = time.perf_counter() - start
    return {"on topic": float(found.on_topic), "support": found.support, "seconds": seconds}


def partition_tasks(extent: Extent) -> Iterator[Task]:
    """Every query of the list, or the first of each collection."""
    taken: dict[str, int] = {}
    for query in partitions.queries():
        taken[query.collection] = taken.get(query.collection, 0) + 1
        if taken[query.collection] <= extent.queries:
            make = partial(partition, query.collection, query.words)
            name = f"{query.collection}: {query.words}"
            yield Task("partitions", name, 0, partial(run_case, make))


@lru_cache(maxsize=1)
def demo_case(web: DemoWeb) -> Case:
    """A demo web, cached while methods take turns."""
    return demo.demo_case(web)


@lru_cache(maxsize=1)
def mixture(paths: tuple[Path, ...], blogs: bool, share: float, seed: int) -> Case:  # noqa: FBT001
    """A mixture, cached while methods take turns."""
    webs = [*map(one_set, paths), *([all_blogs()] if blogs else [])]
    return mixed.mixed(webs, share, seed)


@lru_cache(maxsize=1)
def half(path: Path, seed: int) -> drift.Half:
    """A half of a set, cached while methods take turns; -1 hides nothing and judges all."""
    web = one_set(path)
    if seed >= 0:
        return drift.half_of(web, drift.hidden_half(len(web), seed), seed)
    nothing = np.zeros(len(web), bool)
    return replace(drift.half_of(web, nothing), hidden=~nothing)


@lru_cache(maxsize=1)
def partition(collection: str, words: str) -> Case:
    """The base set of a query, cached while methods take turns."""
    asked = [q for q in partitions.queries() if (q.collection, q.words) == (collection, words)]
    return partitions.partition_case(asked[0])


@lru_cache(maxsize=8)
def one_set(path: Path) -> LinkSet:
    """A set, read once: that of a folder or file, or of a query of docs-web (`docs/QUERY`)."""
    if path.parent == Path("docs"):
        return set_of_query(current(OUT / "topics" / "docs-web.weft", docs_web), path.name)
    return read_california(path) if path.name == CALIFORNIA.name else read_set(path)


@lru_cache(maxsize=1)
def all_blogs() -> LinkSet:
    """The blogs, read once."""
    return read_blogs()
