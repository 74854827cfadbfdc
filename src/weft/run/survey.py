"""What a collection is like as a whole, and what a page is like among the others."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from weft.core.validate import validated
from weft.graph.options import Between, Level
from weft.run.analyse import View
from weft.store.collection import Collection

if TYPE_CHECKING:
    from weft.communities import Communities
    from weft.structure import Shape
    from weft.suggest import Similar, Suggestions


class Survey(ABC):
    """The questions about groups of pages and the whole graph, which `Workspace` answers too."""

    __slots__ = ()

    @property
    @abstractmethod
    def collection(self) -> Collection:
        """The snapshot that is asked."""

    @validated
    def communities(
        self,
        query: str = "",
        method: str = "modularity",
        *,
        level: Level = "page",
        without: Sequence[str] = (),
        between: Between = "auto",
        cache: bool = True,
        **options: Any,
    ) -> "Communities":
        """Groups of pages that link among themselves: members, centres, hubs and a name for each.

        Around a query, or in the whole collection; of pages, hosts or domains.
        The other options are those of the method. Communities that were found
        before are recalled from the folder of the collection, unless `cache`
        is false.
        """
        from weft.run.grouping import group  # noqa: PLC0415  loads all methods

        view = View.of(level, query, without, between)
        return group(self.collection, view, method, options, cache=cache)

    @validated
    def compare_sites(  # noqa: PLR0913  whose sites, and what is known of them
        self,
        mine: str,
        theirs: str,
        *,
        known: Sequence[str] = (),
        keywords: Sequence[str] = (),
        top: int = 50,
        threshold: float = 0.2,
        least: int = 20,
    ) -> "Shape":
        """What their site has that mine lacks: terms, pages, concepts, links, and what matches.

        A site is a host, a domain or a folder, such as `example.com/~ann`.
        `known` are words and addresses that are expected anyway; for `keywords`
        the best pages of theirs are found. Pages match by a cosine of at least
        `threshold`; unexpected is no page with fewer than `least` terms. Each
        of the tables has at most `top` rows.
        """
        from weft.run.comparing import Asked, compare_sites  # noqa: PLC0415

        asked = Asked(top, threshold, least, tuple(known), tuple(keywords))
        return compare_sites(self.collection, mine, theirs, asked)

    @validated
    def structure(
        self,
        method: str = "",
        *,
        level: Level = "page",
        query: str = "",
        without: Sequence[str] = (),
        between: Between = "auto",
        **options: Any,
    ) -> "Shape":
        """The shape of the graph, by a method such as `bow-tie`; without one, an overview.

        Of pages, hosts or domains; of all, or of those around a query. The
        other options are those of the method.
        """
        from weft.run.describe import describe  # noqa: PLC0415  loads all methods

        view = View.of(level, query, without, between)
        return describe(self.collection, view, method, options)

    @validated
    def structure_report(
        self,
        *,
        level: Level = "page",
        query: str = "",
        without: Sequence[str] = (),
        between: Between = "auto",
    ) -> str:
        """The structure as one HTML page with pictures, which loads nothing and runs nothing."""
        from weft.run.describe import describe  # noqa: PLC0415  loads all methods
        from weft.run.report.structure import PARTS, structure_report  # noqa: PLC0415

        view = View.of(level, query, without, between)
        shapes = [describe(self.collection, view, name, {}) for name in PARTS]
        return structure_report(self.collection, shapes)

    @validated
    def similar(
        self, url: str, method: str = "combined", *, level: Level = "page", **options: Any
    ) -> "Similar":
        """The pages most like a page, or hosts or domains, with those that tie them.

        The other options are those of the method, such as `top`, `strength`,
        one `vote` per site, or `text` to count words as well.
        """
        from weft.run.suggesting import similar  # noqa: PLC0415  loads all methods

        return similar(self.collection, url, method, level, options)

    @validated
    def suggest(
        self, url: str, method: str = "fused", *, level: Level = "page", **options: Any
    ) -> "Suggestions":
        """Links that a page lacks, to others and from others, each with its reason and an anchor.

        The other options are those of the method, such as `top`, `direction`
        or `same_site`.
        """
        from weft.run.suggesting import suggest  # noqa: PLC0415  loads all methods

        return suggest(self.collection, url, method, level, options)
