"""Label topics by phrases of titles and anchor texts that other topics do not use."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import islice
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from weft.core.arrays import Flags
from weft.gather.url import host
from weft.graph.baseset.baseset import BaseSet
from weft.graph.baseset.filters import OWNER_FUNCTIONS
from weft.topics.link_anchors import PairAnchors, TopicSide, find_far_ends
from weft.topics.phrase_weights import PageShares, PhraseWeights, TopicLabel, TopicTexts
from weft.topics.phrases import Phrases, query_stems
from weft.topics.titles import Titles
from weft.topics.topic import Topic, Topics

MAX_TOP_PAGES = 10
MAX_SAMPLE_PAGES = 30
MIN_LABEL_COVERAGE = 0.2
MAX_LABEL_TERMS = 3
MAX_HUBS_PER_AUTHORITY = 50
MAX_ANCHORS_PER_AUTHORITY = 6
site_of_url = OWNER_FUNCTIONS["site"]


class TopPages(NamedTuple):
    """The best hubs and authorities of a topic, each with its share of the scores.

    `sample` are any pages of the topic, if possible with words, with equal
    shares; `authorities_and_hubs` are both, or the sample if no page scores.
    """

    topic: Topic
    hubs: PageShares
    authorities: PageShares
    sample: PageShares
    authorities_and_hubs: PageShares

    @classmethod
    def from_topic(cls, topic: Topic, has_words: Flags) -> "TopPages":
        """The top pages of a topic, given which pages have words."""
        hubs, authorities = topic.hubs(MAX_TOP_PAGES), topic.authorities(MAX_TOP_PAGES)
        sides = (
            PageShares.from_scores(hubs, topic.hub[np.searchsorted(topic.members, hubs)]),
            PageShares.from_scores(
                authorities, topic.authority[np.searchsorted(topic.members, authorities)]
            ),
        )
        with_words = topic.members[has_words[topic.members]]
        pages = with_words if len(with_words) else topic.members
        pages = pages[:: max(len(pages) // MAX_SAMPLE_PAGES, 1)]
        sample = PageShares.from_scores(pages, np.ones(len(pages)))
        both = PageShares(*map(np.concatenate, zip(*reversed(sides), strict=True)))
        return cls(topic, *sides, sample, both if len(both.pages) else sample)


@dataclass(frozen=True, slots=True, eq=False)
class LabelCorpus:
    """The texts to label topics by: titles, anchor texts and page texts.

    `page_names` are the names of the top pages. Texts, and names of sites and
    pages, are numbered; `text_rows` collects (topic, text, site, subject,
    weight).
    """

    base: BaseSet
    page_names: Mapping[int, str]
    titles: Titles
    languages: Sequence[str]
    default_language: str
    own_titles: dict[int, str] = field(default_factory=dict)
    text_ids: dict[tuple[str, str], int] = field(default_factory=dict)
    name_ids: dict[str, int] = field(default_factory=dict)
    text_rows: list[tuple[int, int, int, int, float]] = field(default_factory=list)

    def title_without_boilerplate(self, page: int) -> str:
        """The title of a page without boilerplate."""
        if page not in self.own_titles:
            self.own_titles[page] = self.titles.strip_boilerplate(self.titles[page], page)
        return self.own_titles[page]

    def text_id(self, text: str, page: int) -> int:
        """The number of a text of a page, in the language of the page or the default one."""
        language = (self.languages[page] if len(self.languages) else "") or self.default_language
        return self.text_ids.setdefault((text, language), len(self.text_ids))

    def site_or_subject_id(self, name: str) -> int:
        """The number of a site, or of the subject of a text."""
        return self.name_ids.setdefault(name, len(self.name_ids))

    def topic_texts(self) -> TopicTexts:
        """The collected texts, topic by topic."""
        return TopicTexts.from_rows(sorted(self.text_rows, key=itemgetter(0)))


def label_topics(topics: Topics, languages: Sequence[str] = ()) -> Topics:
    """Add labels and titles to topics.

    A label is up to three phrases of the titles of the best hubs and
    authorities and of the anchor texts of links to these authorities. A phrase
    is weighted by the scores of its pages and by the TF-IDF of its words in
    their texts, times an inverse topic frequency, in which a topic with half
    the weight for the phrase counts half. It counts less if less than a tenth
    of the topic's pages have its words. Query words, stop words and the
    boilerplate of titles are left out. If nothing remains, full titles are
    used, then the beginnings of texts; if no page scores, the titles of a
    sample. A topic without words is labelled by the host of its best authority.

    The title is that of the best hub with a phrase in it. Pages that were set
    aside one by one, without facts, get no label. `languages` are those of the
    pages of the base set. A topic of many sites whose label covers few pages is
    noted as mixed.
    """
    base, language_counts = topics.base, Counter(filter(None, languages))
    default_language = (
        min(language_counts, key=lambda code: (-language_counts[code], code))
        if language_counts
        else "en"
    )
    groups = [topic for topic in topics.set_aside if topic.facts]
    words = base.term_weights
    has_words = np.diff(words.matrix.starts) > 0
    top_pages = [TopPages.from_topic(topic, has_words) for topic in (*topics.topics, *groups)]
    corpus = LabelCorpus(
        base,
        _top_page_names(base, top_pages),
        Titles.from_base_set(base),
        languages,
        default_language,
    )
    phrase_weights = _collect_phrase_weights(
        top_pages, corpus, query_stems(base.query_terms, {*language_counts, default_language})
    )
    sides = [top.authorities_and_hubs for top in top_pages], [top.sample for top in top_pages]
    labels = phrase_weights.reweigh_by_page_words(words, *sides).choose_labels(
        len(top_pages), MAX_LABEL_TERMS
    )
    labelled = iter(
        [
            replace(
                top.topic,
                label=label.terms or _fallback_label(top, corpus),
                title=_choose_title(top, corpus, phrase_weights.phrases),
                facts=_note_mixed_topic(top.topic.facts, label),
            )
            for top, label in zip(top_pages, labels, strict=True)
        ]
    )
    kept = tuple(islice(labelled, len(topics.topics)))
    set_aside = tuple(next(labelled) if topic.facts else topic for topic in topics.set_aside)
    return replace(topics, topics=kept, set_aside=set_aside)


def _top_page_names(base: BaseSet, top_pages: Sequence[TopPages]) -> dict[int, str]:
    """The names of the top pages of all topics."""
    pages = np.unique(
        np.concatenate(
            [np.zeros(0, np.int32), *(top.authorities_and_hubs.pages for top in top_pages)]
        )
    )
    return dict(zip(pages.tolist(), base.page_names(pages), strict=True))


def _collect_phrase_weights(
    top_pages: Sequence[TopPages], corpus: LabelCorpus, exclude: Set[str]
) -> PhraseWeights:
    """Weigh the phrases of each topic: titles of hubs and authorities, and anchor texts.

    Titles are used without boilerplate. For topics without any phrase, full
    titles are added, or else the beginnings of texts.
    """
    for topic, top in enumerate(top_pages):
        for page, share in top.hubs.pairs():
            title, site = (
                corpus.title_without_boilerplate(page),
                corpus.site_or_subject_id(site_of_url(corpus.page_names[page])),
            )
            row = topic, corpus.text_id(title, page), site, corpus.site_or_subject_id(title), share
            corpus.text_rows.append(row)
        has_scores = len(top.hubs.pages) or len(top.authorities.pages)
        _add_page_texts(
            topic,
            top.authorities if has_scores else top.sample,
            corpus.title_without_boilerplate,
            corpus,
        )
    _add_anchor_texts(top_pages, corpus)
    weights = PhraseWeights.from_texts(
        Phrases.from_texts(corpus.text_ids, exclude, corpus.default_language), corpus.topic_texts()
    )
    for load in (lambda: corpus.titles, lambda: corpus.base.texts):
        unlabelled = sorted(set(range(len(top_pages))).difference(weights.topic.tolist()))
        if any(len(top_pages[topic].authorities_and_hubs.pages) for topic in unlabelled) and len(
            texts := load()
        ):
            for topic in unlabelled:
                _add_page_texts(
                    topic, top_pages[topic].authorities_and_hubs, texts.__getitem__, corpus
                )
            weights = PhraseWeights.from_texts(
                Phrases.from_texts(corpus.text_ids, exclude, corpus.default_language),
                corpus.topic_texts(),
            )
    return weights


def _add_page_texts(
    topic: int, page_shares: PageShares, get_text: Callable[[int], str], corpus: LabelCorpus
) -> None:
    """Add a text of each page to the corpus."""
    for page, share in page_shares.pairs():
        name = corpus.page_names[page]
        row = (
            topic,
            corpus.text_id(get_text(page), page),
            corpus.site_or_subject_id(site_of_url(name)),
            corpus.site_or_subject_id(name),
        )
        corpus.text_rows.append((*row, share))


def _add_anchor_texts(top_pages: Sequence[TopPages], corpus: LabelCorpus) -> None:
    """Add the anchor texts of largest weight of the links to each authority."""
    base = corpus.base
    sides = [TopicSide(top.topic, "authority", top.authorities.pages) for top in top_pages]
    far_ends = find_far_ends(base, sides)
    far_ends = far_ends.select(far_ends.rank_in_owner < MAX_HUBS_PER_AUTHORITY)
    anchors = PairAnchors.from_links(base, far_ends.source, far_ends.target)
    best = anchors.top_anchors(
        far_ends.owner,
        far_ends.score[anchors.pair] * (1.0 / anchors.anchors_per_pair),
        MAX_ANCHORS_PER_AUTHORITY,
    )
    authorities = [
        (
            topic,
            corpus.site_or_subject_id(site_of_url(corpus.page_names[page])),
            corpus.site_or_subject_id(corpus.page_names[page]),
            share,
        )
        for topic, top in enumerate(top_pages)
        for page, share in top.authorities.pairs()
    ]
    targets = far_ends.target[best.pair].tolist()
    words = map(corpus.titles.strip_boilerplate, best.anchor_texts, targets)
    text_ids = map(corpus.text_id, words, far_ends.source[best.pair].tolist())
    for owner, text, anchor_share in zip(
        best.owner.tolist(), text_ids, best.share.tolist(), strict=True
    ):
        topic, site, name, share = authorities[owner]
        corpus.text_rows.append((topic, text, site, name, share * anchor_share))


def _note_mixed_topic(facts: Mapping[str, Any], label: TopicLabel) -> Mapping[str, Any]:
    """Add a note to the facts of a topic of many sites whose label covers few pages."""
    if (
        label.coverage >= MIN_LABEL_COVERAGE
        or facts.get("top share", 1.0) > MIN_LABEL_COVERAGE
        or facts.get("note")
    ):
        return facts
    return {**facts, "note": "mixed: its label covers few of its pages"}


def _fallback_label(top_pages: TopPages, corpus: LabelCorpus) -> tuple[str, ...]:
    """The title or host of the best authority, or of another page if there is none."""
    first = top_pages.authorities_and_hubs.pages[:1].tolist()
    names = (corpus.titles[page] or host(corpus.page_names[page]) for page in first)
    return tuple(filter(None, names))


def _choose_title(top_pages: TopPages, corpus: LabelCorpus, phrases: Phrases) -> str:
    """The title of the best hub with a phrase in it, or else of the best such authority."""
    pages = np.concatenate([top_pages.hubs.pages, top_pages.authorities_and_hubs.pages])
    for page in dict.fromkeys(pages.tolist()):
        own, title = corpus.title_without_boilerplate(page), corpus.titles[page]
        if phrases.has_phrase[corpus.text_id(own, page)] if own else title:
            return title
    return ""
