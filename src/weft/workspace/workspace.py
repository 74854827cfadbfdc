"""`Workspace`: a collection with every operation on it, as `weft.open` returns it."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import pyarrow as pa
import pyarrow.compute as pc

from weft.core.errors import BadParameter, WeftError
from weft.core.html import titled_table
from weft.core.register import find_method
from weft.core.text import pluralise
from weft.core.validation import validate_call
from weft.gather.formats import InputSource, expand_inputs, recognise_input, spool_to_file
from weft.gather.html import ParseOptions
from weft.graph.anchors import neighbour_table
from weft.graph.baseset.options import (
    DEFAULT_OPTIONS,
    UNFILTERED_OPTIONS,
    BaseOptions,
    Between,
    Direction,
    DropOrKeep,
    ExportKind,
    Level,
    LinkDirection,
)
from weft.graph.formats import write_edges, write_pages
from weft.graph.levels import add_self_links, load_graph
from weft.graph.views import restrict_link_sources
from weft.graph.webgraph import WebGraph
from weft.store.collection import Collection, SearchResults
from weft.store.manifest import MANIFEST_FILE
from weft.store.numbering import PAGE_KIND_NAMES
from weft.store.search import ANY_TIME, TimeRange
from weft.workspace import maintain
from weft.workspace.analyse import (
    LoadedSelection,
    Selection,
    load_selection,
    provenance,
    resolve_name,
    resolve_name_or_empty,
)
from weft.workspace.collection_topics import add_topics_option
from weft.workspace.ingest import AddResult, add_sources

if TYPE_CHECKING:
    from weft.communities import Communities
    from weft.rank import Comparison, Judgements, KnownFor, Ranking, Stability
    from weft.similar import SimilarPages, Suggestions
    from weft.structure import Shape
    from weft.topics import Topics
    from weft.topics.membership import TopicMembership
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

    Methods that find groups or rank pages take the options of the registered
    method as further keywords. `level` is page, host or domain. A `query`
    restricts them to its base set, which is expanded as the `base` options say.
    `exclude` drops hosts, or URLs by a pattern such as `*/print/*`. `between`
    says which links count: those between different pages, hosts, domains or
    sites; `auto` is every link, or in a base set those between domains if there
    are enough of them.
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
        level: Level = "page",
        *,
        since: str = "",
        until: str = "",
    ) -> int:
        """Write the links or the pages to a file, in the format of its suffix; the row count.

        Dates limit the time of capture of the pages, or of the sources of links.
        """
        if what == "pages" and level != "page":
            raise BadParameter("only links of hosts or domains can be exported", hint="use edges")
        file = Path(path)
        if what == "pages":
            return write_pages(self.page_table(since=since, until=until), file)
        span = TimeRange.from_dates(since, until)
        if level != "page":
            if span != ANY_TIME:
                raise WeftError("dates select pages, not hosts or domains", hint="use --level page")
            return write_edges(load_graph(self.collection, level), file, None)
        graph, pages = add_self_links(self.collection), self.collection.pages
        if span != ANY_TIME:
            times = pages["time"].to_numpy()
            graph = restrict_link_sources(graph, (times >= span.since) & (times < span.until))
        return write_edges(graph, file, pages.select(["title", "language"]))

    @validate_call
    def page_table(self, *, since: str = "", until: str = "") -> pa.Table:
        """Every page: URL, title, language, time, kind, captures, out-links and in-links."""
        pages, graph = self.collection.pages, load_graph(self.collection)
        times, timestamp = pages["time"], pa.timestamp("s", "UTC")
        starts = {"outlinks": graph.outlinks.starts, "inlinks": graph.inlinks.starts}
        table = pa.table(
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
        if (span := TimeRange.from_dates(since, until)) == ANY_TIME:
            return table
        return table.filter(
            pc.and_(pc.greater_equal(times, span.since), pc.less(times, span.until))
        )

    @validate_call
    def load(
        self,
        data_type: type,
        *,
        level: Level = "page",
        query: str = "",
        exclude: Sequence[str] = (),
        between: Between = "auto",
        base: BaseOptions = DEFAULT_OPTIONS,
    ) -> object:
        """The data that a method takes: a `WebGraph` or a `BaseSet`."""
        selection = Selection.from_options(level, query, exclude, between, base)
        return load_selection(self.collection, selection).base_set_or_graph(data_type)

    @validate_call
    def rank(
        self,
        method: str = "pagerank",
        *,
        level: Level = "page",
        query: str = "",
        exclude: Sequence[str] = (),
        between: Between = "auto",
        base: BaseOptions = DEFAULT_OPTIONS,
        **options: Any,
    ) -> "Ranking":
        """Rank pages, hosts or domains by a method such as `indegree`."""
        import weft.rank  # noqa: F401, PLC0415  registers its methods

        options = find_method("rank", method).validate_options(options)
        selection = Selection.from_options(level, query, exclude, between, base)
        return self._rank(method, load_selection(self.collection, selection), options)

    @validate_call
    def topics(
        self,
        query: str = "",
        method: str = "auto",
        *,
        level: Level = "page",
        base: BaseOptions = DEFAULT_OPTIONS,
        uncaptured: DropOrKeep = "drop",
        cache: bool = True,
        **options: Any,
    ) -> "Topics":
        """The topics of a query, each with a label, authorities and hubs.

        Without a query, those of the whole collection. Pages that were not
        captured are no members, unless `uncaptured` is keep. Results are cached in
        the folder of the collection, unless `cache` is false.
        """
        from weft.workspace.topics import find_topics  # noqa: PLC0415  loads all methods

        selection = Selection(level, query, base)
        return find_topics(
            self.collection, selection, base, method, options, uncaptured=uncaptured, cache=cache
        )

    @validate_call
    def communities(  # noqa: PLR0913  the selection, the method, and how it is shown
        self,
        query: str = "",
        method: str = "modularity",
        *,
        level: Level = "page",
        exclude: Sequence[str] = (),
        between: Between = "auto",
        uncaptured: DropOrKeep = "drop",
        cache: bool = True,
        **options: Any,
    ) -> "Communities":
        """Communities of pages, hosts or domains: members, centres, hubs and a label for each.

        Pages that were not captured are no members, unless `uncaptured` is keep.
        Results are cached in the folder of the collection, unless `cache` is
        false.
        """
        from weft.workspace.communities import find_communities  # noqa: PLC0415  loads all methods

        selection = Selection.from_options(level, query, exclude, between)
        return find_communities(
            self.collection, selection, method, options, uncaptured=uncaptured, cache=cache
        )

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
        self,
        method: str = "",
        *,
        level: Level = "page",
        query: str = "",
        exclude: Sequence[str] = (),
        between: Between = "auto",
        **options: Any,
    ) -> "Shape":
        """The structure of the graph by a method such as `bow-tie`; without one, an overview."""
        from weft.workspace.structure import describe_structure  # noqa: PLC0415  loads all methods

        selection = Selection.from_options(level, query, exclude, between)
        return describe_structure(self.collection, selection, method, options)

    @validate_call
    def structure_report(
        self,
        *,
        level: Level = "page",
        query: str = "",
        exclude: Sequence[str] = (),
        between: Between = "auto",
    ) -> str:
        """The structure as one HTML page with plots, without scripts or external files."""
        from weft.report.structure import REPORTED_METHODS, structure_report  # noqa: PLC0415
        from weft.workspace.structure import describe_structure  # noqa: PLC0415  loads all methods

        selection = Selection.from_options(level, query, exclude, between)
        shapes = [
            describe_structure(self.collection, selection, method, {})
            for method in REPORTED_METHODS
        ]
        return structure_report(self.collection, shapes)

    @validate_call
    def similar(
        self, url: str, method: str = "combined", *, level: Level = "page", **options: Any
    ) -> "SimilarPages":
        """The pages, hosts or domains most similar to one, with the links that show it.

        Among the options of methods are `top`, `similarity`, one `vote` per
        site, and `text` to compare words as well.
        """
        from weft.workspace.similar import find_similar  # noqa: PLC0415  loads all methods

        return find_similar(self.collection, url, method, level, options)

    @validate_call
    def suggest(
        self, url: str, method: str = "fused", *, level: Level = "page", **options: Any
    ) -> "Suggestions":
        """Links to a page and from it that are missing, each with a reason and an anchor.

        Among the options of methods are `top`, `direction` and `same_site`.
        """
        from weft.workspace.similar import suggest_links  # noqa: PLC0415  loads all methods

        return suggest_links(self.collection, url, method, level, options)

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
    def why(  # noqa: PLR0913  the page and its score, and the selection
        self,
        url: str,
        method: str = "pagerank",
        *,
        by: str = "",
        level: Level = "page",
        query: str = "",
        exclude: Sequence[str] = (),
        between: Between = "auto",
        base: BaseOptions = DEFAULT_OPTIONS,
        **options: Any,
    ) -> "Explanation":
        """How much each link contributes to the score of a page, host or domain.

        `by` names the score if a method gives several.
        """
        from weft.workspace.explain import explain_score  # noqa: PLC0415  loads all methods

        page = resolve_name(self.collection, level, url)
        selection = Selection.from_options(level, query, exclude, between, base)
        ranking = self._rank(method, load_selection(self.collection, selection), options)
        return explain_score(self.collection, ranking, page, by)

    @validate_call
    def topic_membership(
        self,
        url: str,
        query: str,
        *,
        exclude: Sequence[str] = (),
        between: Between = "auto",
        base: BaseOptions = DEFAULT_OPTIONS,
    ) -> "TopicMembership":
        """The topics of a query that a page is in, its role and evidence; or why in none."""
        page = self.collection.stored_url(url)
        selection = Selection.from_options("page", query, exclude, between, base)
        return self.topics(query, base=selection.base_options).explain(page)

    @validate_call
    def known_for(
        self,
        url: str,
        *,
        query: str = "",
        base: BaseOptions = UNFILTERED_OPTIONS,
        jump_probability: float = 0.1,
        min_pages: int = 2,
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
        base_set = reputation_base_set(self.collection, page, query, base)
        base_set.origin_of(page)  # raises with the reason if the page is not in it
        return known_for(base_set, page, jump_probability=jump_probability, min_pages=min_pages)

    @validate_call
    def compare_methods(  # noqa: PLR0913  the selection, and the judgements
        self,
        *methods: str,
        level: Level = "page",
        query: str = "",
        exclude: Sequence[str] = (),
        between: Between = "auto",
        base: BaseOptions = DEFAULT_OPTIONS,
        by: str = "",
        top: int = 10,
        judgements: Ratings | None = None,
        relevant: float | None = None,
    ) -> "Comparison":
        """Rank by several methods, and compare the rankings by rank correlation.

        With `judgements`, ratings by URL or a CSV file of them, each method is
        evaluated too: see `weft.rank.evaluate`. Pages rated at least `relevant`
        are relevant; by default those above the middle of the ratings.
        """
        from weft.rank import compare  # noqa: PLC0415  loads all methods

        judged = None
        if judgements is not None:
            judged = self._load_judgements(judgements, level, relevant)
        elif relevant is not None:
            raise BadParameter("relevant needs judgements", hint="add judgements")
        selection = Selection.from_options(level, query, exclude, between, base)
        loaded = load_selection(self.collection, selection)
        rankings = [self._rank(method, loaded, {}) for method in methods or DEFAULT_METHODS]
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
    def stability(  # noqa: PLR0913  the selection, and the perturbation
        self,
        method: str = "pagerank",
        *,
        trials: int = 20,
        drop: float = 0.1,
        seed: int = 0,
        level: Level = "page",
        query: str = "",
        exclude: Sequence[str] = (),
        between: Between = "auto",
        base: BaseOptions = DEFAULT_OPTIONS,
        by: str = "",
        top: int = 10,
        **options: Any,
    ) -> "Stability":
        """How stable a ranking is if a share `drop` of the links is removed at random."""
        from weft.rank import stability  # noqa: PLC0415  loads all methods

        registered = find_method("rank", method)
        options = registered.validate_options(options)
        selection = Selection.from_options(level, query, exclude, between, base)
        loaded = load_selection(self.collection, selection)
        options, _ = add_topics_option(registered, loaded, options, self.topics)

        def rank_graph(graph: WebGraph) -> "Ranking":
            perturbed = replace(loaded, base=replace(loaded.base, graph=graph))
            return cast(
                "Ranking", registered(perturbed.base_set_or_graph(registered.input_type), **options)
            )

        graph = loaded.base.graph
        return stability(graph, rank_graph, trials=trials, drop=drop, seed=seed, by=by, top=top)

    def _rank(self, method: str, loaded: LoadedSelection, options: dict[str, Any]) -> "Ranking":
        import weft.rank  # noqa: F401, PLC0415  registers its methods

        registered = find_method("rank", method)
        complete, added = add_topics_option(registered, loaded, options, self.topics)
        ranking = cast(
            "Ranking", registered(loaded.base_set_or_graph(registered.input_type), **complete)
        )
        given = {name: options.get(name, ()) for name in added}  # not what was filled in
        return replace(
            ranking,
            options={**ranking.options, **given},
            provenance=provenance(self.collection, loaded) | added,
        )

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
