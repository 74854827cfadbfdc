"""Similar pages: the result, the search by shared links and words, and the witnesses of it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, SupportsIndex, overload

import numpy as np
import pyarrow as pa
from pydantic import Field

from weft.core.arrays import CSR, Floats, Ids, link_positions
from weft.core.html import titled_table
from weft.core.json import JsonObject, to_json_value
from weft.core.memoize import memoize, memoize_latest
from weft.core.params import CountVotesBy, MaxDegree, Similarity, VoteUnit
from weft.core.tables import Tabular
from weft.core.text import pluralise, strip_scheme
from weft.graph.cocitation import (
    MAX_DEGREE,
    SYMMETRIC_PATTERNS,
    Pattern,
    PatternSteps,
    common_witnesses,
    find_related,
    pattern_steps,
    top_k,
    weigh_witnesses,
)
from weft.graph.webgraph import link_weights, transpose
from weft.kernels.two_step_paths import TwoStepPaths
from weft.similar.context import WebContext
from weft.store.term_weights import TermWeights
from weft.store.tokens import is_stop_word

if TYPE_CHECKING:
    from weft.similar.suggestion import Suggestion

TEXT = "text"
MAX_WITNESSES = 5
MAX_SHARED_WORDS = 5
MAX_TABLE_EXAMPLES = 3
# whether the witness is the source of its link with the page, and of its link with the other
WITNESS_IS_SOURCE: dict[Pattern, tuple[bool, bool]] = {
    "co-citation": (True, True),
    "coupling": (False, False),
    "indirect": (False, True),
    "indirect from": (True, False),
}

PageName = Annotated[str, Field(description="page to find similar pages for")]
Top = Annotated[int, Field(ge=1, le=10_000, description="how many pages to find")]


@dataclass(frozen=True, slots=True)
class Witness:
    """A page or site that connects two pages by a pattern, with the anchor texts of its links.

    `page_anchor` belongs to its link with the page asked about, `other_anchor`
    to its link with the page found; empty where unknown.
    """

    pattern: str
    page: str
    page_anchor: str = ""
    other_anchor: str = ""


@dataclass(frozen=True, slots=True)
class SimilarPage:
    """A similar page: its score, the contribution of each pattern, and the witnesses.

    `witness_counts` counts all witnesses of each pattern; `witnesses` are those
    with the fewest links, which say the most. `shared_words` are keywords of
    both pages.
    """

    page: str
    title: str
    kind: str
    score: float
    contributions: Mapping[str, float]
    witness_counts: Mapping[str, int]
    witnesses: tuple[Witness, ...] = ()
    shared_words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class SimilarPages(Tabular):
    """The pages most similar to a page, best first; a score is the sum of its contributions.

    A sequence: it iterates, indexes and slices.

    Examples
    --------
    >>> from weft.similar import co_citation
    >>> pages = co_citation([("a", "x"), ("a", "y"), ("b", "x"), ("b", "y"), ("b", "z")], page="x")
    >>> pages
    <2 pages similar to x by co-citation, first y>
    >>> pages[0].page, [similar.page for similar in pages[:2]]
    ('y', ['y', 'z'])
    """

    method: str
    page: str
    pages: tuple[SimilarPage, ...]
    contribution_names: tuple[str, ...]
    notes: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def to_table(self) -> pa.Table:
        """One row per page: its score, the contributions, the number of witnesses, and examples."""
        rows = [
            {
                "page": similar.page,
                "title": similar.title,
                "score": similar.score,
                **{name: similar.contributions.get(name, 0.0) for name in self.contribution_names},
                "witnesses": sum(similar.witness_counts.values()),
                "examples": ", ".join(
                    [
                        *(witness.page for witness in similar.witnesses[:MAX_TABLE_EXAMPLES]),
                        *similar.shared_words[:MAX_TABLE_EXAMPLES],
                    ]
                ),
            }
            for similar in self.pages
        ]
        return pa.Table.from_pylist(rows, schema=self._schema())

    def to_document(self) -> JsonObject:
        """The one JSON of similar pages."""
        level = self.provenance.get("level", "page")
        rows = describe_pages(self.pages, level, by_site=self.options.get("vote") == "site")
        document: JsonObject = to_json_value(
            {
                "page": self.page,
                "method": self.method,
                "level": level,
                "options": self.options,
                "contribution_names": self.contribution_names,
                "notes": self.notes,
                "rows": rows,
                "provenance": self.provenance,
            }
        )
        return document

    def _schema(self) -> pa.Schema:
        texts = [(name, pa.string()) for name in ("page", "title")]
        numbers = [(name, pa.float64()) for name in ("score", *self.contribution_names)]
        return pa.schema([*texts, *numbers, ("witnesses", pa.int64()), ("examples", pa.string())])

    @overload
    def __getitem__(self, key: SupportsIndex) -> SimilarPage: ...
    @overload
    def __getitem__(self, key: slice) -> list[SimilarPage]: ...
    def __getitem__(self, key: SupportsIndex | slice) -> SimilarPage | list[SimilarPage]:
        return list(self.pages[key]) if isinstance(key, slice) else self.pages[key]

    def __iter__(self) -> Iterator[SimilarPage]:
        return iter(self.pages)

    def __len__(self) -> int:
        return len(self.pages)

    def __repr__(self) -> str:
        if not self.page:
            return f"<{self.method}: no page given>"
        first = f", first {strip_scheme(self.pages[0].page)}" if self.pages else ""
        pages = pluralise(len(self), "page")
        return f"<{pages} similar to {strip_scheme(self.page)} by {self.method}{first}>"

    def _repr_html_(self) -> str:
        rows = [
            (similar.page, similar.score, sum(similar.witness_counts.values()))
            for similar in self.pages
        ]
        titles = {similar.page: similar.title for similar in self.pages}
        columns = ["page", "score", "witnesses"]
        return titled_table(repr(self).strip("<>"), columns, rows, titles=titles)


def describe_pages(
    pages: "Sequence[SimilarPage | Suggestion]", level: str, *, by_site: bool = False
) -> list[JsonObject]:
    """Found pages as rows of a document; the kind of hosts and domains is their level."""
    rows = [{**asdict(page), "place": place} for place, page in enumerate(pages, start=1)]
    for row in rows:
        row["url"] = row.pop("page")
        row["kind"] = row["kind"] if level == "page" else level
        row["witnesses"] = [{"url": each.pop("page"), **each} for each in row["witnesses"]]
        for witness in row["witnesses"] if by_site else ():
            witness.update(title="", kind="domain")
    return rows


@dataclass(frozen=True, slots=True, kw_only=True)
class SimilarOptions:
    """Options of all methods: the page, how witnesses count, and how many pages to find."""

    page: PageName = ""
    similarity: Similarity = "cosine"
    vote: CountVotesBy = "page"
    max_degree: MaxDegree = MAX_DEGREE
    top: Top = 10


def find_similar_pages(
    context: WebContext,
    method_name: str,
    options: SimilarOptions,
    patterns: tuple[Pattern, ...],
    *,
    with_text: bool = False,
) -> SimilarPages:
    """Find the pages most similar by the sum of some patterns, and of text if wanted."""
    names = (*patterns, TEXT) if with_text else patterns
    if not options.page:
        return SimilarPages(method_name, "", (), names, ("no page was given",))
    page, notes = context.require_page_number(options.page), list[str]()
    contributions, paths = dict[str, Floats](), dict[Pattern, TwoStepPaths]()
    for pattern in patterns:
        steps = _pattern_steps(context, pattern, options.vote)
        paths[pattern] = weigh_witnesses(steps, options.similarity, options.max_degree)
        related = find_related(paths[pattern], page, options.similarity)
        contributions[pattern] = np.zeros(len(context.graph))
        contributions[pattern][related.pages] = related.similarity
        if related.skipped_witnesses:
            skipped = pluralise(related.skipped_witnesses, options.vote)
            notes.append(
                f"{pattern}: {skipped} with too many links ignored"
                f" (max_degree {options.max_degree:,})"
            )
    if with_text:
        contributions[TEXT], has_no_terms = text_cosine(context, page)
        notes += [f"{options.page} has no known text"] if has_no_terms else []
    score = sum(contributions.values(), np.zeros(len(context.graph)))
    best = top_k(score, options.top).astype(np.int32)
    witnesses = collect_witnesses(context, paths, options.vote, page, best)
    titles, kinds = context.titles(best), context.kinds(best)
    found = [
        SimilarPage(
            context.graph.pages[other],
            title,
            kind,
            float(score[other]),
            {name: float(values[other]) for name, values in contributions.items()},
            *witnesses[other],
            top_shared_words(context, page, other) if with_text else (),
        )
        for other, title, kind in zip(best.tolist(), titles, kinds, strict=True)
    ]
    return SimilarPages(method_name, options.page, tuple(found), names, tuple(notes))


@memoize
def _pattern_steps(context: WebContext, pattern: Pattern, vote: VoteUnit) -> PatternSteps:
    return pattern_steps(context.graph, pattern, vote)


WitnessesOfPage = tuple[dict[str, int], tuple[Witness, ...]]


def collect_witnesses(
    context: WebContext,
    paths_by_pattern: dict[Pattern, TwoStepPaths],
    vote: VoteUnit,
    page: int,
    similar: Ids,
) -> dict[int, WitnessesOfPage]:
    """Count the witnesses of each similar page by pattern, and list the first of them."""
    counts: dict[int, dict[str, int]] = {other: {} for other in similar.tolist()}
    listed: list[tuple[int, Pattern, int]] = []
    for pattern, paths in paths_by_pattern.items():
        rows = _witness_csr(context, pattern, paths)
        for other, counts_of_other in counts.items():
            common = common_witnesses(paths, rows, page, other)
            counts_of_other[pattern] = len(common)
            listed += [(other, pattern, witness) for witness in common[:MAX_WITNESSES].tolist()]
    anchors = _witness_anchors(context, vote, page, listed)
    names = context.graph.pages if vote == "page" else context.site_names
    witnesses: dict[int, list[Witness]] = {other: [] for other in counts}
    for (other, pattern, witness), link_anchors in zip(listed, anchors, strict=True):
        witnesses[other].append(Witness(pattern, names[witness], *link_anchors))
    return {other: (counts[other], tuple(witnesses[other])) for other in counts}


def _witness_csr(context: WebContext, pattern: Pattern, paths: TwoStepPaths) -> CSR:
    """The CSR in which a similar page has its witnesses."""
    if pattern in SYMMETRIC_PATTERNS:
        return paths.first_step
    return context.graph.inlinks if pattern == "indirect" else context.graph.outlinks


def _witness_anchors(
    context: WebContext, vote: VoteUnit, page: int, rows: list[tuple[int, Pattern, int]]
) -> list[tuple[str, str]]:
    """The anchor texts of both links of each witness; sites have several links, and none here."""
    if vote == "site" or not rows:
        return [("", "")] * len(rows)
    links = [
        (witness, end) if from_witness else (end, witness)
        for other, pattern, witness in rows
        for end, from_witness in zip((page, other), WITNESS_IS_SOURCE[pattern], strict=True)
    ]
    sources, targets = np.array(links, np.int32).T
    anchors = [texts[0] if texts else "" for texts in context.anchor_texts(sources, targets)]
    return list(zip(anchors[::2], anchors[1::2], strict=True))


@memoize_latest
def text_cosine(context: WebContext, page: int) -> tuple[Floats, bool]:
    """The TF-IDF cosine of a page with every other; whether the page has no terms."""
    terms, inverted = _term_weights(context), _inverted_term_index(context)
    starts = np.asarray(terms.matrix.starts)
    own = slice(int(starts[page]), int(starts[page + 1]))
    stems = np.asarray(terms.matrix.ids[own])
    # dot products with all pages at once: of each own stem the postings, times its own weight
    at, _ = link_positions(inverted, stems)
    postings = inverted.starts[stems + 1] - inverted.starts[stems]
    own_weights = np.repeat(np.asarray(terms.weights[own], np.float64), postings)
    products = link_weights(inverted)[at] * own_weights
    dots = np.bincount(inverted.ids[at], products, len(starts) - 1)
    norms = _term_vector_norms(context)
    cosine = np.zeros(len(dots))
    np.divide(dots, norms * norms[page], out=cosine, where=dots > 0)
    cosine[page] = 0.0
    return cosine, own.start == own.stop


@memoize
def _inverted_term_index(context: WebContext) -> CSR:
    """For each stem the pages that contain it, with their term weights."""
    terms = _term_weights(context)
    starts = np.asarray(terms.matrix.starts)
    n = max(len(terms.stems), len(starts) - 1)  # made square, as `transpose` wants it
    square = CSR(np.pad(starts, (0, n + 1 - len(starts)), "edge"), terms.matrix.ids, terms.weights)
    return transpose(square, n)


@memoize
def _term_weights(context: WebContext) -> TermWeights:
    return context.base.term_weights


@memoize
def _term_vector_norms(context: WebContext) -> Floats:
    """The Euclidean norm of the term weights of each page."""
    terms = _term_weights(context)
    starts = np.asarray(terms.matrix.starts)
    squares = np.append(terms.weights.astype(np.float64) ** 2, 0.0)
    sums = np.add.reduceat(squares, starts[:-1])
    return np.sqrt(np.where(starts[1:] > starts[:-1], sums, 0.0))


def top_shared_words(context: WebContext, page: int, other: int) -> tuple[str, ...]:
    """The words that contribute most to the text cosine of two pages, without stop words.

    They are written in their most common form on the first page.
    """
    terms = _term_weights(context)
    starts = np.asarray(terms.matrix.starts)
    mine, theirs = (slice(int(starts[k]), int(starts[k + 1])) for k in (page, other))
    shared, at_mine, at_theirs = np.intersect1d(
        terms.matrix.ids[mine], terms.matrix.ids[theirs], assume_unique=True, return_indices=True
    )
    products = (
        np.asarray(terms.weights[mine])[at_mine] * np.asarray(terms.weights[theirs])[at_theirs]
    )
    order = np.argsort(-products, kind="stable")
    stems = (terms.stems[int(stem)].as_py() for stem in shared[order])
    words = (context.word_form(page, stem) for stem in stems if _is_content_stem(stem))
    return tuple(islice(words, MAX_SHARED_WORDS))


def _is_content_stem(stem: str) -> bool:
    language, _, word = stem.rpartition("/")
    return not is_stop_word(word, language)
