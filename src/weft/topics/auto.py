"""Topics by the hits of a query and their words; by links where pages have no texts."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from weft.core.arrays import Flags, Floats, Ids, Offsets
from weft.core.errors import BadParameter
from weft.core.register import Dimensions, method
from weft.core.text import pluralise
from weft.engine import CLOSED_FORM
from weft.graph.baseset.baseset import ROOT, BaseSet
from weft.graph.baseset.expand import spread_over_sites
from weft.graph.levels import encode_owners
from weft.graph.webgraph import csr_to_scipy
from weft.groups.group import Group, add_site_diversity
from weft.groups.groups import Groups
from weft.groups.personal_pages import PersonalPages
from weft.groups.titles import (
    CODE_NAME_JOINT,
    LETTERS_PATTERN,
    WORD_PATTERN,
    Titles,
    is_index_title,
    query_stems,
    stem_languages,
)
from weft.store.tokens import (
    UNSPACED_RUN,
    UNSTEMMED,
    find_stop_words,
    stem_with_each_stemmer,
)
from weft.topics.hit_groups import HitGroup, group_hits, hit_similarity, unit_rows
from weft.topics.leiden_votes import leiden_votes

GROUPED_HITS, GROUPED_PAGES = 200, 1000
SCORE_WEIGHT, SHARE_WEIGHT, CENTRE_WEIGHT = 0.5, 1.2, 0.5
VOTE_WEIGHT, HOST_VOTE_WEIGHT, ENOUGH_VOTERS = 0.2, 3.0, 4.0
OUTSIDE_CORE_FACTOR, LIST_PAGE_FACTOR = 0.5, 0.1
NOT_ABOUT_QUERY_FACTOR = 0.8
FOREIGN_FACTOR, MIN_LANGUAGE_SHARE = 0.7, 0.6
RARELY_SAID_FACTOR, RARELY_SAID_RATIO = 0.4, 2.0
MIN_HOSTS_OF_VOTERS, MIN_HOSTS_FOR_OTHERS = 5, 3
FIRST_RANK = 5.0
REPRESENTATIVE_PAGES, MIN_PEOPLE_SHARE = 5, 0.8
BEST_SHARE, MIN_SHARE_OF_BEST = 0.25, 0.05
FEW_RESULTS = 60
LISTED_AUTHORITIES = 15
MAX_HUBS, MAX_WORTH_FETCHING, MIN_VOTES_TO_FETCH = 10, 20, 2
MIN_JOIN_RATIO = 0.25
MANY_SITES, MAX_SITES_OF_ONE = 10.0, 1.5
OTHER_FORM_SHARE, MAX_ENDING_CHARS, MIN_PART_CHARS = 0.6, 2, 4
WORD_PART = re.compile(LETTERS_PATTERN)
MEDIA_FILE = r"(?i)\.(?:png|jpe?g|gif|svg|ico|css|js|zip|gz|mpe?g|mp3|au|wav)(?:\.html?)?$"
MIN_LISTED = 3
MIN_LIST_LINKS, MAX_LIST_REPETITION, MANY_LINKS, MANY_TIMES_USUAL = 20, 1.36, 200, 10


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """The pages to group, the first ones first: search results, or pages of a collection.

    `weight` is how much each counts when groups are chosen, `score` that of the
    search, scaled to one, `share` how much of the page is about the query. The
    first `core_size` pages are grouped; the others join the nearest group.
    """

    base: BaseSet
    titles: Titles
    pages: Ids
    weight: Floats
    score: Floats
    share: Floats
    core_size: int
    query_stems: frozenset[str]
    language: str = ""

    @classmethod
    def from_base_set(cls, base: BaseSet) -> "Hits":
        """The captured search results of a base set, or its captured pages without a search."""
        titles = Titles.from_base_set(base)
        languages = {language for language in titles.languages if language} or {"en"}
        asked = query_stems(base.query_terms, languages)
        captured = captured_pages(base)
        if (base.origin == ROOT).any():
            pages = base.roots[captured[base.roots]]
            is_index = np.array([is_index_title(titles[page]) for page in pages.tolist()], bool)
            pages = np.concatenate([pages[~is_index], pages[is_index]])  # these are not grouped
            score = base.text_score[pages] / max(base.text_score[pages].max(initial=0), 1e-12)
            share = query_share(base, pages)
            hosts = encode_owners(base.graph.names.take(pa.array(pages)), "host")[0]
            weight = _spread(score, hosts) * (0.5 + 0.5 * share)
            core_size = min(GROUPED_HITS, int(np.count_nonzero(~is_index)) or len(pages))
        else:
            pages = order_by_folder(base, np.flatnonzero(captured).astype(np.int32))
            indegree = base.graph.indegrees()[pages]
            score = np.log1p(indegree) / max(np.log1p(indegree).max(initial=0), 1e-12)
            share = np.zeros(len(pages))
            weight, core_size = 0.5 + 0.5 * score, GROUPED_PAGES
        main = main_language(titles, pages) if base.query else ""
        return cls(base, titles, pages, weight, score, share, core_size, asked, main)

    def is_foreign(self, pages: Ids) -> Flags:
        """Which pages are in another language than most of the hits, where a query is asked."""
        languages = [self.titles.languages[page] for page in pages.tolist()]
        return np.array([own not in ("", self.language or own) for own in languages], bool)

    def select(self, positions: Offsets) -> "Hits":
        """Some of these pages."""
        return replace(
            self,
            pages=self.pages[positions],
            weight=self.weight[positions],
            score=self.score[positions],
            share=self.share[positions],
        )


def main_language(titles: Titles, pages: Ids) -> str:
    """The language of most of some pages, or nothing."""
    counts = Counter(titles.languages[page] for page in pages.tolist())
    language, count = counts.most_common(1)[0] if counts else ("", 0)
    return language if count > MIN_LANGUAGE_SHARE * len(pages) else ""


def captured_pages(base: BaseSet) -> Flags:
    """Which pages of a base set were captured, or are nodes of an edge list."""
    uncaptured = base.graph.uncaptured
    return np.ones(len(base), bool) if uncaptured is None else ~np.asarray(uncaptured)


def _spread(score: Floats, hosts: Ids) -> Floats:
    """Scores spread over hosts, whatever the order of the pages."""
    order = np.argsort(-np.round(score, 12), kind="stable")
    spread = np.empty(len(score))
    spread[order] = spread_over_sites(score[order], hosts[order])
    return spread


def query_share(base: BaseSet, pages: Ids) -> Floats:
    """How much of each page is about the query, from zero to one.

    For each word of the query but stop words: one if the title or the URL has it
    as it is asked, or with another ending of two letters; 0.6 if these have it
    in another form alone. Else its weight among the keywords of the page, as a
    share of the largest; less if the page has it once or twice. The word with
    the smallest share counts.
    """
    words = content_words(base)
    terms = base.term_weights.take(pages)
    rows = terms.matrix.row_ids()
    weights = np.asarray(terms.matrix.weights, float)
    largest = np.full(len(pages), 1e-12)
    np.maximum.at(largest, rows, weights)
    titles = base.titles
    names = [
        words_of_name(f"{titles[page] if len(titles) else ''} {name}")
        for page, name in zip(pages.tolist(), base.page_names(pages), strict=True)
    ]
    families = sorted({UNSTEMMED, *stem_languages(terms.stems)[1]} - {""})
    share = np.ones(len(pages))
    for word in dict.fromkeys(words):
        asked = AskedWord.from_families(word, families)
        wanted = pa.array(sorted(asked.stems), terms.stems.type)
        at = np.flatnonzero(
            pc.is_in(terms.stems, wanted).to_numpy(zero_copy_only=False)[terms.matrix.ids]
        )
        own = np.zeros(len(pages))
        if len(at):
            rarely_said = weights[at] <= RARELY_SAID_RATIO * weights[at].min()
            factor = np.where(rarely_said, RARELY_SAID_FACTOR, 1.0)
            np.maximum.at(own, rows[at], factor * weights[at] / largest[rows[at]])
        named = np.array([max(map(asked.share_of_form, name), default=0.0) for name in names])
        share = np.minimum(share, np.where(named > 0, named, own))
    return share


def content_words(base: BaseSet) -> list[str]:
    """The words of a query, without stop words of the language of most pages if others are left."""
    words = [word for term in base.query_terms for word in WORD_PATTERN.findall(term.lower())]
    languages = Counter(filter(None, base.languages)).most_common(1)
    stop_words = {
        word
        for language, _ in languages
        for word in find_stop_words(words, language, of_the_web=False)
    }
    return [word for word in words if word not in stop_words] or words


@lru_cache(1 << 14)
def words_of_name(name: str) -> frozenset[str]:
    """The words of a title or URL in lower case, with names of code in parts."""
    text = CODE_NAME_JOINT.sub(" ", name).lower()
    return frozenset((*WORD_PATTERN.findall(text), *WORD_PART.findall(text)))


@dataclass(frozen=True, slots=True, eq=False)
class AskedWord:
    """A word of a query, and its stems in the languages of the pages."""

    word: str
    stems: frozenset[str]
    families: Sequence[str]
    shares: dict[str, float] = field(default_factory=dict)

    @classmethod
    def from_families(cls, word: str, families: Sequence[str]) -> "AskedWord":
        """A word with the stems that several stemmers give it."""
        stems = {stem for stems in stem_with_each_stemmer(word, families) for stem in stems}
        return cls(word, frozenset(stems), families)

    def share_of_form(self, other: str) -> float:
        """How far another word is this one: as it is, in another form, or part of a compound.

        Examples
        --------
        >>> asked = AskedWord.from_families("log", ["en"])
        >>> [asked.share_of_form(word) for word in ("log", "logs", "logging", "logarithm")]
        [1.0, 1.0, 0.6, 0.0]
        """
        if other not in self.shares:
            self.shares[other] = self._compare(other)
        return self.shares[other]

    def _compare(self, other: str) -> float:
        word = self.word
        if other == word or (UNSPACED_RUN.match(word) and word in other):
            return 1.0
        if other[:2] == word[:2] and self._has_stem(other):
            is_ending = other.startswith(word[:-1]) and len(other) <= len(word) + MAX_ENDING_CHARS
            return 1.0 if is_ending else OTHER_FORM_SHARE
        rest = len(other) - len(word)
        is_part = other.startswith(word) or other.endswith(word)
        is_compound = is_part and min(len(word), rest) >= MIN_PART_CHARS
        return OTHER_FORM_SHARE if is_compound else 0.0

    def _has_stem(self, other: str) -> bool:
        """Whether a word has one of the stems."""
        own = stem_with_each_stemmer(other, self.families)
        return any(not self.stems.isdisjoint(stems) for stems in own)


def order_by_folder(base: BaseSet, pages: Ids) -> Ids:
    """Order pages so that the first ones are the most linked of every folder.

    A folder with four times as many pages as another has twice as many of the
    first ones.
    """
    folders = [name.split("?")[0].rstrip("/").rpartition("/")[0] for name in base.page_names(pages)]
    folder = np.unique(folders, return_inverse=True)[1]
    indegree = base.graph.indegrees()[pages]
    by_folder = np.lexsort((np.arange(len(pages)), -indegree, folder))
    nth = np.empty(len(pages))
    nth[by_folder] = np.arange(len(pages)) - np.searchsorted(folder[by_folder], folder[by_folder])
    turn = (nth + 1) / np.sqrt(np.bincount(folder))[folder]
    return pages[np.lexsort((np.arange(len(pages)), -indegree, np.round(turn, 9)))]


def find_hit_topics(hits: Hits, max_topics: int, min_size: int) -> Groups:
    """Group pages into topics with authorities and hubs; the rest are other results."""
    core = hits.select(np.arange(min(hits.core_size, len(hits.pages))))
    similarity = hit_similarity(hits.base, core.pages, hits.titles, hits.query_stems)
    groups = group_hits(similarity, core.weight, max_topics, min_size)
    if not groups:
        return Groups("topics", "auto", hits.base, (), CLOSED_FORM, _other_results(hits, ()))
    links, centroids = TopicLinks.from_hits(hits), GroupCentroids.from_groups(hits, groups)
    rest = np.arange(len(core.pages), len(hits.pages))
    nearest = centroids.nearest(hits.pages[rest])
    members = [
        np.sort(np.concatenate([group.members, rest[nearest == number]]))
        for number, group in enumerate(groups)
    ]
    voted = links.voted_pages(hits, members, centroids)
    about = share_by_page(hits, np.concatenate([np.zeros(0, np.int32), *voted]))
    made = [
        links.topic(hits, group, own, similarity, more, about)
        for group, own, more in zip(groups, members, voted, strict=True)
    ]
    people = find_people(hits.titles, made)
    if people:  # one topic for all
        merged = HitGroup(
            np.concatenate([groups[k].core for k in people]),
            np.concatenate([groups[k].members for k in people]),
        )
        own = np.sort(np.concatenate([members[k] for k in people]))
        more = np.concatenate([voted[k] for k in people])
        made = [topic for k, topic in enumerate(made) if k not in people]
        made.append(replace(links.topic(hits, merged, own, similarity, more, about), strength=0.0))
    kept, tightly_knit = split_tightly_knit(hits.base, made)
    kept.sort(key=lambda topic: (-round(topic.strength, 9), -len(topic), topic.members[0]))
    if hits.base.query:
        kept = mark_mentions(hits, kept)
    others = _other_results(hits, made)
    return Groups("topics", "auto", hits.base, tuple(kept), CLOSED_FORM, (*tightly_knit, *others))


def share_by_page(hits: Hits, others: Ids) -> Floats:
    """How much of each page of the base set is about the query: of hits and some others."""
    shares = np.zeros(len(hits.base))
    if len(others):
        pages = np.concatenate([hits.pages, others])
        shares[pages] = query_share(hits.base, pages)
    shares[hits.pages] = hits.share
    return shares


def mark_mentions(hits: Hits, topics: Sequence[Group]) -> list[Group]:
    """Mark topics with hardly any of the best results, and move them to the end.

    The best results are the first quarter of the pages that are grouped, spread
    over sites, and those with the score of the last of these. A topic with less
    than a twentieth of them is one of pages that mention the query in passing.
    Where that holds for all, none is marked.
    """
    count = min(max(round(BEST_SHARE * hits.core_size), 1), len(hits.pages))
    ties = np.round(hits.score[count:], 9) == np.round(hits.score[count - 1], 9)
    best = hits.pages[: count + int(np.logical_and.accumulate(ties).sum())]
    counts = [int(np.isin(best, topic.members).sum()) for topic in topics]
    marked = [
        replace(topic, in_passing=count < MIN_SHARE_OF_BEST * len(best))
        for topic, count in zip(topics, counts, strict=True)
    ]
    if all(topic.in_passing for topic in marked):
        return list(topics)
    return sorted(marked, key=lambda topic: topic.in_passing)


def find_people(titles: Titles, topics: Sequence[Group]) -> list[int]:
    """Which topics are of home pages of persons: most of their first authorities are."""
    is_personal = PersonalPages.from_titles(titles).is_personal
    first = [topic.authorities(REPRESENTATIVE_PAGES) for topic in topics]
    return [k for k, own in enumerate(first) if is_personal[own].mean() >= MIN_PEOPLE_SHARE]


def split_tightly_knit(base: BaseSet, topics: Sequence[Group]) -> tuple[list[Group], list[Group]]:
    """Split off topics on one site, if most are on many; breadth and size add to strength.

    A topic on one site is what it is where most are, as in documentation. Among
    topics of many sites it is one site that links to itself.
    """
    diversities = [topic.sites for topic in add_site_diversity(base, topics) if topic.sites]
    is_usual = len(topics) < 2 or float(np.median([d.effective for d in diversities])) < MANY_SITES
    kept, tightly_knit = list[Group](), list[Group]()
    for topic, sites in zip(topics, diversities, strict=True):
        is_one_site = sites.effective < MAX_SITES_OF_ONE
        reason = sites.tightly_knit if is_one_site and not is_usual else ""
        marked = replace(topic, sites=replace(sites, tightly_knit=reason))
        breadth = 1 + np.log(max(sites.effective, 1.0))
        strength = topic.strength * (
            np.sqrt(breadth) if base.query else breadth * np.log1p(len(topic))
        )
        if reason:
            tightly_knit.append(replace(marked, reason=f"tightly knit: {reason}"))
        else:
            kept.append(replace(marked, strength=float(strength)))
    return kept, tightly_knit


def _other_results(hits: Hits, topics: Sequence[Group]) -> tuple[Group, ...]:
    """The pages that are in no topic."""
    inside = np.zeros(len(hits.base), bool)
    for topic in topics:
        inside[topic.members] = True
    positions = np.flatnonzero(~inside[hits.pages])
    if not len(positions):
        return ()
    order = np.argsort(hits.pages[positions])
    pages = hits.pages[positions][order]
    noun = "result" if (hits.base.origin == ROOT).any() else hits.base.level
    reason = f"other results: {pluralise(len(pages), noun)} in no topic"
    score = np.maximum(hits.score[positions][order], 1e-9)
    return (Group(pages, score, np.zeros(len(pages)), 0.0, reason=reason, is_remainder=True),)


@dataclass(frozen=True, slots=True, eq=False)
class GroupCentroids:
    """The mean keyword vectors of groups, and the cosine that is typical of their pages."""

    base: BaseSet
    centroids: Floats
    stems: Any
    typical: float

    @classmethod
    def from_groups(cls, hits: Hits, groups: Sequence[HitGroup]) -> "GroupCentroids":
        """The centroids of the cores of groups, given as positions among the hits."""
        core = np.unique(np.concatenate([np.zeros(0, np.int64), *(g.core for g in groups)]))
        terms = hits.base.term_weights.take(hits.pages[core])
        vectors = unit_rows(csr_to_scipy(terms.matrix, len(terms.stems)))
        rows = [np.searchsorted(core, group.core) for group in groups]
        centroids = np.stack([np.asarray(vectors[own].mean(axis=0)).ravel() for own in rows])
        centroids /= np.maximum(np.linalg.norm(centroids, axis=1), 1e-12)[:, None]
        cosines = [np.median(vectors[own] @ centroids[k]) for k, own in enumerate(rows)]
        return cls(hits.base, centroids, terms.stems, float(np.median(cosines)))

    def nearest(self, pages: Ids) -> Offsets:
        """The group whose keywords are nearest to each page; -1 if none is near."""
        terms = self.base.term_weights.take(pages)
        column = pc.fill_null(pc.index_in(terms.stems, self.stems), -1).to_numpy()
        known = np.zeros((len(terms.stems), len(self.centroids)))
        known[column >= 0] = self.centroids[:, column[column >= 0]].T
        near = np.asarray(unit_rows(csr_to_scipy(terms.matrix, len(terms.stems))) @ known)
        is_near = near.max(axis=1, initial=0.0) >= max(MIN_JOIN_RATIO * self.typical, 1e-9)
        return np.where(is_near, near.argmax(axis=1), -1)


@dataclass(frozen=True, slots=True, eq=False)
class TopicLinks:
    """The links of a base set, and who votes with them: hosts, or folders of few hosts."""

    outlinks: Any
    indegree: Floats
    outdegree: Floats
    voter: Ids
    hosts_vote: bool
    is_list_page: Flags
    captured: Flags
    names: pa.Array

    @classmethod
    def from_hits(cls, hits: Hits) -> "TopicLinks":
        """The links around some pages."""
        base = hits.base
        names = base.graph.names
        voter = encode_owners(names, "host")[0]
        hosts_vote = len(np.unique(voter[hits.pages])) >= MIN_HOSTS_OF_VOTERS
        if not hosts_vote:
            folders = [
                name.split("?")[0].rstrip("/").rpartition("/")[0] for name in names.to_pylist()
            ]
            voter = np.unique(folders, return_inverse=True)[1].astype(np.int32)
        is_list_page = find_list_pages(base, hits.pages)
        own = [page for page in hits.pages.tolist() if is_index_title(hits.titles[page])]
        is_list_page[own] = True
        return cls(
            csr_to_scipy(base.graph.outlinks, len(base), with_weights=False),
            base.graph.indegrees().astype(float),
            base.graph.outdegrees().astype(float),
            voter,
            hosts_vote,
            is_list_page,
            captured_pages(base),
            names,
        )

    def voted_pages(
        self, hits: Hits, members: Sequence[Offsets], centroids: GroupCentroids
    ) -> list[Ids]:
        """For each topic the captured pages besides the hits that at least three hosts vote for.

        Most votes for such a page are from the topic that its words are nearest to,
        if it has words.
        """
        n = len(self.captured)
        is_candidate = self.captured.copy()
        is_candidate[hits.pages] = False
        votes = np.zeros((len(members), n), np.int64)
        for number, own in enumerate(members if self.hosts_vote else ()):
            pages = hits.pages[own]
            links = self.outlinks[pages].tocoo()
            voter = self.voter[pages[links.row]]
            other = voter != self.voter[links.col]
            pairs = np.unique(voter[other].astype(np.int64) * n + links.col[other])
            votes[number] = np.bincount(pairs % n, minlength=n)
        enough = is_candidate & (votes.max(axis=0, initial=0) >= MIN_HOSTS_FOR_OTHERS)
        pages = np.flatnonzero(enough).astype(np.int32)
        best = votes[:, pages].argmax(axis=0)
        has_words = np.diff(hits.base.term_weights.matrix.starts)[pages] > 0
        agreed = (best == centroids.nearest(pages)) | ~has_words
        return [pages[agreed & (best == number)] for number in range(len(members))]

    def topic(
        self,
        hits: Hits,
        group: HitGroup,
        members: Offsets,
        similarity: Floats,
        voted: Ids,
        about: Floats,
    ) -> Group:
        """Rank the pages of a topic: hits, given as positions, and others that it votes for."""
        own, others = hits.select(members), np.zeros(len(voted))
        pages = np.concatenate([own.pages, voted])
        score = np.concatenate([own.score, others])
        share = about[pages]
        centrality = np.concatenate([_centrality(similarity, group, members), others + 0.5])
        votes = self.vote_scores(pages, np.maximum(score, 1e-3))
        value = SCORE_WEIGHT * np.sqrt(score / max(score.max(initial=0), 1e-12))
        value += SHARE_WEIGHT * share + CENTRE_WEIGHT * centrality + votes
        in_core = np.concatenate([np.isin(members, group.core), np.ones(len(voted), bool)])
        factor = np.where(in_core, 1.0, OUTSIDE_CORE_FACTOR)
        factor *= np.where(self.is_list_page[pages], LIST_PAGE_FACTOR, 1.0)
        factor *= np.where((score == 0) & (share == 0), NOT_ABOUT_QUERY_FACTOR, 1.0)
        factor *= np.where(hits.is_foreign(pages), FOREIGN_FACTOR, 1.0)
        authority = factor * value
        scale = max(authority.max(initial=0), 1e-12)
        authority /= scale
        first = np.argsort(-np.round(authority, 12), kind="stable")[:LISTED_AUTHORITIES]
        hubs, hub_scores = self.hubs(pages[first], authority[first])
        every = np.union1d(pages, hubs).astype(np.int32)
        columns = np.zeros((4, len(every)))
        at = np.searchsorted(every, pages)
        columns[0, at], columns[1, at] = authority, factor * votes / scale
        columns[2, np.searchsorted(every, hubs)] = hub_scores / max(
            hub_scores.max(initial=0), 1e-12
        )
        columns[3, at] = np.maximum(score, 1e-3)  # what a vote of a page is worth
        best = first[:REPRESENTATIVE_PAGES]
        fetch, fetch_votes = self.worth_fetching(own.pages)
        return Group(
            every,
            columns[0],
            columns[2],
            _strength(hits, members, share[best] + np.sqrt(score[best])),
            trust=columns[3],
            vote_score=columns[1],
            uncaptured=fetch,
            uncaptured_votes=fetch_votes,
        )

    def vote_scores(self, pages: Ids, worth: Floats) -> Floats:
        """The votes for each page: links from the others, by hosts or folders.

        A voter counts once for a page, by the worth of its best page, and every
        link half as much again. Pages that are linked from everywhere gain
        less. The best page scores 0.2. With c voters on other hosts a page
        scores another 3 c / (c + 4).
        """
        links = self.outlinks[pages][:, pages].tocoo()
        source, target = self.voter[pages[links.row]], self.voter[pages[links.col]]
        pair = source.astype(np.int64) * len(pages) + links.col
        pairs, first, which = np.unique(pair, return_index=True, return_inverse=True)
        best = np.zeros(len(pairs))
        np.maximum.at(best, which, worth[links.row])
        votes = np.bincount(pairs % len(pages), best, len(pages)).astype(np.float64)
        votes += 0.5 * np.bincount(links.col, worth[links.row], len(pages))
        count = np.bincount(links.col, minlength=len(pages))
        scores: Floats = np.log1p(votes) * np.sqrt((count + 0.5) / (self.indegree[pages] + 5.0))
        scores *= VOTE_WEIGHT / max(scores.max(initial=0), 1e-12)
        if self.hosts_vote:
            is_other = (source != target)[first]
            voters = np.bincount((pairs % len(pages))[is_other], minlength=len(pages))
            scores += HOST_VOTE_WEIGHT * voters / (voters + ENOUGH_VOTERS)
        return scores

    def hubs(self, authorities: Ids, scores: Floats) -> tuple[Ids, Floats]:
        """Captured pages that list at least three of the authorities, and little else."""
        links = self.outlinks[:, authorities]
        listed = np.asarray((links > 0).sum(axis=1)).ravel()
        hub = np.asarray(links @ scores).ravel() / np.sqrt(self.outdegree + 10.0)
        candidates = np.flatnonzero((listed >= MIN_LISTED) & self.captured)
        order = np.argsort(-np.round(hub[candidates], 12), kind="stable")[:MAX_HUBS]
        best = np.sort(candidates[order]).astype(np.int32)
        return best, hub[best]

    def worth_fetching(self, pages: Ids) -> tuple[Ids, Floats]:
        """Uncaptured pages that at least two voters of a topic link to, most votes first."""
        if self.captured.all():
            return np.zeros(0, np.int32), np.zeros(0)
        links = self.outlinks[pages].tocoo()
        fetchable = ~self.captured[links.col]
        row, column = links.row[fetchable], links.col[fetchable]
        pair = np.unique(self.voter[pages[row]].astype(np.int64) * len(self.captured) + column)
        voters = np.bincount(pair % len(self.captured), minlength=len(self.captured))
        found = np.flatnonzero(voters >= MIN_VOTES_TO_FETCH)
        found = found[~np.asarray(pc.match_substring_regex(self.names.take(found), MEDIA_FILE))]
        votes = voters[found] * np.sqrt(voters[found] / (self.indegree[found] + 1.0))
        order = np.argsort(-np.round(votes, 12), kind="stable")[:MAX_WORTH_FETCHING]
        return found[order].astype(np.int32), votes[order].astype(np.float64)


def _strength(hits: Hits, members: Offsets, about: Floats) -> float:
    """How much a searcher may want a topic, given how far its first pages are about the query.

    With a query that is multiplied by the square root of how many of the best
    results are in the topic, of which the r-th counts 1 / (r + 4).
    """
    mean = float(about.mean()) if len(about) else 0.0
    if not hits.base.query:
        return mean
    rank = np.argsort(np.argsort(-np.round(hits.score, 12), kind="stable"), kind="stable")
    return mean * float(np.sqrt((1 / (rank[members] + FIRST_RANK)).sum()))


def _centrality(similarity: Floats, group: HitGroup, members: Offsets) -> Floats:
    """The mean similarity of each page to the core, scaled to one; half for pages that joined."""
    inside = members < len(similarity)
    near = similarity[np.ix_(members[inside], group.core)].mean(axis=1)
    central = np.full(len(members), 0.5)
    central[inside] = near / max(near.max(initial=0), 1e-12)
    return central


def find_list_pages(base: BaseSet, pages: Ids) -> Flags:
    """Which pages of a base set are lists of links: indexes, bookmarks, tables of contents.

    These link to several of the `pages` and repeat hardly any keyword, as text
    does; or have many more links than is usual.
    """
    if not len(pages):
        return np.zeros(len(base), bool)
    terms = base.term_weights.matrix
    weights, rows = np.asarray(terms.weights, float), terms.row_ids()
    lowest = np.full(len(base.term_weights.stems), np.inf)
    np.minimum.at(lowest, terms.ids, weights)
    ratio = weights / np.maximum(lowest[terms.ids], 1e-12)
    repetition = np.bincount(rows, ratio, len(base)) / np.maximum(np.diff(terms.starts), 1)
    outlinks = base.graph.outlinks
    is_hit = np.zeros(len(base), bool)
    is_hit[pages] = True
    listed = np.bincount(outlinks.row_ids(), is_hit[outlinks.ids], len(base))
    degrees = base.graph.outdegrees()
    many = max(MANY_TIMES_USUAL * float(np.median(degrees[pages])), MANY_LINKS)
    repeats_little = (repetition < MAX_LIST_REPETITION) & (degrees >= MIN_LIST_LINKS)
    found: Flags = (repeats_little & (listed >= MIN_LISTED)) | (degrees >= many)
    return found


def find_subtopics(topics: Groups, number: int, max_topics: int, min_size: int) -> Groups:
    """Group the pages of one topic, numbered from one, into topics of their own."""
    hits = Hits.from_base_set(topics.base)
    inside = np.isin(hits.pages, topics[number - 1].members)
    return find_hit_topics(hits.select(np.flatnonzero(inside)), max_topics, min_size)


MaxTopics = Annotated[int, Field(ge=1, le=100, description="maximum number of topics")]
MinSize = Annotated[int, Field(ge=2, description="minimum number of pages in a topic")]
Within = Annotated[
    int, Field(ge=0, le=100, description="find the sub-topics of the topic with this number")
]

MAX_TOPICS_OF_COLLECTION = 12
MIN_KEYWORDS = 12


@method(
    "topics",
    "auto",
    cites="traag2019",
    dimensions=Dimensions(
        model="community",
        metric="similarity",
        algorithm="clustering",
        scope="multiple pages",
        applications=("topic distillation", "web communities"),
        data="links and content",
    ),
)
def auto(
    base: BaseSet, *, max_topics: MaxTopics = 8, min_size: MinSize = 4, within: Within = 0
) -> Groups:
    """Group search results by words and links into topics.

    What is grouped are the hits; the pages around them are evidence. Two hits
    are similar if they share keywords, title words and links. Tight groups of
    similar hits are found by Leiden; those that together cover the hits best
    are the topics, and the other hits join the nearest one or are left as other
    results. Authorities are captured hits that are about the query, central in
    their topic, and linked to by its pages. Hubs are pages that list several
    authorities. Pages that were not captured are no members; those that several
    sites of a topic link to are listed as worth fetching. Where at most sixty
    pages are found, the answer is the list of them, with a line for each topic.

    Without a query the most linked pages of every folder are grouped, into at
    most twelve topics, each with at most `max_topics` sub-topics. Where pages
    have no text, as in plain graphs, `leiden-votes` finds the topics.

    Examples
    --------
    >>> square = [(a, b) for a in "abc" for b in "xyz"]
    >>> found = auto([*square, *((a.upper(), b.upper()) for a, b in square)])
    >>> [" ".join(found.base.pages[page] for page in topic.members) for topic in found]
    ['a x y z b c', 'A X Y Z B C']
    """
    if not has_texts(base):
        if within:
            raise BadParameter("there are sub-topics in pages with text only", hint="omit within")
        found = leiden_votes(base, min_size=min_size)
        return replace(found, method="auto", groups=found.groups[:max_topics])
    is_search = bool((base.origin == ROOT).any())
    limit = max_topics if is_search else max(max_topics, MAX_TOPICS_OF_COLLECTION)
    hits = Hits.from_base_set(base)
    found = find_hit_topics(hits, limit, min_size)
    if within > len(found):
        raise BadParameter(f"there is no topic {within}", hint=f"there are {len(found)}")
    if within:
        return find_subtopics(found, within, max_topics, min_size)
    if is_search:
        return replace(found, results_first=len(hits.pages) <= FEW_RESULTS)
    return add_subtopics(found, max_topics, min_size)


def has_texts(base: BaseSet) -> bool:
    """Whether the median root page has a text: at least twelve keywords."""
    counts = np.diff(base.term_weights.matrix.starts)[base.roots]
    return (
        bool(len(counts))
        and float(np.median(counts[counts > 0] if counts.any() else [0])) >= MIN_KEYWORDS
    )


def add_subtopics(topics: Groups, max_topics: int, min_size: int) -> Groups:
    """Add the sub-topics of each topic."""
    with_subtopics = [
        replace(
            topic,
            subgroups=tuple(
                _restrict_to(part, topic)
                for part in find_subtopics(topics, number, max_topics, min_size)
            ),
        )
        for number, topic in enumerate(topics, start=1)
    ]
    return replace(topics, groups=tuple(with_subtopics))


def _restrict_to(part: Group, topic: Group) -> Group:
    """A sub-topic without the pages that votes brought in and that are not in the topic."""
    kept = np.isin(part.members, topic.members)
    votes = part.vote_score
    return replace(
        part,
        members=part.members[kept],
        authority=part.authority[kept],
        hub=part.hub[kept],
        vote_score=None if votes is None else votes[kept],
    )
