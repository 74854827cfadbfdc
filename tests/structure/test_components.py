"""Components beside igraph and NetworkX."""

from collections import Counter
from itertools import permutations

import igraph
import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from weft.graph.webgraph import WebGraph
from weft.structure import connected_components

Links = list[tuple[str, str]]
webs = st.lists(st.sampled_from(list(permutations("abcdefghij", 2))), max_size=18)


@given(webs)
def test_sizes_are_those_of_networkx_and_igraph(links: Links) -> None:
    graph = nx.DiGraph(links)
    same = igraph.Graph.TupleList(set(links), directed=True)
    found = connected_components(links)
    for kind, parts in (
        ("strong", nx.strongly_connected_components(graph)),
        ("weak", nx.weakly_connected_components(graph)),
    ):
        sizes = Counter(map(len, parts))
        assert sizes == Counter(same.connected_components(mode=kind).sizes())
        rows = [row for row in found.to_table().to_pylist() if row["connection"] == kind]
        assert {row["size"]: row["components"] for row in rows} == sizes
        assert sum(row["pages"] for row in rows) == len(graph) == found["pages"]
        assert found[f"{kind} components"] == sizes.total()
        assert found[f"largest {kind} component"] == max(sizes, default=0)


@given(webs)
def test_every_page_knows_its_components(links: Links) -> None:
    graph = nx.DiGraph(links)
    found = connected_components(links, max_rows=1000)
    pages = found.to_table("pages").to_pylist()
    for kind, wanted in (
        ("strong", nx.strongly_connected_components(graph)),
        ("weak", nx.weakly_connected_components(graph)),
    ):
        groups: dict[int, set[str]] = {}
        for row in pages:
            groups.setdefault(row[kind], set()).add(row["page"])
        assert {frozenset(group) for group in groups.values()} == set(map(frozenset, wanted))
        listed = [row for row in found.to_table("largest").to_pylist() if row["connection"] == kind]
        assert [row["pages"] for row in listed] == sorted(map(len, groups.values()), reverse=True)
        assert all(row["first page"] in groups[row["component"]] for row in listed)


def test_options_are_read() -> None:
    graph = WebGraph.from_links([("a", "b"), ("b", "a"), ("b", "c")])
    assert len(connected_components(graph, max_rows=1).to_table("largest")) == 2
    crawl = WebGraph(
        graph.pages, graph.outlinks, graph.inlinks, uncaptured=np.array([False, False, True])
    )
    assert connected_components(crawl)["strong components"] == 1
    assert connected_components(crawl, uncaptured="keep")["strong components"] == 2
