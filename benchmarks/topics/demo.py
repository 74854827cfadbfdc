"""The demo web in many sizes, with more or less noise, and the senses that are in it.

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
from weft.gather.demoweb import DemoWeb, Fact, Truth, truth_path, write_warc
from weft.gather.demoweb.banks import SENSES
from weft.graph.expand import expand
from weft.run.workspace import Workspace
from weft.topics import Topics

QUERY = "jaguar"
SIZES = (400, 1500, 6000)
NOISES = (0.05, 0.15, 0.3)
AUTHORITIES = ("authority", "seen")


def demo_case(web: DemoWeb) -> Case:
    """The base set of the query, its senses, and which pages are their authorities."""
    known = facts(web)
    base = expand(workspace(web).collection, QUERY)
    told = [known.get(page, Fact(page, "background")) for page in base.pages]
    sets = {
        sense: np.array([sense in (fact.sense, fact.also) for fact in told]) for sense in SENSES
    }
    right = np.array([fact.role in AUTHORITIES for fact in told])
    name = f"{web.pages:,} pages, noise {web.noise}"
    return Case(name, base, sets, right, np.ones(len(base), bool), web.seed)


def topics_of(web: DemoWeb, method: str, **options: Any) -> Topics:
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


def facts(web: DemoWeb) -> dict[str, Fact]:
    """What is true of each address."""
    workspace(web)
    truth = Truth.from_json(truth_path(folder_of(web) / "demo.warc.gz"))
    return {fact.url: fact for fact in truth.rows()}


def folder_of(web: DemoWeb) -> Path:
    """Where a demo web is kept."""
    return OUT / "topics" / "demo" / f"{web.pages}-{web.noise}-{web.mixing}-{web.seed}"
