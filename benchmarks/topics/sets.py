"""Base sets of real queries as their collectors wrote them: pages, flags, titles, links."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import unescape
from pathlib import Path

import numpy as np

from benchmarks.webs import SHARED
from weft.core.arrays import Flags, Ids
from weft.graph.baseset.baseset import LINKED_FROM, LINKS_TO, ROOT
from weft.graph.baseset.expand import build_query_base_set
from weft.workspace.workspace import Workspace

DATA = SHARED / "data"
SETS = (DATA / "lar" / "movies", DATA / "lar" / "cheese")
BLOGS = DATA / "polblogs" / "polblogs.gml"
CALIFORNIA = DATA / "california" / "gr0.California"
NODE = re.compile(r"^(\d+) \(\d+\) \[([ROI])\]\r?\n([^\r\n]*)\r?\n([^\r\n]*)", re.MULTILINE)
BLOG = re.compile(r'id (\d+)\s+label "\s*([^"]+?)\s*"\s+value (\d)')
LINK = re.compile(r"source (\d+)\s+target (\d+)")
CODES = {"R": ROOT, "O": LINKED_FROM, "I": LINKS_TO}
EMPTY = "Empty title field"
WORD = re.compile(r"[^\W\d_]{2,}")
NO_WORDS = re.compile(r"https?|www|com|org|net|edu|gov|s?html?|php|asp|cgi|index", re.IGNORECASE)
BLOG_ROOTS = 200


@dataclass(frozen=True, slots=True, eq=False)
class LinkSet:
    """The pages and links that were gathered around a query, and the sets its pages make up.

    `origin` holds indices into `ORIGINS`. Root pages are in the order of the search.
    """

    query: str
    pages: Sequence[str]
    titles: Sequence[str]
    origin: Ids
    source: Ids
    target: Ids
    sets: Mapping[str, Flags]

    @property
    def texts(self) -> list[str]:
        """The text of each page: its title and the words of its address."""
        both = zip(self.titles, self.pages, strict=True)
        return [f"{title} {' '.join(url_words(page))}".strip() for title, page in both]

    def on_topic(self) -> Flags:
        """Root pages, and pages with a word of the query in title or address, plural or not."""
        words = "|".join(re.escape(word.removesuffix("s")) for word in self.query.split())
        asked = re.compile(words, re.IGNORECASE)
        both = zip(self.pages, self.titles, strict=True)
        matches = [bool(asked.search(f"{page} {title}")) for page, title in both]
        found: Flags = (self.origin == ROOT) | np.array(matches, bool)
        return found

    def __len__(self) -> int:
        return len(self.pages)


def read_set(path: Path, query: str = "") -> LinkSet:
    """Read a folder of `nodes` and `adj_list`; the query is the folder's name if none is given.

    Addresses are not canonicalised: what the collectors counted as two pages are two.
    """
    found = NODE.findall((path / "nodes").read_text("latin-1"))
    number: dict[str, int] = {}
    place = {int(node[0]): number.setdefault(node[2], len(number)) for node in found}
    titles, origin = [""] * len(number), np.full(len(number), LINKED_FROM, np.int32)
    for node, at in zip(reversed(found), reversed(place.values()), strict=True):
        titles[at] = "" if node[3].strip() == EMPTY else unescape(node[3].strip())
        origin[at] = CODES[node[1]]
    ends = np.array(list(_links(path / "adj_list", place)), np.int32).reshape(-1, 2).T
    whole = {path.name: np.ones(len(number), bool)}
    return LinkSet(query or path.name, list(number), titles, origin, *distinct(*ends), whole)


def _links(path: Path, place: Mapping[int, int]) -> Iterator[tuple[int, int]]:
    for line in path.read_text("latin-1").splitlines():
        source, _, targets = line.partition(":")
        for target in targets.split():
            if int(target) >= 0:
                yield place[int(source)], place[int(target)]


def read_california(path: Path = CALIFORNIA) -> LinkSet:
    """Kleinberg's base set of the query *california*, without titles.

    It does not say which pages were found; those with the word in their address
    stand for them.
    """
    rows = [line.split() for line in path.read_text("latin-1").splitlines()]
    pages = {int(row[1]): row[2] for row in rows if row and row[0] == "n"}
    number: dict[str, int] = {}
    place = {node: number.setdefault(url, len(number)) for node, url in pages.items()}
    ends = np.array([(place[int(r[1])], place[int(r[2])]) for r in rows if r and r[0] == "e"]).T
    found = np.array(["calif" in page.lower() for page in number])
    origin = np.where(found, ROOT, LINKED_FROM).astype(np.int32)
    whole = {"california": np.ones(len(number), bool)}
    source, target = distinct(ends[0].astype(np.int32), ends[1].astype(np.int32))
    return LinkSet("california", list(number), [""] * len(number), origin, source, target, whole)


def set_of_query(workspace: Workspace, query: str) -> LinkSet:
    """The base set of a query of a collection, with the links between hosts."""
    base = build_query_base_set(workspace.collection, query, between="host")
    rows = base.graph.outlinks
    source, target = distinct(rows.row_ids(), np.asarray(rows.ids))
    origin = np.where(base.origin == ROOT, ROOT, LINKED_FROM).astype(np.int32)
    whole = {query: np.ones(len(base), bool)}
    titles = [title or "" for title in base.titles]
    return LinkSet(query, list(base.pages), titles, origin, source, target, whole)


def read_blogs(path: Path = BLOGS) -> LinkSet:
    """The political blogs of 2004 with their two sides, as if found by the query *blog*.

    No search was run. Root pages are 200 blogs, spread evenly over those with
    that word in their address.
    """
    text = unescape(path.read_text("utf-8"))
    blogs = BLOG.findall(text)
    number: dict[str, int] = {}
    place = {blog[0]: number.setdefault(f"http://{blog[1]}", len(number)) for blog in blogs}
    ends = np.array([(place[s], place[t]) for s, t in LINK.findall(text)], np.int32).T
    right = np.zeros(len(number), bool)
    right[[place[blog[0]] for blog in blogs if blog[2] == "1"]] = True
    named = np.flatnonzero(["blog" in page.lower() for page in number])
    origin = np.full(len(number), LINKED_FROM, np.int32)
    origin[named[np.linspace(0, len(named) - 1, BLOG_ROOTS).astype(int)]] = ROOT
    sides = {"left": ~right, "right": right}
    return LinkSet("blog", list(number), [""] * len(number), origin, *distinct(*ends), sides)


def distinct(source: Ids, target: Ids) -> tuple[Ids, Ids]:
    """Each link once, none from a page to itself."""
    key = np.unique(source.astype(np.int64) << 32 | target)
    key = key[key >> 32 != key & 0xFFFFFFFF]
    return (key >> 32).astype(np.int32), (key & 0xFFFFFFFF).astype(np.int32)


def url_words(page: str) -> list[str]:
    """The words of an address, without those that addresses share.

    Examples
    --------
    >>> url_words("http://www.cheese-world.com/goat_milk/index.html")
    ['cheese', 'world', 'goat', 'milk']
    """
    return [word for word in WORD.findall(page) if not NO_WORDS.fullmatch(word)]
