"""A ranking: its order, its ties, its tables."""

from dataclasses import replace

import numpy as np

from weft.engine import Trace
from weft.graph.baseset import BaseSet
from weft.graph.webgraph import WebGraph
from weft.rank import Ranking, clever, compare, indegree


def ranking(*scores: float, converged: bool = True) -> Ranking:
    pages = [f"p{i}" for i in range(len(scores))]
    return Ranking("toy", pages, {"score": np.array(scores)}, Trace(1, 0.0, converged))


def test_best_first_and_ties_keep_page_order() -> None:
    assert ranking(0.1, 0.3, 0.1 + 1e-17, 0.2).order().tolist() == [1, 3, 0, 2]


def test_ties_are_to_twelve_digits() -> None:
    assert ranking(1.0, 1.0 + 1e-14).order().tolist() == [0, 1]
    assert ranking(1.0, 1.0 + 1e-10).order().tolist() == [1, 0]


def test_table_and_frame_agree() -> None:
    made = ranking(0.1, 0.3)
    assert made.to_table().to_pydict() == {"page": ["p1", "p0"], "score": [0.3, 0.1]}
    assert made.to_pandas()["page"].tolist() == ["p1", "p0"]


def test_what_did_not_converge_says_so() -> None:
    assert "not converged" in repr(ranking(0.5, converged=False))
    assert repr(ranking()) == "<Ranking of 0 pages by toy>"


def test_what_is_ranked_is_called_by_its_name() -> None:
    links = WebGraph.from_links([("a.com", "b.com")])
    for level, noun in {"page": "pages", "host": "hosts", "domain": "domains"}.items():
        graph = replace(links, level=level)  # type: ignore[arg-type]
        for data in (graph, BaseSet.whole(graph)):
            assert repr(clever(data)) == f"<Ranking of 2 {noun} by clever, led by b.com>"
        assert repr(indegree(graph)).startswith(f"<Ranking of 2 {noun} by ")
    told = repr(compare([indegree(graph), clever(graph)]))
    assert told.startswith("<Comparison of 2 rankings on 2 domains")
