"""Classify texts by their words: multinomial naive Bayes, and logistic regression on TF-IDF."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pydantic import Field

from weft.core.arrays import Floats, Ids, Offsets
from weft.core.errors import BadParameter, UnknownName
from weft.core.progress import track
from weft.core.text import pluralise
from weft.store.term_weights import TITLE_REPEATS
from weft.store.tokens import UNSTEMMED, StemmedTexts, stemmer_code

Sparse = Any  # a SciPy CSR matrix: texts by stems
Smoothing = Annotated[
    float, Field(gt=0, le=1000, description="added to the count of every word in every class")
]
MaxWords = Annotated[
    int, Field(ge=1, le=10**6, description="longer texts count as this many words")
]
Cost = Annotated[
    float, Field(gt=0, le=10**6, description="cost of training errors: the inverse of the penalty")
]
Teleport = Annotated[
    float, Field(gt=0, lt=1, description="how much a page keeps of its own words or class")
]
SMOOTHING, MAX_WORDS, COST = 0.1, 20, 20.0
TEXTS_PER_BATCH = 1 << 10
MAX_TEXT_CHARS = 1 << 18
MAX_FOLDS = 5
MAX_CLASSES = 1000
MAX_ITER, TOL = 10_000, 1e-3
MAX_SCORE = 500.0


def text_of_page(title: str, text: str) -> str:
    """The text that a page is classified by: its title three times, then its text."""
    return "\n".join([*[title] * TITLE_REPEATS, text[:MAX_TEXT_CHARS]])


@dataclass(frozen=True, slots=True, eq=False)
class Documents:
    """Texts as stems, separated by spaces, and the most common form of each stem.

    A text in a language without a stemmer, or in an unknown one, is stemmed by
    `main_stemmer`: by default the most common one of the texts.
    """

    stems: list[str]
    forms: Mapping[str, str]
    main_stemmer: str

    @classmethod
    def from_texts(
        cls, texts: Sequence[str], languages: Sequence[str] = (), main_stemmer: str = ""
    ) -> "Documents":
        """Stem texts as in the index, given the language code of each, or of none."""
        if languages and len(languages) != len(texts):
            counts = f"{pluralise(len(texts), 'text')} but {pluralise(len(languages), 'language')}"
            raise BadParameter(f"there are {counts}", hint="give one language for each text")
        codes = [stemmer_code(language) for language in languages]
        counts_by_code = Counter(code for code in codes if code != UNSTEMMED).most_common(1)
        main = main_stemmer or (counts_by_code[0][0] if counts_by_code else UNSTEMMED)
        stemmers = [main if code == UNSTEMMED else code for code in codes] or [main] * len(texts)
        stems, forms = [""] * len(texts), dict[str, tuple[int, str]]()
        for stemmer in sorted(set(stemmers)):
            own = [k for k, code in enumerate(stemmers) if code == stemmer]
            for start in range(0, len(own), TEXTS_PER_BATCH):
                batch = own[start : start + TEXTS_PER_BATCH]
                stemmed = StemmedTexts.from_texts(
                    pa.array([texts[k] for k in batch], pa.string()), stemmer
                )
                for k, joined in zip(batch, stemmed.to_strings(), strict=True):
                    stems[k] = joined
                _count_forms(stemmed, forms)
        return cls(stems, {stem: form for stem, (_, form) in forms.items()}, main)

    def take(self, ids: Ids | Offsets) -> "Documents":
        """Some of the documents."""
        return Documents([self.stems[k] for k in ids.tolist()], self.forms, self.main_stemmer)

    def __len__(self) -> int:
        return len(self.stems)


def _count_forms(stemmed: StemmedTexts, forms: dict[str, tuple[int, str]]) -> None:
    """Note the form of each stem that is most common in one batch of texts."""
    split, stems = stemmed.split, stemmed.vocabulary.stems.to_pylist()
    counts = np.bincount(split.piece_ids.to_numpy(), minlength=len(split.pieces))
    ids = stemmed.vocabulary_ids.tolist()
    for k, piece in enumerate(split.pieces.to_pylist()):
        stem = stems[ids[k]].rstrip()
        found = int(counts[k]), piece
        if stem and " " not in stem and found > forms.get(stem, (0, "")):
            forms[stem] = found


class LinearScores(NamedTuple):
    """What a learner finds: scores of classes are `weigh(counts) @ weights.T + intercepts`."""

    weigh: Callable[[Sparse], Sparse]
    weights: Floats
    intercepts: Floats
    to_probabilities: Callable[[Floats], Floats]

    def probabilities(self, counts: Sparse, prior: Floats) -> Floats:
        """The probability of each class for counts of stems; the prior where there are none."""
        scores = self.weigh(counts) @ self.weights.T + self.intercepts
        found = self.to_probabilities(np.asarray(scores))
        found[np.diff(counts.indptr) == 0] = prior
        return found


Learner = Callable[[Sparse, Ids], LinearScores]


@dataclass(frozen=True, slots=True, eq=False)
class TextModel:
    """A classifier of texts; `prior` is the share of each class in the training texts.

    `centroids` are the mean weighted stems of each class. A text without a
    known word has the prior as its probabilities.
    """

    classes: tuple[str, ...]
    prior: Floats
    stems: npt.NDArray[np.str_]
    count_stems: Callable[[list[str]], Sparse]
    forms: Mapping[str, str]
    main_stemmer: str
    scores: LinearScores
    centroids: Floats

    def probabilities(self, texts: Sequence[str], languages: Sequence[str] = ()) -> Floats:
        """The probability of each class, a row per text, a column per class."""
        return self.document_probabilities(
            Documents.from_texts(texts, languages, self.main_stemmer)
        )

    def document_probabilities(self, documents: Documents) -> Floats:
        """The probability of each class for texts that are stemmed already."""
        return self.scores.probabilities(self.count_stems(documents.stems), self.prior)

    def keywords(self, class_: str, n: int = 10) -> list[str]:
        """The words that contribute most to a class on its training texts, best first.

        The contribution of a word is its weight in the text times the difference
        between its weights in the class and in the average of the other classes.
        """
        if class_ not in self.classes:
            raise UnknownName("class", class_, self.classes)
        number = self.classes.index(class_)
        return self._best_words(self.centroids[number] * self._contrasts(number), n)

    def reasons(
        self, texts: Sequence[str], languages: Sequence[str] = (), n: int = 5
    ) -> list[list[str]]:
        """For each text the words that contribute most to its most probable class."""
        return self.document_reasons(Documents.from_texts(texts, languages, self.main_stemmer), n)

    def document_reasons(
        self, documents: Documents, n: int = 5, numbers: Ids | None = None
    ) -> list[list[str]]:
        """As `reasons`, for texts that are stemmed already, or for the classes in `numbers`."""
        best = numbers
        if best is None:
            best = self.document_probabilities(documents).argmax(axis=1).astype(np.int32)
        rows = self.scores.weigh(self.count_stems(documents.stems))
        contrasts = {number: self._contrasts(number) for number in np.unique(best).tolist()}
        return [
            self._best_words(rows[k].toarray()[0] * contrasts[number], n)
            for k, number in enumerate(best.tolist())
        ]

    def _contrasts(self, number: int) -> Floats:
        """The weight of each stem in a class, less its mean weight in the others."""
        weights = self.scores.weights
        others = (weights.sum(axis=0) - weights[number]) / (len(self.classes) - 1)
        contrasts: Floats = weights[number] - others
        return contrasts

    def _best_words(self, contributions: Floats, n: int) -> list[str]:
        order = np.argsort(-contributions, kind="stable")[:n]
        stems = self.stems[order[contributions[order] > 0]].tolist()
        return [self.forms.get(stem) or stem.rpartition("/")[2] for stem in stems]

    def __repr__(self) -> str:
        return f"<TextModel of {len(self.classes):,} classes, {pluralise(len(self.stems), 'stem')}>"


def fit_naive_bayes(
    texts: Sequence[str],
    classes: Sequence[str],
    languages: Sequence[str] = (),
    *,
    smoothing: float = SMOOTHING,
    max_words: int = MAX_WORDS,
) -> TextModel:
    """Fit multinomial naive Bayes to texts and their classes.

    A text of more than `max_words` words counts as one of that length with the
    same shares of words, in training and after: without that, the
    probabilities of long texts are all 0 or 1.

    Examples
    --------
    >>> model = fit_naive_bayes(
    ...     ["ball goal", "goal team", "bank loan", "loan rate"],
    ...     ["sport", "sport", "money", "money"],
    ... )
    >>> model.classes, model.probabilities(["goal", ""]).round(2).tolist()
    (('money', 'sport'), [[0.05, 0.95], [0.5, 0.5]])
    """
    learn = partial(learn_naive_bayes, smoothing=smoothing, max_words=max_words)
    return fit_documents(Documents.from_texts(texts, languages), classes, learn)


def fit_linear(
    texts: Sequence[str],
    classes: Sequence[str],
    languages: Sequence[str] = (),
    *,
    cost: float = COST,
    balanced: bool = False,
) -> TextModel:
    """Fit logistic regression on TF-IDF to texts and their classes.

    Term frequencies are sublinear (1 + ln tf), and every text has length one, so
    that long texts have no more certain classes than short ones. One class
    against all others; the probabilities are divided by their sum. With
    `balanced`, rare classes count as much as common ones.

    Examples
    --------
    >>> model = fit_linear(
    ...     ["ball goal", "goal team", "bank loan", "loan rate"],
    ...     ["sport", "sport", "money", "money"],
    ... )
    >>> model.keywords("money", 1), model.reasons(["A goal for the team"])
    (['loan'], [['goal', 'team']])
    """
    learn = partial(learn_logistic_regression, cost=cost, balanced=balanced)
    return fit_documents(Documents.from_texts(texts, languages), classes, learn)


def fit_documents(documents: Documents, classes: Sequence[str], learn: Learner) -> TextModel:
    """Fit a model to stemmed texts and their classes."""
    if len(classes) != len(documents):
        given = f"{pluralise(len(documents), 'text')} but {len(classes):,} classes"
        raise BadParameter(f"there are {given}", hint="give one class for each text")
    check_classes(classes)
    names, inverse = np.unique(np.array(classes, np.str_), return_inverse=True)
    if not has_words(documents):
        raise BadParameter(
            "no text to learn from has a word", hint="give examples that were captured with text"
        )
    numbers = inverse.astype(np.int32)
    counts, stems, count_stems = _count_stems(documents)
    scores = learn(counts, numbers)
    weighed = scores.weigh(counts)
    means = [np.asarray(weighed[numbers == k].mean(axis=0))[0] for k in range(len(names))]
    return TextModel(
        classes=tuple(names.tolist()),
        prior=np.bincount(numbers) / len(documents),
        stems=stems,
        count_stems=count_stems,
        forms=documents.forms,
        main_stemmer=documents.main_stemmer,
        scores=scores,
        centroids=np.stack(means),
    )


class _Counted(NamedTuple):
    """How often each text has each stem, the stems in their order, and how to count others."""

    counts: Sparse
    stems: npt.NDArray[np.str_]
    count: Callable[[list[str]], Sparse]


def _count_stems(documents: Documents) -> _Counted:
    from sklearn.feature_extraction.text import CountVectorizer  # noqa: PLC0415  slow to import

    counter = CountVectorizer(analyzer=str.split, dtype=np.float64)
    counts = counter.fit_transform(documents.stems)
    return _Counted(counts, counter.get_feature_names_out().astype(np.str_), counter.transform)


def has_words(documents: Documents) -> bool:
    """Whether any of the texts has a word."""
    return any(stems.strip() for stems in documents.stems)


def check_classes(classes: Sequence[str]) -> None:
    """Refuse examples of less than two classes, or of so many that they are no classes."""
    names = sorted(set(classes))
    if len(names) < 2:
        found = f"only the class {names[0]!r}" if names else "no class"
        raise BadParameter(
            f"there is {found} to learn", hint="give examples of at least two classes"
        )
    if len(names) > MAX_CLASSES:
        raise BadParameter(
            f"there are {len(names):,} classes, more than {MAX_CLASSES:,}",
            hint="the class of a page is a name that many pages share",
        )


def learn_naive_bayes(
    counts: Sparse, numbers: Ids, *, smoothing: float = SMOOTHING, max_words: int = MAX_WORDS
) -> LinearScores:
    """Log prior ln P(c), and log likelihood ln P(t|c) of each stem."""
    from sklearn.naive_bayes import MultinomialNB  # noqa: PLC0415

    weigh = partial(limit_length, max_words=max_words)
    fitted = MultinomialNB(alpha=smoothing).fit(weigh(counts), numbers)
    return LinearScores(weigh, fitted.feature_log_prob_, fitted.class_log_prior_, softmax)


def limit_length(counts: Sparse, *, max_words: int) -> Sparse:
    """Scale the counts of longer texts so that they sum to `max_words`."""
    from sklearn.preprocessing import normalize  # noqa: PLC0415

    lengths = np.asarray(counts.sum(axis=1)).ravel()
    shares = normalize(counts, "l1")
    return shares.multiply(np.minimum(lengths, max_words)[:, None]).tocsr()


def softmax(scores: Floats) -> Floats:
    """Probabilities in proportion to the exponentials of scores."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return _divide_by_sum(powers)


def learn_logistic_regression(
    counts: Sparse, numbers: Ids, *, cost: float = COST, balanced: bool = False
) -> LinearScores:
    """The coefficients of one logistic regression on TF-IDF a class, each against the others."""
    from sklearn.feature_extraction.text import TfidfTransformer  # noqa: PLC0415
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415

    tf_idf = TfidfTransformer(sublinear_tf=True)
    vectors = tf_idf.fit_transform(counts)
    class_count = int(numbers.max()) + 1
    fitted = [
        LogisticRegression(
            C=cost,
            class_weight="balanced" if balanced else None,
            solver="liblinear",
            dual=True,
            random_state=0,
            tol=TOL,
            max_iter=MAX_ITER,
        ).fit(vectors, numbers == k)
        for k in range(class_count)
    ]
    weights = np.concatenate([model.coef_ for model in fitted])
    intercepts = np.concatenate([model.intercept_ for model in fitted])
    return LinearScores(tf_idf.transform, weights, intercepts, logistic)


def logistic(scores: Floats) -> Floats:
    """The logistic function of the score of each class, divided by the sum over classes."""
    odds = 1 / (1 + np.exp(-np.clip(scores, -MAX_SCORE, MAX_SCORE)))
    return _divide_by_sum(odds)


def _divide_by_sum(values: Floats) -> Floats:
    shares: Floats = values / values.sum(axis=1, keepdims=True)
    return shares


@dataclass(frozen=True, slots=True)
class Estimate:
    """Accuracy and macro-averaged F1 on texts that were held out, by cross-validation."""

    accuracy: float
    macro_f1: float
    folds: int

    def __str__(self) -> str:
        return (
            f"{self.accuracy:.1%} of held-out pages right, macro-F1 {self.macro_f1:.3f}"
            f" ({self.folds}-fold cross-validation)"
        )


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """The probabilities of texts while each was held out, and the estimate that they give."""

    probabilities: Floats
    estimate: Estimate


def hold_out(documents: Documents, classes: Sequence[str], learn: Learner) -> HeldOut | None:
    """Classify each text by a model of the other folds; columns are the sorted classes.

    The texts of each class are dealt out to at most five folds in turn. None where
    less than two classes have two texts.
    """
    from scipy.sparse import csr_matrix  # noqa: PLC0415  slow to load
    from sklearn.metrics import f1_score  # noqa: PLC0415

    names, sizes = np.array(classes, np.str_), Counter(classes)
    repeated = sorted((size for size in sizes.values() if size > 1), reverse=True)
    if len(repeated) < 2:
        return None
    folds = min(MAX_FOLDS, repeated[1])
    fold, numbers = np.zeros((2, len(names)), np.int32)
    for number, name in enumerate(sorted(sizes)):
        own = np.flatnonzero(names == name)
        fold[own], numbers[own] = np.arange(len(own)) % folds, number
    counts = _count_stems(documents).counts if has_words(documents) else csr_matrix((len(fold), 0))
    probabilities = np.zeros((len(names), len(sizes)))
    for k in track(range(folds), "estimate", folds):
        held_out, rest = np.flatnonzero(fold == k), np.flatnonzero(fold != k)
        present, inverse = np.unique(numbers[rest], return_inverse=True)
        found: Floats = np.bincount(inverse) / len(rest)
        stems: Ids = np.unique(counts[rest].indices)
        if len(stems):  # those of the others: a model of them knows no more
            scores = learn(counts[rest][:, stems], inverse.astype(np.int32))
            found = scores.probabilities(counts[held_out][:, stems], found)
        probabilities[np.ix_(held_out, present)] = found
    predicted = np.array(sorted(sizes))[probabilities.argmax(axis=1)]
    macro_f1 = f1_score(names, predicted, average="macro", labels=sorted(sizes), zero_division=0)
    estimate = Estimate(float(np.mean(predicted == names)), float(macro_f1), folds)
    return HeldOut(probabilities, estimate)
