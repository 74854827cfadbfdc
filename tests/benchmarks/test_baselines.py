"""The baselines on webs whose groups are plain to see."""

from itertools import permutations

import numpy as np
import pytest

from weft.graph.baseset.baseset import BaseSet
from weft.graph.webgraph import WebGraph

pytest.importorskip("graspologic_native")

from benchmarks.topics.baselines import CLUSTERS, leiden, text_clusters

LINKS = [*permutations(["a", "b", "c", "d"], 2), *permutations(["x", "y", "z"], 2), ("a", "x")]


def test_leiden_finds_cliques_largest_first() -> None:
    base = BaseSet.from_graph(WebGraph.from_links(LINKS))
    found = leiden(base)
    groups = [{base.pages[page] for page in topic.members.tolist()} for topic in found]
    assert groups == [set("abcd"), set("xyz")]
    assert found[0].authority.tolist() == [3, 3, 3, 3]


def test_leiden_without_links() -> None:
    assert len(leiden(BaseSet.from_graph(WebGraph.from_arrays(["a"], [], [])))) == 0


def test_text_clusters_keep_like_words_together() -> None:
    kinds = ["goat cheese", "silent film", "green tea", "red wine", "steam train"]
    kinds += ["brass band", "chess club", "garden rose", "mountain hut", "ocean wave"]
    texts = [f"{kind} {kind}" for kind in kinds for _ in range(3)]
    graph = WebGraph.from_arrays([str(k) for k in range(len(texts))], [0], [1])
    base = BaseSet.from_graph(graph, read_texts=lambda: texts)
    found = text_clusters(base)
    assert len(found) == CLUSTERS
    for topic in found:
        assert len({texts[page] for page in topic.members.tolist()}) == 1
    np.testing.assert_allclose(found[0].authority, 1)


def test_text_clusters_without_words() -> None:
    assert len(text_clusters(BaseSet.from_graph(WebGraph.from_links([("a", "b")])))) == 0
