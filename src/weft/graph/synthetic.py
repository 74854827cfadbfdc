"""Webs that grow by a rule, whose degrees follow a known power law."""

from typing import NamedTuple

import numpy as np

from weft.core.errors import BadParameter
from weft.graph.webgraph import WebGraph


class Growth(NamedTuple):
    """How a directed web grows, by default as the web of Bollobás and others does.

    With the chance `linking` a step adds a page that links to an old one, with
    `between` a link between old pages, and else a page that an old one links to.
    Old pages are chosen by their in-degree plus `more_in` as targets, and by
    their out-degree plus `more_out` as sources.
    """

    linking: float = 0.41
    between: float = 0.54
    more_in: float = 0.2
    more_out: float = 0.0

    @property
    def in_exponent(self) -> float:
        """The exponent of in-degrees in a large web."""
        fresh = 1 - self.between
        return 1 + (1 + self.more_in * fresh) / (self.linking + self.between)

    @property
    def out_exponent(self) -> float:
        """The exponent of out-degrees in a large web."""
        fresh = 1 - self.between
        return 1 + (1 + self.more_out * fresh) / (1 - self.linking)


def barabasi_albert(pages: int, links: int = 3, *, seed: int = 0) -> WebGraph:
    """The web of Barabási and Albert: each new page is tied to `links` others, by their ties.

    A tie is two links, one each way. Degrees have the exponent 3.

    Examples
    --------
    >>> barabasi_albert(100, 3)
    <WebGraph: 100 pages, 588 links>
    """
    from weft.engine.grow import attach  # noqa: PLC0415  compiled

    _check(pages, links)
    ends = attach(pages, links, np.random.default_rng(seed)).reshape(-1, 2).T
    both = np.concatenate([ends, ends[::-1]], axis=1)
    return WebGraph.from_arrays(pages, both[0], both[1])


def copying(pages: int, links: int = 7, *, uniform: float = 0.1, seed: int = 0) -> WebGraph:
    """The copying web of Kumar and others: a new page copies the links of an older one.

    Each of its links leads to any older page instead with the chance `uniform`.
    In-degrees have the exponent `(2 - uniform) / (1 - uniform)`. Pages that copy
    the same page make bipartite cores, of which the web has many. Links that
    a page has twice count as one, of weight two.

    Examples
    --------
    >>> copying(4, 3).link_count
    12
    """
    from weft.engine.grow import copy_links  # noqa: PLC0415  compiled

    _check(pages, links)
    if not 0 <= uniform <= 1:
        raise BadParameter(f"a chance is between 0 and 1, not {uniform}")
    targets = copy_links(pages, links, uniform, np.random.default_rng(seed)).ravel()
    return WebGraph.from_arrays(pages, np.repeat(np.arange(pages), links), targets)


def scale_free(pages: int, growth: Growth | None = None, *, seed: int = 0) -> WebGraph:
    """The directed web of Bollobás, Borgs, Chayes and Riordan: both degrees follow a power law.

    Links that come up again count as one, of weight two or more; links of a
    page to itself are dropped.

    Examples
    --------
    >>> len(scale_free(100))
    100
    >>> round(Growth().in_exponent, 4), round(Growth().out_exponent, 4)
    (2.1495, 2.6949)
    """
    from weft.engine.grow import add_links  # noqa: PLC0415  compiled

    growth = growth or Growth()
    fresh = 1 - growth.between
    _check(pages, 2)
    if min(growth) < 0 or growth.linking + growth.between > 1 or not fresh:
        raise BadParameter(f"no web can grow by {growth}", hint="chances add up to one at most")
    room, found = int(pages / fresh * 1.2) + 1000, -1
    while found < 0:
        source, target = np.empty((2, room), np.int32)
        found = add_links(pages, tuple(growth), source, target, np.random.default_rng(seed))
        room *= 2
    return WebGraph.from_arrays(pages, source[:found], target[:found])


def _check(pages: int, links: int) -> None:
    if not 1 <= links < pages:
        raise BadParameter(
            f"{pages:,} pages cannot have {links:,} links each",
            hint="there must be more pages than links, and one link at least",
        )
