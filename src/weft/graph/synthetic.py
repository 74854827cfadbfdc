"""Random graph models of the web, whose degrees follow a known power law."""

from typing import NamedTuple

import numpy as np

from weft.core.errors import BadParameter
from weft.graph.webgraph import WebGraph


class ScaleFreeParams(NamedTuple):
    """Parameters of the directed scale-free model of Bollobás and others.

    With probability `alpha` a step adds a page that links to an old one, with
    `beta` a link between old pages, else a page that an old one links to. Old
    pages are chosen as targets with probability proportional to in-degree plus
    `delta_in`, and as sources to out-degree plus `delta_out`. The defaults are
    those of NetworkX.
    """

    alpha: float = 0.41
    beta: float = 0.54
    delta_in: float = 0.2
    delta_out: float = 0.0

    @property
    def in_exponent(self) -> float:
        """The power-law exponent of in-degrees: 1 + (1 + delta_in (1 - beta)) / (alpha + beta)."""
        return 1 + (1 + self.delta_in * (1 - self.beta)) / (self.alpha + self.beta)

    @property
    def out_exponent(self) -> float:
        """The power-law exponent of out-degrees: 1 + (1 + delta_out (1 - beta)) / (1 - alpha)."""
        return 1 + (1 + self.delta_out * (1 - self.beta)) / (1 - self.alpha)


def barabasi_albert_graph(pages: int, links: int = 3, *, seed: int = 0) -> WebGraph:
    """The model of Barabási and Albert: each new page gets `links` edges to older ones.

    These are chosen with probability proportional to their degree. An edge is two
    links, one in each direction. The exponent of the degrees is 3.

    Examples
    --------
    >>> barabasi_albert_graph(100, 3)
    <WebGraph: 100 pages, 588 links>
    """
    from weft.kernels.preferential_attachment import barabasi_albert_edges  # noqa: PLC0415  compiled

    _check_sizes(pages, links)
    ends = barabasi_albert_edges(pages, links, np.random.default_rng(seed)).reshape(-1, 2).T
    both = np.concatenate([ends, ends[::-1]], axis=1)
    return WebGraph.from_arrays(pages, both[0], both[1])


def copying_graph(pages: int, links: int = 7, *, uniform: float = 0.1, seed: int = 0) -> WebGraph:
    """The copying model of Kumar and others: a new page copies the links of an older one.

    With probability `uniform` a link leads to a random older page instead. The
    exponent of in-degrees is `(2 - uniform) / (1 - uniform)`. Pages that copy the
    same page form bipartite cores, of which the web has many. Parallel links are
    merged, and their number is the weight.

    Examples
    --------
    >>> copying_graph(4, 3).link_count
    12
    """
    from weft.kernels.preferential_attachment import copying_model_links  # noqa: PLC0415  compiled

    _check_sizes(pages, links)
    if not 0 <= uniform <= 1:
        raise BadParameter(f"a probability is between 0 and 1, not {uniform}")
    targets = copying_model_links(pages, links, uniform, np.random.default_rng(seed)).ravel()
    return WebGraph.from_arrays(pages, np.repeat(np.arange(pages), links), targets)


def scale_free_graph(
    pages: int, params: ScaleFreeParams | None = None, *, seed: int = 0
) -> WebGraph:
    """The directed scale-free model of Bollobás, Borgs, Chayes and Riordan.

    In-degrees and out-degrees follow power laws. Parallel links are merged, and
    their number is the weight; self-links are dropped.

    Examples
    --------
    >>> len(scale_free_graph(100))
    100
    >>> round(ScaleFreeParams().in_exponent, 4), round(ScaleFreeParams().out_exponent, 4)
    (2.1495, 2.6949)
    """
    from weft.kernels.preferential_attachment import directed_scale_free_links  # noqa: PLC0415  compiled

    params = params or ScaleFreeParams()
    new_page_rate = 1 - params.beta
    _check_sizes(pages, 2)
    if min(params) < 0 or params.alpha + params.beta > 1 or not new_page_rate:
        raise BadParameter(
            f"no graph can grow by {params}", hint="alpha + beta is at most 1, and beta below 1"
        )
    # The expected number of links and a fifth more; twice that where it is not enough.
    capacity, link_count = int(pages / new_page_rate * 1.2) + 1000, -1
    while link_count < 0:
        source, target = np.empty((2, capacity), np.int32)
        link_count = directed_scale_free_links(
            pages, tuple(params), source, target, np.random.default_rng(seed)
        )
        capacity *= 2
    return WebGraph.from_arrays(pages, source[:link_count], target[:link_count])


def _check_sizes(pages: int, links: int) -> None:
    if not 1 <= links < pages:
        raise BadParameter(
            f"{pages:,} pages cannot have {links:,} links each",
            hint="give more pages than links, and at least one link",
        )
