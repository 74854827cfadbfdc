"""Classify pages by words and links together, as far as each can be trusted."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.classify.calibration import MIN_PROBABILITY, calibrate, raise_to
from weft.classify.class_shift import follow_shift, shift
from weft.classify.classes import Classes
from weft.classify.folds import assign_folds, estimate_from_held_out, holds_out_sites
from weft.classify.label_spreading import one_hot, smooth, symmetric_links
from weft.classify.labelled_pages import LabelledPages, LinkingPages
from weft.classify.link_method import class_numbers
from weft.classify.text import (
    COST,
    MAX_ITER,
    TOL,
    Cost,
    Documents,
    Sparse,
    Teleport,
    check_classes,
    fit_documents,
    has_words,
    learn_logistic_regression,
    logistic,
    softmax,
)
from weft.core.arrays import CSR, Floats, Ids, take_rows
from weft.core.progress import track
from weft.core.register import Dimensions, method

# How much titles, URLs and anchors count beside texts, all of length one.
EXTRA_WEIGHTS = {"title": 0.3, "url": 0.3, "anchors": 0.3}
START_WORDS = 60
TELEPORT, SMOOTHING_STEPS, SPREAD_STEPS = 0.1, 10, 20
# Texts are averaged over links word by word, or in this many dimensions where words are many.
MAX_AVERAGED_WORDS, MAX_DIMENSIONS, MAX_CELLS = 1 << 11, 1 << 8, 1 << 26
MAX_SAMPLE = 10_000
STACK_ROUNDS, STACK_COST = 2, 1.0
MIN_SHARE, MAX_WEIGHT, RIDGE = 0.02, 4.5, 1.0
MANY_EXAMPLES, SHARE_ITERATIONS = 1000, 200
MIN_DF, MIN_LINES = 2, 100
MIN_SPREAD, STACK_SCALE = 1e-4, 3.0
NAMES_PER_BATCH = 1 << 12
NO_WORD = " "  # stands for the vocabulary of texts without words
WORD = re.compile(r"[^\W\d_]+|\d+|~")
Vectors = Any  # a row of weighted words for each page, sparse or dense
Classifier = Callable[[Vectors], Floats]  # from rows to probabilities of classes


@method(
    "classify",
    "auto",
    cites="wu2019",
    dimensions=Dimensions(
        model="probabilistic model",
        metric="likelihood",
        algorithm="supervised learning",
        scope="multiple pages",
        applications=("page categorisation", "web crawling"),
        data="links and content",
    ),
)
def auto(
    labelled: LabelledPages, /, *, cost: Cost = COST, teleport: Teleport = TELEPORT
) -> Classes:
    """Classify by words and links, as far as each is right.

    Several classifiers see a page: by its text; by the beginning of its text; by
    text, title, URL and the anchors of links to it; by the titles and URLs of
    the pages that link to it; by the words of the pages around it; by the
    classes of the examples around it; and by the classes that its neighbours
    and the pages of its folder probably have. The answer is the
    product of powers of what they say, or with less than a thousand examples
    their mean; the weights maximise the likelihood of examples that were held
    out. Only the text counts where it alone is right more often on these, and
    where there are too few examples to hold any out.

    Probabilities follow the shares of classes among the other pages where these
    are clearly not those of the examples, unless the pages are of other sites,
    whose words differ as well.

    Examples
    --------
    >>> rows = [("a", "ball goal", "sport"), ("b", "bank loan", "money"), ("c", "goal", "")]
    >>> [(page.page, page.class_) for page in auto(rows)]
    [('c', 'sport')]
    """
    if not len(labelled):
        return Classes("auto", labelled, None, np.zeros((0, 0)))
    check_classes(labelled.training_classes)
    names = tuple(sorted(set(labelled.training_classes)))
    examples = labelled.documents(labelled.training_ids)
    learn = partial(learn_logistic_regression, cost=cost)
    model = None
    if has_words(examples):
        model = fit_documents(examples, labelled.training_classes, learn)
    folds = assign_folds(labelled)
    known = Examples(
        labelled.training_ids,
        class_numbers(names, labelled.training_classes),
        np.zeros(len(examples), np.int32) if folds is None else folds,
        len(names),
    )
    views = see_pages(labelled, examples, known, cost, teleport)
    if folds is None:
        text = views["text"].all[labelled.unlabelled_ids]
        return Classes("auto", labelled, model, text, names=names)
    pool = Pool.fit({name: view.held_out for name, view in views.items()}, known.numbers)
    held_out = pool.mix({name: view.held_out for name, view in views.items()})
    final = pool.mix({name: view.all for name, view in views.items()})[labelled.unlabelled_ids]
    shares = known.shares
    others = shares if holds_out_sites(labelled, folds) else follow_shift(final, shares)
    return Classes(
        "auto",
        labelled,
        model,
        shift(final, shares, others),
        estimate_from_held_out(known.numbers, held_out, folds),
        views={name: round(share, 4) for name, share in pool.shares.items()},
        held_out=held_out,
        names=names,
        shift=others / shares,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Examples:
    """The pages that have a class, the number of the class, and their folds."""

    ids: Ids
    numbers: Ids
    folds: Ids
    class_count: int

    @property
    def shares(self) -> Floats:
        """The share of each class."""
        return np.bincount(self.numbers, minlength=self.class_count) / len(self.numbers)

    def hold_out(self, run: "Callable[[Ids, Ids], Floats]") -> Floats:
        """Probabilities of the examples: `run` learns from some of them and classifies others."""
        found = np.zeros((len(self.ids), self.class_count))
        fold_count = int(self.folds.max()) + 1
        for fold in track(range(fold_count), "compare words and links", fold_count):
            own = np.flatnonzero(self.folds == fold).astype(np.int32)
            rest = np.flatnonzero(self.folds != fold).astype(np.int32)
            if len(rest):
                found[own] = run(rest, own)
        return found

    def hold_out_rows(self, rows: Vectors, learn: "Callable[[Vectors, Ids], Classifier]") -> Floats:
        """Probabilities of the examples by their rows, each while its fold is held out."""
        return self.hold_out(lambda rest, own: learn(rows[rest], self.numbers[rest])(rows[own]))


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """What one kind of evidence says of the examples held out, and of all pages."""

    held_out: Floats
    all: Floats


def see_pages(
    labelled: LabelledPages,
    examples: Documents,
    known: Examples,
    cost: float,
    teleport: float,
) -> dict[str, View]:
    """The probabilities of all pages by each kind of evidence that there is."""
    words = PageWords.fit(labelled, examples)
    own_rows = words.weigh(known.ids, examples.stems)
    learn = partial(fit_one_against_rest, class_count=known.class_count, cost=cost)
    classifiers = {kind: learn(rows, known.numbers) for kind, rows in own_rows.items()}
    found = {kind: np.zeros((len(labelled), known.class_count)) for kind in own_rows}
    projected = np.zeros((len(labelled), words.dimensions), np.float32)
    for ids in labelled.batches(np.arange(len(labelled), dtype=np.int32)):
        documents = labelled.documents(ids, examples.main_stemmer)
        for kind, rows in words.weigh(ids, documents.stems).items():
            found[kind][ids] = classifiers[kind](rows)
            found[kind][ids[np.diff(rows.indptr) == 0]] = known.shares
        if words.dimensions:
            projected[ids] = words.project(documents.stems)
    views = {
        kind: View(known.hold_out_rows(rows, learn), found[kind]) for kind, rows in own_rows.items()
    }
    if not len(labelled.outlinks.ids):
        return views
    around = smooth(
        symmetric_links(labelled.outlinks, loops=1), projected, teleport, SMOOTHING_STEPS
    )
    del projected
    by_around = learn(around[known.ids].astype(np.float64), known.numbers)
    views["words around"] = View(
        known.hold_out_rows(around[known.ids].astype(np.float64), learn), by_around(around)
    )
    views["classes around"] = spread_classes(labelled, known, teleport)
    base = views.get("words", views["text"])
    views["neighbours"] = stack_neighbours(labelled, known, base)
    return views


@dataclass(frozen=True, slots=True, eq=False)
class PageWords:
    """How pages become vectors: TF-IDF of texts, of their beginnings, titles, URLs and anchors.

    Words are counted on the examples and a sample of the other pages, so that
    vectors of both are alike. `weigh_linking` gives the vectors of the titles
    and URLs of the pages that link to a page, and is None where these have
    neither. `project` maps texts to few numbers that can be averaged over the
    pages around a page.
    """

    labelled: LabelledPages
    weigh_text: Callable[[list[str]], Sparse]
    weigh_start: Callable[[list[str]], Sparse] | None  # None where all texts are short
    weigh_extras: Mapping[str, Callable[[list[str]], Sparse]]
    weigh_linking: Callable[[Ids], Sparse] | None
    project: Callable[[list[str]], Floats]
    dimensions: int

    @classmethod
    def fit(cls, labelled: LabelledPages, examples: Documents) -> "PageWords":
        """Learn what words there are, on the examples and a sample of the other pages."""
        others = labelled.unlabelled_ids
        sample = others[:: max(1, -(-len(others) // MAX_SAMPLE))]
        stems = [*examples.stems, *labelled.documents(sample, examples.main_stemmer).stems]
        ids, extras = np.concatenate([labelled.training_ids, sample]), {}
        for kind in EXTRA_WEIGHTS:
            lines = read_extra(labelled, kind, ids)
            if any(lines):
                extras[kind] = fit_tf_idf(lines)
        weigh = fit_tf_idf(stems)
        is_long = any(len(text.split()) > START_WORDS for text in stems)
        weigh_start = fit_tf_idf(cut_texts(stems)) if is_long else None
        project, dimensions = _fit_projection(labelled, weigh, stems)
        linking = fit_linking_words(labelled.linking_pages, ids)
        return cls(labelled, weigh, weigh_start, extras, linking, project, dimensions)

    def weigh(self, ids: Ids, stems: list[str]) -> dict[str, Sparse]:
        """The vectors of some pages, by the kind of evidence."""
        from scipy.sparse import hstack  # noqa: PLC0415  slow to load

        rows = {"text": self.weigh_text(stems)}
        if self.weigh_start:
            rows["start"] = self.weigh_start(cut_texts(stems))
        blocks = [
            EXTRA_WEIGHTS[kind] * weigh(read_extra(self.labelled, kind, ids))
            for kind, weigh in self.weigh_extras.items()
        ]
        if blocks:
            rows["words"] = hstack([rows["text"], *blocks]).tocsr()
        if self.weigh_linking:
            rows["linking pages"] = self.weigh_linking(ids)
        return rows


def cut_texts(stems: list[str]) -> list[str]:
    """The beginnings of texts, where a page says what it is."""
    return [" ".join(text.split()[:START_WORDS]) for text in stems]


def read_extra(labelled: LabelledPages, kind: str, ids: Ids) -> list[str]:
    """The words of titles, URLs or anchors, separated by spaces."""
    if kind == "url":
        return [split_url(labelled.pages[k]) for k in ids.tolist()]
    read = labelled.read_titles if kind == "title" else labelled.read_anchors
    return [" ".join(WORD.findall(text.lower())) for text in read(ids)]


def split_url(url: str) -> str:
    """The words of the path of a URL, its last part, its depth, and `#` for each number.

    Examples
    --------
    >>> split_url("http://a.example/~kim/cs101/index.html")
    '~ kim cs # index html depth=2 last=index.html'
    >>> split_url("not a URL")
    ''
    """
    _, is_url, rest = url.partition("://")
    if not is_url:
        return ""
    path = rest.partition("/")[2].lower()
    words = ["#" if word.isdigit() else word for word in WORD.findall(path)]
    return " ".join([*words, f"depth={path.count('/')}", f"last={path.rpartition('/')[2]}"])


def fit_tf_idf(lines: list[str]) -> Callable[[list[str]], Sparse]:
    """Learn document frequencies; the function gives TF-IDF vectors of length one."""
    from sklearn.feature_extraction.text import TfidfVectorizer  # noqa: PLC0415

    min_df = MIN_DF if len(lines) >= MIN_LINES else 1
    df = Counter(word for line in lines for word in set(line.split()))
    words = sorted(word for word, count in df.items() if count >= min_df) or [NO_WORD]
    vectorizer = TfidfVectorizer(analyzer=str.split, sublinear_tf=True, vocabulary=words).fit(lines)
    transform: Callable[[list[str]], Sparse] = vectorizer.transform
    return transform


def fit_linking_words(linking: LinkingPages, sample: Ids) -> Callable[[Ids], Sparse] | None:
    """Learn the words of the titles and URLs of the pages that link to a sample of pages.

    The function gives TF-IDF vectors; a word counts by how many linking pages have it.
    """
    from scipy.sparse import csr_array  # noqa: PLC0415  slow to load
    from sklearn.feature_extraction.text import (  # noqa: PLC0415
        CountVectorizer,
        TfidfTransformer,
    )

    words = CountVectorizer(analyzer=str.split, binary=True, dtype=np.float32)
    try:
        names = words.fit_transform(_read_names(linking))
    except ValueError:  # no word in any of them
        return None

    def count(ids: Ids) -> Sparse:
        rows = take_rows(linking.inlinks, ids)
        ones, starts = np.ones(len(rows.ids), np.float32), rows.starts.astype(np.int32)
        return csr_array((ones, rows.ids, starts), (len(ids), len(linking.urls))) @ names

    counts = count(sample)
    kept = np.flatnonzero(np.diff(counts.tocsc().indptr) >= MIN_DF)
    if not len(kept):
        return None
    weigh = TfidfTransformer(sublinear_tf=True).fit(counts[:, kept])
    names = names[:, kept]
    return lambda ids: weigh.transform(count(ids))


def _read_names(linking: LinkingPages) -> Iterator[str]:
    """The words of the title and the URL of each page; those of the URL begin with a slash."""
    for start in range(0, len(linking.urls), NAMES_PER_BATCH):
        ids = np.arange(start, min(start + NAMES_PER_BATCH, len(linking.urls)), dtype=np.int32)
        for k, title in zip(ids.tolist(), linking.read_titles(ids), strict=True):
            words = WORD.findall(title.lower())
            yield " ".join([*words, *(f"/{part}" for part in split_url(linking.urls[k]).split())])


def _fit_projection(
    labelled: LabelledPages, weigh: Callable[[list[str]], Sparse], stems: list[str]
) -> tuple[Callable[[list[str]], Floats], int]:
    """How texts become vectors of few numbers: their words, or latent semantic analysis."""
    from sklearn.decomposition import TruncatedSVD  # noqa: PLC0415

    if not len(labelled.outlinks.ids):
        return lambda stems: np.zeros((len(stems), 0)), 0
    vectors = weigh(stems[:: max(1, -(-len(stems) // MAX_SAMPLE))]).astype(np.float32)
    size = vectors.shape[1]
    if size <= min(MAX_AVERAGED_WORDS, MAX_CELLS // len(labelled)):
        return lambda stems: weigh(stems).toarray(), size
    dimensions = min(MAX_DIMENSIONS, MAX_CELLS // len(labelled), min(vectors.shape) - 1)
    svd = TruncatedSVD(max(dimensions, 1), n_iter=2, random_state=0).fit(vectors)
    return lambda stems: svd.transform(weigh(stems)), max(dimensions, 1)


def fit_one_against_rest(
    rows: Vectors, numbers: Ids, *, class_count: int, cost: float
) -> Classifier:
    """Logistic regression of each class against the others; one without examples has none."""
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415

    weights = np.zeros((class_count, rows.shape[1]))
    intercepts = np.full(class_count, -np.inf)
    for k in np.unique(numbers).tolist():
        fitted = LogisticRegression(
            C=cost,
            solver="liblinear",
            dual=rows.shape[0] < rows.shape[1],
            random_state=0,
            tol=TOL,
            max_iter=MAX_ITER,
        ).fit(rows, numbers == k)
        weights[k], intercepts[k] = fitted.coef_[0], fitted.intercept_[0]
    return lambda vectors: logistic(np.asarray(vectors @ weights.T) + intercepts)


def spread_classes(labelled: LabelledPages, known: Examples, teleport: float) -> View:
    """Spread the classes of examples over links; a page that none reaches has their shares."""
    links = symmetric_links(labelled.outlinks)
    shape = len(labelled), known.class_count

    def spread(own: Ids) -> Floats:
        seeds = one_hot(known.ids[own], known.numbers[own], shape).astype(np.float32)
        found = smooth(links, seeds, teleport, SPREAD_STEPS).astype(np.float64)
        shares = np.bincount(known.numbers[own], minlength=shape[1]) / len(own)
        found += MIN_SPREAD * shares
        return np.asarray(found / found.sum(axis=1, keepdims=True))

    held_out = known.hold_out(lambda rest, own: spread(rest)[known.ids[own]])
    return View(held_out, spread(np.arange(len(known.ids), dtype=np.int32)))


def stack_neighbours(labelled: LabelledPages, known: Examples, base: View) -> View:
    """Learn from what its neighbours and siblings probably are, beside what a page is by itself.

    Examples count with the probabilities that they had while held out, so that
    a neighbour is as uncertain in training as it is later.
    """
    view, folders = base, number_folders(labelled.pages)
    for _ in range(STACK_ROUNDS):
        seen = view.all.copy()
        seen[known.ids] = view.held_out
        rows = describe_neighbours(labelled.outlinks, labelled.inlinks, folders, seen)
        learn = partial(fit_softmax, class_count=known.class_count)
        own = rows[known.ids]
        held_out = known.hold_out_rows(own, learn)
        view = View(held_out, learn(own, known.numbers)(rows))
    return view


def describe_neighbours(outlinks: CSR, inlinks: CSR, folders: Ids, probabilities: Floats) -> Floats:
    """A row per page: its log-probabilities, and mean probabilities of pages near it.

    Near are the pages that it links to, that link to it, that are linked beside
    it, that link to the same pages, and that are in the same folder.
    """
    count = probabilities.shape[1]
    rows = np.empty((len(probabilities), 6 * count + 3))
    rows[:, :count] = np.log(np.maximum(probabilities, MIN_PROBABILITY))
    out, back = row_shares(outlinks), row_shares(inlinks)
    to, fro = (shares @ (STACK_SCALE * probabilities) for shares in (out, back))
    rows[:, count : 3 * count] = np.hstack([to, fro])
    rows[:, 3 * count : 4 * count] = back @ to
    rows[:, 4 * count : 5 * count] = out @ fro
    siblings, sibling_counts = average_siblings(folders, STACK_SCALE * probabilities)
    rows[:, 5 * count : -3] = siblings
    degrees = np.diff(outlinks.starts), np.diff(inlinks.starts), sibling_counts
    rows[:, -3:] = np.log1p(np.column_stack(degrees))
    return rows


def number_folders(pages: Sequence[str]) -> Ids:
    """The folder of each page; pages without a URL have one each.

    Examples
    --------
    >>> number_folders(["http://a.org/~kim/", "http://a.org/~lee/", "http://a.org/~lee/cv"])
    array([0, 0, 1], dtype=int32)
    """
    urls = pc.utf8_rtrim(pa.array(pages, pa.large_string()), "/")
    folders = pc.replace_substring_regex(urls, r"([^/])/[^/]*$", r"\1")
    return np.asarray(folders.dictionary_encode().indices)


def average_siblings(folders: Ids, probabilities: Floats) -> tuple[Floats, Ids]:
    """The mean probabilities of the other pages of the folder of each page, and their number."""
    others = (np.bincount(folders)[folders] - 1).astype(np.int32)
    means = np.zeros_like(probabilities)
    for k, column in enumerate(probabilities.T):
        sums = np.bincount(folders, column)[folders] - column
        np.divide(sums, others, out=means[:, k], where=others > 0)
    return means, others


def row_shares(rows: CSR) -> Any:
    """Links with the weight one divided by the degree of the page in whose row they are."""
    from scipy.sparse import csr_array  # noqa: PLC0415

    n, degrees = len(rows.starts) - 1, np.diff(rows.starts)
    shares = np.repeat(1 / np.maximum(degrees, 1), degrees)
    return csr_array((shares, np.asarray(rows.ids), np.asarray(rows.starts)), (n, n))


def fit_softmax(rows: Floats, numbers: Ids, *, class_count: int) -> Classifier:
    """Multinomial logistic regression on a few numbers a page."""
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415

    present, inverse = np.unique(numbers, return_inverse=True)
    fitted = LogisticRegression(C=STACK_COST, max_iter=1000).fit(rows, inverse)

    def classify(vectors: Floats) -> Floats:
        found = np.zeros((len(vectors), class_count))
        found[:, present] = fitted.predict_proba(vectors)
        return found

    return classify


@dataclass(frozen=True, slots=True)
class Pool:
    """How views are joined: by a mean of calibrated probabilities, or a product of powers.

    A mean has `exponents` that calibrate its views, and weights that sum to one.
    """

    weights: Mapping[str, float]
    exponents: Mapping[str, float] | None = None

    @classmethod
    def fit(cls, held_out: Mapping[str, Floats], numbers: Ids) -> "Pool":
        """Maximise the likelihood of the examples held out.

        A product is more likely where there are many of these; with less than a
        thousand, its weights would be guesses, and a mean is safer. Where the text
        alone is right more often, it stays alone.
        """
        single = cls({"text": calibrate(held_out["text"], numbers)})
        exponents = None
        if len(numbers) >= MANY_EXAMPLES:
            found = fit_weights([_log(rows) for rows in held_out.values()], numbers)
        else:
            exponents = {name: calibrate(rows, numbers) for name, rows in held_out.items()}
            found = fit_shares(
                [raise_to(rows, exponents[name]) for name, rows in held_out.items()], numbers
            )
        kept = found >= MIN_SHARE * found.sum()
        scale = 1.0 if exponents is None else float(found[kept].sum())
        pool = cls(
            {n: float(w) / scale for n, w, keep in zip(held_out, found, kept, strict=True) if keep},
            exponents,
        )
        right = [(one.mix(held_out).argmax(axis=1) == numbers).mean() for one in (single, pool)]
        return pool if right[1] >= right[0] else single

    @property
    def shares(self) -> dict[str, float]:
        """The weights divided by their sum."""
        total = sum(self.weights.values()) or 1.0
        return {name: weight / total for name, weight in self.weights.items()}

    def mix(self, views: Mapping[str, Floats]) -> Floats:
        """The weighted mean, or the normalised product of powers."""
        total: Floats | None = None
        for name, weight in self.weights.items():
            if self.exponents is None:
                part = weight * _log(views[name])
            else:
                part = weight * raise_to(views[name], self.exponents[name])
            total = part if total is None else total + part
        joined = np.asarray(total)
        return softmax(joined) if self.exponents is None else joined


def fit_shares(views: Sequence[Floats], numbers: Ids) -> Floats:
    """The weights of a mean, which sum to one, that make the examples most likely, by EM."""
    at = np.arange(len(numbers))
    likelihoods = np.maximum(np.stack([rows[at, numbers] for rows in views]), MIN_PROBABILITY)
    shares = np.full(len(views), 1 / len(views))
    for _ in range(SHARE_ITERATIONS):
        joint = shares[:, None] * likelihoods
        shares = (joint / joint.sum(axis=0)).mean(axis=1)
    return shares


def fit_weights(logs: Sequence[Floats], numbers: Ids) -> Floats:
    """The weights of log-probabilities, none negative, that make the examples most likely."""
    from scipy.optimize import minimize  # noqa: PLC0415  slow to load

    stack, at = np.stack(logs), np.arange(len(numbers))

    def loss(weights: Floats) -> tuple[float, Floats]:
        found = softmax(np.tensordot(weights, stack, 1))
        value = -np.log(np.maximum(found[at, numbers], 1e-300)).mean()
        found[at, numbers] -= 1
        slope = np.tensordot(stack, found, ([1, 2], [0, 1])) / len(numbers)
        ridge = RIDGE / len(numbers)
        return value + ridge * float(weights @ weights), slope + 2 * ridge * weights

    start = np.full(len(logs), 1 / len(logs))
    bounds = [(0, MAX_WEIGHT)] * len(logs)
    fitted = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds)
    return np.asarray(fitted.x)


def _log(probabilities: Floats) -> Floats:
    return np.asarray(np.log(np.maximum(probabilities, MIN_PROBABILITY)))
