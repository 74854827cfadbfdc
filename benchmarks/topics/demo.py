"""Demo webs of several sizes and levels of noise, with their known senses.

from benchmarks.topics.case import score
from benchmarks.topics.demo import DemoWeb, demo_case, topics_of
web = DemoWeb(1500, seed=3, noise=0.15)
print(score(demo_case(web), topics_of(web, "atd")))
"""

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.topics.case import Case
from benchmarks.topics.kept import current
from benchmarks.webs import OUT
from weft.demo import DemoTruth, DemoWeb, PageTruth, truth_path, write_warc
from weft.demo.words import QUERY_SENSES
from weft.graph.baseset.expand import build_query_base_set
from weft.graph.selection import DEFAULT_SELECTION
from weft.groups import Groups
from weft.workspace.workspace import Workspace

QUERY = "jaguar"
SIZES = (400, 1500, 6000)
NOISES = (0.05, 0.15, 0.3)
AUTHORITIES = ("authority", "uncaptured")


def demo_case(web: DemoWeb) -> Case:
    """The base set of the query, its senses, and which pages are their authorities."""
    known = facts(web)
    base = build_query_base_set(workspace(web).collection, QUERY, DEFAULT_SELECTION.for_topics())
    truths = [known.get(page, PageTruth(page, "background")) for page in base.pages]
    sets = {
        sense: np.array([sense in (fact.sense, fact.second_sense) for fact in truths])
        for sense in QUERY_SENSES
    }
    right = np.array([fact.role in AUTHORITIES for fact in truths])
    name = f"{web.pages:,} pages, noise {web.noise}"
    return Case(name, base, sets, right, np.ones(len(base), bool), web.seed)


def topics_of(web: DemoWeb, method: str, **options: Any) -> Groups:
    """The topics of the query by a registered method, as a user gets them."""
    return workspace(web).topics(QUERY, method, cache=False, **options)


@lru_cache(maxsize=4)
def workspace(web: DemoWeb) -> Workspace:
    """The collection of a demo web."""
    folder = folder_of(web)

    def written() -> Path:
        archive = folder / "demo.warc.gz"
        folder.mkdir(parents=True, exist_ok=True)
        write_warc(web, archive)
        return archive

    made = current(folder / "demo.weft", written)
    (folder / "demo.warc.gz").unlink(missing_ok=True)
    return made


def facts(web: DemoWeb) -> dict[str, PageTruth]:
    """The truth about each address."""
    workspace(web)
    truth = DemoTruth.read_gzip_jsonl(truth_path(folder_of(web) / "demo.warc.gz"))
    return {fact.url: fact for fact in truth.rows()}


def folder_of(web: DemoWeb) -> Path:
    """The folder of a demo web."""
    return OUT / "topics" / "demo" / f"{web.pages}-{web.noise}-{web.mixing}-{web.seed}"
