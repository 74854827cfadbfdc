"""Citation clusters: similarities by definition, and the hierarchy of a small site."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.graph.transitions import Sessions
from weft.usage import citation_clusters
from weft.usage.chain import MarkovChain
from weft.usage.citation_clusters import CitationMeasure, build_hierarchy, citation_similarity

# two departments below home; the pages of one lead to its contact page
SITE = ["hax", "hbx", "hcx", "hdy", "hey", "hfy"]
paths = st.lists(st.lists(st.sampled_from("abcdef"), max_size=9), max_size=9)
measures: st.SearchStrategy[CitationMeasure] = st.sampled_from(["both", "co-citation", "coupling"])


def test_departments_are_clusters_of_a_cluster() -> None:
    found = citation_clusters(SITE)
    rows = [(sorted(row["leading pages"]), row["parent"]) for row in found.to_table().to_pylist()]
    assert rows[:3] == [(list("abcdef"), None), (list("abc"), 0), (list("def"), 0)]
    inner = {row["page"]: row["cluster"] for row in found.to_table("pages").to_pylist()}
    assert inner["a"] == inner["b"] == inner["c"] != inner["d"] == inner["e"] == inner["f"]


def test_worked_similarities() -> None:
    """All six are reached from h alone; a and d lead to different pages."""
    chain = MarkovChain.from_counts(Sessions.from_paths(SITE).transitions.counts)
    names = Sessions.from_paths(SITE).names(chain.pages)
    a, b, d = (names.index(page) for page in "abd")
    assert citation_similarity(chain, "co-citation")[a, d] == pytest.approx(1)
    assert citation_similarity(chain, "coupling")[a, d] == 0
    assert citation_similarity(chain, "both")[a, [b, d]] == pytest.approx([1, 0.5])


@given(paths, measures)
def test_similarities_by_definition(sessions_of: list[list[str]], by: CitationMeasure) -> None:
    chain = MarkovChain.from_counts(Sessions.from_paths(sessions_of).transitions.counts)
    n = len(chain)
    matrix = np.zeros((n, n))
    matrix[chain.rows.row_ids(), chain.rows.ids] = chain.probabilities
    sides = {"co-citation": matrix.T, "coupling": matrix}
    wanted = np.zeros((n, n))
    for name, side in sides.items():
        norms = np.maximum(np.linalg.norm(side, axis=1), 1e-300)
        cosine = (side / norms[:, None]) @ (side / norms[:, None]).T
        wanted += cosine * ({"both": 0.5}.get(by, float(name == by)))
    np.testing.assert_allclose(citation_similarity(chain, by), wanted, atol=1e-12)


@given(st.lists(st.lists(st.floats(0, 1), min_size=6, max_size=6), min_size=6, max_size=6))
def test_clusters_are_nested_and_tighten(values: list[list[float]]) -> None:
    half = np.triu(np.array(values), 1)
    similarity = half + half.T + np.eye(6)
    clusters = build_hierarchy(similarity, 0.2, 0.25)
    for cluster in clusters:
        assert len(cluster.items) == len(set(cluster.items.tolist())) > 1
        assert cluster.similarity >= 0.2 - 1e-9
        if cluster.parent >= 0:
            parent = clusters[cluster.parent]
            assert set(cluster.items.tolist()) < set(parent.items.tolist())
            assert cluster.similarity >= parent.similarity
            assert cluster.level > parent.level
    tops = [set(cluster.items.tolist()) for cluster in clusters if cluster.parent < 0]
    assert sum(map(len, tops)) == len(set().union(*tops))


def test_pages_left_out_are_noted() -> None:
    found = citation_clusters(SITE, max_pages=4)
    assert "5 pages viewed less often are in no cluster" in found.notes
    assert found["pages with clicks"] <= 4
    assert "there are no clicks" in citation_clusters(["a", "b"]).notes
