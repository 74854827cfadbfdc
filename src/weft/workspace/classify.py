"""Learn from some pages of a collection, and classify the others."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pyarrow as pa

from weft.classify.labelled_pages import LabelledPages, LinkContext, Visits
from weft.classify.text import text_of_page
from weft.core.arrays import Flags, Ids, Offsets, take_rows
from weft.core.errors import BadParameter
from weft.core.register import Method
from weft.core.text import join_with_and, pluralise, shorten
from weft.graph.levels import encode_domains, load_graph
from weft.graph.link_facts import read_anchor_table, read_anchor_texts
from weft.graph.selection import DEFAULT_SELECTION, Selection
from weft.graph.transitions import has_usage_data, load_transitions
from weft.graph.views import subgraph
from weft.graph.webgraph import WebGraph
from weft.store.collection import Collection
from weft.store.numbering import PAGE_KINDS
from weft.store.tags import DECISION, UNDECIDED, select_tagged
from weft.workspace.analyse import LoadedSelection

if TYPE_CHECKING:
    from weft.classify import Classes


MAX_EXAMPLES, MIN_CLASSES = 3, 2
MAX_URL_CHARS = 80
TRAINING_HINT = "a CSV file with the columns url and class; URLs as in the collection"


def classify_pages(
    collection: Collection,
    method: Method,
    rows: Iterable[tuple[str, str]],
    options: Mapping[str, Any],
    selection: Selection = DEFAULT_SELECTION,
) -> "Classes":
    """Classify every captured page without a class, given rows of URL and class.

    Of the selection, its tags count: other pages are neither learned from nor classified.
    """
    options = method.validate_options(options)
    labelled = load_labelled_pages(
        collection,
        rows,
        required=not needs_no_examples(method, options),
        kept=tagged_pages(collection, selection),
    )
    loaded = LoadedSelection(collection, selection.for_rankings(), labelled, ())
    found = cast("Classes", method(labelled, **options))
    return replace(found, provenance=loaded.provenance())


def tagged_pages(collection: Collection, selection: Selection) -> Flags | None:
    """The pages with the tags of a selection; None where it names no tags."""
    if not selection.has_tags:
        return None
    return select_tagged(collection.have_tag, selection.only_tag, selection.exclude_tag)


def needs_no_examples(method: Method, options: Mapping[str, Any]) -> bool:
    """Whether a method classifies by a table, or by the names of categories."""
    return method.name == "silk" or bool(options.get("categories"))


def classify_by_tags(
    collection: Collection,
    method: Method,
    facet: str,
    options: Mapping[str, Any],
    selection: Selection = DEFAULT_SELECTION,
) -> "Classes":
    """Learn the values of a facet from the pages that have one; the classes of the others.

    A value that was rejected for a page has no probability there. What is
    undecided is no example. Without a facet, it is the decision, or the only
    one that there is; a method that needs no examples then has none.
    """
    options = method.validate_options(options)
    if not facet and needs_no_examples(method, options):
        return classify_pages(collection, method, (), options, selection)
    facet = facet or _default_facet(collection.tags.facets())
    values = collection.tag_values(facet)
    is_example = is_captured(collection) & (values.codes >= 0) & ~values.have(UNDECIDED)
    kept = tagged_pages(collection, selection)
    numbers = np.flatnonzero(is_example if kept is None else is_example & kept)
    if len(np.unique(values.codes[numbers])) < MIN_CLASSES:
        hint = f"tag pages with at least two values of {facet}, or give a CSV file with --train"
        raise BadParameter(f"there are too few pages with a {facet} to learn from", hint=hint)
    urls = collection.pages["url"].take(pa.array(numbers)).to_pylist()
    rows = [(url, values.of(page)) for url, page in zip(urls, numbers.tolist(), strict=True)]
    found = classify_pages(collection, method, rows, options, selection)
    rejected = collection.tags.rejected(facet)
    if not rejected:
        return found
    probabilities = found.probabilities.copy()
    for row, k in enumerate(found.labelled.unlabelled_ids.tolist()):
        for value in rejected.get(found.labelled.pages[k], set()) & set(found.classes):
            probabilities[row, found.classes.index(value)] = 0.0
    return replace(found, probabilities=probabilities)


def _default_facet(facets: Iterable[str]) -> str:
    """The decision, or the only facet."""
    known = sorted(facets)
    if DECISION in known or not known:
        return DECISION
    if len(known) > 1:
        raise BadParameter(
            f"there are several facets to learn: {join_with_and(known)}",
            hint=f"choose one: --facet {known[0]}",
        )
    return known[0]


def is_captured(collection: Collection) -> Flags:
    """Which pages were captured."""
    return np.asarray(collection.pages["kind"].to_numpy() == PAGE_KINDS["captured"])


def load_labelled_pages(
    collection: Collection,
    rows: Iterable[tuple[str, str]],
    *,
    required: bool = True,
    kept: Flags | None = None,
) -> LabelledPages:
    """The captured pages, all or those `kept`, with the classes given for some of them by URL.

    A page that is given two classes has none, and is not classified either.
    Rows that cannot be used are counted by reason in the notes.
    """
    is_shown = is_captured(collection)
    if kept is not None:
        is_shown &= kept
    names_by_page, ignored = _classes_by_page(collection, rows, is_shown)
    conflicts = [number for number, names in names_by_page.items() if len(names) > 1]
    urls = collection.pages["url"]
    ignored["page with two classes"] += urls.take(pa.array(conflicts, pa.int64())).to_pylist()
    notes = tuple(_describe_ignored(reason, urls) for reason, urls in ignored.items() if urls)
    if required and len(names_by_page) == len(conflicts):
        reasons = "; ".join(notes) or "there are none"
        raise BadParameter(f"no usable examples: {reasons}", hint=TRAINING_HINT)
    found = {name for names in names_by_page.values() if len(names) == 1 for name in names}
    if len(found) == 1 and notes:
        message = f"there is only the class {found.pop()!r} to learn: {'; '.join(notes)}"
        raise BadParameter(message, hint="give examples of at least two classes")
    is_shown[conflicts] = False
    numbers = np.flatnonzero(is_shown).astype(np.int32)
    graph, _ = subgraph(load_graph(collection), is_shown)
    return LabelledPages(
        pages=cast("list[str]", urls.take(pa.array(numbers)).to_pylist()),
        classes=[next(iter(names_by_page.get(number, ("",)))) for number in numbers.tolist()],
        read_texts=lambda ids: _read_texts(collection, numbers[ids]),
        read_languages=lambda ids: _read_column(collection, "language", numbers[ids]),
        notes=notes,
        graph=graph,
        read_titles=lambda ids: _read_column(collection, "title", numbers[ids]),
        read_anchors=lambda ids: _read_inlink_anchors(collection, graph, numbers, ids),
        read_contexts=InlinkContexts(collection, graph, numbers),
        read_visits=lambda: _read_visits(collection, numbers),
    )


def _classes_by_page(
    collection: Collection, rows: Iterable[tuple[str, str]], is_shown: Flags
) -> tuple[dict[int, set[str]], dict[str, list[str]]]:
    """The classes that are given for each page shown, and the URLs ignored by reason."""
    has_text = np.append(is_captured(collection), [False])  # the last is of unknown URLs
    names_by_page = dict[int, set[str]]()
    ignored: dict[str, list[str]] = {
        "unknown URL": [],
        "page without text": [],
        "page without the tags asked for": [],
        "page with two classes": [],
        "URL without a class": [],
    }
    given = [(url.strip(), name.strip()) for url, name in rows]
    numbers = collection.page_numbers([url for url, _ in given]).tolist()
    for (url, name), number in zip(given, numbers, strict=True):
        if not name:
            ignored["URL without a class"].append(url)
        elif not has_text[number]:
            ignored["unknown URL" if number < 0 else "page without text"].append(url)
        elif not is_shown[number]:
            ignored["page without the tags asked for"].append(url)
        else:
            names_by_page.setdefault(number, set()).add(name)
    return names_by_page, ignored


class InlinkContexts:
    """What links into pages say of them, read once for all links, by page numbers."""

    def __init__(self, collection: Collection, graph: WebGraph, numbers: Ids) -> None:
        self.collection, self.graph, self.numbers = collection, graph, numbers

    def __call__(self, ids: Ids) -> list[list[LinkContext]]:
        """The contexts of the links into some pages."""
        return [self._read_contexts(int(page)) for page in ids]

    def _read_contexts(self, page: int) -> list[LinkContext]:
        links, starts = self._links_by_target
        sites, names, titles = self._sites
        rows = links.slice(int(starts[page]), int(starts[page + 1] - starts[page])).to_pydict()
        return [
            LinkContext(names[sites[source]], (anchor, f"{before} {after}".strip(), titles[source]))
            for source, anchor, before, after in zip(
                *(rows[name] for name in ("source", "anchor", "before", "after")), strict=True
            )
        ]

    @cached_property
    def _links_by_target(self) -> tuple[pa.Table, Offsets]:
        table = read_anchor_table(self.collection, self.numbers, self.graph.outlinks)
        target = table["target"].to_numpy()
        order = np.argsort(target, kind="stable")
        counts = np.bincount(target, minlength=len(self.numbers))
        return table.take(pa.array(order)), np.concatenate([[0], np.cumsum(counts)])

    @cached_property
    def _sites(self) -> tuple[Ids, list[str], list[str]]:
        sites, names = encode_domains(pa.array(self.graph.pages, pa.large_string()))
        return sites, names, _read_column(self.collection, "title", self.numbers)


def _read_visits(collection: Collection, numbers: Ids) -> Visits | None:
    if not has_usage_data(collection):
        return None
    found = load_transitions(collection)
    return Visits(found.views[numbers], found.entries[numbers])


def _read_inlink_anchors(
    collection: Collection, graph: WebGraph, numbers: Ids, ids: Ids
) -> list[str]:
    """The anchor texts of the links into some pages, one a line."""
    rows = take_rows(graph.inlinks, ids)
    targets = np.repeat(ids, np.diff(rows.starts))
    offsets, texts = read_anchor_texts(collection, numbers, np.asarray(rows.ids), targets)
    bounds = offsets[rows.starts].tolist()
    lines = [text or "" for text in texts.to_pylist()]
    return ["\n".join(lines[a:b]) for a, b in pairwise(bounds)]


def _read_texts(collection: Collection, numbers: Ids) -> list[str]:
    titles = _read_column(collection, "title", numbers)
    texts = collection.texts(numbers.tolist())
    return [text_of_page(title, text) for title, text in zip(titles, texts, strict=True)]


def _read_column(collection: Collection, name: str, numbers: Ids) -> list[str]:
    return cast("list[str]", collection.pages[name].take(pa.array(numbers)).to_pylist())


def _describe_ignored(reason: str, urls: list[str]) -> str:
    noun, _, rest = reason.partition(" with") if " with" in reason else (reason, "", "")
    counted = pluralise(len(urls), noun) + (f" with{rest}" if rest else "")
    examples = join_with_and([repr(shorten(url, MAX_URL_CHARS)) for url in urls[:MAX_EXAMPLES]])
    return f"{counted} ignored, such as {examples}"
