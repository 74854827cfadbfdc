"""Categorisation by context: what pages say of a page where they link to it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from weft.classify.classes import Classes
from weft.classify.folds import estimate_from_held_out
from weft.classify.labelled_pages import LabelledPages
from weft.classify.link_method import classify_with_links
from weft.classify.text import (
    Documents,
    check_classes,
    fit_documents,
    has_words,
    learn_naive_bayes,
)
from weft.core.arrays import Floats, Ids
from weft.core.errors import BadParameter
from weft.core.register import Dimensions, method
from weft.core.text import pluralise
from weft.store.tokens import find_stop_words

Categories = Annotated[
    list[str],
    Field(description="classify without examples by NAME, or NAME=WORDS; repeatable"),
]
MinScore = Annotated[float, Field(ge=0, le=10, description="least score for a category")]
NO_CATEGORIES: list[str] = []
MIN_SCORE, DESCENT = 0.1, 0.8
MAX_LEVELS, MAX_LEVEL_CHARS = 6, 200
MAX_WORDS = 20
WORD = re.compile(r"[^\W_]+")


@method(
    "classify",
    "link-context",
    cites="attardi1999",
    dimensions=Dimensions(
        model="direct and indirect reference",
        metric="term weights",
        algorithm="supervised learning",
        scope="multiple pages",
        applications=("page categorisation",),
        data="links and document structure",
    ),
)
def link_context(
    labelled: LabelledPages,
    /,
    *,
    categories: Categories = NO_CATEGORIES,
    min_score: MinScore = MIN_SCORE,
) -> Classes:
    """Classify pages by the anchors and words of links to them.

    The context of a link is a list of texts from its anchor outward. Each level
    counts half as much as the one before, links of one site count once, and
    anchors such as *click here* not at all. With examples, naive Bayes learns
    from contexts as from texts. With `categories`, which may be a tree such as
    science/physics, contexts are compared with the names and words of these, and
    nothing is learned; examples then only measure how well that does. Pages
    without a context are classified by their words, or by nothing.

    Examples
    --------
    >>> pages = LabelledPages.from_lists(
    ...     ["hub", "x", "y"],
    ...     ["", "", ""],
    ...     ["", "", ""],
    ...     links=[("hub", "x", "football scores"), ("hub", "y", "click here")],
    ... )
    >>> found = link_context(pages, categories=["sport=football goal", "money=bank loan"])
    >>> {page.page: page.class_ for page in found if page.certainty > 0.5}
    {'x': 'sport'}
    """
    if categories:
        return classify_by_names(labelled, CategoryTree.parse(categories), min_score)
    contexts = read_context_documents(labelled) if len(labelled) else Documents([], {}, "")
    has_context = np.array([bool(stems.strip()) for stems in contexts.stems], bool)
    learn = partial(learn_naive_bayes, max_words=MAX_WORDS)

    def run(known: LabelledPages, text: Floats, numbers: Ids) -> Floats:
        examples, found = contexts.take(known.training_ids), text.copy()
        if not has_words(examples):
            return found
        model = fit_documents(examples, known.training_classes, learn)
        found[has_context] = 0.0
        places = np.ix_(np.flatnonzero(has_context), np.unique(numbers))
        found[places] = model.document_probabilities(contexts.take(places[0].ravel()))
        return found

    examples = contexts.take(labelled.training_ids)
    if not has_words(examples):
        return classify_with_links(labelled, "link-context", run)
    check_classes(labelled.training_classes)
    model = fit_documents(examples, labelled.training_classes, learn)

    def explain(ids: Ids, numbers: Ids, n: int) -> list[list[str]]:
        return model.document_reasons(contexts.take(ids), n, numbers)

    return classify_with_links(labelled, "link-context", run, explain=explain)


def read_context_documents(labelled: LabelledPages) -> Documents:
    """One document for each page: the words of its contexts, level l repeated 2^(L-l) times."""
    texts, languages = list[str](), list[str]()
    for ids in labelled.batches(np.arange(len(labelled), dtype=np.int32)):
        own = read_languages_of(labelled, ids)
        languages += own
        for levels in merge_contexts(labelled, ids, own):
            repeats = [1 << (MAX_LEVELS - 1 - k) for k in range(MAX_LEVELS)]
            parts = [
                text for site in levels for k, text in enumerate(site) for _ in range(repeats[k])
            ]
            texts.append("\n".join(filter(None, parts)))
    return Documents.from_texts(texts, languages)


def read_languages_of(labelled: LabelledPages, ids: Ids) -> list[str]:
    """The languages of some pages, for the words of links to them."""
    return list(labelled.read_languages(ids))


def merge_contexts(
    labelled: LabelledPages, ids: Ids, languages: Sequence[str]
) -> list[list[list[str]]]:
    """For each page and each site that links to it, the distinct texts of each level.

    Anchors that consist of stop words, as *click here* or *home*, are left out.
    """
    found = list[list[list[str]]]()
    for contexts, language in zip(labelled.read_contexts(ids), languages, strict=True):
        by_site: dict[str, list[dict[str, None]]] = {}
        for context in contexts:
            levels = by_site.setdefault(context.site, [{} for _ in range(MAX_LEVELS)])
            for level, text in zip(levels, context.levels, strict=False):
                level[text[:MAX_LEVEL_CHARS]] = None
        found.append(
            [
                [
                    " ".join(text for text in level if says_something(text, language))
                    for level in site
                ]
                for site in by_site.values()
            ]
        )
    return found


def says_something(text: str, language: str) -> bool:
    """Whether a text has a word that is no stop word of its language or of the web.

    Examples
    --------
    >>> [says_something(text, "en") for text in ("Click here", "Home", "Jaguar home", "")]
    [False, False, True, False]
    """
    words = WORD.findall(text.lower())
    return bool(words) and len(find_stop_words(words, language or "en")) < len(set(words))


@dataclass(frozen=True, slots=True, eq=False)
class CategoryTree:
    """Categories with the words of each; `parents` are numbers, -1 for those at the top."""

    names: tuple[str, ...]
    words: tuple[str, ...]
    parents: tuple[int, ...]

    @classmethod
    def parse(cls, categories: Sequence[str]) -> "CategoryTree":
        """Read `NAME` or `NAME=WORDS`; the words of a category are also words of those above it.

        Examples
        --------
        >>> tree = CategoryTree.parse(["science/physics=quark", "sport"])
        >>> list(zip(tree.names, tree.words))[:2]
        [('science', 'science physics quark'), ('science/physics', 'physics quark')]
        """
        words: dict[str, list[str]] = {}
        for category in categories:
            name, _, more = category.partition("=")
            steps = [step.strip() for step in name.split("/") if step.strip()]
            if not steps:
                raise BadParameter(
                    f"the category {category!r} has no name", hint="write NAME or NAME=WORDS"
                )
            for k in range(len(steps)):
                words.setdefault("/".join(steps[: k + 1]), [steps[k]])
            for k in range(len(steps)):
                below = [*steps[k + 1 :], more] if k + 1 < len(steps) else [more]
                words["/".join(steps[: k + 1])] += below
        names = tuple(words)
        if len(names) < 2:
            raise BadParameter(
                f"there is only the category {names[0]!r}", hint="give at least two categories"
            )
        number = {name: k for k, name in enumerate(names)}
        parents = tuple(number.get(name.rpartition("/")[0], -1) for name in names)
        texts = tuple(" ".join(dict.fromkeys(" ".join(own).split())) for own in words.values())
        return cls(names, texts, parents)

    def children(self, parent: int) -> list[int]:
        """The categories right below one, or at the top for -1."""
        return [k for k, above in enumerate(self.parents) if above == parent]


def classify_by_names(labelled: LabelledPages, tree: CategoryTree, min_score: float) -> Classes:
    """Put each page into the category whose name and words its contexts resemble most.

    In a tree, the search goes down as long as a child has at least 80 % of the
    score of its parent.
    """
    scores = np.concatenate(
        [
            np.zeros((0, len(tree.names))),
            *(
                score_contexts(labelled, ids, tree)
                for ids in labelled.batches(np.arange(len(labelled), dtype=np.int32))
            ),
        ]
    )
    chosen = choose_categories(scores, tree, min_score)
    probabilities = category_shares(scores, chosen, tree)
    ids = labelled.unlabelled_ids
    missing = int((chosen[ids] < 0).sum())
    if missing:
        note = f"{pluralise(missing, 'page')} without a context that fits a category"
        labelled = replace(labelled, notes=(*labelled.notes, note))
    known = np.array([name in tree.names for name in labelled.training_classes], bool)
    estimate = None
    if known.any():
        own = labelled.training_ids[known]
        numbers = np.array([tree.names.index(labelled.classes[k]) for k in own.tolist()], np.int32)
        estimate = estimate_from_held_out(numbers, probabilities[own], np.zeros(len(own), np.int32))
    return Classes("link-context", labelled, None, probabilities[ids], estimate, names=tree.names)


def score_contexts(labelled: LabelledPages, ids: Ids, tree: CategoryTree) -> Floats:
    """The sum over sites and levels l of 2^-l times the cosine of the level with each category."""
    from sklearn.feature_extraction.text import CountVectorizer  # noqa: PLC0415  slow to import
    from sklearn.preprocessing import normalize  # noqa: PLC0415

    languages = read_languages_of(labelled, ids)
    rows, texts, weights, codes = list[int](), list[str](), list[float](), list[str]()
    for row, sites in enumerate(merge_contexts(labelled, ids, languages)):
        for levels in sites:
            for k, text in enumerate(levels):
                if text:
                    rows.append(row)
                    texts.append(text)
                    weights.append(0.5**k)
                    codes.append(languages[row])
    scores = np.zeros((len(ids), len(tree.names)))
    if not texts:
        return scores
    documents = Documents.from_texts(texts, codes)
    names = Documents.from_texts(tree.words, (), documents.main_stemmer)
    counter = CountVectorizer(analyzer=str.split)
    if not has_words(names):
        return scores
    counts: Any = counter.fit_transform([*names.stems, *documents.stems])
    vectors = normalize(counts.astype(float))
    cosines = (vectors[len(tree.names) :] @ vectors[: len(tree.names)].T).toarray()
    np.add.at(scores, np.array(rows), cosines * np.array(weights)[:, None])
    return scores


def choose_categories(scores: Floats, tree: CategoryTree, min_score: float) -> Ids:
    """The category of each row of scores, or -1."""
    top = np.array(tree.children(-1))
    best = top[scores[:, top].argmax(axis=1)]
    at = np.arange(len(scores))
    chosen = np.where(scores[at, best] >= max(min_score, 1e-12), best, -1)
    for parent in range(len(tree.names)):  # parents come before their children
        children = np.array(tree.children(parent))
        here = np.flatnonzero(chosen == parent)
        if len(children) and len(here):
            child = children[scores[np.ix_(here, children)].argmax(axis=1)]
            goes_down = scores[here, child] >= DESCENT * scores[here, parent]
            chosen[here[goes_down]] = child[goes_down]
    return chosen.astype(np.int32)


def category_shares(scores: Floats, chosen: Ids, tree: CategoryTree) -> Floats:
    """Probabilities: the score of the category divided by that of it and its rivals.

    Rivals are all categories but those above and below it, and count at most as
    much. A page without a category has even probabilities.
    """
    count = len(tree.names)
    found = np.full(scores.shape, 1 / count)
    for k in np.unique(chosen[chosen >= 0]).tolist():
        rows = np.flatnonzero(chosen == k)
        is_rival = np.array([_are_rivals(tree.names[k], name) for name in tree.names])
        own = scores[rows, k][:, None]
        shares = np.where(is_rival, np.minimum(scores[rows], own * (1 - 1e-9)), 0.0)
        shares[:, k] = own[:, 0]
        found[rows] = shares / shares.sum(axis=1, keepdims=True)
    return found


def _are_rivals(one: str, other: str) -> bool:
    return not (f"{one}/".startswith(f"{other}/") or f"{other}/".startswith(f"{one}/"))
