"""Reputation: which pages are known for a topic, and for which topics a page is known."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log
from typing import Annotated, Literal

import numpy as np
import pyarrow as pa
from pydantic import Field

from weft.core.arrays import CSR, Flags, Floats
from weft.core.errors import BadParameter
from weft.core.json import JsonObject, to_json_value
from weft.core.params import MaxIter, Tol
from weft.core.register import Dimensions, method, validate_call
from weft.core.tables import Tabular
from weft.engine import Trace, neumann_series, operator_from_csr, safe_power
from weft.graph.baseset.baseset import BaseSet
from weft.graph.webgraph import WebGraph
from weft.rank.ranking import Contributions, Ranking, unique_certainty
from weft.rank.teleport import NO_PAGES
from weft.rank.term_matrix import find_terms
from weft.store.tokens import is_stop_word, stem_text

MAX_PHRASE_WORDS, MAX_PHRASE_TOKENS = 4, 6
MAX_TEXT_CHARS = 300
MIN_LIFT = 2
MIN_LOG_LIKELIHOOD_RATIO = 10.83  # p = 0.001 of chi-squared with one degree of freedom
MIN_MENTIONS = 2
MIN_ALONE_SHARE = 1 / 3
MAX_CANDIDATES, MAX_KEYWORDS = 100, 30
LANGUAGE = "en"
ADDRESS = re.compile(r"@|://|^www\.")
INITIAL = r"\b[^\W\d_]\.(?=\s)"
TOKEN = re.compile(rf"{INITIAL}|\w+(?:[-.'\u2019&]\w+)*|\S")
POSSESSIVE = re.compile("['\u2019]s?$")
TWO_LETTERS = re.compile(r"[^\W\d_].*[^\W\d_]")

StemKey = tuple[str, ...]
TopicPages = Annotated[
    list[str],
    Field(description="pages on the topic, by URL; default: all with the query words"),
]
Levels = Annotated[
    int, Field(ge=1, le=2, description="1: follow links; 2: forward and backward in turn")
]
JumpProbability = Annotated[
    float, Field(gt=0, lt=1, description="probability of jumping to a page on the topic")
]
LeakOrJump = Annotated[
    Literal["leak", "jump"],
    Field(description="dangling pages: lose the score (leak), or jump: scores sum to one"),
]
Terms = Annotated[
    list[Annotated[str, Field(pattern=r"\w")]],
    Field(description="words or phrases to score; default: keywords by contrast"),
]
NO_TERMS = list[str]()
MinDf = Annotated[int, Field(ge=1, description="ignore words on fewer pages")]
WalkResult = tuple[dict[str, Floats], dict[str, Contributions], Trace]


@dataclass(frozen=True, slots=True)
class ContrastingTexts:
    """Texts about a page, and texts of the same sort about other pages with their counts."""

    own: Sequence[str]
    others: Mapping[str, int]

    def count_mentions(self) -> Counter[StemKey]:
        """How many of the texts about the page have each phrase."""
        return Counter(key for text in self.own for key in find_phrases(text))

    def contrast(self) -> dict[StemKey, float]:
        """The log-likelihood ratio of each phrase of the page against the other texts."""
        mentions, elsewhere = self.count_mentions(), Counter[StemKey]()
        for text, count in self.others.items():
            for key in find_phrases(text).keys() & mentions.keys():
                elsewhere[key] += count
        own, others = len(self.own), sum(self.others.values())
        return {
            key: log_likelihood_ratio(count, own, elsewhere[key], others)
            for key, count in mentions.items()
        }


def find_keywords(base: BaseSet, page: int) -> list[str]:
    """The phrases that are typical of the texts about a page, most typical first.

    These texts are the anchor texts of links to the page, the titles of the
    pages that link to it, and its own title; each sort is compared with the
    same sort for all other pages of the base set, and the log-likelihood ratios
    are added up. A phrase counts where its share is at least twice that among
    the others, if two texts or the own title have it. Phrases that mostly occur
    inside longer keywords are left out; forms of one stem count together.
    """
    anchors, titles, own_title = texts_about(base, page)
    scores, mentions = Counter[StemKey](), Counter[StemKey]()
    for texts in (anchors, titles, own_title):
        scores.update(texts.contrast())  # adds
        mentions.update(texts.count_mentions())
    min_mentions = min(MIN_MENTIONS, len(base.graph.inlinks.row(page)))
    in_title = own_title.count_mentions()
    typical = [
        key
        for key, score in sorted(scores.items(), key=lambda item: (-round(item[1], 9), item[0]))
        if score >= MIN_LOG_LIKELIHOOD_RATIO and (mentions[key] >= min_mentions or key in in_title)
    ]
    texts_with_phrases = [
        find_phrases(text) for texts in (anchors, titles, own_title) for text in texts.own
    ]
    kept = _drop_parts_of_phrases(typical[:MAX_CANDIDATES], texts_with_phrases)
    return _most_common_forms(kept[:MAX_KEYWORDS], texts_with_phrases)


def texts_about(
    base: BaseSet, page: int
) -> tuple[ContrastingTexts, ContrastingTexts, ContrastingTexts]:
    """The anchor texts of links to a page, the titles of pages that link to it, its own title."""
    linking = base.graph.inlinks.row(page)
    titles = base.titles or [""] * len(base)
    own = [titles[page]] if titles[page] else []
    linking_titles = [titles[source] for source in linking.tolist() if titles[source]]
    others = Counter(filter(None, titles))
    others.subtract(own)
    unrelated = others.copy()
    unrelated.subtract(linking_titles)
    return (
        _anchors_about(base, page),
        ContrastingTexts(linking_titles, unrelated),
        ContrastingTexts(own, others),
    )


def _anchors_about(base: BaseSet, page: int) -> ContrastingTexts:
    """The anchor texts of links to a page, parallel links as one text, and of all other links."""
    rows = base.graph.outlinks
    sources = np.repeat(np.arange(len(base), dtype=np.int32), np.diff(rows.starts))
    targets = np.asarray(rows.ids)
    offsets, anchors = base.anchor_texts(sources, targets)
    coded = anchors if isinstance(anchors, pa.DictionaryArray) else anchors.dictionary_encode()
    texts, codes = coded.dictionary.to_pylist(), np.asarray(coded.indices)
    by_link = np.repeat(targets == page, np.diff(offsets))
    counts = np.bincount(codes[~by_link], minlength=len(texts)).tolist()
    own = (
        " | ".join(texts[code] for code in codes[offsets[link] : offsets[link + 1]].tolist())
        for link in np.flatnonzero(targets == page).tolist()
    )
    others = {text: count for text, count in zip(texts, counts, strict=True) if text and count}
    return ContrastingTexts([text for text in own if text.strip(" |")], others)


def find_phrases(text: str) -> dict[StemKey, str]:
    """The phrases of up to four words in a text, by the stems of their words.

    A phrase does not cross punctuation, and neither begins nor ends with a stop
    word or an initial. Addresses are left out.

    Examples
    --------
    >>> list(find_phrases("The History of Cars - Home Page").values())
    ['history', 'history of cars', 'cars']
    """
    parts = text[:MAX_TEXT_CHARS].casefold().split()
    tokens = TOKEN.findall(" ".join("|" if ADDRESS.search(part) else part for part in parts))
    words = [_analyse_token(token) for token in tokens]
    phrases: dict[StemKey, str] = {}
    for first, (_, stem) in enumerate(words):
        if stem:
            phrases |= _phrases_from(words[first : first + MAX_PHRASE_TOKENS])
    return phrases


def _phrases_from(words: Sequence[tuple[str, str]]) -> dict[StemKey, str]:
    """The phrases that begin with the first of some words."""
    phrases: dict[StemKey, str] = {}
    forms = list[str]()
    key: StemKey = ()
    for form, stem in words:
        if not form or len(key) == MAX_PHRASE_WORDS:
            break
        forms.append(form)
        if stem:
            key = (*key, stem)
            phrase = " ".join(forms)
            if TWO_LETTERS.search(phrase):
                phrases[key] = phrase
    return phrases


@lru_cache(1 << 16)
def _analyse_token(token: str) -> tuple[str, str]:
    """The form and the stem of a word; no stem for stop words and initials, none for signs."""
    form = POSSESSIVE.sub("", token)
    if not re.match(r"\w", form):
        return "", ""
    if form.endswith(".") or is_stop_word(form, LANGUAGE):
        return form, ""
    return form, " ".join(stem_text(form, LANGUAGE))


def log_likelihood_ratio(own: int, own_total: int, others: int, others_total: int) -> float:
    """Dunning's G² of a phrase in `own` of `own_total` texts and `others` of `others_total`.

    It is 0 where the share among the own texts is less than twice that among the
    others.

    Examples
    --------
    >>> round(log_likelihood_ratio(2, 2, 0, 2), 4)  # 4 ln 2 + 4 ln 2
    5.5452
    >>> log_likelihood_ratio(2, 4, 2, 4)
    0.0
    """
    if not own or own * others_total < MIN_LIFT * others * own_total:
        return 0.0
    share = (own + others) / (own_total + others_total)
    cells = (
        (own, own_total * share),
        (own_total - own, own_total * (1 - share)),
        (others, others_total * share),
        (others_total - others, others_total * (1 - share)),
    )
    return 2 * sum(observed * log(observed / expected) for observed, expected in cells if observed)


def _drop_parts_of_phrases(
    keys: Sequence[StemKey], texts: Iterable[Mapping[StemKey, str]]
) -> list[StemKey]:
    """Drop phrases that stand alone, outside longer ones of `keys`, in few of their texts."""
    parts = {key: {other for other in keys if _is_part(other, key)} for key in keys}
    mentions, alone = Counter[StemKey](), Counter[StemKey]()
    for phrases in texts:
        present = phrases.keys() & parts.keys()
        mentions.update(present)
        alone.update(present.difference(*(parts[key] for key in present)))
    return [key for key in keys if alone[key] >= MIN_ALONE_SHARE * mentions[key]]


def _is_part(key: StemKey, longer: StemKey) -> bool:
    size = len(key)
    return size < len(longer) and any(
        longer[first : first + size] == key for first in range(len(longer) - size + 1)
    )


def _most_common_forms(
    keys: Sequence[StemKey], texts: Iterable[Mapping[StemKey, str]]
) -> list[str]:
    counts = {key: Counter[str]() for key in keys}
    for phrases in texts:
        for key in phrases.keys() & counts.keys():
            counts[key][phrases[key]] += 1
    return [min(forms, key=lambda form: (-forms[form], form)) for forms in counts.values()]


@method(
    "rank",
    "reputation",
    cites="rafiei2000",
    dimensions=Dimensions(
        model="Markov model",
        metric="page reputation",
        algorithm="PageRank",
        scope="single page",
        applications=("topic distillation", "page categorisation"),
        data="links and content",
    ),
)
def reputation(
    base: BaseSet,
    *,
    topic: TopicPages = NO_PAGES,
    levels: Levels = 2,
    jump_probability: JumpProbability = 0.1,
    dangling: LeakOrJump = "leak",
    tol: Tol = 1e-10,
    max_iter: MaxIter = 1000,
) -> Ranking:
    """Score each page by how often surfers on a topic visit it.

    Random surfers start on the pages that have all words of the query, and
    jump back to one with `jump_probability`. With one level they follow links.
    With two they follow links forward and backward in turn: the authority of a
    page counts visits by forward steps, its hub score visits by backward steps.
    Visits to dead ends are lost, so that scores of different topics compare;
    with `dangling=jump` the surfers jump, which scales the scores to sum one.
    If no page is on the topic, all scores are zero; without query and topic
    every page is on it.

    Examples
    --------
    >>> reputation([("a", "x"), ("b", "x"), ("b", "y")], topic=["a"])
    <Ranking of 4 pages by reputation, led by x>
    """
    on_topic = topic_page_mask(base, topic)
    teleport = on_topic / max(on_topic.sum(), 1)
    walk = _two_level_walk if levels == 2 else _one_level_walk
    scores, contributions, trace = walk(base.graph, teleport, jump_probability, tol, max_iter)
    if dangling == "jump":
        total = sum(float(values.sum()) for values in scores.values())
        factor = 1 / total if total else 1.0
        scores = {name: values * factor for name, values in scores.items()}
        contributions = {name: c.multiply(factor) for name, c in contributions.items()}
    empty = len(base) and not on_topic.any()
    return Ranking(
        "reputation",
        base.pages,
        scores,
        trace,
        unique_certainty("no page is on the topic: all scores are zero" if empty else ""),
        contributions,
        {"topic pages": int(on_topic.sum())},
    )


def topic_page_mask(base: BaseSet, topic: list[str] = NO_PAGES) -> Flags:
    """Which pages are on the topic: the given ones, or those with all terms of the query.

    Without texts, those with a positive text score.
    """
    if topic:
        given: Flags = np.zeros(len(base), bool)
        given[base.graph.page_numbers(topic)] = True
        return given
    if not base.query or not any(base.texts):
        return base.text_score > 0
    has_all_terms: Flags = np.logical_and.reduce(find_terms(base.texts, base.query_terms))
    return has_all_terms


def _one_level_walk(
    graph: WebGraph, teleport: Floats, jump_probability: float, tol: float, max_iter: int
) -> WalkResult:
    """Personalised PageRank that leaks at dead ends."""
    transition_weights = (1 - jump_probability) * safe_power(graph.outdegrees(), -1)
    visits, trace = neumann_series(
        graph.operator(),
        jump_probability * teleport,
        transition_weights,
        tol,
        max_iter,
        "reputation",
        damping=1 - jump_probability,
    )
    contributions = Contributions(
        graph.inlinks,
        transition_weights * visits,
        other_sources={"jumps": jump_probability * teleport},
    )
    return {"score": visits}, {"score": contributions}, trace


def _two_level_walk(
    graph: WebGraph, teleport: Floats, jump_probability: float, tol: float, max_iter: int
) -> WalkResult:
    """The walk on two copies of each page: authorities (first n), which lead back to hubs."""
    n, half = len(graph), jump_probability / 2 * teleport
    links = _two_level_adjacency(graph)
    degrees = np.diff(links.starts).astype(np.float64)
    transition_weights = (1 - jump_probability) * safe_power(degrees, -1)
    visits, trace = neumann_series(
        operator_from_csr(links, links),  # symmetric
        np.concatenate([half, half]),
        transition_weights,
        tol,
        max_iter,
        "reputation",
        damping=1 - jump_probability,
    )
    passed_on, jumps = transition_weights * visits, {"jumps": half}
    scores = {"authority": visits[:n], "hub": visits[n:]}
    contributions = {
        "authority": Contributions(graph.inlinks, passed_on[n:], other_sources=jumps),
        "hub": Contributions(graph.outlinks, passed_on[:n], other_sources=jumps),
    }
    return scores, contributions, trace


def _two_level_adjacency(graph: WebGraph) -> CSR:
    """The block matrix [[0, A'], [A, 0]]: authorities lead back to hubs, hubs to authorities."""
    out, into = graph.outlinks, graph.inlinks
    starts = np.concatenate([into.starts, into.starts[-1] + out.starts[1:]])
    return CSR(starts, np.concatenate([into.ids + np.int32(len(graph)), out.ids]))


@dataclass(frozen=True, slots=True, eq=False)
class KnownFor(Tabular):
    """The words and phrases that a page is known for.

    `reputation` is the score of the one-level walk with the term as topic,
    `penetration` the share of pages with the term that link to the page, and
    `focus` the share of pages that link to it that have the term.
    """

    page: str
    table: pa.Table

    def to_table(self) -> pa.Table:
        """One row per term, best first, with its measures and how many pages have it."""
        return self.table

    def to_document(self, top: int | None = None) -> JsonObject:
        """The one JSON of it: the page, and its first terms with their measures."""
        rows = self.table.slice(0, top).to_pylist()
        return {"page": self.page, "rows": to_json_value(rows)}

    def __len__(self) -> int:
        return len(self.table)

    def __repr__(self) -> str:
        lead = ", ".join(self.table["term"].slice(0, 3).to_pylist())
        return f"<{self.page}: known for {lead or 'nothing'}>"


@validate_call
def known_for(
    base: BaseSet,
    page: str,
    *,
    terms: Terms = NO_TERMS,
    jump_probability: JumpProbability = 0.1,
    min_pages: MinDf = 2,
) -> KnownFor:
    """Find the words and phrases for which a page has the highest reputation.

    The terms are those given, or the keywords of the page: phrases of anchor
    texts and titles that are used for it more than for others. One backward walk
    from the page gives its reputation for all of them. Only terms on pages that
    link to it count: a page is known for what others say. Terms on fewer than
    `min_pages` pages are ignored. The order is by reputation times focus, so
    that a term of many linking pages precedes one of few.
    """
    texts = base.texts
    if not any(texts):
        raise BadParameter(
            "the words a page is known for need texts",
            hint="use a base set from a collection of captured pages",
        )
    graph = base.graph
    page_id = int(graph.page_numbers([page])[0])
    names = terms or find_keywords(base, page_id)
    titled = map("\n".join, zip(base.titles, texts, strict=True)) if base.titles else texts
    has_term = find_terms(list(titled), names)
    visits = jump_probability * _expected_visits_to_page(graph, page_id, jump_probability)
    sources, pages = graph.inlinks.row(page_id), has_term.sum(axis=1)
    linking = has_term[:, sources].sum(axis=1)
    known = (pages >= min_pages) & (linking > 0)
    pages, linking = pages[known], linking[known]
    table = pa.table(
        {
            "term": pa.array(np.array(names, object)[known], pa.string()),
            "reputation": has_term[known] @ visits / pages,
            "penetration": linking / pages,
            "focus": linking / max(len(sources), 1),
            "pages": pages,
        }
    )
    return KnownFor(page, _sort_by_reputation_and_focus(table))


def _expected_visits_to_page(graph: WebGraph, page_id: int, jump_probability: float) -> Floats:
    """The expected visits to one page before the next jump, by the page of the start.

    The column of (I - (1-d) P)^-1 for that page, with d the jump probability
    and P the transition matrix, summed along reversed links.
    """
    transition_weights = (1 - jump_probability) * safe_power(graph.outdegrees(), -1)
    target = np.zeros(len(graph))
    target[page_id] = 1.0
    reverse = operator_from_csr(graph.inlinks, graph.outlinks)
    later_visits, _ = neumann_series(
        reverse,
        reverse.rmatvec(target),
        transition_weights,
        1e-12,
        10_000,
        "known for",
        damping=1 - jump_probability,
    )
    return target + transition_weights * later_visits


def _sort_by_reputation_and_focus(table: pa.Table) -> pa.Table:
    """Sort by the product of both, to twelve digits, then by term."""
    products = table["reputation"].to_numpy() * table["focus"].to_numpy()
    digits = np.round(products / products.max(initial=1e-300), 12)
    terms = table["term"].to_pylist()
    order = sorted(range(len(terms)), key=lambda k: (-digits[k], terms[k]))
    return table.take(pa.array(order, pa.int64()))
