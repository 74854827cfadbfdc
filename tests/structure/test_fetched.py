"""Pages that were only seen."""

from dataclasses import replace

import numpy as np

from weft.graph.webgraph import WebGraph
from weft.structure.fetched import fetched


def test_only_known_links_count() -> None:
    graph = WebGraph.from_links([("a", "b"), ("b", "c"), ("a", "c")])
    assert fetched(graph, "drop") == (graph, ())
    crawl = WebGraph(
        graph.pages, graph.outlinks, graph.inlinks, seen=np.array([False, False, True])
    )
    kept, [note] = fetched(crawl, "drop")
    assert list(kept.pages) == ["a", "b"]
    assert kept.link_count == 1
    assert note.startswith("1 page linked to but never fetched and 2 links are left out")
    same, [note] = fetched(crawl, "keep")
    assert same is crawl
    assert note.startswith("1 page never fetched")


def test_a_graph_is_cut_once_and_without_weights() -> None:
    graph = WebGraph.from_links([("a", "b"), ("a", "b"), ("b", "c")])
    crawl = replace(graph, seen=np.array([False, False, True]))
    kept, _ = fetched(crawl, "drop")
    assert fetched(crawl, "drop")[0] is kept
    assert kept.outlinks.weights is None
    assert kept.inlinks.ids.tolist() == [0]
