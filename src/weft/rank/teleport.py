"""Teleport vectors: the pages that a random surfer jumps to, given by URL or host."""

import re
from collections.abc import Sequence
from typing import Annotated

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from weft.core.arrays import Flags, Floats, Ids
from weft.core.errors import BadParameter, UnknownName
from weft.core.text import pluralise
from weft.engine import normalize_l1
from weft.graph.webgraph import WebGraph
from weft.rank.pagerank import uniform_distribution

PagesOrHosts = Annotated[
    list[str], Field(description="pages by URL, or hosts for all their pages; repeatable")
]
SeedWeights = Annotated[
    list[Annotated[float, Field(ge=0)]],
    Field(description="weight of each seed, in their order; default equal"),
]
NO_PAGES: list[str] = []
EQUAL_WEIGHTS: list[float] = []
PAGE_OR_HOST_HINT = "give a URL as in the graph, or a host that has pages in it"


def resolve_pages(graph: WebGraph, pages_or_hosts: Sequence[str]) -> list[Ids]:
    """The page numbers that each name stands for: the page of that name, or all of a host.

    Examples
    --------
    >>> graph = WebGraph.from_links([("http://a.org/1", "http://a.org/2")])
    >>> [ids.tolist() for ids in resolve_pages(graph, ["http://a.org/2", "a.org"])]
    [[1], [0, 1]]
    """
    names = graph.names
    matches = pc.index_in(names, value_set=pa.array(pages_or_hosts, names.type))
    page_ids: dict[str, int] = {}
    for page_id in np.flatnonzero(matches.is_valid()).tolist():
        page_ids[pages_or_hosts[matches[page_id].as_py()]] = page_id
    return [
        np.array([page_ids[name]], np.int32) if name in page_ids else page_ids_on_host(names, name)
        for name in pages_or_hosts
    ]


def page_ids_on_host(page_names: pa.Array, host: str) -> Ids:
    """The page numbers of a host; a host without pages is an error."""
    found = np.flatnonzero(pc.match_substring_regex(page_names, host_pattern(host)))
    return require_pages(host, found.astype(np.int32))


def host_pattern(host: str) -> str:
    """A regular expression for the pages of a host."""
    return rf"^(?:(?:https?|ftp|file)://)?{re.escape(host)}(?::\d+)?(?:[/?#]|$)"


def require_pages(host: str, page_ids: Ids) -> Ids:
    """The pages of a host, which has some and is a host."""
    if not len(page_ids) or not host or set(host) & set("/?#:"):
        raise UnknownName("page", host, (), hint=PAGE_OR_HOST_HINT)
    return page_ids


def teleport_vector(
    graph: WebGraph, seeds: Sequence[str], weights: Sequence[float] = EQUAL_WEIGHTS
) -> Floats:
    """The probability of jumping to each page: to the seeds by their weights, else uniform.

    Without weights each page counts once, even if it is named twice. With
    weights, the pages of a host share its weight, and weights of one page add up.
    """
    check_seed_weights(seeds, weights)
    if not seeds:
        return uniform_distribution(len(graph))
    return distribute_weights(len(graph), resolve_pages(graph, seeds), weights)


def check_seed_weights(seeds: Sequence[str], weights: Sequence[float]) -> None:
    """Refuse weights that are not one for each seed, or all zero."""
    if weights and len(weights) != len(seeds):
        raise BadParameter(
            f"{pluralise(len(seeds), 'seed')} cannot have {pluralise(len(weights), 'weight')}",
            hint="give a weight for each seed, or none at all",
        )
    if weights and sum(weights) <= 0:
        raise BadParameter("all seeds have weight zero", hint="give one a positive weight")


def distribute_weights(
    n: int, page_ids_of_seeds: Sequence[Ids], weights: Sequence[float]
) -> Floats:
    """The probability of jumping to each of n pages, from the pages of each seed."""
    teleport = np.zeros(n)
    for k, page_ids in enumerate(page_ids_of_seeds):
        teleport[page_ids] = teleport[page_ids] + weights[k] / len(page_ids) if weights else 1.0
    return normalize_l1(teleport)


def named_page_mask(graph: WebGraph, pages_or_hosts: Sequence[str]) -> Flags:
    """Which pages the names of pages and hosts stand for."""
    mask = np.zeros(len(graph), bool)
    for page_ids in resolve_pages(graph, pages_or_hosts):
        mask[page_ids] = True
    return mask
