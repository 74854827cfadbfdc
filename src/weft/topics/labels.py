"""Name topics by the words of their titles and links that other topics do not use."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import islice
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from weft.core.arrays import Flags
from weft.gather.url import host
from weft.graph.baseset import BaseSet
from weft.graph.filters import OWNERS
from weft.topics.phrases import Phrases, query_stems
from weft.topics.said import Hearing, Label, Said, Shares
from weft.topics.spoken import Heard, Side, far_ends
from weft.topics.titles import Titles
from weft.topics.topic import Topic, Topics

TOP = 10
SOME = 30
FITTING = 0.2
TERMS = 3
MOST_HUBS = 50
MOST_ANCHORS = 6
SITE = OWNERS["site"]


class Best(NamedTuple):
    """The best hubs and authorities of a topic, each with its share of their scores.

    `some` are any of its pages, with words if it has such, each with an equal
    share; `both` are authorities, then hubs, or `some` where no page scores.
    """

    topic: Topic
    hubs: Shares
    authorities: Shares
    some: Shares
    both: Shares

    @classmethod
    def of(cls, topic: Topic, speaking: Flags) -> "Best":
        """Those of a topic, where it is known which pages have words."""
        hubs, authorities = topic.hubs(TOP), topic.authorities(TOP)
        sides = (
            Shares.of(hubs, topic.hub[np.searchsorted(topic.members, hubs)]),
            Shares.of(authorities, topic.authority[np.searchsorted(topic.members, authorities)]),
        )
        told = topic.members[speaking[topic.members]]
        pages = told if len(told) else topic.members
        pages = pages[:: max(len(pages) // SOME, 1)]
        some = Shares.of(pages, np.ones(len(pages)))
        both = Shares(*map(np.concatenate, zip(*reversed(sides), strict=True)))
        return cls(topic, *sides, some, both if len(both.pages) else some)


@dataclass(frozen=True, slots=True, eq=False)
class Reader:
    """The words of a base set: titles, texts, and the language of each page.

    `called` are the names of the pages that are looked at. It numbers the
    texts that are heard, and the names of sites and pages.
    """

    base: BaseSet
    called: Mapping[int, str]
    titles: Titles
    languages: Sequence[str]
    usual: str
    own: dict[int, str] = field(default_factory=dict)
    texts: dict[tuple[str, str], int] = field(default_factory=dict)
    names: dict[str, int] = field(default_factory=dict)
    heard: list[tuple[int, int, int, int, float]] = field(default_factory=list)

    def title(self, page: int) -> str:
        """The title of a page, without what its site puts on many."""
        if page not in self.own:
            self.own[page] = self.titles.own(self.titles[page], page)
        return self.own[page]

    def text(self, text: str, page: int) -> int:
        """The number of a text of a page; its language is that of most where it is not known."""
        language = (self.languages[page] if len(self.languages) else "") or self.usual
        return self.texts.setdefault((text, language), len(self.texts))

    def name(self, name: str) -> int:
        """The number of a site, or of what a text speaks of."""
        return self.names.setdefault(name, len(self.names))

    def hearing(self) -> Hearing:
        """What was heard, topic by topic."""
        return Hearing.of(sorted(self.heard, key=itemgetter(0)))


def labelled(topics: Topics, languages: Sequence[str] = ()) -> Topics:
    """The same topics with labels and titles.

    A label is up to three phrases of the titles of the best hubs, of the links
    into the best authorities and of their titles, each weighted by the page's
    score, and by how telling its words are in the texts of these pages; times
    the logarithm of how few topics say it: a topic that says a phrase half as
    strongly counts half. A phrase counts less whose words less than a tenth of
    the topic's pages have. What a site puts on many of its titles is not heard,
    unless nothing else is said; where whole titles and links say nothing,
    phrases are those that texts begin with. Words of the query and stop words
    are left out. Where no page scores, the titles of some pages are heard. The
    title is that of the best hub that has a telling one. Without
    words a topic is called after the host of its best authority. Pages that
    were set aside one by one, of which no facts are known, have no name. `languages`
    are those of the pages of the base set. A topic of many sites whose label
    few pages carry is noted as mixed.
    """
    base, known = topics.base, Counter(filter(None, languages))
    usual = min(known, key=lambda code: (-known[code], code)) if known else "en"
    groups = [topic for topic in topics.aside if topic.facts]
    words = base.words
    speaking = np.diff(words.rows.starts) > 0
    best = [Best.of(topic, speaking) for topic in (*topics.topics, *groups)]
    reader = Reader(base, _called(base, best), Titles.of(base), languages, usual)
    said = _said(best, reader, query_stems(base.terms, {*known, usual}))
    sides = [each.both for each in best], [each.some for each in best]
    labels = said.echoed(words, *sides).labels(len(best), TERMS)
    named = iter(
        [
            replace(
                each.topic,
                label=label.terms or _name(each, reader),
                title=_title(each, reader, said.phrases),
                facts=_with_note(each.topic.facts, label),
            )
            for each, label in zip(best, labels, strict=True)
        ]
    )
    shown = tuple(islice(named, len(topics.topics)))
    aside = tuple(next(named) if topic.facts else topic for topic in topics.aside)
    return replace(topics, topics=shown, aside=aside)


def _called(base: BaseSet, best: Sequence[Best]) -> dict[int, str]:
    """The names of the best pages of topics."""
    pages = np.unique(np.concatenate([np.zeros(0, np.int32), *(each.both.pages for each in best)]))
    return dict(zip(pages.tolist(), base.named(pages), strict=True))


def _said(best: Sequence[Best], reader: Reader, without: Set[str]) -> Said:
    """What is said of each topic: titles of hubs, titles of authorities, links into these.

    Titles are heard without what a site puts on many. Where all these say
    nothing, it is whole titles, or else how the texts begin.
    """
    for topic, each in enumerate(best):
        for page, share in each.hubs.pairs():
            title, site = reader.title(page), reader.name(SITE(reader.called[page]))
            said = topic, reader.text(title, page), site, reader.name(title), share
            reader.heard.append(said)
        scoring = len(each.hubs.pages) or len(each.authorities.pages)
        _hear(topic, each.authorities if scoring else each.some, reader.title, reader)
    _hear_links(best, reader)
    found = Said.of(Phrases.of(reader.texts, without, reader.usual), reader.hearing())
    for read in (lambda: reader.titles, lambda: reader.base.texts):
        silent = sorted(set(range(len(best))).difference(found.topic.tolist()))
        if any(len(best[topic].both.pages) for topic in silent) and len(texts := read()):
            for topic in silent:
                _hear(topic, best[topic].both, texts.__getitem__, reader)
            found = Said.of(Phrases.of(reader.texts, without, reader.usual), reader.hearing())
    return found


def _hear(topic: int, pages: Shares, read: Callable[[int], str], reader: Reader) -> None:
    """Take in what pages say of themselves."""
    for page, share in pages.pairs():
        name = reader.called[page]
        said = topic, reader.text(read(page), page), reader.name(SITE(name)), reader.name(name)
        reader.heard.append((*said, share))


def _hear_links(best: Sequence[Best], reader: Reader) -> None:
    """Take in what links into authorities say, of each what is said most."""
    base = reader.base
    sides = [Side(each.topic, "authority", each.authorities.pages) for each in best]
    far = far_ends(base, sides)
    far = far.some(far.turn < MOST_HUBS)
    heard = Heard.of(base, far.source, far.target)
    most = heard.most(far.owner, far.score[heard.pair] * (1.0 / heard.many), MOST_ANCHORS)
    praised = [
        (topic, reader.name(SITE(reader.called[page])), reader.name(reader.called[page]), share)
        for topic, each in enumerate(best)
        for page, share in each.authorities.pairs()
    ]
    about = far.target[most.pair].tolist()
    words = map(reader.titles.own, most.words, about)
    said = map(reader.text, words, far.source[most.pair].tolist())
    for whose, text, part in zip(most.owner.tolist(), said, most.share.tolist(), strict=True):
        topic, site, name, share = praised[whose]
        reader.heard.append((topic, text, site, name, share * part))


def _with_note(facts: Mapping[str, Any], label: Label) -> Mapping[str, Any]:
    """The facts of a topic, saying so where it is of many sites and its label of few pages."""
    if label.carried >= FITTING or facts.get("top share", 1.0) > FITTING or facts.get("note"):
        return facts
    return {**facts, "note": "mixed: its label speaks for few of its pages"}


def _name(best: Best, reader: Reader) -> tuple[str, ...]:
    """The title of the best authority, or its host; those of another page where there is none."""
    first = best.both.pages[:1].tolist()
    names = (reader.titles[page] or host(reader.called[page]) for page in first)
    return tuple(filter(None, names))


def _title(best: Best, reader: Reader, phrases: Phrases) -> str:
    """The title of the best hub that says something, or of the best authority that does."""
    pages = np.concatenate([best.hubs.pages, best.both.pages])
    for page in dict.fromkeys(pages.tolist()):
        own, title = reader.title(page), reader.titles[page]
        if phrases.telling[reader.text(own, page)] if own else title:
            return title
    return ""
