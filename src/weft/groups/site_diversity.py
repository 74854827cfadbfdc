"""How pages are spread over sites; tightly knit groups are on few of them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from weft.core.arrays import Ids
from weft.graph.baseset.baseset import BaseSet
from weft.graph.sites import encode_domains
from weft.kernels.reciprocity import count_induced_links

MIN_PAGES = 5
MIN_EFFECTIVE_SITES = 3.0
MAX_TOP_SITE_SHARE = 0.5
MIN_SITES_PER_PAGE = 0.2
TOLERANCE = 1e-9
MAX_SAMPLE_PAGES = 500


@dataclass(frozen=True, slots=True)
class SiteDiversity:
    """The distribution of pages over sites, and their reciprocity.

    `count` is the number of sites, `share` their share of all sites of the base
    set where that is known, `top` the site with most pages and `top_share` its
    share of them. `effective` is exp(H) with the entropy H of the shares of the
    sites: the number of equal sites with the same entropy. `reciprocity` is the
    share of the links among the pages that are reciprocal. `tightly_knit` says
    why the pages are called so; empty if they are not.
    """

    count: int
    top: str
    top_share: float
    effective: float
    reciprocity: float
    share: float | None = None
    tightly_knit: str = ""

    def tightly_knit_reason(self, page_count: int) -> str:
        """Why that number of pages on these sites is tightly knit; empty if it is not."""
        if page_count < MIN_PAGES:
            return ""
        if self.top_share > MAX_TOP_SITE_SHARE:
            return f"{self.top_share:.0%} of the pages are on {self.top}"
        if self.effective < MIN_EFFECTIVE_SITES - TOLERANCE:
            return f"as diverse as {self.effective:.1f} equal sites"
        if self.count / page_count < MIN_SITES_PER_PAGE:
            return f"all {page_count} pages are on {self.count} sites"
        return ""


def site_diversity(base: BaseSet, members: Ids) -> SiteDiversity:
    """The site diversity of some pages of a base set.

    Examples
    --------
    >>> base = BaseSet.from_any(
    ...     [("http://a.org/1", "http://b.org/"), ("http://a.org/2", "http://b.org/")]
    ... )
    >>> found = site_diversity(base, np.arange(3))
    >>> found.count, found.top, round(found.effective, 2), found.reciprocity
    (2, 'a.org', 1.89, 0.0)
    """
    return SiteLookup.for_pages(base, members).diversity(members)


@dataclass(frozen=True, slots=True, eq=False)
class SiteLookup:
    """The sites of pages of a base set, looked up once for several topics."""

    base: BaseSet
    site_ids: Ids
    site_names: Sequence[str]

    @classmethod
    def for_pages(cls, base: BaseSet, pages: Ids) -> "SiteLookup":
        """Look up the sites of some pages; other pages get -1."""
        site_ids = np.full(len(base), -1, np.int32)
        codes, names = encode_domains(base.graph.names.take(pa.array(pages)))
        site_ids[pages] = codes
        return cls(base, site_ids, names)

    def diversity(self, members: Ids) -> SiteDiversity:
        """The site diversity of some of these pages."""
        counts = np.bincount(self.site_ids[members], minlength=len(self.site_names))
        shares = counts[counts > 0] / max(len(members), 1)
        return SiteDiversity(
            len(shares),
            self.site_names[int(counts.argmax())] if len(members) else "",
            float(shares.max(initial=0)),
            float(np.exp(-(shares * np.log(shares)).sum())) if len(shares) else 0.0,
            self.reciprocity(members),
        )

    def reciprocity(self, members: Ids) -> float:
        """The share of the links among some pages that are reciprocal."""
        outlinks, inlinks = self.base.graph.outlinks, self.base.graph.inlinks
        links, reciprocal = count_induced_links(
            (np.asarray(outlinks.starts), np.asarray(outlinks.ids)),
            (np.asarray(inlinks.starts), np.asarray(inlinks.ids)),
            members,
            len(self.base),
        )
        return reciprocal / links if links else 0.0


def measure_site_diversity(base: BaseSet, page_sets: Sequence[Ids]) -> list[SiteDiversity]:
    """The site diversity of each set of pages, and why one is tightly knit.

    If the base set itself is on few sites, by an even sample of its pages, no
    set is called tightly knit.
    """
    if not page_sets:
        return []
    sample = np.unique(
        np.linspace(0, len(base) - 1, min(len(base), MAX_SAMPLE_PAGES)).astype(np.int32)
    )
    is_needed = np.zeros(len(base), bool)
    for pages in (sample, *page_sets):
        is_needed[pages] = True
    lookup = SiteLookup.for_pages(base, np.flatnonzero(is_needed).astype(np.int32))
    base_is_tightly_knit = bool(lookup.diversity(sample).tightly_knit_reason(len(sample)))
    measured = [(len(pages), lookup.diversity(pages)) for pages in page_sets]
    if base_is_tightly_knit:
        return [diversity for _, diversity in measured]
    return [
        replace(diversity, tightly_knit=diversity.tightly_knit_reason(size))
        for size, diversity in measured
    ]
