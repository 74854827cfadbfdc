"""Say why a link is suggested: who lies in between, whose peers link so, what it might say."""

import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from weft.core.arrays import Floats, Ids
from weft.core.wording import address, count, listed, shortened
from weft.graph.among import places
from weft.store.stopwords import is_stop
from weft.suggest.around import Around
from weft.suggest.liken import common_words
from weft.suggest.likeness import Witness
from weft.suggest.scores import Question, like, row

MOST = 5
NAMED = 2
HEARD = 500
LONGEST = 80
WORD = re.compile(r"[^\W\d_]{2,}")
NO_WORDS = frozenset({"contents", "toc", "more", "read", "see", "go", "continue", "details"})


@dataclass(frozen=True, slots=True)
class Reason:
    """The witnesses of a link, how many there are of each pattern, and what they come to.

    `words` are some that both pages say.
    """

    between: int
    peers: int
    told: str
    witnesses: tuple[Witness, ...]
    words: tuple[str, ...]


def reasons(question: Question, found: Ids) -> list[Reason]:
    """Why each of some pages should be linked to, or link."""
    around, page = question.around, question.page
    to = question.way == "to"
    pairs = [(page, other) if to else (other, page) for other in found.tolist()]
    between = [_between(around, *pair) for pair in pairs]
    peers = _peers_to(question, found) if to else _peers_from(question, found)
    witnesses = _witnesses(around, pairs, between, peers)
    words = [common_words(around, page, other) for other in found.tolist()]
    return [
        Reason(len(b), len(p), _told(around, question.way, (b, p), both), seen, both)
        for b, p, seen, both in zip(between, peers, witnesses, words, strict=True)
    ]


def _between(around: Around, source: int, target: int) -> Ids:
    """The pages on ways of two clicks, those with fewest links first."""
    graph = around.graph
    both = np.intersect1d(
        row(graph.outlinks, source), row(graph.inlinks, target), assume_unique=True
    )
    starts = np.asarray(graph.outlinks.starts)
    return both[np.argsort(starts[both + 1] - starts[both], kind="stable")]


def _peers_to(question: Question, found: Ids) -> list[Ids]:
    """For each page the pages that link there and are like the one asked about, likest first."""
    plain = replace(question, undirected=False)
    kin = like(plain, question.page)
    rows = (row(plain.graph.inlinks, other) for other in found.tolist())
    return [_likest(linking, kin[linking]) for linking in rows]


def _peers_from(question: Question, found: Ids) -> list[Ids]:
    """For each page those like it that link to the one asked about, likest first."""
    rows, linking = (
        question.around.graph.outlinks,
        row(question.around.graph.inlinks, question.page),
    )
    at, _ = places(rows, linking)
    many = np.asarray(rows.starts)[linking + 1] - np.asarray(rows.starts)[linking]
    targets, owner = np.asarray(rows.ids[at]), np.repeat(np.arange(len(linking)), many)
    made, mine = [], np.zeros(len(question.around.graph), bool)
    for other in found.tolist():
        own = row(rows, other)
        mine[own] = True
        shared = np.bincount(owner[mine[targets]], minlength=len(linking))
        mine[own] = False
        made.append(_likest(linking, shared / np.sqrt(np.maximum(many, 1))))
    return made


def _likest(pages: Ids, kin: Floats) -> Ids:
    some = np.flatnonzero(kin > 0)
    return pages[some[np.argsort(-kin[some].round(12), kind="stable")]]


def _witnesses(
    around: Around, pairs: list[tuple[int, int]], between: list[Ids], peers: list[Ids]
) -> list[tuple[Witness, ...]]:
    """Those in between with what the links to them and from them say; peers with their links."""
    links: list[tuple[int, int]] = []
    for (source, target), inner, kin in zip(pairs, between, peers, strict=True):
        for page in inner[:MOST].tolist():
            links += [(source, page), (page, target)]
        links += [(page, target) for page in kin[:MOST].tolist()]
    ends = np.array(links, np.int32).reshape(-1, 2).T
    said = iter([words[0] if words else "" for words in around.said(*ends)])
    names, made = around.graph.pages, []
    for inner, kin in zip(between, peers, strict=True):
        ways = [
            Witness("between", names[page], next(said), next(said))
            for page in inner[:MOST].tolist()
        ]
        also = [Witness("peer", names[page], "", next(said)) for page in kin[:MOST].tolist()]
        made.append((*ways, *also))
    return made


def _told(around: Around, way: str, ties: tuple[Ids, Ids], words: tuple[str, ...]) -> str:
    between, peers = ties
    there = "there" if way == "to" else "here"
    told = []
    if len(between):
        verb = "links" if len(between) == 1 else "link"
        told.append(
            f"{count(len(between), around.level)} that it links to {verb} {there}"
            f"{_such_as(around, between)}"
        )
    if len(peers):
        verb = "links" if len(peers) == 1 else "link"
        told.append(
            f"{count(len(peers), around.level)} with links like its own {verb} {there}"
            f"{_such_as(around, peers)}"
        )
    if words:
        told.append(f"both say {', '.join(words)}")
    return "; ".join(told) or "only longer ways lead there"


def _such_as(around: Around, pages: Ids) -> str:
    names = [shortened(address(around.graph.pages[k]), LONGEST) for k in pages[:NAMED].tolist()]
    few = len(pages) <= NAMED
    return f" ({listed(names)})" if few else f", such as {listed(names)}"


def anchors_for(around: Around, pages: Ids) -> list[tuple[str, str]]:
    """What a link to each page might say: what most others say that tells; else its title.

    Beside it, which: `links` or `title`.
    """
    linking = [row(around.graph.inlinks, page)[:HEARD] for page in pages.tolist()]
    many = [len(each) for each in linking]
    sources = np.concatenate([np.zeros(0, np.int32), *linking])
    said = iter(around.said(sources, np.repeat(pages, many)))
    made = []
    for title, count_ in zip(around.titles(pages), many, strict=True):
        often = Counter(words for _ in range(count_) for words in next(said) if telling(words))
        made.append(_likeliest(often, title))
    return made


def _likeliest(often: Counter[str], title: str) -> tuple[str, str]:
    if often:
        best = min(often, key=lambda words: (-often[words], words))
        return shortened(best, LONGEST), "links"
    return (shortened(title, LONGEST), "title") if title.strip() else ("", "")


@lru_cache(1 << 14)
def telling(anchor: str) -> bool:
    """Whether an anchor says something of where it leads.

    Examples
    --------
    >>> telling("Next page"), telling("here"), telling("Jaguar magazine")
    (False, False, True)
    """
    words = WORD.findall(anchor.lower())
    return any(not is_stop(word, "en") and word not in NO_WORDS for word in words)
