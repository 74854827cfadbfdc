"""Name topics by the words of their titles and links that other topics do not use."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from math import log

import numpy as np
import pyarrow as pa

from weft.core.arrays import Floats, Ids
from weft.gather.url import host
from weft.graph.baseset import BaseSet
from weft.graph.filters import OWNERS
from weft.topics.phrases import Key, phrases, query_stems
from weft.topics.spoken import Ends, spoken
from weft.topics.topic import Topic, Topics

TOP = 10
TERMS = 3
MOST_HUBS = 50
MOST_ANCHORS = 6
WORTH = (0.0, 1.0, 1.6, 1.9)
ENOUGH = 0.25
ONCE = 0.5
TEXT = 0.2
SITE = OWNERS["site"]
NONE = np.zeros(0, np.int32)
Heard = Mapping[Key, Sequence[float]]
NO_TITLE = re.compile(
    r"\W*(?:(?:(?:empty|no|untitled|new|blank)\W+)?(?:title|document|page)(?: field|\W*\d+)?"
    r"|untitled|index of /.*)\W*",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Said:
    """What is said of a topic: the weight of each phrase, in which forms, by and of whom."""

    weight: defaultdict[Key, float] = field(default_factory=lambda: defaultdict(float))
    sites: defaultdict[Key, set[str]] = field(default_factory=lambda: defaultdict(set))
    texts: defaultdict[Key, set[str]] = field(default_factory=lambda: defaultdict(set))
    forms: defaultdict[Key, defaultdict[str, float]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(float))
    )

    def hear(self, found: Mapping[Key, str], page: str, text: str, weight: float) -> None:
        """Take in the phrases of one text of a page, or about it."""
        owner = SITE(page)
        for key, form in found.items():
            self.weight[key] += weight
            self.sites[key].add(owner)
            self.texts[key].add(text)
            self.forms[key][form] += weight

    def support(self, key: Key) -> int:
        """How many say a phrase who are not of one site, nor mirrors of one page."""
        return min(len(self.sites[key]), len(self.texts[key]))

    def form(self, key: Key) -> str:
        """The way a phrase is mostly written."""
        return min(self.forms[key].items(), key=lambda found: (-found[1], found[0]))[0]


@dataclass(frozen=True, slots=True, eq=False)
class Reader:
    """The words of a base set with some topics: titles, anchors, and the language of each page."""

    base: BaseSet
    topics: int
    titles: Sequence[str]
    languages: Sequence[str]
    usual: str
    unwanted: frozenset[str]
    known: dict[tuple[str, str], dict[Key, str]] = field(default_factory=dict)

    def language(self, page: int) -> str:
        """The language of a page; that of most pages where its own is not known."""
        return (self.languages[page] if len(self.languages) else "") or self.usual

    def title(self, page: int) -> str:
        """The title of a page, unless it says that there is none."""
        title = " ".join(self.titles[page].split()) if len(self.titles) else ""
        return "" if NO_TITLE.fullmatch(title) else title

    def phrases(self, text: str, page: int) -> dict[Key, str]:
        """The phrases of a text of a page, without the words of the query."""
        asked = text, self.language(page)
        if asked not in self.known:
            self.known[asked] = phrases(*asked, self.unwanted, keyed=self.usual)
        return self.known[asked]


def labelled(topics: Topics, languages: Sequence[str] = ()) -> Topics:
    """The same topics with labels and titles.

    A label is up to three phrases of the titles of the best hubs, of the links
    into the best authorities and of their titles, each weighted by the page's
    score, and by how telling its words are in the texts of these pages; times
    the logarithm of how few topics say it: a topic that says a phrase half as
    strongly counts half. Where titles and links say nothing, phrases are those
    that texts begin with. Words of the query and stop words are
    left out. The title is that of the best hub that has a telling one. Without
    words a topic is called after the host of its best authority. Pages that
    were set aside one by one, of which no facts are known, have no name. `languages`
    are those of the pages of the base set.
    """
    reader = _reader(topics, languages)
    groups = [topic for topic in topics.aside if topic.facts]
    everything = (*topics.topics, *groups)
    said = _said(everything, reader)
    heard = defaultdict[Key, list[float]](list)
    for own in said:
        for key, weight in own.weight.items():
            heard[key].append(weight)
    named = [
        replace(topic, label=_label(topic, own, heard, reader), title=_title(topic, reader))
        for topic, own in zip(everything, said, strict=True)
    ]
    cut = len(topics.topics)
    others = iter(named[cut:])
    aside = tuple(next(others) if topic.facts else topic for topic in topics.aside)
    return replace(topics, topics=tuple(named[:cut]), aside=aside)


def _reader(topics: Topics, languages: Sequence[str]) -> Reader:
    base = topics.base
    known = Counter(language for language in languages if language)
    usual = min(known, key=lambda code: (-known[code], code)) if known else "en"
    unwanted = query_stems(base.terms, {*known, usual})
    count = len(topics.topics) + sum(1 for topic in topics.aside if topic.facts)
    return Reader(base, count, base.titles, languages, usual, unwanted)


def _said(topics: Sequence[Topic], reader: Reader) -> list[Said]:
    """What is said of each topic: titles of hubs, titles of authorities, links into these."""
    found = [Said() for _ in topics]
    praised = []
    for topic, said in zip(topics, found, strict=True):
        for page, weight in _shares(topic, "hub"):
            title = reader.title(page)
            said.hear(reader.phrases(title, page), reader.base.pages[page], title, weight)
        ends = Ends(reader.base, topic, "authority")
        for page, weight in _shares(topic, "authority"):
            name = reader.base.pages[page]
            said.hear(reader.phrases(reader.title(page), page), name, name, weight)
            hubs, scores = ends.of(page)
            praised.append((said, page, weight, hubs[:MOST_HUBS], scores[:MOST_HUBS]))
    sources = [hubs for *_, hubs, _ in praised]
    targets = [np.full(len(hubs), page) for _, page, _, hubs, _ in praised]
    words = iter(
        spoken(reader.base, *(np.concatenate([NONE, *side]) for side in (sources, targets)))
    )
    for said, page, weight, hubs, scores in praised:
        name = reader.base.pages[page]
        for text, source, share in _most_said(hubs, scores, [next(words) for _ in hubs]):
            said.hear(reader.phrases(text, source), name, name, weight * share)
    for topic, said in zip(topics, found, strict=True):
        if not said.weight:
            _read(topic, said, reader)
        _echo(topic, said, reader)
    return found


def _read(topic: Topic, said: Said, reader: Reader) -> None:
    """Where neither titles nor links say anything, hear how the texts begin."""
    best = [*_shares(topic, "authority"), *_shares(topic, "hub")]
    texts = reader.base.texts if best else ()
    for page, weight in best if len(texts) else ():
        name = reader.base.pages[page]
        said.hear(reader.phrases(texts[page], page), name, name, weight)


def _echo(topic: Topic, said: Said, reader: Reader) -> None:
    """Let phrases weigh more whose words are telling in the texts of several of the best pages.

    A word that is so in all texts adds a part of what it does in all titles.
    """
    words = reader.base.words
    starts, ids = words.rows.starts, words.rows.ids
    share, pages = np.zeros(len(words.stems)), np.zeros(len(words.stems), np.int32)
    for role in ("authority", "hub"):
        for page, weight in _shares(topic, role):
            own = ids[starts[page] : starts[page + 1]]
            share[own] += weight
            pages[own] += 1
    several = np.flatnonzero(pages > 1)
    stems = words.stems.take(pa.array(several)).to_pylist()
    echo = dict(zip(stems, share[several].tolist(), strict=True))
    for key in said.weight:
        said.weight[key] += TEXT * min(echo.get(stem, 0.0) for stem in key)


def _shares(topic: Topic, role: str) -> list[tuple[int, float]]:
    """The best pages in a role, each with its share of their scores."""
    best = topic.hubs(TOP) if role == "hub" else topic.authorities(TOP)
    scores = np.array([topic.score(role, page) for page in best.tolist()])
    return list(zip(best.tolist(), (scores / max(scores.sum(), 1e-300)).tolist(), strict=True))


def _most_said(
    hubs: Ids, scores: Floats, said: Sequence[tuple[str, ...]]
) -> Iterator[tuple[str, int, float]]:
    """What links from hubs say most, on which first, and its share of all they say."""
    weight = defaultdict[str, float](float)
    first: dict[str, int] = {}
    for source, score, anchors in zip(hubs.tolist(), scores.tolist(), said, strict=True):
        for words in anchors:
            weight[words] += score / len(anchors)
            first.setdefault(words, source)
    total = sum(weight.values())
    for words in sorted(weight, key=lambda words: (-weight[words], words))[:MOST_ANCHORS]:
        yield words, first[words], weight[words] / total


def _label(topic: Topic, own: Said, heard: Heard, reader: Reader) -> tuple[str, ...]:
    scores = {key: _score(key, own, heard[key], reader.topics) for key in own.weight}
    chosen: list[Key] = []
    order = sorted(scores, key=lambda key: (-scores[key], key))
    for key in order:
        enough = scores[key] >= ENOUGH * scores[order[0]]
        if len(chosen) < TERMS and enough and set(key).isdisjoint(chain(*chosen)):
            chosen.append(key)
    if chosen:
        return tuple(own.form(key) for key in chosen)
    best = topic.authorities(1).tolist()
    return tuple(
        filter(None, (reader.title(page) or host(reader.base.pages[page]) for page in best))
    )


def _score(key: Key, own: Said, heard: Sequence[float], topics: int) -> float:
    """How strongly a topic says a phrase, times how few topics say it."""
    weight = own.weight[key]
    saying = sum(min(other / weight, 1.0) for other in heard)
    support = 1.0 if own.support(key) > 1 else ONCE
    return support * WORTH[len(key)] * weight * log((topics + 1) / saying)


def _title(topic: Topic, reader: Reader) -> str:
    """The title of the best hub that says something, or of the best authority that does."""
    for page in [*topic.hubs(TOP).tolist(), *topic.authorities(TOP).tolist()]:
        title = reader.title(page)
        if phrases(title, reader.language(page), keyed=reader.usual):
            return title
    return ""
