"""`Workspace`: a collection with every operation on it, as `weft.open` returns it."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.errors import BadParameter, WeftError
from weft.core.html import titled_table
from weft.core.register import validate_call
from weft.core.text import pluralise
from weft.gather.formats import InputSource, expand_inputs, recognise_input, spool_to_file
from weft.gather.html import ParseOptions
from weft.gather.logs.options import LogOptions
from weft.graph.attributes import PageFilter
from weft.graph.baseset.baseset import BaseSet
from weft.graph.levels import group_pages, load_graph, uncaptured_pages
from weft.graph.link_facts import neighbour_table
from weft.graph.selection import (
    DEFAULT_SELECTION,
    UNFILTERED_SELECTION,
    Direction,
    DropOrKeep,
    ExportKind,
    GraphFormat,
    GroupKindOrNone,
    Level,
    LinkDirection,
    Selection,
)
from weft.graph.webgraph import WebGraph
from weft.store.captures import captures_of_page, to_times
from weft.store.collection import Collection, SearchResults, read_live_columns
from weft.store.entities import (
    Entities,
    change_entities,
    read_entities,
    undo_entities,
    write_entities,
)
from weft.store.group_edits import (
    Action,
    GroupEdit,
    append_group_edit,
    leading,
    read_group_edits,
    undo_group_edit,
)
from weft.store.manifest import MANIFEST_FILE
from weft.store.numbering import PAGE_KIND_NAMES
from weft.store.search import TimeRange
from weft.store.tags import PageValues, Scope, Tags, majority_values, read_tags, undo_tags
from weft.workspace import maintain
from weft.workspace.analyse import (
    analyse,
    complete_selection,
    find_registered,
    load_selection,
    resolve_name,
    resolve_name_or_empty,
    resolve_page_options,
    smaller_level_suggested,
    split_options,
)
from weft.workspace.ingest import AddResult, UsageOptions, add_sources
from weft.workspace.published_ranks import PUBLISHED_RANKINGS, rank_as_published

if TYPE_CHECKING:
    from weft.classify import Classes
    from weft.crawl import Crawl
    from weft.gather.fetch.engine import CrawlControl, CrawlEvent
    from weft.groups import Groups, Membership
    from weft.groups.comparison import GroupsComparison
    from weft.rank import Comparison, Judgements, KnownFor, Ranking, Stability
    from weft.report.graph_map import GraphMap
    from weft.similar import SimilarPages, Suggestions
    from weft.structure import Shape
    from weft.usage import Usage
    from weft.workspace.curate import Conflicts
    from weft.workspace.explain import Explanation
    from weft.workspace.facets import Facets


DIRECTIONS: dict[Direction, tuple[LinkDirection, ...]] = {
    "in": ("in",),
    "out": ("out",),
    "both": ("in", "out"),
}
Ratings = str | PathLike[str] | Mapping[str, float]
TrainingData = str | PathLike[str] | Mapping[str, str] | Sequence[tuple[str, str]]
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

    def add(  # noqa: PLR0913  all that is asked of inputs
        self,
        *inputs: str | PathLike[str] | BinaryIO,
        kind: str = "",
        base_url: str = "",
        vertices: str | PathLike[str] | None = None,
        ranks: str | PathLike[str] | None = None,
        parse_options: ParseOptions | None = None,
        workers: int = 0,
        log_options: LogOptions | None = None,
        session_rules: Mapping[str, Any] | None = None,
        new_visitors: bool = False,
    ) -> AddResult:
        """Add files, folders, globs or open files; captures that are stored are skipped.

        `kind` names the format if it cannot be detected, `base_url` the address
        of a folder or file of HTML, `vertices` the file with the names of a
        Common Crawl graph, `ranks` that with its published ranks.
        `workers` is the number of processes that parse; by default one a core for
        inputs of at least 4 MB. `log_options` say how access logs are cleaned.
        `session_rules` are changes of how all usage data is cut into sessions,
        which need no inputs: `rule`, `timeout` in seconds and `complete_paths`.
        Logs are added without the salt of earlier visitors only if these are
        `new_visitors`.
        """
        names, published = (None if path is None else Path(path) for path in (vertices, ranks))
        log_options = log_options or LogOptions()
        form = log_options.log_format
        with ExitStack() as stack:
            sources: list[InputSource] = []
            for given in inputs:
                if isinstance(given, str | PathLike):
                    sources += expand_inputs(fspath(given), kind, base_url, names, published, form)
                else:
                    path = stack.enter_context(spool_to_file(given))
                    name = "standard input"
                    sources.append(recognise_input(path, name, kind, base_url, None, form))
            self.refresh()
            options = parse_options or ParseOptions()
            if session_rules and not sources:
                options = replace(options, url_policy=self.collection.url_policy)
            usage = UsageOptions(log_options, session_rules or {}, new_visitors)
            return add_sources(self.folder, sources, options, workers, usage)

    @validate_call
    def search(
        self,
        query: str,
        k: int = 10,
        *,
        since: str = "",
        until: str = "",
        where: Mapping[str, Sequence[str]] | None = None,
        snippets: bool = True,
    ) -> SearchResults:
        """Search pages by words; dates such as 2004-05 limit the time of capture.

        `where` are values that pages must have, such as `{"language": ["de"]}`, of the
        attributes that `facets` counts; several values of one are alternatives.
        """
        span, mask = TimeRange.from_dates(since, until), PageFilter(where or {}).mask
        return self.collection.search(
            query, k, time_range=span, pages=mask(self.collection), with_snippets=snippets
        )

    @validate_call
    def facets(
        self,
        query: str = "",
        *,
        since: str = "",
        until: str = "",
        where: Mapping[str, Sequence[str]] | None = None,
        top: int = 10,
    ) -> "Facets":
        """How many of the pages that a search finds have each site, language, year, type or tag.

        And how many captures they have by day, month or year. Without a query
        all pages count.
        """
        from weft.workspace.facets import count_facets  # noqa: PLC0415  only where it is asked for

        span = TimeRange.from_dates(since, until)
        return count_facets(self.collection, query, span, PageFilter(where or {}), top)

    @validate_call
    def captures(self, url: str) -> pa.Table:
        """The captures of a page, latest first: time, URL, status, type, title, characters."""
        return captures_of_page(self.collection, self.collection.find_page(url))

    @validate_call
    def text(self, url: str, *, main_content: bool = False) -> str:
        """The text of a page as it is stored, or its main content."""
        number = self.collection.find_page(url)
        return self.collection.texts([number], main_content=main_content)[0]

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
    def export(  # noqa: PLR0913  what is written, of which pages, and how
        self,
        path: str | PathLike[str],
        what: ExportKind = "edges",
        selection: Selection = DEFAULT_SELECTION,
        *,
        format: GraphFormat | None = None,  # noqa: A002  the word of command and API
        rank: Sequence[str] = (),
        group: GroupKindOrNone = "auto",
        search: str = "",
        **words: Any,
    ) -> int:
        """Write pages, links, texts or topics to a file; the row count.

        The format is that of the file's suffix, unless it is given; the path
        `-` is standard output. A file appears whole or not at all.

        `rank` names methods whose scores become columns of pages, hosts and
        domains, `group` whether their topics or communities do, and `search` a
        query whose hits alone count. Each facet of tags is a column, called
        `tag:decision` for the facet decision, and so is each score that came
        with a graph, such as `published:pagerank`. In GEXF and GraphML all these are
        attributes of nodes, which have a size by the first of `rank` or by
        in-links, a colour by group, and a position. Of a whole collection the
        links of pages to themselves are written too, unless `between` says
        otherwise.
        """
        from weft.workspace.export import ExportRequest, write_export  # noqa: PLC0415

        request = ExportRequest(what, selection.with_changes(**words), tuple(rank), group, search)
        return write_export(self, Path(path), request, format or "")

    def page_table(self, level: Level = "page") -> pa.Table:
        """Every page: URL, title, language, time, kind, HTTP status, captures, degrees.

        Or every host, domain or entity: name, captured and uncaptured pages,
        language of most pages, first and last time of capture, degrees.
        """
        graph = load_graph(self.collection, level)
        starts = {"outlinks": graph.outlinks.starts, "inlinks": graph.inlinks.starts}
        degrees = {name: pc.pairwise_diff(pa.array(s))[1:] for name, s in starts.items()}
        if level != "page":
            return pa.table({level: graph.names, **self._describe_groups(level), **degrees})
        pages, live = self.collection.pages, read_live_columns(self.collection, ["status"])
        return pa.table(
            {
                "url": pages["url"],
                "title": pages["title"],
                "language": pages["language"],
                "time": to_times(pages["time"]),
                "kind": PAGE_KIND_NAMES.take(pages["kind"].combine_chunks()),
                "http_status": live["status"],
                "captures": pages["captures"],
                **degrees,
            }
        )

    def _describe_groups(self, level: Level) -> dict[str, pa.Array]:
        """The pages, language and times of each host, domain or entity."""
        group, names = group_pages(self.collection, level)
        uncaptured, pages = uncaptured_pages(self.collection), self.collection.pages
        languages = pages["language"].combine_chunks().dictionary_encode()
        known = tuple(languages.dictionary.to_pylist())
        codes = languages.indices.to_numpy().astype(np.int32)
        spoken = PageValues("language", known, codes)
        has_language = np.array([bool(name) for name in known], bool)[codes]
        majority = majority_values(spoken, group, len(names), ~uncaptured & has_language)
        times = pages["time"].to_numpy()
        dated, never = times > 0, np.iinfo(np.int64).max
        first, last = np.full(len(names), never), np.zeros(len(names), np.int64)
        np.minimum.at(first, group[dated], times[dated])
        np.maximum.at(last, group[dated], times[dated])
        return {
            "pages": pa.array(np.bincount(group[~uncaptured], minlength=len(names))),
            "uncaptured": pa.array(np.bincount(group[uncaptured], minlength=len(names))),
            "language": replace(spoken, codes=majority).to_array(),
            "first_time": to_times(pa.array(np.where(first == never, 0, first))),
            "last_time": to_times(pa.array(last)),
        }

    @validate_call
    def load(
        self, data_type: type, selection: Selection = DEFAULT_SELECTION, **words: Any
    ) -> object:
        """The data that a method takes: a `WebGraph` or a `BaseSet`."""
        selection = selection.with_changes(**words)
        complete = complete_selection("rank", selection)
        return load_selection(self.collection, complete, "rank", data_type).data

    def _analyse(
        self, kind: str, method: str, selection: Selection, given: Mapping[str, Any], **how: Any
    ) -> Any:
        registered = find_registered(kind, method)
        selection, options = split_options(registered, selection, given)
        return analyse(self.collection, registered, selection, options, **how)

    @validate_call
    def rank(
        self, method: str = "pagerank", selection: Selection = DEFAULT_SELECTION, **options: Any
    ) -> "Ranking":
        """Rank pages, hosts or domains by a method such as `indegree`.

        `published-pagerank` and `published-harmonic` are the ranks that came with
        a Common Crawl graph.
        """
        if method in PUBLISHED_RANKINGS:
            selection, others = split_options(None, selection, options)
            if others:
                raise BadParameter(f"{method} has no options", hint="it was computed elsewhere")
            return rank_as_published(self.collection, method, selection)
        return cast("Ranking", self._analyse("rank", method, selection, options))

    @validate_call
    def topics(
        self,
        query: str = "",
        method: str = "auto",
        selection: Selection = DEFAULT_SELECTION,
        *,
        uncaptured: DropOrKeep = "drop",
        edited: bool = True,
        cache: bool = True,
        **options: Any,
    ) -> "Groups":
        """The topics of a query, each with a label, authorities and hubs.

        Without a query, those of the whole collection. Pages that were not
        captured are no members, unless `uncaptured` is keep. They are `edited` as
        people changed them. Results are cached in the folder of the collection,
        unless `cache` is false.
        """
        given = {"query": query or selection.query, **options}
        how = {"uncaptured": uncaptured, "edited": edited, "cache": cache}
        return cast("Groups", self._analyse("topics", method, selection, given, **how))

    @validate_call
    def communities(
        self,
        query: str = "",
        method: str = "modularity",
        selection: Selection = DEFAULT_SELECTION,
        *,
        uncaptured: DropOrKeep = "drop",
        edited: bool = True,
        cache: bool = True,
        **options: Any,
    ) -> "Groups":
        """Communities of pages, hosts or domains: members, authorities, hubs and a label for each.

        Pages that were not captured are no members, unless `uncaptured` is keep.
        They are `edited` as people changed them. Results are cached in the folder
        of the collection, unless `cache` is false.
        """
        given = {"query": query or selection.query, **options}
        how = {"uncaptured": uncaptured, "edited": edited, "cache": cache}
        return cast("Groups", self._analyse("communities", method, selection, given, **how))

    def edit_topic(  # noqa: PLR0913  which topic, and what to do with it
        self,
        query: str,
        number: int,
        *,
        rename: str = "",
        merge_into: int = 0,
        hide: bool = False,
        kind: Literal["topics", "communities"] = "topics",
        by: str = "",
        **how: Any,
    ) -> GroupEdit:
        """Rename a topic of a query, merge it into another, or hide it; kept with the collection.

        The change holds for all methods and options, and for later snapshots: a
        topic is known by its leading authorities. Further keywords are those of
        `topics`, by which it was found.
        """
        from weft.groups.edited import leading_pages  # noqa: PLC0415  only where it is asked for

        actions: dict[Action, bool] = {
            "rename": bool(rename),
            "merge": bool(merge_into),
            "hide": hide,
        }
        chosen = [action for action, wanted in actions.items() if wanted]
        if len(chosen) != 1:
            raise BadParameter("rename, merge or hide: one of them", hint="change it step by step")
        found = (self.topics if kind == "topics" else self.communities)(query, **how)
        pages = leading_pages(found, found.find(number))
        into = leading_pages(found, found.find(merge_into)) if merge_into else []
        level = found.base.level
        edit = GroupEdit(kind, query, chosen[0], leading(pages), rename, leading(into), level, by)
        append_group_edit(self.folder, edit)
        return edit

    def topic_edits(self, query: str, kind: str = "topics", level: str = "page") -> list[GroupEdit]:
        """What people changed in the topics of a query."""
        return read_group_edits(self.collection.folder).in_force(kind, query, level)

    def undo_topic_edit(self, query: str, kind: str = "topics", level: str = "page") -> GroupEdit:
        """Undo the last change of the topics of a query."""
        return undo_group_edit(self.collection.folder, kind, query, level)

    @validate_call
    def compare_topics(
        self,
        query: str = "",
        methods: tuple[str, str] = ("auto", "hits"),
        selection: Selection = DEFAULT_SELECTION,
        **words: Any,
    ) -> "GroupsComparison":
        """The topics of two methods side by side: which are the same, and which one lacks."""
        from weft.groups.comparison import compare_groups  # noqa: PLC0415

        first, other = (self.topics(query, method, selection, **words) for method in methods)
        return compare_groups(first, other)

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
    def map(
        self,
        selection: Selection = DEFAULT_SELECTION,
        *,
        group: GroupKindOrNone = "auto",
        rank: str = "",
        nodes: int = 400,
        height: int = 480,
        **words: Any,
    ) -> "GraphMap":
        """A map of a selection for notebooks: to zoom, move and search, without a network.

        Nodes are coloured by `group`, which is communities unless it is topics or
        none; the `nodes` best by the method `rank` are shown, or by in-links.
        `selected` of the map is the node that was clicked.
        """
        try:
            from weft.report.graph_map import graph_map  # noqa: PLC0415  needs anywidget
        except ImportError:
            hint = "pip install 'weft[notebook]'"
            raise WeftError("maps in notebooks need anywidget", hint=hint) from None
        selection = selection.with_changes(**words)
        complete = complete_selection("rank", selection)
        base = load_selection(self.collection, complete, "rank", BaseSet).data
        find = {"topics": self.topics, "none": None}.get(group, self.communities)
        groups = find(selection=selection) if find is not None else None
        ranking = self.rank(rank, selection) if rank else None
        return graph_map(base, groups=groups, ranking=ranking, nodes=nodes, height=height)

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
        with smaller_level_suggested(self.collection, complete):
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
    def usage(self, method: str = "overview", **options: Any) -> "Usage":
        """What visitors do, from the access logs of the collection, by a method such as `next`.

        Among the options of methods are `path`, the pages that a visitor viewed so
        far, and `page`. URLs may be given without scheme and `www.`.
        """
        return cast("Usage", self._analyse("usage", method, DEFAULT_SELECTION, options))

    @validate_call
    def usage_report(self) -> str:
        """What visitors do as one HTML page with plots, without scripts or external files."""
        from weft.report.usage import REPORTED_METHODS, usage_report  # noqa: PLC0415

        return usage_report(self.collection, [self.usage(method) for method in REPORTED_METHODS])

    @validate_call
    def tag(
        self,
        targets: str | Sequence[str],
        facet: str,
        value: str,
        *,
        scope: Scope | None = None,
        by: str = "",
        why: str = "",
    ) -> int:
        """Tag pages, hosts, domains, entities or patterns; an empty value takes a tag away.

        What a target is follows from its form, unless `scope` says it. Tags are
        inherited: those of a page count before those of a pattern, an entity, its
        host, its domain. The number of tags set.
        """
        from weft.workspace.curate import set_tags  # noqa: PLC0415  only where tags are set

        given = [targets] if isinstance(targets, str) else targets
        more = {"scope": scope, "by": by, "why": why}
        return set_tags(self.collection, given, facet, value, **more)

    @property
    def tags(self) -> Tags:
        """The tags in force, and the batches behind them."""
        return read_tags(self.collection.folder)

    def undo_tags(self, by: str = "") -> int:
        """Undo the last batch of tags, of a person if one is named; the number of its tags."""
        return len(undo_tags(self.collection.folder, by).tags)

    def import_tags(
        self, source: str | PathLike[str], *, keep_ours: bool = True
    ) -> "tuple[int, Conflicts]":
        """Add the tags of a CSV file or of another collection.

        How many are new, and the pairs of ours and theirs that differ, of which
        ours stay, unless `keep_ours` is false.
        """
        from weft.workspace.curate import import_tags  # noqa: PLC0415  only where tags are set

        return import_tags(self.collection, Path(source), keep_ours=keep_ours)

    @property
    def entities(self) -> Entities:
        """The named groups of URL prefixes: the nodes of level entity."""
        return read_entities(self.collection.folder)

    def set_entities(self, entities: Entities) -> Entities:
        """Put rules for entities in force, such as `c.entities.with_added("Ann", ["a.org"])`."""
        return write_entities(self.collection.folder, entities)

    def change_entities(self, change: Callable[[Entities], Entities]) -> Entities:
        """Put in force what a function makes of the rules, whoever else changes them meanwhile."""
        return change_entities(self.collection.folder, change)

    def undo_entities(self) -> Entities:
        """Put the rules for entities before the last change in force again."""
        return undo_entities(self.collection.folder)

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

    def crawl(  # noqa: PLR0913  where to begin, what for, how far
        self,
        seeds: str | Sequence[str] = (),
        method: str = "auto",
        *,
        simulate: str | PathLike[str] | None = None,
        topic: str = "",
        examples: Sequence[str] = (),
        like: tuple[str, str, int] | None = None,
        train: Mapping[str, str] | None = None,
        class_: str = "",
        pages: int | None = None,
        within: str = "",
        exclude: Sequence[str] = (),
        listen: "Callable[[CrawlEvent], None] | None" = None,
        control: "CrawlControl | None" = None,
        **settings: Any,
    ) -> "Crawl":
        """Crawl the web from seeds, or another collection as if it were the web.

        The topic is a query, or `examples` (URLs), or `like` a topic of a collection
        (folder, query, place of the topic), or one class of `train` (classes by URL);
        without any of them it is that of the seeds. `pages` are 1,000 by default; `within` is
        host, domain or a pattern. A live crawl that ended is continued by the next call, which
        needs no seeds; its settings are those of `CrawlPlan`, such as `contact` and `delay`.
        `listen` gets its events, `control` pauses and stops it. Other keywords are options of
        the strategy.
        """
        from weft.workspace.crawl import CrawlPlan, TopicSource, crawl_simulated  # noqa: PLC0415

        registered = find_registered("crawl", method)
        own = {name: settings.pop(name) for name in CrawlPlan.live_settings() & settings.keys()}
        # without defaults, since a crawl that is continued may be of another strategy
        options = {
            name: value
            for name, value in registered.validate_options(settings).items()
            if value != registered.options[name].default
        }
        if pages is not None:
            own["pages"] = pages
        plan = CrawlPlan(
            (seeds,) if isinstance(seeds, str) else tuple(seeds),
            method,
            options,
            TopicSource(topic, tuple(examples), like, train or {}, class_),
            within=within,
            exclude=tuple(exclude),
            **own,
        )
        if simulate is not None:
            for name in own.keys() - {"pages"}:
                hint = "leave it out, or crawl the live web"
                raise BadParameter(f"{name} is for live crawls", hint=hint)
            crawl = crawl_simulated(self.folder, plan, Collection.open(Path(simulate)))
        else:
            from weft.workspace.live_crawl import LiveCrawl  # noqa: PLC0415  needs Scrapy

            live = LiveCrawl.start(self.folder, plan, given=own)
            crawl = live.run(listen or _ignore_event, control)
        self.refresh()
        return crawl

    @validate_call
    def classify(
        self,
        train: TrainingData | None = None,
        method: str = "auto",
        *,
        facet: str = "",
        only_tag: Sequence[str] = (),
        exclude_tag: Sequence[str] = (),
        **options: Any,
    ) -> "Classes":
        """The class of every captured page that has none in the training data, with its certainty.

        `train` is a CSV file with the columns url and class, or classes by URL.
        Without it the tags of the collection are learned: those of a facet, by
        default of the decision, or of the only one. Pages without the tags in
        `only_tag`, or with one in `exclude_tag`, are neither learned from nor classified.
        """
        from weft.classify import read_training_rows  # noqa: PLC0415  loads all methods
        from weft.workspace.classify import classify_by_tags, classify_pages  # noqa: PLC0415

        registered = find_registered("classify", method)
        shown = Selection(only_tag=tuple(only_tag), exclude_tag=tuple(exclude_tag))
        if train is None:
            return classify_by_tags(self.collection, registered, facet, options, shown)
        if facet:
            raise BadParameter("a facet and training data exclude each other", hint="give one")
        rows = read_training_rows(train) if isinstance(train, str | PathLike) else train
        pairs = rows.items() if isinstance(rows, Mapping) else rows
        return classify_pages(self.collection, registered, pairs, options, shown)

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
        query, or of those within two links of the page, whatever `steps` says.
        Terms on fewer than `min_pages` of these pages do not count.
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
        options = registered.validate_options(options)
        options = resolve_page_options(self.collection, selection.level, registered, options)
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

    @validate_call
    def remove_usage(self, before: str = "") -> int:
        """Remove usage data, or the requests before a date such as 2004-05; their number."""
        self.refresh()
        until = TimeRange.from_dates(until=before).until if before else None
        return maintain.remove_requests(self.folder, until)

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


def _ignore_event(_event: object) -> None:
    pass


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
