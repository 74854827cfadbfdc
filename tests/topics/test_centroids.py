"""Clusters by words: by hand, by definition, and independent of seed and links."""

from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from weft.core.errors import BadParameter
from weft.graph.baseset.baseset import BaseSet
from weft.graph.baseset.expand import build_query_base_set
from weft.graph.webgraph import WebGraph
from weft.groups import Groups
from weft.topics import centroids
from weft.topics.centroids import agglomerative_clustering, spherical_k_means, unit_term_vectors
from weft.workspace.workspace import Workspace

WINE, TEA, CHEESE = "red wine grape bottle", "green tea leaf kettle", "goat cheese milk rind"
RING = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "e"), ("e", "f"), ("f", "a")]


def web(texts: list[str]) -> BaseSet:
    """A ring of pages with these texts."""
    names = [f"p{k}" for k in range(len(texts))]
    graph = WebGraph.from_links(list(zip(names, [*names[1:], names[0]], strict=True)))
    return BaseSet.from_graph(graph, read_texts=lambda: texts)


def groups(found: Groups) -> set[frozenset[int]]:
    return {frozenset(topic.members.tolist()) for topic in found}


def test_three_subjects_are_three_topics() -> None:
    base = web([WINE, TEA, WINE, TEA, WINE, CHEESE, CHEESE])
    found = centroids(base, clusters=3, min_size=2)
    assert [topic.members.tolist() for topic in found] == [[0, 2, 4], [1, 3], [5, 6]]
    assert set(found[1].facts["terms"]) == {"green", "tea", "leaf", "kettle"}
    assert found[0].facts["mean cosine"] == pytest.approx(1)
    assert found.trace.converged


def test_the_score_is_the_cosine_to_the_mean() -> None:
    """Vectors (1, 0), (0, 1) and their sum, all of weight ln(4/3): the mean points at the sum."""
    base = web(["wine", "tea", "wine tea", "milk milk"])
    found = centroids(base, clusters=1, min_size=1)
    assert found[0].authority[:3] == pytest.approx([0.5**0.5, 0.5**0.5, 1])
    assert found[0].authorities().tolist()[0] == 2


def test_a_hub_scores_what_its_links_inside_lead_to() -> None:
    found = centroids(web([WINE, WINE, TEA, TEA]), clusters=2, min_size=2)
    assert [topic.members.tolist() for topic in found] == [[0, 1], [2, 3]]
    assert found[0].hub.tolist() == pytest.approx([1, 0])


def test_links_do_not_make_topics() -> None:
    texts = [WINE, TEA, WINE, TEA, WINE, TEA]
    graph = WebGraph.from_links(RING)
    none = WebGraph.from_arrays(list("abcdef"), *np.zeros((2, 0), np.int32))
    each = [
        groups(centroids(BaseSet.from_graph(own, read_texts=lambda: texts), clusters=2, min_size=2))
        for own in (graph, none)
    ]
    assert each[0] == each[1] == {frozenset({0, 2, 4}), frozenset({1, 3, 5})}


@given(st.integers(0, 1000), st.randoms())
def test_clear_subjects_do_not_depend_on_seed_or_order(seed: int, random: Random) -> None:
    kinds = [WINE, WINE, WINE, TEA, TEA, CHEESE, CHEESE]
    texts = random.sample(kinds, len(kinds))
    found = centroids(web(texts), clusters=3, min_size=1, seed=seed)
    wanted = {frozenset(k for k, text in enumerate(texts) if text == kind) for kind in kinds}
    assert groups(found) == wanted


def test_every_page_is_with_the_nearest_centroid(demo: Workspace) -> None:
    base = build_query_base_set(demo.collection, "jaguar")
    pages = np.flatnonzero(np.diff(base.term_weights.matrix.starts) > 0).astype(np.int32)
    vectors = unit_term_vectors(base.term_weights, pages)
    found = spherical_k_means(vectors, 5, 100, 1)
    assert found.trace.converged
    cosines = vectors @ found.centroids
    np.testing.assert_allclose(cosines.max(axis=1), found.cosines, atol=1e-9)
    for own in range(5):
        mean = vectors[found.labels == own].toarray().mean(axis=0)
        np.testing.assert_allclose(found.centroids[:, own], mean / np.linalg.norm(mean), atol=1e-9)


def test_more_starts_are_no_worse(demo: Workspace) -> None:
    base = build_query_base_set(demo.collection, "jaguar")

    def fit(restarts: int) -> float:
        found = centroids(base, restarts=restarts, min_size=1)
        return float(sum(topic.authority.sum() for topic in found))

    assert fit(5) >= fit(1)


def test_pages_without_words_and_small_clusters_are_set_aside() -> None:
    found = centroids(web([WINE, WINE, "", TEA, TEA, WINE]), clusters=2, min_size=3)
    assert [topic.members.tolist() for topic in found] == [[0, 1, 5]]
    assert [topic.reason for topic in found.set_aside] == [
        "1 page without words",
        "2 pages in clusters of fewer than 3",
    ]


def test_an_early_stop_is_noted(demo: Workspace) -> None:
    found = centroids(build_query_base_set(demo.collection, "jaguar"), max_iter=1)
    assert (found.trace.converged, found.trace.stopped) == (False, "max_iter")


def merged(vectors: Any, clusters: int) -> set[frozenset[int]]:
    """The same by its definition: all pairs of centroids at every step."""
    every = [[page] for page in range(len(vectors))]
    while len(every) > clusters:
        means = np.array([vectors[own].mean(axis=0) for own in every])
        means /= np.linalg.norm(means, axis=1, keepdims=True)
        cosine = np.triu((means @ means.T).round(12), 1)
        one, other = np.unravel_index(cosine.argmax(), cosine.shape)
        if cosine[one, other] <= 0:
            break
        every[one] = sorted(every[one] + every.pop(other))
        every.sort()
    return {frozenset(own) for own in every}


@given(st.integers(1, 12), st.integers(1, 6), st.integers(0, 10**6))
def test_merging_by_its_definition(pages: int, clusters: int, seed: int) -> None:
    weights = np.random.default_rng(seed).random((pages, 5))
    vectors = weights / np.linalg.norm(weights, axis=1, keepdims=True)
    found = agglomerative_clustering(csr_array(vectors), clusters)
    own = {
        frozenset(np.flatnonzero(found.labels == k).tolist()) for k in range(found.labels.max() + 1)
    }
    assert own == merged(vectors, clusters)
    for k in range(pages):
        mean = vectors[found.labels == found.labels[k]].mean(axis=0)
        assert found.cosines[k] == pytest.approx(vectors[k] @ mean / np.linalg.norm(mean))


def test_pages_without_a_common_word_stay_apart() -> None:
    base = web([WINE, TEA, WINE, TEA, WINE, CHEESE, CHEESE])
    found = centroids(base, clusters=1, algorithm="merge", min_size=2)
    assert groups(found) == {frozenset({0, 2, 4}), frozenset({1, 3}), frozenset({5, 6})}


def test_too_many_pages_to_merge(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(agglomerative_clustering.__globals__, "MAX_MERGE_PAGES", 3)
    with pytest.raises(BadParameter, match="4 pages are too many to merge"):
        centroids(web([WINE, WINE, TEA, TEA]), algorithm="merge")
