"""Label topics by phrases that their titles, anchors and index pages share and others lack."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import log, sqrt
from typing import NamedTuple

import numpy as np

from weft.core.arrays import Floats, Ids
from weft.core.text import pluralise, shorten
from weft.gather.url import host
from weft.graph.baseset.baseset import BaseSet
from weft.graph.levels import encode_owners
from weft.graph.webgraph import csr_to_scipy
from weft.groups.evidence import GroupSide, PairAnchors, find_far_ends
from weft.groups.group import Group
from weft.groups.groups import Groups
from weft.groups.personal_pages import PersonalPages, words_of
from weft.groups.titles import (
    WORD_PATTERN,
    StemKey,
    Titles,
    find_phrases,
    query_stems,
    stem_word,
)

TOP_AUTHORITIES, TOP_HUBS, OTHER_MEMBERS, FIRST_AUTHORITIES = 10, 5, 30, 5
MEMBER_WEIGHT, HUB_WEIGHT, ANCHOR_WEIGHT = 0.1, 0.25, 0.25
MAX_LINKS_PER_AUTHORITY, MAX_ANCHORS_PER_AUTHORITY = 50, 4
MAX_PARENTS, MIN_PARENT_SHARE, MAX_PARENT_WORDS, PARENT_WEIGHT = 6, 0.2, 4, 0.5
MIN_LEADER_SHARE = 0.4
SAME_SITE_SHARE = 0.8
EQUAL_SHARE, MAX_EQUAL_PARENTS = 0.8, 3
MAX_LABEL_TERMS, MIN_SCORE_RATIO = 3, 0.2
MAX_LABELLED_GROUPS = 200
LENGTH_FACTORS = (1.0, 1.35, 1.45)
SINGLE_PAGE_FACTOR, FEW_LEADERS_FACTOR, SINGLE_SITE_FACTOR = 0.4, 0.6, 0.4
MIN_SITES = 3
MIN_COVERAGE, MIN_CONTRAST = 0.05, 0.05
MIN_LINKS_BY_PHRASE = 2
MIN_LABEL_COVERAGE, MIN_ASKED_SHARE = 0.2, 0.5
MIN_WHOLE_SHARE, MIN_SUBJECT_COVERAGE = 0.85, 1 / 3
MAX_SCORED_WORDS, MAX_WHOLE_STEMS, MAX_WHOLE_WORDS = 3, 4, 6
MAX_COVERAGE_SAMPLE = 500
PART_SEPARATOR = re.compile(r" [-/|:\u00b7\u2013\u2014] ")
LONG_WORD = re.compile(r"(?<![^\W_])[^\W\d_]{6,}(?![^\W_])")
HOST_WORD = re.compile(r"[a-z]{3,}")
MIN_HOST_PREFIX, MIN_HOST_SHARE, MANY_HOSTS = 4, 0.2, 10
# Words that say what kind of page it is, not what it is about.
GENERIC_WORDS = (
    "about", "api", "appendix", "april", "archive", "august", "autumn", "chapter", "class",
    "code", "content", "contents", "course", "december", "department", "doc", "docs",
    "documentation", "fall", "faq", "february", "friday", "function", "general", "guide",
    "handbook", "index", "intro", "introduction", "january", "july", "june", "list", "main",
    "manual", "march", "may", "method", "misc", "module", "modules", "monday", "news", "notes",
    "november", "object", "october", "overview", "package", "part", "project", "quarter",
    "readme", "reference", "release", "resources", "saturday", "section", "selection", "semester",
    "september", "source", "spring", "subject", "summary", "summer", "sunday", "table",
    "thursday", "topics", "tuesday", "tutorial", "university", "user", "users", "utils",
    "version", "wednesday", "welcome", "winter",
)  # fmt: skip
GENERIC_STEMS = frozenset(stem for word in GENERIC_WORDS for stem in stem_word(word, "en"))
# Words that need another one beside them.
WEAK_WORDS = (
    "advanced", "application", "assignment", "basic", "computer", "cs", "group", "handout",
    "homework", "lab", "laboratory", "lecture", "paper", "people", "personal", "program",
    "publication", "research", "science", "seminar", "staff", "status", "student", "syllabus",
    "system", "team", "uc", "uw",
)  # fmt: skip
WEAK_STEMS = frozenset(stem for word in WEAK_WORDS for stem in stem_word(word, "en"))
# The number of a course or document before its title: "CS 314: Algorithms".
CODE_AT_START = re.compile(
    r"^\W*(?:[A-Z][A-Za-z]{1,5}[ -]?){1,3}\d{2,4}[\w./-]*+"
    r"(?:\s*[:,;\u2013\u2014-]+\s*|\s+(?=(?i:home ?page|course|class|syllabus|lecture)))"
)
# The number of a chapter before its title: "13.3. Explicit Locking", "Part III. Server".
NUMBER_AT_START = re.compile(r"^\W*(?:(?i:chapter|part|appendix|section) )?(?:[\dIVX]+\.)+\d*\s+")
NUMBER, ROMAN_NUMERAL = re.compile(r"/[\d-]+$"), re.compile("[IVX]+")
MIN_CLASS_SHARE, MIN_PEOPLE_SHARE = 0.6, 0.8
PARENT_OF_INSTANCES_FACTOR = 2.0
PEOPLE_LABEL, COURSES_LABEL = "People", "Courses"
COURSE_CODE = re.compile(r"\b[A-Z][A-Za-z]{1,6}[ -]?\d{3}(?!\d)")
COURSE_URL = re.compile(r"course|class|\bcs\w{0,3}[-_]?\d{3}", re.IGNORECASE)
REPRESENTATIVES, MAX_TITLE_CHARS = 2, 100


class LabelText(NamedTuple):
    """A text that a topic may be labelled by: whose it is, how much it counts, who links by it."""

    text: str
    page: int
    weight: float
    links: int = 0


@dataclass(slots=True, eq=False)
class LabelCandidates:
    """The phrases of one topic.

    By phrase, `title_share` is the share of the weight of all texts that have
    it, `pages` the pages with it, `parent_share` how much of the topic an index
    page of that name lists. `coverage` is by stem the share of pages that have
    it as a keyword; empty where there are no texts. `sites` are those of the
    texts. `wholes` has the phrases that are nearly always part of one that is a
    word longer. `size` is the number of pages of the topic, `links` the number
    of links to its authorities by a phrase.
    """

    title_share: dict[StemKey, float]
    pages: dict[StemKey, set[int]]
    parent_share: dict[StemKey, float]
    coverage: Mapping[str, float]
    forms: dict[StemKey, dict[str, float]]
    sites: frozenset[int] = frozenset()
    wholes: Mapping[StemKey, StemKey] = field(default_factory=dict)
    size: int = 1
    links: Mapping[StemKey, int] = field(default_factory=dict)

    def strength(self, key: StemKey, query: frozenset[str]) -> tuple[float, float]:
        """How much titles and index pages have a phrase, and how many pages its words."""
        parent = self.parent_share.get(key, 0.0)
        own = [stem for stem in key if stem not in query]
        covered = min((self.stem_coverage(stem) for stem in own), default=0.0)
        return (
            self.title_share.get(key, 0.0) + PARENT_WEIGHT * parent,
            max(covered, parent),
        )

    def stem_coverage(self, stem: str) -> float:
        """The share of pages with a stem; of a word with a hyphen, with its commonest part."""
        return max(self.coverage.get(part, 0.0) for part in stem.split("-"))

    def whole(self, key: StemKey) -> StemKey:
        """The longest phrase that nearly all titles with a phrase have; itself if that is long."""
        longer = key
        while longer in self.wholes and longer not in self.parent_share:
            longer = self.wholes[longer]
        is_short = len(longer) <= MAX_WHOLE_STEMS and self.count_words(longer) <= MAX_WHOLE_WORDS
        return longer if is_short else key

    def count_words(self, key: StemKey) -> int:
        """The number of words in the shortest form of a phrase."""
        return min(len(form.split()) for form in self.forms[key])

    def is_short(self, key: StemKey) -> bool:
        """Whether a phrase has few words, or is the name of an index page."""
        return key in self.parent_share or self.count_words(key) <= MAX_SCORED_WORDS

    def is_shared(self, key: StemKey, leaders: set[int], query: frozenset[str]) -> bool:
        """Whether several leading pages have a phrase, many texts its words, or an index its name.

        A phrase of one title is there by chance.
        """
        is_in_titles = len(self.pages.get(key, set()) & leaders) > 1
        covered = self.strength(key, query)[1] if self.coverage else 1.0
        is_subject = bool(self.coverage) and covered >= MIN_SUBJECT_COVERAGE
        return (is_in_titles and covered > 0) or is_subject or key in self.parent_share

    def form(self, key: StemKey) -> str:
        """The most common form of a phrase, beginning with a capital letter."""
        forms = self.forms[self.whole(key)]
        best = min(forms, key=lambda form: (-round(forms[form], 9), form))
        if best.isupper() and LONG_WORD.search(best):  # a title in capitals
            best = " ".join(w.capitalize() if len(w) > 3 else w.lower() for w in best.split())
        return best[:1].upper() + best[1:]


def label_groups(groups: Groups, languages: Sequence[str] = ()) -> Groups:
    """Add labels and titles to topics or communities, at most 200.

    A label is up to three phrases of the titles of a topic's pages, the best
    authorities first, of the anchor texts of links to these, and of the names
    of index pages: pages that list many members and little else. A phrase
    scores by how many titles have it and how many pages have its words, times
    how much more that is than in any other topic. One that is nearly always
    part of a longer phrase is written as that. Several leading pages must have
    it, or a third of the texts its words; else several links must be by it.
    Without such a phrase the label is an example: *such as Chad*. Names of
    sites, words that most titles of a site have, and phrases of query words
    alone are left out, unless nothing else remains; without a query a topic of
    one site begins with its name. A topic of home pages without a common phrase
    is labelled People, with the subject that many of them share; one without
    words by the host of its best authority.

    The title names two representative pages. A remainder gets no label. A topic
    of many sites whose label covers few pages is noted as mixed. `languages` are
    those of the pages, by default as the collection has them.
    """
    base, languages = groups.base, languages or groups.base.languages
    first, unlabelled = groups[:MAX_LABELLED_GROUPS], groups[MAX_LABELLED_GROUPS:]
    aside = [group for group in groups.set_aside if not group.is_remainder]
    labelled = iter(_label_all([*first, *aside], base, languages))
    kept = [_label_subgroups(next(labelled), base, languages) for _ in first]
    set_aside = tuple(g if g.is_remainder else next(labelled) for g in groups.set_aside)
    count = pluralise(len(groups), groups.noun)
    note = [f"only the first {MAX_LABELLED_GROUPS} of {count} have names"] if unlabelled else []
    return replace(
        groups,
        groups=(*kept, *unlabelled),
        set_aside=set_aside,
        notes=(*groups.notes, *note),
    )


def _label_subgroups(group: Group, base: BaseSet, languages: Sequence[str]) -> Group:
    """Label the groups that divide a group, without the words of its own label."""
    if not group.subgroups:
        return group
    return replace(group, subgroups=tuple(_label_all(group.subgroups, base, languages)))


def _label_all(topics: Sequence[Group], base: BaseSet, languages: Sequence[str]) -> Iterator[Group]:
    labels = GroupLabeller.from_base_set(base, languages)
    evidence = zip(topics, labels.find_parents(topics), labels.anchor_texts(topics), strict=True)
    candidates = [labels.candidates(*each) for each in evidence]
    sites = set() if base.query else {topic.sites.top if topic.sites else "" for topic in topics}
    for number, topic in enumerate(topics):
        terms, coverage = labels.choose_terms(number, topic, candidates)
        if len(sites) > 1 and topic.sites and topic.sites.top_share >= SAME_SITE_SHARE:
            terms = (topic.sites.top, *terms[: MAX_LABEL_TERMS - 1])
        yield replace(
            topic,
            label=terms,
            title=labels.representatives(topic),
            note=topic.note or _mixed_topic_note(topic, coverage),
        )


def _mixed_topic_note(topic: Group, coverage: float) -> str:
    """A note on a topic of many sites whose label covers few pages; else nothing."""
    is_on_many_sites = topic.sites is not None and topic.sites.top_share <= MIN_LABEL_COVERAGE
    is_mixed = coverage < MIN_LABEL_COVERAGE and is_on_many_sites
    return "mixed: its label covers few of its pages" if is_mixed else ""


@dataclass(slots=True, eq=False)
class GroupLabeller:
    """Labels the topics of a base set."""

    base: BaseSet
    titles: Titles
    sites: Ids
    personal: PersonalPages
    page_languages: Sequence[str]
    key_language: str
    query: frozenset[str]
    stems: Sequence[str] = field(default_factory=list)

    @classmethod
    def from_base_set(cls, base: BaseSet, page_languages: Sequence[str] = ()) -> "GroupLabeller":
        """A labeller for topics of a base set, whose pages are in these languages."""
        titles = Titles.from_base_set(base)
        counts = Counter(filter(None, page_languages or titles.languages))
        main = min(counts, key=lambda code: (-counts[code], code)) if counts else "en"
        asked = query_stems(base.query_terms, {*counts, main})
        sites = encode_owners(base.graph.names, "domain")[0]
        personal = PersonalPages.from_titles(titles)
        return cls(base, titles, sites, personal, page_languages, main, asked)

    def language(self, page: int) -> str:
        """The language of a page, or the main one."""
        known = self.page_languages or self.titles.languages
        return known[page] or self.key_language

    def candidates(
        self,
        topic: Group,
        parents: Sequence[tuple[int, float]],
        anchors: Sequence[LabelText],
    ) -> LabelCandidates:
        """The phrases of a topic with their weights."""
        texts = [
            text
            for text in (*self._texts(topic), *anchors)
            if text.text and not self.personal.is_personal[text.page]
        ]
        excluded = self._site_words(topic)
        found = self._collect(texts, excluded)
        if not found.title_share:  # names of sites are better than nothing
            found = self._collect(texts, frozenset(), with_common=True)
        if not found.title_share:
            pages = topic.authorities(TOP_AUTHORITIES)
            beginnings = zip(self.base.texts_of(pages), pages.tolist(), strict=False)
            found = self._collect(
                [LabelText(text, page, 1.0) for text, page in beginnings], frozenset()
            )
        for page, share in parents:
            self._add_parent(found, page, share, excluded)
        found.coverage, found.size = self._coverage(topic), len(topic)
        return found

    def _texts(self, topic: Group) -> Iterator[LabelText]:
        """The titles of authorities, hubs and other members."""
        authorities, hubs = topic.authorities(TOP_AUTHORITIES), topic.hubs(TOP_HUBS)
        weights = dict[int, float]()
        for place, page in enumerate(authorities.tolist()):
            weights[page] = 1 / (1 + place / 5)
        for place, page in enumerate(hubs.tolist()):
            weights.setdefault(page, HUB_WEIGHT / (1 + place / 5))
        others = [page for page in topic.members.tolist() if page not in weights]
        step = max(len(others) // OTHER_MEMBERS, 1)
        for page in others[::step][:OTHER_MEMBERS]:
            weights[page] = MEMBER_WEIGHT if len(authorities) else 1.0
        for page, weight in weights.items():
            yield LabelText(self.titles.own_title(page), page, weight)

    def anchor_texts(self, topics: Sequence[Group]) -> list[list[LabelText]]:
        """For each topic the anchor texts of most weight of links to its authorities."""
        sides = [GroupSide(t, "authority", t.authorities(TOP_AUTHORITIES)) for t in topics]
        far_ends = find_far_ends(self.base, sides)
        far_ends = far_ends.select(far_ends.rank_in_owner < MAX_LINKS_PER_AUTHORITY)
        anchors = PairAnchors.from_links(self.base, far_ends.source, far_ends.target)
        weight = far_ends.score[anchors.pair] * (1.0 / anchors.anchors_per_pair)
        best = anchors.top_anchors(far_ends.owner, weight, MAX_ANCHORS_PER_AUTHORITY)
        owners = [
            (number, place, page)
            for number, side in enumerate(sides)
            for place, page in enumerate(side.pages.tolist())
        ]
        texts: list[list[LabelText]] = [[] for _ in topics]
        rows = best.owner.tolist(), best.anchor_texts, best.share.tolist(), best.link_count.tolist()
        for owner, text, share, links in zip(*rows, strict=True):
            number, place, page = owners[owner]
            part = ANCHOR_WEIGHT if self.titles[page] else 1.0
            own = self.titles.strip_boilerplate(text, page)
            texts[number].append(LabelText(own, page, part * share / (1 + place / 5), links))
        return texts

    def _collect(
        self, texts: Sequence[LabelText], excluded: frozenset[str], *, with_common: bool = False
    ) -> LabelCandidates:
        """Sum the weights of the texts with each phrase; a text counts once per phrase."""
        weights = defaultdict[StemKey, float](float)
        forms = defaultdict[StemKey, dict[str, float]](lambda: defaultdict(float))
        pages, linked = defaultdict[StemKey, set[int]](set), Counter[StemKey]()
        for text, page, weight, links in texts:
            common = frozenset() if with_common else self.titles.common_stems(page)
            own = _strip_number(text), self.language(page), self.key_language
            for key, form in find_phrases(*own).items():
                if self._is_label(key, form, excluded) and common.isdisjoint(key):
                    weights[key] += weight
                    pages[key].add(page)
                    linked[key] += links
                    forms[key][form] += weight
        total = sum(text.weight for text in texts) or 1.0
        shares = {key: weight / total for key, weight in weights.items()}
        sites = frozenset(int(self.sites[text.page]) for text in texts)
        wholes = find_wholes(weights)
        return LabelCandidates(shares, pages, {}, {}, forms, sites, wholes, links=linked)

    def _is_label(self, key: StemKey, form: str, excluded: frozenset[str]) -> bool:
        """Whether a phrase names a subject: no site, and not only the kind of page."""
        own = {stem for stem in key if stem not in self.query and not NUMBER.search(stem)}
        is_numbered = len(own) < len(set(key) - self.query)
        weak = GENERIC_STEMS | WEAK_STEMS if is_numbered else GENERIC_STEMS
        if weak.issuperset(own) and not self.query.issuperset(key):
            return False
        is_short = ROMAN_NUMERAL.fullmatch(form) or (len(form) < 3 and not form.isupper())
        if len(key) < 2 and (WEAK_STEMS.issuperset(key) or is_short):
            return False
        words = words_of(form)
        if not self.personal.name_words.isdisjoint(words):
            return False
        return not any(_names_host(word, excluded) for word in words)

    def _add_parent(
        self, found: LabelCandidates, page: int, share: float, excluded: frozenset[str]
    ) -> None:
        """Add the name of an index page as a phrase."""
        name = _strip_number(PART_SEPARATOR.split(self.titles.own_title(page))[-1])
        words = WORD_PATTERN.findall(name)
        stems = find_phrases(name, self.language(page), self.key_language)
        key = tuple(dict.fromkeys(stem for phrase in stems for stem in phrase))
        is_name = 0 < len(key) <= MAX_PARENT_WORDS and not any(w.isdigit() for w in words)
        if is_name and self._is_label(key, name, excluded):
            found.parent_share[key] = max(found.parent_share.get(key, 0.0), share)
            found.forms[key][" ".join(name.split())] += share

    def _site_words(self, topic: Group) -> frozenset[str]:
        """The words in the names of the hosts of the best pages.

        Where these are on many hosts, a word of a single name says what the
        pages are about; then it must be in the names of a fifth of them.
        """
        pages = np.concatenate([leading_pages(topic, TOP_AUTHORITIES), topic.hubs(TOP_HUBS)])
        hosts = [host(name) if "://" in name else "" for name in self.base.page_names(pages)]
        counts = Counter(word for name in hosts for word in set(HOST_WORD.findall(name)))
        min_count = MIN_HOST_SHARE * len(hosts) if len(set(hosts)) >= MANY_HOSTS else 1
        return frozenset(word for word, count in counts.items() if count >= min_count)

    def _coverage(self, topic: Group) -> Mapping[str, float]:
        """By stem, the share of the first authorities and of all members that have it."""
        terms = self.base.term_weights
        if not len(terms.stems):
            return {}
        if not self.stems:
            self.stems = terms.stems.to_pylist()
        first = leading_pages(topic, 8)
        members = topic.members[:: max(len(topic.members) // MAX_COVERAGE_SAMPLE, 1)]
        shares = [self._keyword_shares(pages) for pages in (first, members) if len(pages)]
        total = np.mean(shares, axis=0) if shares else np.zeros(0)
        return {self.stems[k]: float(total[k]) for k in np.flatnonzero(total).tolist()}

    def _keyword_shares(self, pages: Ids) -> Floats:
        """The share of some pages that have each stem as a keyword."""
        matrix = self.base.term_weights.matrix
        starts = np.asarray(matrix.starts)
        counts = starts[pages + 1] - starts[pages]
        at = np.arange(counts.sum()) + np.repeat(starts[pages] - np.cumsum(counts) + counts, counts)
        with_words = max(int(np.count_nonzero(counts)), 1)
        found: Floats = np.bincount(matrix.ids[at], minlength=len(self.stems)) / with_words
        return found

    def find_parents(self, topics: Sequence[Group]) -> list[list[tuple[int, float]]]:
        """For each topic the index pages of its members, and how much of it each lists.

        These are captured pages that many members are linked from and link back
        to. They count by the share of members, times how far they list this
        topic alone and little else.
        """
        n = len(self.base)
        outdegrees = self.base.graph.outdegrees().astype(float)
        outlinks = csr_to_scipy(self.base.graph.outlinks, n, with_weights=False)
        inlinks = csr_to_scipy(self.base.graph.inlinks, n, with_weights=False)
        uncaptured = self.base.graph.uncaptured
        captured = np.ones(n, bool) if uncaptured is None else ~np.asarray(uncaptured)

        def listing(pages: Ids) -> Floats:
            back = np.asarray(outlinks[pages].multiply(inlinks[pages]).sum(axis=0)).ravel()
            only = np.asarray(inlinks[pages].sum(axis=0)).ravel() * (outdegrees < 500)
            return np.asarray(back + 0.3 * only, float)

        counts = [listing(topic.members) for topic in topics]
        total = sum(counts, np.full(n, 1e-9))
        found = []
        for topic, count in zip(topics, counts, strict=True):
            size, first = max(len(topic), 1), leading_pages(topic, 8)
            leaders = listing(first) / max(len(first), 1)
            is_parent = (
                (count >= max(3, MIN_PARENT_SHARE * size))
                & (leaders >= MIN_LEADER_SHARE)
                & captured
            )
            at = np.flatnonzero(is_parent)
            share = np.minimum(count[at] / size, 1.0) + np.minimum(leaders[at], 1.0)
            share *= 0.5 * count[at] / total[at]
            share *= np.sqrt(np.minimum(2 * count[at] / (outdegrees[at] + 3.0), 1.0))
            best = np.argsort(-np.round(share, 12), kind="stable")[:MAX_PARENTS]
            equals = np.count_nonzero(share >= EQUAL_SHARE * share.max(initial=0.0))
            if equals > MAX_EQUAL_PARENTS:  # pages that all link to each other, as by a menu
                best = best[:0]
            found.append([(int(at[k]), float(share[k])) for k in best.tolist()])
        return found

    def choose_terms(
        self, number: int, topic: Group, candidates: Sequence[LabelCandidates]
    ) -> tuple[tuple[str, ...], float]:
        """The label of a topic, and the share of pages that its words cover."""
        own = candidates[number]
        others = [other for k, other in enumerate(candidates) if k != number]
        leaders = set(leading_pages(topic, FIRST_AUTHORITIES).tolist())
        keys = [
            key
            for key in {**own.title_share, **own.parent_share}
            if not self.query.issuperset(key) and own.is_short(key)
        ]
        firm = self._choose_firm(keys, topic, own)
        if keys and not firm and (asked := self._asked_phrase(own)):
            return (PEOPLE_LABEL if self._is_group_of_people(topic) else own.form(asked),), 1.0
        scores = {key: self._score(key, own, others, leaders) for key in firm}
        if not any(len(own.pages.get(key, set()) & leaders) > 1 for key in scores):
            for key in own.parent_share.keys() & scores.keys():  # instances: name their class
                scores[key] *= PARENT_OF_INSTANCES_FACTOR
        chosen = self._choose_distinct(scores, own)
        covered = [own.strength(key, self.query)[1] for key in chosen] if own.coverage else []
        shared = [key for key in chosen if len(own.pages.get(key, set()) & leaders) > 1]
        if not shared and self._is_group_of_people(topic):
            subject = [
                key
                for key in chosen
                if len(own.pages.get(key, set())) > 1 or key in own.parent_share
                if own.strength(key, self.query)[1] >= MIN_SUBJECT_COVERAGE
            ]
            return (PEOPLE_LABEL, *map(own.form, subject[:1])), 1.0
        terms = tuple(map(own.form, chosen)) or self._fallback(topic, is_example=bool(keys))
        if self._is_group_of_courses(topic):
            few = shared[: MAX_LABEL_TERMS - 1] or chosen[:1]
            terms = (COURSES_LABEL, *map(own.form, few))
        return terms, max(covered, default=1.0)

    def _choose_firm(
        self, keys: Sequence[StemKey], topic: Group, own: LabelCandidates
    ) -> list[StemKey]:
        """The phrases that are no chance of one title; all where only one page has any."""
        leading = {*leading_pages(topic, TOP_AUTHORITIES).tolist(), *topic.hubs(TOP_HUBS).tolist()}
        if len(leading & set[int]().union(*own.pages.values())) < 2:
            return list(keys)
        firm = [key for key in keys if own.is_shared(key, leading, self.query)]
        return firm or [key for key in keys if own.links.get(key, 0) >= MIN_LINKS_BY_PHRASE]

    def _asked_phrase(self, own: LabelCandidates) -> StemKey:
        """The words of the query as most titles have them; nothing if few do."""
        asked = [key for key in own.title_share if self.query.issuperset(key)]
        best = max(asked, key=lambda key: (own.title_share[key], len(key), key), default=())
        return best if own.title_share.get(best, 0.0) > MIN_ASKED_SHARE else ()

    def _choose_distinct(
        self, scores: Mapping[StemKey, float], own: LabelCandidates
    ) -> list[StemKey]:
        """The phrases of highest score that have no word in common but those of the query."""
        chosen, used = list[StemKey](), set[str]()
        for key in sorted(scores, key=lambda key: (-round(scores[key], 12), key)):
            if scores[key] <= (MIN_SCORE_RATIO * scores[chosen[0]] if chosen else 0.0):
                break
            stems = set(own.whole(key)) - self.query
            if used.isdisjoint(stems):
                chosen.append(key)
                used |= stems
            if len(chosen) == MAX_LABEL_TERMS:
                break
        return chosen

    def _score(
        self,
        key: StemKey,
        own: LabelCandidates,
        others: Sequence[LabelCandidates],
        leaders: set[int],
    ) -> float:
        """How well a phrase labels a topic."""
        said, covered = own.strength(key, self.query)
        if not own.coverage:
            covered = said
        elsewhere = 0.0
        for other in others:
            title, text = other.strength(key, self.query)
            size = min(sqrt(other.size / max(own.size, 1)), 1.0)  # a small topic takes no word away
            elsewhere = max(elsewhere, size * (title + 0.5 * text))
        contrast = log(1 + (said + 0.5 * covered) / (elsewhere + MIN_CONTRAST))
        score = sqrt(said * (covered + MIN_COVERAGE)) * contrast
        score *= LENGTH_FACTORS[min(len(key), len(LENGTH_FACTORS)) - 1]
        if key in own.parent_share:
            return score
        pages = own.pages[key]
        if len(pages) < 2:
            return SINGLE_PAGE_FACTOR * score
        if len(own.sites) >= MIN_SITES and len({int(self.sites[page]) for page in pages}) < 2:
            score *= SINGLE_SITE_FACTOR
        return score if len(pages & leaders) > 1 else FEW_LEADERS_FACTOR * score

    def _is_group_of_people(self, topic: Group) -> bool:
        """Whether nearly all of the best pages are home pages of persons, or most and the first."""
        is_personal = self.personal.is_personal[leading_pages(topic, FIRST_AUTHORITIES)]
        min_share = MIN_CLASS_SHARE if is_personal[:1].any() else MIN_PEOPLE_SHARE
        return len(is_personal) > 0 and bool(is_personal.mean() >= min_share)

    def _is_group_of_courses(self, topic: Group) -> bool:
        """Whether most of the best pages are those of courses, by titles and URLs."""
        pages = leading_pages(topic, FIRST_AUTHORITIES)
        codes = [COURSE_CODE.search(self.titles[page]) for page in pages.tolist()]
        courses = [
            bool(code and COURSE_URL.search(name))
            for code, name in zip(codes, self.base.page_names(pages), strict=True)
        ]
        return len(courses) > 0 and sum(courses) >= MIN_CLASS_SHARE * len(courses)

    def _fallback(self, topic: Group, *, is_example: bool) -> tuple[str, ...]:
        """The title or host of the best page, called an example of its topic where it is one."""
        pages = leading_pages(topic, 1).tolist()
        names = (self.titles.own_title(page) or host(self.base.pages[page]) for page in pages)
        return tuple(f"such as {name}" if is_example else name for name in names if name)

    def representatives(self, topic: Group) -> str:
        """The titles of the first two pages that have one."""
        pages = [*leading_pages(topic, TOP_AUTHORITIES).tolist(), *topic.hubs(TOP_HUBS).tolist()]
        titles = dict.fromkeys(filter(None, map(self.titles.own_title, pages)))
        return "; ".join(
            shorten(title, MAX_TITLE_CHARS) for title in list(titles)[:REPRESENTATIVES]
        )


def _strip_number(title: str) -> str:
    """A title without the number of a course, document or chapter before it.

    Examples
    --------
    >>> _strip_number("CS 314: Algorithms"), _strip_number("13.3. Explicit Locking")
    ('Algorithms', 'Explicit Locking')
    """
    return NUMBER_AT_START.sub("", CODE_AT_START.sub("", title))


def leading_pages(topic: Group, k: int) -> Ids:
    """The k best authorities, or hubs where there are none, or the first members."""
    authorities, hubs = topic.authorities(k), topic.hubs(k)
    return authorities if len(authorities) else hubs if len(hubs) else topic.members[:k]


def find_wholes(weights: Mapping[StemKey, float]) -> dict[StemKey, StemKey]:
    """For phrases that are nearly always part of one that is a word longer, that one.

    Examples
    --------
    >>> find_wholes({("air",): 1.0, ("air", "force"): 1.0, ("force",): 2.0})
    {('air',): ('air', 'force')}
    """
    wholes: dict[StemKey, StemKey] = {}
    for key in sorted(weights, key=lambda key: (round(weights[key], 12), key)):
        for part, word in ((key[:-1], key[-1]), (key[1:], key[0])):
            is_usual = weights[key] >= MIN_WHOLE_SHARE * weights.get(part, np.inf)
            if part and is_usual and word not in GENERIC_STEMS:
                wholes[part] = key
    return wholes


@lru_cache(1 << 14)
def _names_host(word: str, host_words: frozenset[str]) -> bool:
    """Whether a word of a phrase names a host, such as *celery* celeryq.dev.

    Examples
    --------
    >>> hosts = frozenset(["celeryq", "sqlite", "logs"])
    >>> [_names_host(word, hosts) for word in ("celery", "sqlite3", "log")]
    [True, True, False]
    """
    if word in host_words or word.startswith("www"):
        return True
    for host_word in host_words:
        shorter, longer = sorted((word, host_word), key=len)
        if len(shorter) >= MIN_HOST_PREFIX and longer.startswith(shorter):
            return True
    return False
