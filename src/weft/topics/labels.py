"""Name topics by the words of their titles and links that other topics do not use."""

import re
from collections import Counter
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import islice
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from weft.gather.url import host
from weft.graph.baseset import BaseSet
from weft.graph.filters import OWNERS
from weft.topics.phrases import Phrases, query_stems
from weft.topics.said import Hearing, Said, Shares
from weft.topics.spoken import Heard, Side, far_ends
from weft.topics.topic import Topic, Topics

TOP = 10
TERMS = 3
MOST_HUBS = 50
MOST_ANCHORS = 6
SITE = OWNERS["site"]
NO_TITLE = re.compile(
    r"\W*(?:(?:(?:empty|no|untitled|new|blank)\W+)?(?:title|document|page)(?: field|\W*\d+)?"
    r"|untitled|index of /.*)\W*",
    re.IGNORECASE,
)


class Best(NamedTuple):
    """The best hubs and authorities of a topic, each with its share of their scores."""

    topic: Topic
    hubs: Shares
    authorities: Shares

    @classmethod
    def of(cls, topic: Topic) -> "Best":
        """Those of a topic."""
        hubs, authorities = topic.hubs(TOP), topic.authorities(TOP)
        return cls(
            topic,
            Shares.of(hubs, topic.hub[np.searchsorted(topic.members, hubs)]),
            Shares.of(authorities, topic.authority[np.searchsorted(topic.members, authorities)]),
        )

    @property
    def both(self) -> Shares:
        """Authorities, then hubs."""
        pages = np.concatenate([self.authorities.pages, self.hubs.pages])
        return Shares(pages, np.concatenate([self.authorities.shares, self.hubs.shares]))


@dataclass(frozen=True, slots=True, eq=False)
class Reader:
    """The words of a base set: titles, texts, and the language of each page.

    It numbers the texts that are heard, and the names of sites and pages.
    """

    base: BaseSet
    titles: Sequence[str]
    languages: Sequence[str]
    usual: str
    texts: dict[tuple[str, str], int] = field(default_factory=dict)
    names: dict[str, int] = field(default_factory=dict)
    heard: list[tuple[int, int, int, int, float]] = field(default_factory=list)

    def title(self, page: int) -> str:
        """The title of a page, unless it says that there is none."""
        title = " ".join(self.titles[page].split()) if len(self.titles) else ""
        return "" if NO_TITLE.fullmatch(title) else title

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
    strongly counts half. Where titles and links say nothing, phrases are those
    that texts begin with. Words of the query and stop words are
    left out. The title is that of the best hub that has a telling one. Without
    words a topic is called after the host of its best authority. Pages that
    were set aside one by one, of which no facts are known, have no name. `languages`
    are those of the pages of the base set.
    """
    base, known = topics.base, Counter(filter(None, languages))
    usual = min(known, key=lambda code: (-known[code], code)) if known else "en"
    reader = Reader(base, base.titles, languages, usual)
    groups = [topic for topic in topics.aside if topic.facts]
    best = [Best.of(topic) for topic in (*topics.topics, *groups)]
    said = _said(best, reader, query_stems(base.terms, {*known, usual}))
    labels = said.echoed(base.words, [each.both for each in best]).labels(len(best), TERMS)
    named = iter(
        [
            replace(
                each.topic,
                label=label or _name(each, reader),
                title=_title(each, reader, said.phrases),
            )
            for each, label in zip(best, labels, strict=True)
        ]
    )
    shown = tuple(islice(named, len(topics.topics)))
    aside = tuple(next(named) if topic.facts else topic for topic in topics.aside)
    return replace(topics, topics=shown, aside=aside)


def _said(best: Sequence[Best], reader: Reader, without: Set[str]) -> Said:
    """What is said of each topic: titles of hubs, titles of authorities, links into these.

    Where these say nothing, it is how the texts begin.
    """
    for topic, each in enumerate(best):
        for page, share in each.hubs.pairs():
            title, site = reader.title(page), reader.name(SITE(reader.base.pages[page]))
            said = topic, reader.text(title, page), site, reader.name(title), share
            reader.heard.append(said)
        _hear(topic, each.authorities, reader.title, reader)
    _hear_links(best, reader)
    found = Said.of(Phrases.of(reader.texts, without, reader.usual), reader.hearing())
    silent = set(range(len(best))).difference(found.topic.tolist())
    texts = reader.base.texts if any(len(best[topic].both.pages) for topic in silent) else ()
    if not len(texts):
        return found
    for topic in sorted(silent):
        _hear(topic, best[topic].both, texts.__getitem__, reader)
    return Said.of(Phrases.of(reader.texts, without, reader.usual), reader.hearing())


def _hear(topic: int, pages: Shares, read: Callable[[int], str], reader: Reader) -> None:
    """Take in what pages say of themselves."""
    for page, share in pages.pairs():
        name = reader.base.pages[page]
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
        (topic, reader.name(SITE(name)), reader.name(name), share)
        for topic, each in enumerate(best)
        for name, share in zip(
            base.named(each.authorities.pages), each.authorities.shares.tolist(), strict=True
        )
    ]
    said = map(reader.text, most.words, far.source[most.pair].tolist())
    for whose, text, part in zip(most.owner.tolist(), said, most.share.tolist(), strict=True):
        topic, site, name, share = praised[whose]
        reader.heard.append((topic, text, site, name, share * part))


def _name(best: Best, reader: Reader) -> tuple[str, ...]:
    """The title of the best authority, or its host."""
    first = best.authorities.pages[:1].tolist()
    names = (reader.title(page) or host(reader.base.pages[page]) for page in first)
    return tuple(filter(None, names))


def _title(best: Best, reader: Reader, phrases: Phrases) -> str:
    """The title of the best hub that says something, or of the best authority that does."""
    for page in (*best.hubs.pages.tolist(), *best.authorities.pages.tolist()):
        title = reader.title(page)
        if phrases.telling[reader.text(title, page)]:
            return title
    return ""
