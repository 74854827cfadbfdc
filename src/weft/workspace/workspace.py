"""`Workspace`: a collection with every operation on it, as `weft.open` returns it."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import pyarrow as pa
import pyarrow.compute as pc

from weft.core.errors import BadParameter
from weft.core.html import titled_table
from weft.core.text import pluralise
from weft.core.validation import validate_call
from weft.gather.formats import InputSource, expand_inputs, recognise_input, spool_to_file
from weft.gather.html import ParseOptions
from weft.graph.anchors import neighbour_table
from weft.graph.baseset.baseset import BaseSet
from weft.graph.formats import write_edges, write_pages
from weft.graph.levels import load_graph
from weft.graph.selection import (
    DEFAULT_SELECTION,
    UNFILTERED_SELECTION,
    Direction,
    DropOrKeep,
    ExportKind,
    Level,
    LinkDirection,
    Selection,
)
from weft.graph.webgraph import WebGraph
from weft.store.collection import Collection, SearchResults
from weft.store.manifest import MANIFEST_FILE
from weft.store.numbering import PAGE_KIND_NAMES
from weft.store.search import TimeRange
from weft.workspace import maintain
from weft.workspace.analyse import (
    analyse,
    complete_selection,
    find_registered,
    load_selection,
    resolve_name,
    resolve_name_or_empty,
    split_options,
)
from weft.workspace.ingest import AddResult, add_sources

if TYPE_CHECKING:
    from weft.groups import Groups, Membership
    from weft.rank import Comparison, Judgements, KnownFor, Ranking, Stability
    from weft.similar import SimilarPages, Suggestions
    from weft.structure import Shape
    from weft.workspace.explain import Explanation


DIRECTIONS: dict[Direction, tuple[LinkDirection, ...]] = {
    "in": ("in",),
    "out": ("out",),
    "both": ("in", "out"),
}
Ratings = str | PathLike[str] | Mapping[str, float]
DEFAULT_METHODS = ("indegree", "pagerank", "hits", "salsa")


@dataclass(slots=True, eq=False)
class Workspace:
    """A collection: its folder, and the snapshot that was last opened.

    Methods that analyse it take a `Selection`, or its words as further keywords:
    `level` is page, host or domain; a `query` restricts them to its base set;
    `exclude` drops hosts, or URLs by a pattern such as `*/print/*`; `between`
    says which links count; `since` and `until` limit the time of capture. The
    options of the registered method are keywords too.
    """

    folder: Path
    _collection: Collection | None = field(default=None, repr=False)

    @property
    def collection(self) -> Collection:
        """The open snapshot; `refresh` moves to a newer one."""
        if self._collection is None:
            self._collection = Collection.open(self.folder)
        return self._collection

    def refresh(self) -> "Workspace":
        """Move to the snapshot of the last commit."""
        self._collection = None
        return self

    def add(
        self,
        *inputs: str | PathLike[str] | BinaryIO,
        kind: str = "",
        base_url: str = "",
        vertices: str | PathLike[str] | None = None,
        parse_options: ParseOptions | None = None,
        workers: int = 0,
    ) -> AddResult:
        """Add files, folders, globs or open files; captures that are stored are skipped.

        `kind` names the format if it cannot be detected, `base_url` the address
        of a folder or file of HTML, `vertices` the file with the names of a
        Common Crawl graph. `workers` is the number of processes that parse; by
        default one a core for inputs of at least 4 MB.
        """
        names = Path(vertices) if vertices is not None else None
        with ExitStack() as stack:
            sources: list[InputSource] = []
            for given in inputs:
                if isinstance(given, str | PathLike):
                    sources += expand_inputs(fspath(given), kind, base_url, names)
                else:
                    path = stack.enter_context(spool_to_file(given))
                    sources.append(recognise_input(path, "standard input", kind, base_url))
            self.refresh()
            return add_sources(self.folder, sources, parse_options or ParseOptions(), workers)

    @validate_call
    def search(
        self, query: str, k: int = 10, *, since: str = "", until: str = "", snippets: bool = True
    ) -> SearchResults:
        """Search pages by words; dates such as 2004-05 limit the time of capture."""
        span = TimeRange.from_dates(since, until)
        return self.collection.search(query, k, time_range=span, with_snippets=snippets)

    @validate_call
    def graph(self, level: Level = "page") -> WebGraph:
        """The links between pages, hosts or domains."""
        return load_graph(self.collection, level)

    @validate_call
    def links(self, url: str, direction: Direction = "both") -> pa.Table:
        """The links into a page and out of it, with their anchors."""
        number = self.collection.find_page(url)
        tables = [neighbour_table(self.collection, number, d) for d in DIRECTIONS[direction]]
        return pa.concat_tables(tables)

    @validate_call
    def export(
        self,
        path: str | PathLike[str],
        what: ExportKind = "edges",
        selection: Selection = DEFAULT_SELECTION,
        **words: Any,
    ) -> int:
        """Write the links or the pages of a selection to a file; the row count.

        The format is that of the file's suffix. Of a whole collection the links
        of pages to themselves are written too, unless `between` says otherwise.
        """
        selection = selection.with_changes(**words)
        if what == "pages" and selection.level != "page":
            raise BadParameter("only links of hosts or domains can be exported", hint="use edges")
        file, is_whole = Path(path), selection == Selection(level=selection.level)
        if what == "pages" and is_whole:
            return write_pages(self.page_table(), file)
        if selection.level == "page" and selection.between == "auto" and not selection.has_base_set:
            selection = selection.with_changes(between="any")
        complete = complete_selection("export", selection)
        loaded = load_selection(self.collection, complete, "export", BaseSet)
        if selection.level != "page":
            return write_edges(loaded.graph, file, None)
        numbers = pa.array(loaded.data.page_numbers)
        if what == "pages":
            return write_pages(self.page_table().take(numbers), file)
        pages = self.collection.pages.select(["title", "language"]).take(numbers)
        return write_edges(loaded.graph, file, pages)

    def page_table(self) -> pa.Table:
        """Every page: URL, title, language, time, kind, captures, out-links and in-links."""
        pages, graph = self.collection.pages, load_graph(self.collection)
        times, timestamp = pages["time"], pa.timestamp("s", "UTC")
        starts = {"outlinks": graph.outlinks.starts, "inlinks": graph.inlinks.starts}
        return pa.table(
            {
                "url": pages["url"],
                "title": pages["title"],
                "language": pages["language"],
                "time": pc.if_else(pc.greater(times, 0), times, None).cast(timestamp),
                "kind": PAGE_KIND_NAMES.take(pages["kind"].combine_chunks()),
                "captures": pages["captures"],
                **{name: pc.pairwise_diff(pa.array(s))[1:] for name, s in starts.items()},
            }
        )

    @validate_call
    def load(
        self, data_type: type, selection: Selection = DEFAULT_SELECTION, **words: Any
    ) -> object:
        """The data that a method takes: a `WebGraph` or a `BaseSet`."""
        selection = selection.with_changes(**words)
        complete = complete_selection("rank", selection)
        return load_selection(self.collection, complete, "rank", data_type).data

    def _analyse(
        self,
        kind: str,
        method: str,
        selection: Selection,
        given: Mapping[str, Any],
        **how: Any,
    ) -> Any:
        registered = find_registered(kind, method)
        selection, options = split_options(registered, selection, given)
        return analyse(self.collection, registered, selection, options, **how)

    @validate_call
    def rank(
        self, method: str = "pagerank", selection: Selection = DEFAULT_SELECTION, **options: Any
    ) -> "Ranking":
        """Rank pages, hosts or domains by a method such as `indegree`."""
        return cast("Ranking", self._analyse("rank", method, selection, options))

    @validate_call
    def topics(
        self,
        query: str = "",
        method: str = "auto",
        selection: Selection = DEFAULT_SELECTION,
        *,
        uncaptured: DropOrKeep = "drop",
        cache: bool = True,
        **options: Any,
    ) -> "Groups":
        """The topics of a query, each with a label, authorities and hubs.

        Without a query, those of the whole collection. Pages that were not
        captured are no members, unless `uncaptured` is keep. Results are cached in
        the folder of the collection, unless `cache` is false.
        """
        given = {"query": query or selection.query, **options}
        how = {"uncaptured": uncaptured, "cache": cache}
        return cast("Groups", self._analyse("topics", method, selection, given, **how))

    @validate_call
    def communities(
        self,
        query: str = "",
        method: str = "modularity",
        selection: Selection = DEFAULT_SELECTION,
        *,
        uncaptured: DropOrKeep = "drop",
        cache: bool = True,
        **options: Any,
    ) -> "Groups":
        """Communities of pages, hosts or domains: members, authorities, hubs and a label for each.

        Pages that were not captured are no members, unless `uncaptured` is keep.
        Results are cached in the folder of the collection, unless `cache` is
        false.
        """
        given = {"query": query or selection.query, **options}
        how = {"uncaptured": uncaptured, "cache": cache}
        return cast("Groups", self._analyse("communities", method, selection, given, **how))

    @validate_call
    def compare_sites(  # noqa: PLR0913  whose sites, and what is known of them
        self,
        mine: str,
        theirs: str,
        *,
        known: Sequence[str] = (),
        keywords: Sequence[str] = (),
        top: int = 50,
        threshold: float = 0.2,
        min_terms: int = 20,
    ) -> "Shape":
        """Terms, pages, concepts and links of their site that mine lacks, and matching pages.

        A site is a host, a domain or a folder such as `example.com/~ann`.
        `known` are words and addresses that are expected anyway; `keywords` are
        searched on both sites. Pages match by a cosine of at least `threshold`;
        only pages with at least `min_terms` terms can be unexpected. Tables have
        at most `top` rows.
        """
        from weft.workspace.compare_sites import CompareSitesOptions, compare_sites  # noqa: PLC0415

        options = CompareSitesOptions(top, threshold, min_terms, tuple(known), tuple(keywords))
        return compare_sites(self.collection, mine, theirs, options)

    @validate_call
    def structure(
        self, method: str = "", selection: Selection = DEFAULT_SELECTION, **options: Any
    ) -> "Shape":
        """The structure of the graph by a method such as `bow-tie`; without one, an overview."""
        if method:
            return cast("Shape", self._analyse("structure", method, selection, options))
        from weft.workspace.structure_overview import overview  # noqa: PLC0415  loads all methods

        selection, others = split_options(None, selection, options)
        if others:
            raise BadParameter("an overview has no options", hint="name the method that has them")
        complete = complete_selection("structure", selection)
        loaded = load_selection(self.collection, complete, "structure", WebGraph)
        return replace(overview(loaded.graph), provenance=loaded.provenance())

    @validate_call
    def structure_report(self, selection: Selection = DEFAULT_SELECTION, **words: Any) -> str:
        """The structure as one HTML page with plots, without scripts or external files."""
        from weft.report.structure import REPORTED_METHODS, structure_report  # noqa: PLC0415

        selection = selection.with_changes(**words)
        shapes = [self.structure(method, selection) for method in REPORTED_METHODS]
        return structure_report(self.collection, shapes)

    @validate_call
    def similar(
        self,
        url: str,
        method: str = "combined",
        selection: Selection = DEFAULT_SELECTION,
        **options: Any,
    ) -> "SimilarPages":
        """The pages, hosts or domains most similar to one, with the links that show it.

        Among the options of methods are `top`, `similarity`, one `vote` per
        site, and `text` to compare words as well.
        """
        return cast("SimilarPages", self._analyse_page("similar", url, method, selection, options))

    @validate_call
    def suggest(
        self,
        url: str,
        method: str = "fused",
        selection: Selection = DEFAULT_SELECTION,
        **options: Any,
    ) -> "Suggestions":
        """Links to a page and from it that are missing, each with a reason and an anchor.

        Among the options of methods are `top`, `direction` and `same_site`.
        """
        return cast("Suggestions", self._analyse_page("suggest", url, method, selection, options))

    def _analyse_page(
        self, kind: str, url: str, method: str, selection: Selection, given: Mapping[str, Any]
    ) -> Any:
        if "page" in given:
            raise BadParameter(f"{method}: the page is {url!r} already", hint="omit page=")
        registered = find_registered(kind, method)
        selection, options = split_options(registered, selection, given)
        page = resolve_name(self.collection, selection.level, url)
        return analyse(self.collection, registered, selection, {**options, "page": page})

    @validate_call
    def report(
        self, query: str = "", *, top: int = 10, max_topics: int = 10, **topic_options: Any
    ) -> str:
        """The topics of a query as one HTML page, without scripts or external files.

        It shows the first `max_topics` topics, each with its `top` authorities
        and hubs; the other options are those of `topics`.
        """
        from weft.report import topics_report  # noqa: PLC0415  loads all methods

        return topics_report(
            self.collection, self.topics(query, **topic_options), top=top, max_topics=max_topics
        )

    @validate_call
    def why(
        self,
        url: str,
        method: str = "pagerank",
        selection: Selection = DEFAULT_SELECTION,
        *,
        by: str = "",
        **options: Any,
    ) -> "Explanation":
        """How much each link contributes to the score of a page, host or domain.

        `by` names the score if a method gives several.
        """
        from weft.workspace.explain import explain_score  # noqa: PLC0415  loads all methods

        registered = find_registered("rank", method)
        selection, options = split_options(registered, selection, options)
        page = resolve_name(self.collection, selection.level, url)
        ranking = analyse(self.collection, registered, selection, options)
        return explain_score(self.collection, ranking, page, by)

    @validate_call
    def topic_membership(
        self, url: str, query: str, selection: Selection = DEFAULT_SELECTION, **words: Any
    ) -> "Membership":
        """The topics of a query that a page is in, its role and evidence; or why in none."""
        selection = selection.with_changes(**words)
        page = resolve_name(self.collection, selection.level, url)
        return self.topics(query, selection=selection).explain(page)

    @validate_call
    def known_for(
        self,
        url: str,
        selection: Selection = UNFILTERED_SELECTION,
        *,
        jump_probability: float = 0.1,
        min_pages: int = 2,
        **words: Any,
    ) -> "KnownFor":
        """The terms that a page has the highest reputation on.

        Terms are phrases of anchor texts and titles that are used for the page
        more than for others. Random surfers start on pages of the base set of a
        query, or of those within two links of the page. Terms on fewer than
        `min_pages` of these pages do not count.
        """
        from weft.rank import known_for  # noqa: PLC0415
        from weft.workspace.explain import reputation_base_set  # noqa: PLC0415  loads all methods

        page = self.collection.stored_url(url)
        selection = selection.with_changes(**words)
        base_set = reputation_base_set(self.collection, page, selection)
        base_set.origin_of(page)  # raises with the reason if the page is not in it
        return known_for(base_set, page, jump_probability=jump_probability, min_pages=min_pages)

    @validate_call
    def compare_methods(
        self,
        *methods: str,
        selection: Selection = DEFAULT_SELECTION,
        by: str = "",
        top: int = 10,
        judgements: Ratings | None = None,
        relevant: float | None = None,
        **words: Any,
    ) -> "Comparison":
        """Rank by several methods, and compare the rankings by rank correlation.

        With `judgements`, ratings by URL or a CSV file of them, each method is
        evaluated too: see `weft.rank.evaluate`. Pages rated at least `relevant`
        are relevant; by default those above the middle of the ratings.
        """
        from weft.rank import compare  # noqa: PLC0415  loads all methods

        selection = selection.with_changes(**words)
        judged = None
        if judgements is not None:
            judged = self._load_judgements(judgements, selection.level, relevant)
        elif relevant is not None:
            raise BadParameter("relevant needs judgements", hint="add judgements")
        rankings = [self.rank(method, selection) for method in methods or DEFAULT_METHODS]
        return compare(rankings, by=by, top=top, judgements=judged)

    def _load_judgements(
        self, ratings: Ratings, level: Level, relevant: float | None
    ) -> "Judgements":
        """Ratings by the names that the collection has for pages, hosts or domains."""
        from weft.rank import Judgements, read_ratings  # noqa: PLC0415

        rows = ratings.items() if isinstance(ratings, Mapping) else read_ratings(ratings)
        return Judgements.from_rows(
            rows, lambda url: resolve_name_or_empty(self.collection, level, url), relevant, level
        )

    @validate_call
    def stability(  # noqa: PLR0913  the method, and the perturbation
        self,
        method: str = "pagerank",
        selection: Selection = DEFAULT_SELECTION,
        *,
        trials: int = 20,
        drop: float = 0.1,
        seed: int = 0,
        by: str = "",
        top: int = 10,
        **options: Any,
    ) -> "Stability":
        """How stable a ranking is if a share `drop` of the links is removed at random."""
        from weft.rank import stability  # noqa: PLC0415  loads all methods

        registered = find_registered("rank", method)
        selection, options = split_options(registered, selection, options)
        complete = complete_selection("rank", selection)
        loaded = load_selection(self.collection, complete, "rank", registered.input_type)

        def rank_graph(graph: WebGraph) -> "Ranking":
            is_graph = isinstance(loaded.data, WebGraph)
            data = graph if is_graph else replace(loaded.data, graph=graph)
            return cast("Ranking", registered(data, **options))

        graph = loaded.graph
        return stability(graph, rank_graph, trials=trials, drop=drop, seed=seed, by=by, top=top)

    def remove(
        self, urls: Sequence[str] = (), hosts: Sequence[str] = (), patterns: Sequence[str] = ()
    ) -> int:
        """Remove pages with all their captures; the number of pages."""
        self.refresh()
        return maintain.remove_pages(self.folder, maintain.PageSelector(urls, hosts, patterns))

    def compact(self) -> tuple[int, int]:
        """Merge the segments; their number before and after."""
        self.refresh()
        return maintain.compact(self.folder)

    def doctor(self, *, deep: bool = False) -> list[str]:
        """Check every file against its digest; a sentence for each that is damaged.

        `deep` also compares the files with each other: a collection from
        elsewhere can have valid digests and inconsistent contents.
        """
        return maintain.find_damaged_files(self.folder, deep=deep)

    @property
    def counts(self) -> dict[str, int]:
        """The number of pages by kind, of hosts, domains, captures, links and folded URLs."""
        return dict(self.collection.manifest.counts)

    @property
    def history(self) -> tuple[dict[str, Any], ...]:
        """Every commit: its time, version and inputs, the pages added, and the problems."""
        return self.collection.manifest.history

    def __repr__(self) -> str:
        if not (self.folder / MANIFEST_FILE).exists():
            return f"<Weft collection {self.folder}: not created yet>"
        counts = self.counts
        pages = pluralise(counts["captured"] + counts["listed"], "page")
        return f"<Weft collection {self.folder}: {pages}, {pluralise(counts['links'], 'link')}>"

    def _repr_html_(self) -> str:
        exists = (self.folder / MANIFEST_FILE).exists()
        rows = [(name, f"{count:,}") for name, count in self.counts.items()] if exists else []
        return titled_table(repr(self).strip("<>"), ["", "count"], rows)


def open(folder: str | PathLike[str]) -> Workspace:  # noqa: A001
    """Open the collection in a folder; `add` creates it if there is none.

    Examples
    --------
    >>> import tempfile, weft
    >>> c = weft.open(tempfile.mkdtemp() + "/mine.weft")
    """
    try:
        return Workspace(Path(folder))
    except TypeError:
        raise BadParameter(
            f"a collection is a folder, not {folder!r}", hint="give the path of the folder"
        ) from None
