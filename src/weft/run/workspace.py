"""A collection with everything one can do to it: what `weft.open` returns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pyarrow as pa
import pyarrow.compute as pc

from weft.core.errors import BadParameter, WeftError
from weft.core.markup import card
from weft.core.methods import find
from weft.core.validate import validated
from weft.core.wording import count
from weft.gather.html import Reading
from weft.gather.source import expand
from weft.graph.baseset import BaseSet
from weft.graph.formats import write_edges, write_pages
from weft.graph.levels import load, with_own_links
from weft.graph.neighbours import KIND_NAMES, neighbours
from weft.graph.options import UNFILTERED, BaseOptions, Between, Direction, End, Level, What
from weft.graph.options import USUAL as USUAL_BASE
from weft.graph.views import from_pages
from weft.graph.webgraph import WebGraph
from weft.run import maintain
from weft.run.analyse import Seen, View, look, provenance
from weft.run.ingest import Added, add
from weft.run.names import named, named_if_any
from weft.run.own_topics import with_topics
from weft.run.survey import Survey
from weft.store.collection import Collection, Hits
from weft.store.manifest import NAME
from weft.store.search import ALWAYS, Span

if TYPE_CHECKING:
    from weft.rank import Comparison, Judgements, KnownFor, Ranking, Stability
    from weft.run.explain import Explanation
    from weft.topics import Topics
    from weft.topics.standing import Standing

DIRECTIONS: dict[Direction, tuple[End, ...]] = {
    "in": ("in",),
    "out": ("out",),
    "both": ("in", "out"),
}
Ratings = str | PathLike[str] | Mapping[str, float]
USUAL = ("indegree", "pagerank", "hits", "salsa")


@dataclass(slots=True, eq=False)
class Workspace(Survey):
    """One collection: its folder, and the snapshot that was last opened."""

    folder: Path
    _collection: Collection | None = field(default=None, repr=False)

    @property
    def collection(self) -> Collection:
        """The snapshot at hand; `refresh` moves to a newer one."""
        if self._collection is None:
            self._collection = Collection.open(self.folder)
        return self._collection

    def refresh(self) -> "Workspace":
        """Move to the last commit."""
        self._collection = None
        return self

    def add(
        self,
        *inputs: str | PathLike[str],
        kind: str = "",
        base: str = "",
        vertices: str | PathLike[str] | None = None,
        reading: Reading | None = None,
        workers: int = 0,
    ) -> Added:
        """Add files, folders or globs; what is there already is left alone.

        `kind` names the format where it is not to be told from the bytes, and
        `base` the URL that a folder or a file of HTML stands for; `vertices`
        is the file with the names of a Common Crawl graph. So many `workers`
        parse; with none given, one a core for inputs of some size.
        """
        names = Path(vertices) if vertices is not None else None
        found = (expand(fspath(given), kind, base, names) for given in inputs)
        sources = list(chain.from_iterable(found))
        self.refresh()
        return add(self.folder, sources, reading or Reading(), workers)

    @validated
    def search(
        self, query: str, k: int = 10, *, since: str = "", until: str = "", snippets: bool = True
    ) -> Hits:
        """Find pages by their words; dates, such as 2004-05, bound when they were captured."""
        span = Span.between(since, until)
        return self.collection.search(query, k, span=span, with_snippets=snippets)

    @validated
    def graph(self, level: Level = "page") -> WebGraph:
        """The links between pages, hosts or domains."""
        return load(self.collection, level)

    @validated
    def links(self, url: str, direction: Direction = "both") -> pa.Table:
        """The links into a page and out of it, with their anchors."""
        number = self.collection.find(url)
        return pa.concat_tables(
            [neighbours(self.collection, number, end) for end in DIRECTIONS[direction]]
        )

    @validated
    def export(
        self,
        path: str | PathLike[str],
        what: What = "edges",
        level: Level = "page",
        *,
        since: str = "",
        until: str = "",
    ) -> int:
        """Write the links or the pages to a file, whose ending says the format.

        Dates bound when the pages that are written, or linked from, were captured.
        """
        if what == "pages" and level != "page":
            raise BadParameter("only links are written of hosts or domains", hint="use edges")
        into = Path(path)
        if what == "pages":
            return write_pages(self.page_table(since=since, until=until), into)
        page_level = level == "page"
        graph = with_own_links(self.collection) if page_level else load(self.collection, level)
        if (span := Span.between(since, until)) != ALWAYS:
            if not page_level:
                raise WeftError("dates choose pages, not hosts or domains", hint="use --level page")
            times = self.collection.pages["time"].to_numpy()
            graph = from_pages(graph, (times >= span.since) & (times < span.until))
        about = self.collection.pages.select(["title", "language"]) if page_level else None
        return write_edges(graph, into, about)

    @validated
    def page_table(self, *, since: str = "", until: str = "") -> pa.Table:
        """Every page: URL, title, language, time of capture, how it is known, its links."""
        pages, graph = self.collection.pages, load(self.collection)
        times, moment = pages["time"], pa.timestamp("s", "UTC")
        starts = {"outlinks": graph.outlinks.starts, "inlinks": graph.inlinks.starts}
        table = pa.table(
            {
                "url": pages["url"],
                "title": pages["title"],
                "language": pages["language"],
                "time": pc.if_else(pc.greater(times, 0), times, None).cast(moment),
                "kind": KIND_NAMES.take(pages["kind"].combine_chunks()),
                "captures": pages["captures"],
                **{name: pc.pairwise_diff(pa.array(s))[1:] for name, s in starts.items()},
            }
        )
        if (span := Span.between(since, until)) == ALWAYS:
            return table
        return table.filter(
            pc.and_(pc.greater_equal(times, span.since), pc.less(times, span.until))
        )

    @validated
    def load(
        self,
        noun: type,
        *,
        level: Level = "page",
        query: str = "",
        without: Sequence[str] = (),
        between: Between = "auto",
        base: BaseOptions = USUAL_BASE,
    ) -> object:
        """Whatever a method takes, by its type."""
        return look(self.collection, View.of(level, query, without, between, base)).as_(noun)

    @validated
    def rank(
        self,
        method: str = "pagerank",
        *,
        level: Level = "page",
        query: str = "",
        without: Sequence[str] = (),
        between: Between = "auto",
        base: BaseOptions = USUAL_BASE,
        **options: Any,
    ) -> "Ranking":
        """Order pages, hosts or domains by a method, such as `indegree`.

        With a query, only its base set: the pages found and those around them,
        as `base` says. `without` leaves out hosts, or URLs by a pattern such as
        `*/print/*`. Links count `between` different pages, hosts, domains or
        sites; `auto` is all links, or in a base set those between domains if
        there are any to speak of. Both may as well be given in `base`. The
        other options are those of the method.
        """
        import weft.rank  # noqa: F401, PLC0415  registers its methods

        options = find("rank", method).checked(options)
        seen = look(self.collection, View.of(level, query, without, between, base))
        return self._ranked(method, seen, options)

    @validated
    def topics(
        self,
        query: str = "",
        method: str = "auto",
        *,
        level: Level = "page",
        base: BaseOptions = USUAL_BASE,
        cache: bool = True,
        **options: Any,
    ) -> "Topics":
        """What the pages on a query are about: topics with a label, authorities and hubs.

        Without a query those of the whole collection. `base` says which pages
        are looked at and which links count; the other options are those of the
        method. Topics that were found before are recalled from the folder of
        the collection, unless `cache` is false.
        """
        from weft.run.discover import discover  # noqa: PLC0415  loads all methods

        view = View(level, query, base)
        return discover(self.collection, view, base, method, options, cache=cache)

    @validated
    def report(self, query: str = "", *, top: int = 10, most: int = 10, **asked: Any) -> str:
        """The topics of a query as one HTML page, which needs nothing else; no script is in it.

        The first `most` topics are shown, each with its `top` authorities and
        hubs. What else is asked is as for `topics`.
        """
        from weft.run.report import report  # noqa: PLC0415  loads all methods

        return report(self.collection, self.topics(query, **asked), top=top, most=most)

    @validated
    def why(  # noqa: PLR0913  what is explained, and what is looked at
        self,
        url: str,
        method: str = "pagerank",
        *,
        by: str = "",
        level: Level = "page",
        query: str = "",
        without: Sequence[str] = (),
        between: Between = "auto",
        base: BaseOptions = USUAL_BASE,
        **options: Any,
    ) -> "Explanation":
        """Which links brought a page, a host or a domain how much of its score.

        `by` names the score, where a method gives several.
        """
        from weft.run.explain import explain  # noqa: PLC0415  loads all methods

        page = named(self.collection, level, url)
        seen = look(self.collection, View.of(level, query, without, between, base))
        ranking = self._ranked(method, seen, options)
        return explain(self.collection, ranking, page, by)

    @validated
    def standing(
        self,
        url: str,
        query: str,
        *,
        without: Sequence[str] = (),
        between: Between = "auto",
        base: BaseOptions = USUAL_BASE,
    ) -> "Standing":
        """In which topics of a query a page is, as what and through whom; or why in none."""
        page = self.collection.url(url)
        view = View.of("page", query, without, between, base)
        return self.topics(query, base=view.base).explain(page)

    @validated
    def known_for(
        self,
        url: str,
        *,
        query: str = "",
        base: BaseOptions = UNFILTERED,
        jump: float = 0.1,
        least: int = 5,
    ) -> "KnownFor":
        """The words whose readers come upon a page most often: what it is known for.

        Readers are those of the base set of a query, made as `base` says, or
        else of the pages within two links of the page. Words on fewer than
        `least` of these pages do not count.
        """
        from weft.rank import known_for  # noqa: PLC0415
        from weft.run.explain import readers  # noqa: PLC0415  loads all methods

        page = self.collection.url(url)
        around = readers(self.collection, page, query, base)
        around.why(page)  # or else why it is not there
        return known_for(around, page, jump=jump, least=least)

    @validated
    def compare(  # noqa: PLR0913  what is looked at, and what it is judged by
        self,
        *methods: str,
        level: Level = "page",
        query: str = "",
        without: Sequence[str] = (),
        between: Between = "auto",
        base: BaseOptions = USUAL_BASE,
        by: str = "",
        top: int = 10,
        judgements: Ratings | None = None,
        relevant: float | None = None,
    ) -> "Comparison":
        """Rank by several methods, and say how alike their orders are and where they part.

        With `judgements`, ratings by URL or a CSV file of them, each method is
        judged by these too: see `weft.rank.evaluate`. Pages rated at least
        `relevant` count as such; without that, above the middle of the ratings.
        """
        from weft.rank import compare  # noqa: PLC0415  loads all methods

        judged = None
        if judgements is not None:
            judged = self._judgements(judgements, level, relevant)
        elif relevant is not None:
            raise BadParameter("relevant is said of judgements", hint="give these too")
        seen = look(self.collection, View.of(level, query, without, between, base))
        chosen = methods or USUAL
        rankings = [self._ranked(method, seen, {}) for method in chosen]
        return compare(rankings, by=by, top=top, judgements=judged)

    def _judgements(self, given: Ratings, level: Level, relevant: float | None) -> "Judgements":
        """Ratings by the names that pages, hosts or domains have here."""
        from weft.rank import Judgements, read_ratings  # noqa: PLC0415

        rows = given.items() if isinstance(given, Mapping) else read_ratings(given)
        return Judgements.of(
            rows, lambda url: named_if_any(self.collection, level, url), relevant, level
        )

    @validated
    def stability(  # noqa: PLR0913  what is looked at, and what is done to it
        self,
        method: str = "pagerank",
        *,
        trials: int = 20,
        drop: float = 0.1,
        seed: int = 0,
        level: Level = "page",
        query: str = "",
        without: Sequence[str] = (),
        between: Between = "auto",
        base: BaseOptions = USUAL_BASE,
        by: str = "",
        top: int = 10,
        **options: Any,
    ) -> "Stability":
        """How much of a ranking is left when some links are left out at random."""
        from weft.rank import stability  # noqa: PLC0415  loads all methods

        chosen = find("rank", method)
        options = chosen.checked(options)
        seen = look(self.collection, View.of(level, query, without, between, base))
        given, _ = with_topics(chosen, seen, options, self.topics)

        def rank(graph: WebGraph) -> "Ranking":
            base = replace(seen.base, graph=graph)
            return cast("Ranking", chosen(base if chosen.takes is BaseSet else graph, **given))

        web = seen.base.graph
        return stability(web, rank, trials=trials, drop=drop, seed=seed, by=by, top=top)

    def _ranked(self, method: str, seen: Seen, options: dict[str, Any]) -> "Ranking":
        import weft.rank  # noqa: F401, PLC0415  registers its methods

        chosen = find("rank", method)
        given, told = with_topics(chosen, seen, options, self.topics)
        ranking = cast("Ranking", chosen(seen.as_(chosen.takes), **given))
        asked = {name: options.get(name, ()) for name in told}
        return replace(
            ranking,
            options={**ranking.options, **asked},
            provenance=provenance(self.collection, seen) | told,
        )

    def remove(
        self, urls: Sequence[str] = (), hosts: Sequence[str] = (), patterns: Sequence[str] = ()
    ) -> int:
        """Take pages out of the collection; how many there were."""
        self.refresh()
        return maintain.remove(self.folder, maintain.Choice(urls, hosts, patterns))

    def compact(self) -> tuple[int, int]:
        """Merge the segments; how many there were, and how many there are."""
        self.refresh()
        return maintain.compact(self.folder)

    def doctor(self, *, deep: bool = False) -> list[str]:
        """What is wrong with which file, a sentence each; nothing, one hopes.

        `deep` compares the files with each other too: a collection that somebody
        else made can have the right digests and still be wrong.
        """
        return maintain.doctor(self.folder, deep=deep)

    @property
    def counts(self) -> dict[str, int]:
        """The collection in numbers: its pages by kind, hosts, domains, captures, links."""
        return dict(self.collection.manifest.counts)

    @property
    def history(self) -> tuple[dict[str, Any], ...]:
        """Every commit: when, from what, and what was told."""
        return self.collection.manifest.adds

    def __repr__(self) -> str:
        if not (self.folder / NAME).exists():
            return f"<Weft collection {self.folder}: nothing there yet>"
        counts = self.counts
        pages = count(counts["fetched"] + counts["listed"], "page")
        return f"<Weft collection {self.folder}: {pages}, {count(counts['links'], 'link')}>"

    def _repr_html_(self) -> str:
        there = (self.folder / NAME).exists()
        rows = [(name, f"{n:,}") for name, n in self.counts.items()] if there else []
        return card(repr(self).strip("<>"), ["", "how many"], rows)


def open(folder: str | PathLike[str]) -> Workspace:  # noqa: A001
    """Open a collection; `add` makes one where there is none.

    Examples
    --------
    >>> import tempfile, weft
    >>> c = weft.open(tempfile.mkdtemp() + "/mine.weft")
    """
    return Workspace(Path(folder))
