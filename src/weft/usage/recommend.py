"""Recommend pages to a visitor by the usage profiles that match the last pages of the path."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa
from pydantic import Field

from weft.core.arrays import Floats, Ids
from weft.core.memoize import memoize
from weft.core.params import ViewedPath
from weft.core.register import Dimensions, method
from weft.graph.webgraph import WebGraph
from weft.usage.arhp import ArhpOptions, find_arhp_profiles
from weft.usage.profiles import (
    MIN_PAGE_WEIGHT,
    Profile,
    choose_cluster_count,
    find_pact_profiles,
)
from weft.usage.transactions import TitledSessions, build_transactions
from weft.usage.usage import Usage

ProfileMethod = Annotated[
    Literal["pact", "arhp"], Field(description="profiles by clusters of sessions, or page sets")
]
Window = Annotated[int, Field(ge=1, le=100, description="how many last pages of the path count")]
WindowWeights = Annotated[
    Literal["equal", "growing"], Field(description="weights of these pages, up to the last")
]
LinkDistance = Annotated[bool, Field(description="prefer pages that are many clicks away")]
Threshold = Annotated[float, Field(ge=0, description="lowest score that is recommended")]
Top = Annotated[int, Field(ge=1, le=10_000, description="how many pages to recommend")]
NO_PAGES: list[str] = []
PACT_RESTARTS, PACT_SEED = 3, 0
SCHEMA = pa.schema(
    {
        "page": pa.string(),
        "title": pa.string(),
        "score": pa.float64(),
        "profile": pa.string(),
        "match": pa.float64(),
        "weight": pa.float64(),
        "distance": pa.int32(),
    }
)


class ActiveWindow(NamedTuple):
    """The last pages of a path, each once, with their weights."""

    pages: Ids
    weights: Floats

    @classmethod
    def from_path(cls, pages: Ids, weights: Literal["equal", "growing"]) -> "ActiveWindow":
        """Give the pages equal weights, or the k-th page the weight k; its last view counts."""
        position = {page: at + 1.0 for at, page in enumerate(pages.tolist())}
        growing = np.array(list(position.values()))
        return cls(
            np.array(list(position), np.int32),
            growing if weights == "growing" else np.ones(len(position)),
        )


class Recommendation(NamedTuple):
    """A page with its score, and the profile, match and weight that gave it."""

    page: int
    score: float
    profile: int
    match: float
    weight: float


@method(
    "usage",
    "recommend",
    cites="mobasher2002",
    dimensions=Dimensions(
        model="vector space",
        metric="similarity",
        algorithm="cosine similarity",
        scope="single page",
        applications=("page recommendation", "personalisation"),
        data="links and usage",
    ),
)
def recommend(
    sessions: TitledSessions,
    *,
    path: ViewedPath = NO_PAGES,
    profiles: ProfileMethod = "pact",
    window: Window = 3,
    window_weights: WindowWeights = "equal",
    link_distance: LinkDistance = False,
    threshold: Threshold = 0.5,
    top: Top = 10,
) -> Usage:
    """Recommend pages to a visitor by usage profiles.

    The last pages of the path are compared with each profile by the cosine. A
    page of a profile scores sqrt(weight · match), and of several profiles the
    best counts. With `link_distance` the product also has the factor
    ln(clicks) + 1, where clicks is the distance from the nearest of these
    pages. Pages of the window are never recommended.

    Examples
    --------
    >>> paths = [["a", "b", "c"], ["a", "b", "c"], ["x", "y"], ["x", "y"]]
    >>> recommend(paths, path=["a"]).to_table()["page"].to_pylist()
    ['b', 'c']
    """
    graph = sessions.graph
    active = ActiveWindow.from_path(graph.page_numbers(path[-window:]), window_weights)
    found, notes = _find_profiles(sessions, profiles)
    distance = click_distances(graph, active.pages)
    factor = np.ones(len(graph))
    all_notes = list(notes)
    if link_distance and not graph.link_count:
        all_notes.append("no links are known, so that distance does not count")
    elif link_distance:
        factor = link_distance_factors(distance)
    best = score_pages(found, active, factor)
    shown = [each for each in best if each.score >= threshold][:top]
    facts: dict[str, Any] = {
        "recommended": len(shown),
        "profiles": len(found),
        "matching profiles": sum(match_profile(each, active) > 0 for each in found),
        "path": " → ".join(path[-window:]),
    }
    if not path:
        all_notes.append("no path was given")
    elif not shown:
        all_notes.append(f"no page scores {threshold:g} or more")
    rows = _table(sessions, shown, found, distance)
    return Usage("recommend", facts, {"pages": rows}, tuple(all_notes))


@memoize
def _find_profiles(
    sessions: TitledSessions, profiles: Literal["pact", "arhp"]
) -> tuple[list[Profile], tuple[str, ...]]:
    """The profiles by the defaults of a method, kept for the next path."""
    transactions = build_transactions(sessions.sessions)
    if profiles == "arhp":
        found, _, notes = find_arhp_profiles(transactions, ArhpOptions())
    else:
        clusters = choose_cluster_count(len(transactions))
        found, notes = find_pact_profiles(
            transactions, clusters, MIN_PAGE_WEIGHT, PACT_RESTARTS, PACT_SEED
        )
    return found, (*transactions.notes, *notes)


def match_profile(profile: Profile, window: ActiveWindow) -> float:
    """The cosine of a profile with the weights of the pages of a window."""
    if not len(window.pages):
        return 0.0
    _, of_profile, of_window = np.intersect1d(profile.pages, window.pages, return_indices=True)
    inside = profile.weights[of_profile] @ window.weights[of_window]
    norms = np.square(window.weights).sum() * np.square(profile.weights).sum()
    return float(inside / np.sqrt(norms))


def score_pages(
    profiles: Sequence[Profile], window: ActiveWindow, factor: Floats
) -> list[Recommendation]:
    """The score sqrt(weight · match · factor) of each page outside the window, best first."""
    best = dict[int, Recommendation]()
    for number, profile in enumerate(profiles):
        match = match_profile(profile, window)
        outside = ~np.isin(profile.pages, window.pages)
        for page, weight in zip(
            profile.pages[outside].tolist(), profile.weights[outside].tolist(), strict=True
        ):
            score = float(np.sqrt(weight * match * factor[page]))
            if score > 0 and (page not in best or score > best[page].score):
                best[page] = Recommendation(page, score, number, match, weight)
    return sorted(best.values(), key=lambda each: (-round(each.score, 12), each.page))


def click_distances(graph: WebGraph, window: Ids) -> Ids:
    """The least clicks from a page of the window to each page, -1 where no path leads."""
    from weft.kernels.traversal import bfs_distances  # noqa: PLC0415  loads the compiler

    if not len(window):
        return np.full(len(graph), -1, np.int32)
    return bfs_distances([graph.outlinks], window.tolist())[0]


def link_distance_factors(distance: Ids) -> Floats:
    """The factor ln(distance) + 1; zero in the window itself.

    A page that no path leads to counts as one click further than all others.

    Examples
    --------
    >>> link_distance_factors(np.array([0, 1, 2, -1])).round(4)
    array([0.    , 1.    , 1.6931, 2.0986])
    """
    clicks = np.where(distance < 0, distance.max(initial=0) + 1, distance)
    factors = np.zeros(len(clicks))
    np.log(clicks, out=factors, where=clicks > 0)
    return np.where(clicks > 0, factors + 1, 0.0)


def _table(
    sessions: TitledSessions,
    shown: Sequence[Recommendation],
    profiles: Sequence[Profile],
    distance: Ids,
) -> pa.Table:
    pages = np.array([each.page for each in shown], np.int32)
    clicks = distance[pages]
    columns = {
        "page": sessions.names(pages),
        "title": sessions.titles(pages),
        "score": [each.score for each in shown],
        "profile": [sessions.label(profiles[each.profile].pages) for each in shown],
        "match": [each.match for each in shown],
        "weight": [each.weight for each in shown],
        "distance": pa.array(clicks, pa.int32(), mask=clicks < 0),
    }
    return pa.table(columns, SCHEMA)
