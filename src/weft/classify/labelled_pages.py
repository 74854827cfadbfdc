"""Pages with texts, some of which have a class: what classifiers learn from and apply to."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from typing import Any, NamedTuple, TypeVar

import numpy as np

from weft.classify.text import Documents
from weft.core.arrays import CSR, Flags, Ids, Offsets, take_rows
from weft.core.csv_columns import read_csv_columns
from weft.core.errors import BadParameter
from weft.core.progress import track
from weft.graph.selection import Level
from weft.graph.views import subgraph
from weft.graph.webgraph import WebGraph

Link = tuple[str, str] | tuple[str, str, str]
TRAINING_COLUMNS = ("url", "class")
PAGES_PER_BATCH = 1 << 11
T = TypeVar("T")


class LinkContext(NamedTuple):
    """What a link says of its target, from the anchor outward, and the site that it is on.

    `levels` are texts, such as the anchor, the words around it, and the title of
    the page; headings between these are levels of their own where they are known.
    """

    site: str
    levels: tuple[str, ...]


class Visits(NamedTuple):
    """How often each page was viewed, and how often a visit began there."""

    views: Offsets
    entries: Offsets


@dataclass(frozen=True, slots=True, eq=False)
class LinkingPages:
    """The pages that link to each page: their numbers, URLs and a function that reads titles.

    The numbers in `inlinks` are of these pages, which may be more than those
    that are classified.
    """

    inlinks: CSR
    urls: Sequence[str]
    read_titles: Callable[[Ids], Sequence[str]]

    def select(self, ids: Ids) -> "LinkingPages":
        """The pages that link to some of the pages."""
        return replace(self, inlinks=take_rows(self.inlinks, ids))


def _read_nothing(ids: Ids) -> list[str]:
    return [""] * len(ids)


def _read_no_contexts(ids: Ids) -> list[list[LinkContext]]:
    return [[] for _ in ids]


def _read_no_visits() -> Visits | None:
    return None


@dataclass(frozen=True, eq=False)
class LabelledPages:
    """Pages, the class of each or an empty string, functions that read their texts, and links.

    `read_texts`, `read_languages`, `read_titles` and `read_anchors` take page
    numbers; the last gives the anchor texts of all links into a page, one a
    line. `read_contexts` gives the contexts of these links, and `read_visits`
    what visitors did, where that is known. `graph` has the links among these
    pages, in their order, and is None where none are known; `linked_from` is
    given where other pages link to them as well. What was left out of the
    training data, and why, is in `notes`.

    Examples
    --------
    >>> LabelledPages.from_any(
    ...     [("a", "ball goal", "sport"), ("b", "bank", "money"), ("c", "goal", "")]
    ... )
    <LabelledPages: 3 pages, 2 of them in 2 classes>
    """

    pages: Sequence[str]
    classes: Sequence[str]
    read_texts: Callable[[Ids], Sequence[str]] = field(repr=False)
    read_languages: Callable[[Ids], Sequence[str]] = field(repr=False)
    notes: tuple[str, ...] = ()
    level: Level = "page"
    graph: WebGraph | None = field(default=None, repr=False)
    read_titles: Callable[[Ids], Sequence[str]] = field(default=_read_nothing, repr=False)
    read_anchors: Callable[[Ids], Sequence[str]] = field(default=_read_nothing, repr=False)
    read_contexts: Callable[[Ids], Sequence[Sequence[LinkContext]]] = field(
        default=_read_no_contexts, repr=False
    )
    read_visits: Callable[[], Visits | None] = field(default=_read_no_visits, repr=False)
    linked_from: LinkingPages | None = field(default=None, repr=False)

    @classmethod
    def from_lists(
        cls,
        pages: Sequence[str],
        texts: Sequence[str],
        classes: Sequence[str],
        languages: Sequence[str] = (),
        links: Iterable[Link] = (),
    ) -> "LabelledPages":
        """From lists of equal length; a page without a class has an empty one.

        A link is the names of two of the pages, or these and its anchor text.
        """
        codes = languages or [""] * len(pages)
        if not len(pages) == len(texts) == len(classes) == len(codes):
            raise BadParameter(
                "pages, texts, classes and languages have different lengths",
                hint="give one text and one class for each page; the class may be empty",
            )

        def read(values: Sequence[str]) -> Callable[[Ids], list[str]]:
            return lambda ids: [values[k] for k in ids.tolist()]

        labelled = cls(pages, classes, read(texts), read(codes))
        return labelled.with_links(links)

    def with_links(self, links: Iterable[Link]) -> "LabelledPages":
        """The same pages with links between them; without any link, the same as before."""
        rows = [(*link, "")[:3] for link in links]
        if not rows:
            return self
        number = {page: k for k, page in enumerate(self.pages)}
        unknown = [end for source, target, _ in rows for end in (source, target)]
        unknown = [end for end in unknown if end not in number]
        if unknown:
            raise BadParameter(
                f"the link end {unknown[0]!r} is not one of the pages",
                hint="give the links among the pages only",
            )
        ends = np.array([(number[source], number[target]) for source, target, _ in rows], np.int32)
        contexts = [list[LinkContext]() for _ in self.pages]
        for (source, target), (_, _, anchor) in zip(ends.tolist(), rows, strict=True):
            if anchor and source != target:
                contexts[target].append(LinkContext(self.pages[source], (anchor,)))
        lines = ["\n".join(context.levels[0] for context in own) for own in contexts]
        return replace(
            self,
            graph=WebGraph.from_arrays(list(self.pages), ends[:, 0], ends[:, 1]),
            read_anchors=lambda ids: [lines[k] for k in ids.tolist()],
            read_contexts=lambda ids: [contexts[k] for k in ids.tolist()],
        )

    def with_classes(self, classes: Sequence[str]) -> "LabelledPages":
        """The same pages and links with other classes."""
        return replace(self, classes=classes)

    def hide(self, hidden: Ids | Offsets) -> "LabelledPages":
        """The same pages, without the classes of some of them."""
        names = list(self.classes)
        for k in hidden.tolist():
            names[k] = ""
        return self.with_classes(names)

    def select(self, kept: Flags) -> "LabelledPages":
        """Some of the pages, and the links among them."""
        ids = np.flatnonzero(kept).astype(np.int32)

        def narrow(read: Callable[[Ids], Sequence[T]]) -> Callable[[Ids], Sequence[T]]:
            return lambda own: read(ids[own])

        def narrow_visits() -> Visits | None:
            visits = self.read_visits()
            return visits and Visits(visits.views[ids], visits.entries[ids])

        return replace(
            self,
            pages=[self.pages[k] for k in ids.tolist()],
            classes=[self.classes[k] for k in ids.tolist()],
            read_texts=narrow(self.read_texts),
            read_languages=narrow(self.read_languages),
            read_titles=narrow(self.read_titles),
            read_anchors=narrow(self.read_anchors),
            read_contexts=narrow(self.read_contexts),
            read_visits=narrow_visits,
            graph=None if self.graph is None else subgraph(self.graph, kept)[0],
            linked_from=self.linking_pages.select(ids),
        )

    @property
    def linking_pages(self) -> LinkingPages:
        """The pages that link to each page, with those that are not classified."""
        return self.linked_from or LinkingPages(self.inlinks, self.pages, self.read_titles)

    @property
    def outlinks(self) -> CSR:
        """The links of each page to others; no links where there is no graph."""
        return self._no_links if self.graph is None else self.graph.outlinks

    @property
    def inlinks(self) -> CSR:
        """The pages that link to each page; none where there is no graph."""
        return self._no_links if self.graph is None else self.graph.inlinks

    @property
    def _no_links(self) -> CSR:
        return CSR(np.zeros(len(self) + 1, np.int64), np.zeros(0, np.int32))

    @classmethod
    def from_any(cls, pages: Any) -> "LabelledPages":
        """From labelled pages, or triples of page, text and class."""
        if isinstance(pages, LabelledPages):
            return pages
        rows = list(pages) if isinstance(pages, Iterable) else []
        is_triple = [isinstance(row, tuple | list) and len(row) == 3 for row in rows]
        if not isinstance(pages, Iterable) or not all(is_triple):
            raise BadParameter(
                "classifiers take labelled pages, or triples of page, text and class",
                hint="LabelledPages.from_lists(pages, texts, classes)",
            )
        return cls.from_lists(*([row[k] for row in rows] for k in range(3)))

    @cached_property
    def training_ids(self) -> Ids:
        """The pages that have a class."""
        return np.flatnonzero([bool(name) for name in self.classes]).astype(np.int32)

    @cached_property
    def unlabelled_ids(self) -> Ids:
        """The pages that have none."""
        return np.flatnonzero([not name for name in self.classes]).astype(np.int32)

    @property
    def training_classes(self) -> list[str]:
        """The classes of the pages that have one."""
        return [self.classes[k] for k in self.training_ids.tolist()]

    @property
    def class_sizes(self) -> dict[str, int]:
        """The number of pages with each class."""
        return dict(sorted(Counter(self.training_classes).items()))

    def documents(self, ids: Ids, main_stemmer: str = "") -> Documents:
        """The stemmed texts of some pages."""
        return Documents.from_texts(self.read_texts(ids), self.read_languages(ids), main_stemmer)

    def batches(self, ids: Ids) -> Iterator[Ids]:
        """Pages in batches whose texts fit into memory."""
        starts = range(0, len(ids), PAGES_PER_BATCH)
        chunks = (ids[start : start + PAGES_PER_BATCH] for start in starts)
        return track(chunks, "classify", len(starts))

    def __len__(self) -> int:
        return len(self.pages)

    def __repr__(self) -> str:
        sizes = self.class_sizes
        labelled = f"{sum(sizes.values()):,} of them in {len(sizes):,} classes"
        return f"<LabelledPages: {len(self):,} pages, {labelled}>"


def read_training_rows(path: str | PathLike[str]) -> list[tuple[str, str]]:
    """Read URLs and classes from a CSV file with the columns url and class."""
    return [(url, name) for url, name in read_csv_columns(path, TRAINING_COLUMNS)]
