"""The real webs beside the project, each with independent knowledge of its pages."""

import gzip
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import unescape
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from benchmarks.base_sets import write_graphml
from weft.core.arrays import round_significant
from weft.engine.fixed_point import CLOSED_FORM
from weft.graph.baseset.baseset import LINKED_FROM, LINKS_TO, ROOT, BaseSet
from weft.graph.baseset.expand import build_query_base_set
from weft.graph.baseset.stoplist import exclude_pages
from weft.graph.views import subgraph
from weft.graph.webgraph import WebGraph
from weft.rank import Ranking
from weft.rank.rank_correlation import count_concordant_pairs
from weft.workspace.workspace import Workspace

DATA = Path(__file__).parents[2] / "shared" / "data"
NODE = re.compile(r"^\d+ \(\d+\) \[([ROI])\]\r?\n(\S+)", re.MULTILINE)
BLOG = re.compile(r'label "\s*([^"]+?)\s*"\s+value (\d)')
CODES = {"R": ROOT, "O": LINKED_FROM, "I": LINKS_TO}
EMPTY_TITLES = {"", "Empty title field"}
ASKED = "planet"
SUBJECT = "subject.Science.Physics.Space_Astronomy"
MENUS = ("*/images/*", "*/wp/index/*", "*Free_Documentation_License*", "*/disclaimer.htm", "*.org/")
FIRST = 50
SEEDS = 5


@dataclass(frozen=True, slots=True)
class Judge:
    """An evaluation of rankings by something other than links."""

    heading: str
    meaning: str
    of: Callable[[Ranking], float]


@dataclass(frozen=True, slots=True, eq=False)
class RealWeb:
    """A graph or base set, readable names of its pages, and options for some methods."""

    name: str
    description: str
    base: BaseSet
    names: Sequence[str]
    judge: Judge | None = None
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def search(self) -> Ranking | None:
        """The order in which a search found the root pages, where there was one."""
        rank = self.base.rank
        if not rank.any():
            return None
        scores = np.divide(1.0, rank, out=np.zeros(len(rank)), where=rank > 0)
        return Ranking("search", self.graph.pages, {"score": scores}, CLOSED_FORM)

    @property
    def graph(self) -> WebGraph:
        """Its links."""
        return self.base.graph


def real_webs(folder: Path) -> Iterator[RealWeb]:
    """Every web in turn, read by Weft into a folder."""
    yield base_set(folder, "movies", "movies", r"movie|film|cinema")
    yield base_set(folder, "cheese", "cheese", r"cheese|fromage|cheddar")
    yield california(folder)
    yield blogs(folder)
    crawled = added(folder, "wikispeedia", DATA / "wikispeedia.warc.gz")
    yield articles(crawled)
    yield around_query(crawled)


def added(folder: Path, name: str, source: Path) -> Workspace:
    """A collection of one input."""
    workspace = Workspace(folder / f"{name}.weft")
    workspace.add(source)
    return workspace


def base_set(folder: Path, name: str, query: str, topic: str) -> RealWeb:
    """One of Tsaparas' base sets; its words are the titles, its seeds the root pages."""
    workspace = added(folder, name, write_graphml(DATA / "lar" / name, folder / f"{name}.graphml"))
    graph = workspace.graph()
    titles = [
        "" if t in EMPTY_TITLES else unescape(t)
        for t in workspace.page_table()["title"].to_pylist()
    ]
    nodes = NODE.findall((DATA / "lar" / name / "nodes").read_text("latin-1"))
    code = {url: CODES[letter] for letter, url in reversed(nodes)}
    roots = list(dict.fromkeys(url for letter, url in nodes if letter == "R" and url in code))
    origin = np.array([code.get(page, LINKED_FROM) for page in graph.pages], np.int32)
    place = {url: number for number, url in enumerate(roots, 1)}
    rank = np.array([place.get(page, 0) for page in graph.pages], np.int32)
    base = BaseSet.from_graph(graph, query=query, read_texts=lambda: titles)
    base = replace(base, origin=origin, rank=rank, text_score=(origin == ROOT).astype(float))
    words_of_pages = zip(graph.pages, titles, strict=True)
    named = np.array([bool(re.search(f"(?i){topic}", " ".join(words))) for words in words_of_pages])
    meaning = f"whose title or address has one of {', '.join(topic.split('|'))}"
    seeds = [page for page in roots if graph.page_number(page) >= 0]
    return RealWeb(
        name.capitalize(),
        f"The base set of the query *{query}* (Tsaparas): {int((origin == ROOT).sum())} root pages "
        "and those around them, without links inside a host. Texts are titles only; seeds are "
        "the root pages.",
        base,
        [title or address(page) for page, title in zip(graph.pages, titles, strict=True)],
        share_of(named, "on topic", meaning),
        {"personalised": {"seeds": seeds}, "trustrank": {"seeds": seeds}},
    )


def california(folder: Path) -> RealWeb:
    """Kleinberg's base set: addresses only."""
    path = write_graphml(DATA / "california" / "gr0.California", folder / "california.graphml")
    graph = added(folder, "california", path).graph()
    description = "Kleinberg's base set of the query *california*: addresses and links, no words."
    names = [address(page) for page in graph.pages]
    return RealWeb("California", description, BaseSet.from_graph(graph), names)


def blogs(folder: Path) -> RealWeb:
    """Political blogs of 2004, each left or right; seeds are the most linked of the left."""
    source = DATA / "polblogs" / "polblogs.gml"
    graph = added(folder, "polblogs", source).graph()
    side = dict(BLOG.findall(unescape(source.read_text("utf-8"))))
    left = np.array([side[page] == "0" for page in graph.pages])
    seeds = {name: most_linked(graph, on) for name, on in (("left", left), ("right", ~left))}
    topics = [f"{name}={page}" for name, pages in seeds.items() for page in pages]
    return RealWeb(
        "Political blogs",
        f"Political blogs of 2004 (Adamic and Glance), {int(left.sum()):,} of {len(left):,} on the "
        f"left. Seeds are the {SEEDS} most linked blogs of the left; topics those of each side.",
        BaseSet.from_graph(graph),
        [address(page) for page in graph.pages],
        share_of(left, "left", "on the left; seeded methods have seeds on the left"),
        {
            "personalised": {"seeds": seeds["left"]},
            "trustrank": {"seeds": seeds["left"]},
            "topic-pagerank": {"topics": topics},
        },
    )


def most_linked(graph: WebGraph, chosen: np.ndarray, k: int = SEEDS) -> list[str]:
    """The chosen pages with most links to them."""
    order = np.argsort(-np.where(chosen, graph.indegrees(), -1), kind="stable")[:k]
    return [graph.pages[int(page)] for page in order]


def articles(workspace: Workspace) -> RealWeb:
    """The articles of Wikispeedia, evaluated by the clicks of players of the game."""
    whole = workspace.graph()
    known = {unquote(line) for line in lines("articles")}
    kept = np.array(["/wp/" in page and article(page) in known for page in whole.pages])
    graph, left_out = subgraph(whole, kept)
    through = clicks()
    clicked = np.array([through[article(page)] for page in graph.pages], float)

    def tau(ranking: Ranking) -> float:
        return count_concordant_pairs(round_significant(ranking.score()), clicked).tau_b

    return RealWeb(
        "Wikispeedia",
        f"Wikipedia for Schools, read from its WARC: the articles and the links among them. "
        f"{left_out.pages:,} other addresses (pictures, menus, pages not captured) with "
        f"{left_out.links:,} links are left out.",
        BaseSet.from_graph(graph),
        [article(page).replace("_", " ") for page in graph.pages],
        Judge(
            "clicks",
            "tau-b with the number of times that players of the Wikispeedia game passed through an "
            "article; the first and last articles of a path do not count",
            tau,
        ),
    )


def around_query(workspace: Workspace) -> RealWeb:
    """A complete base set, with texts, anchors and topics."""
    base = build_query_base_set(
        workspace.collection, ASKED, root_size=50, max_inlinks=10, between="page"
    )
    base = BaseSet.from_any(exclude_pages(base, MENUS)[0])
    subjects: dict[str, set[str]] = {}
    for line in lines("categories"):
        name, _, subject = line.partition("\t")
        subjects.setdefault(subject, set()).add(unquote(name))
    inside = np.array([article(page) in subjects[SUBJECT] for page in base.pages])
    topics = [
        f"{top}={page}"
        for page in base.pages
        for top in sorted(
            {s.split(".")[1] for s, names in subjects.items() if article(page) in names}
        )
    ]
    seeds = [base.pages[int(page)] for page in base.roots[:SEEDS]]
    return RealWeb(
        f"Wikispeedia, around *{ASKED}*",
        f"The base set of the query *{ASKED}* on the whole crawl: 50 root pages, all pages they "
        "link to, 10 pages that link to each, with links inside the site. Pages under "
        f"{', '.join(f'`{menu}`' for menu in MENUS)} are left out. Seeds are the first {SEEDS} "
        "pages of the search; topics the main subjects of the encyclopaedia.",
        base,
        [article(page).replace("_", " ") for page in base.pages],
        share_of(inside, "astronomy", "that the encyclopaedia files under astronomy and space"),
        {
            "personalised": {"seeds": seeds},
            "trustrank": {"seeds": seeds},
            "topic-pagerank": {"topics": topics},
        },
    )


def share_of(marked: np.ndarray, heading: str, which: str) -> Judge:
    """The share of marked pages among the first of a ranking."""

    def share(ranking: Ranking) -> float:
        seeds = set(ranking.options.get("seeds", ()))
        others = (page for page in ranking.order().tolist() if ranking.pages[page] not in seeds)
        return float(marked[list(islice(others, FIRST))].mean())

    meaning = f"share of the first {FIRST} pages, seeds not counted, {which}"
    return Judge(heading, f"{meaning}; of all pages it is {marked.mean():.2f}", share)


def clicks() -> Counter[str]:
    """How often each article was passed through on the way from the first to the goal."""
    steps = (
        step for line in lines("paths_finished") for step in line.split("\t")[1].split(";")[1:-1]
    )
    return Counter(unquote(step) for step in steps if step != "<")


def lines(name: str) -> list[str]:
    """The rows of one of Wikispeedia's tables."""
    with gzip.open(DATA / "wikispeedia" / f"{name}.tsv.gz", "rt", encoding="utf-8") as file:
        rows = [line.rstrip("\n") for line in file]
    return [row for row in rows if row and not row.startswith("#")]


def article(url: str) -> str:
    """The name of an article from its address, whose file name was escaped twice."""
    return unquote(unquote(url.rpartition("/")[2])).removesuffix(".htm")


def address(url: str) -> str:
    """An address without scheme and www."""
    return re.sub(r"^https?://(?:www\.)?", "", url)
