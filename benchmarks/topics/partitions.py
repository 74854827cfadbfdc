"""Queries with several senses on collections with labelled pages.

from benchmarks.topics.partitions import partitions
for case in partitions():
    print(case, score(case, method(case.base)).combined)
"""

import csv
import gzip
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import numpy as np

from benchmarks.realwebs import MENUS, article, lines
from benchmarks.topics.case import Case
from benchmarks.topics.kept import current
from benchmarks.topics.sets import DATA
from benchmarks.webs import OUT
from weft.gather.url import canonicalize_url, domain
from weft.graph.baseset.expand import build_query_base_set
from weft.graph.selection import Selection
from weft.workspace.workspace import Workspace

QUERIES = Path(__file__).with_name("queries.toml")
UNIVERSITIES = {
    "cornell.edu": "cornell",
    "utexas.edu": "texas",
    "washington.edu": "washington",
    "wisc.edu": "wisconsin",
}
OPTIONS = {
    "wikispeedia": Selection(root_size=50, max_inlinks=10, exclude=MENUS),
    "webkb": Selection(between="page"),
}


@dataclass(frozen=True, slots=True)
class Query:
    """A query of a collection, and the labels of each of its senses."""

    collection: str
    words: str
    senses: Mapping[str, Sequence[str]]

    @property
    def options(self) -> Selection:
        """How its base set is made."""
        return OPTIONS[self.collection]


def queries(path: Path = QUERIES) -> list[Query]:
    """The list of queries, as a person wrote it."""
    return [Query(**entry) for entry in tomllib.loads(path.read_text("utf-8"))["query"]]


def partitions(chosen: Sequence[Query] = ()) -> Iterator[Case]:
    """The base set of each query, and the pages of its senses."""
    for query in chosen or queries():
        yield partition_case(query)


def partition_case(query: Query) -> Case:
    """The base set of a query; only pages whose labels are of a sense are known."""
    base = build_query_base_set(workspace(query.collection).collection, query.words, query.options)
    labels_by_page = [labels_of(query.collection, page) for page in base.pages]
    sets = {
        sense: np.array([any(map(below(wanted), own)) for own in labels_by_page], bool)
        for sense, wanted in query.senses.items()
    }
    some = np.any(list(sets.values()), axis=0)
    return Case(f"{query.collection}: {query.words}", base, sets, some, some)


def below(wanted: Sequence[str]) -> Callable[[str], bool]:
    """A test whether a label is one of some, or below one of them.

    Examples
    --------
    >>> list(map(below(["IT"]), ["IT", "IT.Software", "Italy"]))
    [True, True, False]
    """
    return lambda label: any(label == each or label.startswith(f"{each}.") for each in wanted)


@cache
def labels(collection: str) -> Mapping[str, Sequence[str]]:
    """The labels of each page: subjects of an article, or class and university."""
    found: dict[str, list[str]] = {}
    if collection == "wikispeedia":
        for line in lines("categories"):
            name, _, subject = line.partition("\t")
            found.setdefault(unquote(name), []).append(subject.removeprefix("subject."))
        return found
    with gzip.open(DATA / "webkb-labels.csv.gz", "rt", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            own = found.setdefault(canonicalize_url(row["url"]), [])
            own += [row["class"], row["university"]]
    return found


def labels_of(collection: str, page: str) -> Sequence[str]:
    """The labels of a page; an uncaptured page has that of its university."""
    known = labels(collection)
    if collection == "wikispeedia":
        return known.get(article(page), ())
    return known.get(page) or [UNIVERSITIES.get(domain(page), "")]


@cache
def workspace(name: str) -> Workspace:
    """A collection of the real data, added if it does not exist."""
    return current(OUT / "topics" / f"{name}.weft", lambda: DATA / f"{name}.warc.gz")
