"""Name topics by the words of their titles and links that other topics do not use."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from math import log

import numpy as np

from weft.gather.url import host, site
from weft.graph.baseset import BaseSet
from weft.topics.phrases import Key, phrases, query_stems
from weft.topics.spoken import Spoken, others
from weft.topics.topic import Topic, Topics

TOP = 10
TERMS = 3
MOST_HUBS = 50
MOST_ANCHORS = 12
WORTH = (0.0, 1.0, 1.6, 1.9)
ENOUGH = 0.25
ONCE = 0.5
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
        owner = site(page)
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
    spoken: Spoken
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
    score, times the logarithm of how few topics say it: a topic that says a
    phrase half as strongly counts half. Words of the query and stop words are
    left out. The title is that of the best hub that has a telling one. Without
    words a topic is called after the host of its best authority. `languages`
    are those of the pages of the base set.
    """
    reader = _reader(topics, languages)
    everything = (*topics.topics, *topics.aside)
    said = [_said(topic, reader) for topic in everything]
    heard = defaultdict[Key, list[float]](list)
    for own in said:
        for key, weight in own.weight.items():
            heard[key].append(weight)
    named = [
        replace(topic, label=_label(topic, own, heard, reader), title=_title(topic, reader))
        for topic, own in zip(everything, said, strict=True)
    ]
    cut = len(topics.topics)
    return replace(topics, topics=tuple(named[:cut]), aside=tuple(named[cut:]))


def _reader(topics: Topics, languages: Sequence[str]) -> Reader:
    base = topics.base
    known = Counter(language for language in languages if language)
    usual = min(known, key=lambda code: (-known[code], code)) if known else "en"
    unwanted = query_stems(base.terms, {*known, usual})
    count = len(topics.topics) + len(topics.aside)
    return Reader(base, count, base.titles, Spoken.of(base), languages, usual, unwanted)


def _said(topic: Topic, reader: Reader) -> Said:
    said = Said()
    for page, weight in _shares(topic, "hub"):
        title = reader.title(page)
        said.hear(reader.phrases(title, page), reader.base.pages[page], title, weight)
    for page, weight in _shares(topic, "authority"):
        name = reader.base.pages[page]
        said.hear(reader.phrases(reader.title(page), page), name, name, weight)
        for text, source, share in _anchors_into(topic, page, reader):
            said.hear(reader.phrases(text, source), name, name, weight * share)
    return said


def _shares(topic: Topic, role: str) -> list[tuple[int, float]]:
    """The best pages in a role, each with its share of their scores."""
    best = topic.hubs(TOP) if role == "hub" else topic.authorities(TOP)
    scores = np.array([topic.score(role, page) for page in best.tolist()])
    return list(zip(best.tolist(), (scores / max(scores.sum(), 1e-300)).tolist(), strict=True))


def _anchors_into(topic: Topic, page: int, reader: Reader) -> Iterator[tuple[str, int, float]]:
    """What links from the best hubs into a page say most, where, and its share of all they say."""
    hubs, scores = others(reader.base, topic, "authority", page)
    hubs, scores = hubs[:MOST_HUBS], scores[:MOST_HUBS]
    spoken = defaultdict[str, float](float)
    first: dict[str, int] = {}
    said = reader.spoken.between(hubs, np.full(len(hubs), page))
    for source, score, anchors in zip(hubs.tolist(), scores.tolist(), said, strict=True):
        for words in anchors:
            spoken[words] += score / len(anchors)
            first.setdefault(words, source)
    total = sum(spoken.values())
    for words in sorted(spoken, key=lambda words: (-spoken[words], words))[:MOST_ANCHORS]:
        yield words, first[words], spoken[words] / total


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
