"""Name topics by the words of their titles and links that other topics do not use."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from math import log
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from weft.core.arrays import Floats, Ids
from weft.gather.url import host
from weft.graph.baseset import BaseSet
from weft.graph.filters import OWNERS
from weft.topics.phrases import Key, phrases, query_stems
from weft.topics.spoken import Ends, Heard
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
Shares = list[tuple[int, float]]
NO_TITLE = re.compile(
    r"\W*(?:(?:(?:empty|no|untitled|new|blank)\W+)?(?:title|document|page)(?: field|\W*\d+)?"
    r"|untitled|index of /.*)\W*",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Phrase:
    """How strongly a phrase is said, in which forms, and whether by and of more than one.

    One site does not count twice, nor do mirrors of one page.
    """

    weight: float
    site: str
    text: str
    forms: dict[str, float]
    sites: bool = False
    texts: bool = False

    @property
    def form(self) -> str:
        """The way it is mostly written."""
        return min(self.forms.items(), key=lambda found: (-found[1], found[0]))[0]


class Said(dict[Key, Phrase]):
    """What is said of a topic, by the stems of each phrase."""

    __slots__ = ()

    def hear(self, found: Mapping[Key, str], page: str, text: str, weight: float) -> None:
        """Take in the phrases of one text of a page, or about it."""
        owner = SITE(page)
        for key, form in found.items():
            known = self.get(key)
            if known is None:
                self[key] = Phrase(weight, owner, text, {form: weight})
                continue
            known.weight += weight
            known.sites |= owner != known.site
            known.texts |= text != known.text
            known.forms[form] = known.forms.get(form, 0.0) + weight


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
        for key, phrase in own.items():
            heard[key].append(phrase.weight)
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
    best = [[_shares(topic, role) for role in ("hub", "authority")] for topic in topics]
    praised = []
    for topic, said, (hubs, authorities) in zip(topics, found, best, strict=True):
        for page, weight in hubs:
            title = reader.title(page)
            said.hear(reader.phrases(title, page), reader.base.pages[page], title, weight)
        leading = Ends(reader.base, topic, "authority")
        for page, weight in authorities:
            name = reader.base.pages[page]
            said.hear(reader.phrases(reader.title(page), page), name, name, weight)
            from_, scores = leading.of(page)
            praised.append(Praised(said, page, weight, from_[:MOST_HUBS], scores[:MOST_HUBS]))
    _hear_links(praised, reader)
    for topic, said, both in zip(topics, found, best, strict=True):
        if not said:
            _read(topic, said, reader)
        _echo(both, said, reader)
    return found


class Praised(NamedTuple):
    """An authority: what is said of its topic, its share, and the best hubs that link to it."""

    said: Said
    page: int
    weight: float
    hubs: Ids
    scores: Floats


def _hear_links(praised: Sequence[Praised], reader: Reader) -> None:
    """Take in what links into authorities say, of each what is said most."""
    many = [len(each.hubs) for each in praised]
    sources = np.concatenate([NONE, *(each.hubs for each in praised)])
    targets = np.repeat(np.array([each.page for each in praised], np.int32), many)
    scores = np.concatenate([np.zeros(0), *(each.scores for each in praised)])
    heard = Heard.of(reader.base, sources, targets)
    most = heard.most(
        np.repeat(np.arange(len(praised), dtype=np.int32), many), scores, MOST_ANCHORS
    )
    speakers = sources[most.pair].tolist()
    for owner, words, source, share in zip(
        most.owner.tolist(), most.words, speakers, most.share.tolist(), strict=True
    ):
        said, page, weight, *_ = praised[owner]
        name = reader.base.pages[page]
        said.hear(reader.phrases(words, source), name, name, weight * share)


def _read(topic: Topic, said: Said, reader: Reader) -> None:
    """Where neither titles nor links say anything, hear how the texts begin."""
    best = [*_shares(topic, "authority"), *_shares(topic, "hub")]
    texts = reader.base.texts if best else ()
    for page, weight in best if len(texts) else ():
        name = reader.base.pages[page]
        said.hear(reader.phrases(texts[page], page), name, name, weight)


def _echo(best: Sequence[Shares], said: Said, reader: Reader) -> None:
    """Let phrases weigh more whose words are telling in the texts of several of the best pages.

    A word that is so in all texts adds a part of what it does in all titles.
    """
    words, both = reader.base.words, [each for role in reversed(best) for each in role]
    starts, ids = words.rows.starts, words.rows.ids
    own = [ids[starts[page] : starts[page + 1]] for page, _ in both]
    weights = np.repeat([weight for _, weight in both], [len(each) for each in own])
    stem, same, pages = np.unique(
        np.concatenate([NONE, *own]), return_inverse=True, return_counts=True
    )
    share, several = np.bincount(same, weights, len(stem)), pages > 1
    stems = words.stems.take(pa.array(stem[several])).to_pylist()
    echo = dict(zip(stems, share[several].tolist(), strict=True))
    for key, phrase in said.items():
        phrase.weight += TEXT * min([echo.get(word, 0.0) for word in key])


def _shares(topic: Topic, role: str) -> Shares:
    """The best pages in a role, each with its share of their scores."""
    best = topic.hubs(TOP) if role == "hub" else topic.authorities(TOP)
    every = topic.hub if role == "hub" else topic.authority
    scores = every[np.searchsorted(topic.members, best)]
    return list(zip(best.tolist(), (scores / max(scores.sum(), 1e-300)).tolist(), strict=True))


def _label(
    topic: Topic, own: Said, heard: Mapping[Key, Sequence[float]], reader: Reader
) -> tuple[str, ...]:
    scores = {key: _score(key, own[key], heard[key], reader.topics) for key in own}
    chosen: list[Key] = []
    order = sorted(scores, key=lambda key: (-scores[key], key))
    for key in order:
        enough = scores[key] >= ENOUGH * scores[order[0]]
        if len(chosen) < TERMS and enough and set(key).isdisjoint(chain(*chosen)):
            chosen.append(key)
    if chosen:
        return tuple(own[key].form for key in chosen)
    best = topic.authorities(1).tolist()
    return tuple(
        filter(None, (reader.title(page) or host(reader.base.pages[page]) for page in best))
    )


def _score(key: Key, phrase: Phrase, heard: Sequence[float], topics: int) -> float:
    """How strongly a topic says a phrase, times how few topics say it."""
    weight, saying = phrase.weight, 1.0
    if len(heard) > 1:
        saying = sum(min(other / weight, 1.0) for other in heard)
    support = 1.0 if phrase.sites and phrase.texts else ONCE
    return support * WORTH[len(key)] * weight * log((topics + 1) / saying)


def _title(topic: Topic, reader: Reader) -> str:
    """The title of the best hub that says something, or of the best authority that does."""
    for page in [*topic.hubs(TOP).tolist(), *topic.authorities(TOP).tolist()]:
        title = reader.title(page)
        if phrases(title, reader.language(page), keyed=reader.usual):
            return title
    return ""
