"""The collection in numbers, its hosts and graph counts."""

from collections.abc import Callable
from inspect import signature
from typing import Any, get_args

import numpy as np
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

from weft.graph.selection import ExportKind
from weft.server.downloads import Download
from weft.workspace.workspace import Workspace

Ask = Callable[..., Any]


def test_facts_are_those_of_the_workspace(ask: Ask, demo: Workspace) -> None:
    found = ask("collection")
    assert found["counts"] == demo.counts
    assert found["name"] == "demo.weft"
    for verb in (demo.topics, demo.communities, demo.similar, demo.suggest, demo.classify):
        default = signature(verb).parameters["method"].default
        assert found["defaults"][verb.__name__] == default
    assert found["history"][0]["inputs"] == ["demo.warc.gz"], "the folder is private"


def test_the_summary_is_part_of_the_collection(ask: Ask) -> None:
    summary, found = ask("collection/summary"), ask("collection")
    assert found.items() >= summary.items()
    assert found.keys() - summary.keys() == {"facts", "hosts"}


def test_hosts_come_in_pages(ask: Ask, demo: Workspace) -> None:
    first, rest = ask("hosts", top=3), ask("hosts", offset=3, top=500)
    assert [len(first["rows"]), first["total"]] == [3, 3 + len(rest["rows"])]
    rows = first["rows"] + rest["rows"]
    sizes = [row["pages"] for row in rows]
    assert sizes == sorted(sizes, reverse=True)
    assert sum(row["pages"] + row["uncaptured"] for row in rows) == len(demo.collection)
    uncaptured = [row["uncaptured"] for row in ask("hosts", by="uncaptured", top=500)["rows"]]
    assert uncaptured == sorted(uncaptured, reverse=True)
    assert sum(uncaptured) == demo.counts["uncaptured"]


def test_links_of_hosts_are_those_of_their_graph(ask: Ask, demo: Workspace) -> None:
    graph, rows = demo.graph("host"), ask("hosts", top=500)["rows"]
    for name, degrees in (("inlinks", graph.indegrees()), ("outlinks", graph.outdegrees())):
        assert [row[name] for row in rows] == [
            degrees[graph.page_number(row["host"])] for row in rows
        ]


@pytest.mark.parametrize("level", ["page", "host", "domain"])
def test_counts_of_nodes_without_links(ask: Ask, demo: Workspace, level: Any) -> None:
    found, graph = ask("structure/counts", level=level), demo.graph(level)
    linking = {int(page) for page in np.flatnonzero(graph.outdegrees())}
    linked = set(np.asarray(graph.outlinks.ids).tolist())
    nodes = set(range(len(graph)))
    assert (found["nodes"], found["links"]) == (len(graph), graph.link_count)
    assert found["unlinked"] == len(nodes - linked)
    assert found["dangling"] == len(nodes - linking)
    assert found["isolated"] == len(nodes - linked - linking)


def test_exports_are_files_of_the_whole(ask: Ask, demo: Workspace) -> None:
    pages = ask("export/pages", format="csv")
    assert isinstance(pages, Download)
    assert pc.read_csv(pages.path).num_rows == len(demo.collection)
    edges = ask("export/edges", level="host", format="graphml")
    assert edges.path.read_text().count("<edge ") == demo.graph("host").link_count
    assert edges.name == "host-links.graphml"


@pytest.mark.parametrize("what", get_args(ExportKind))
def test_each_kind_of_export_is_a_route(ask: Ask, demo: Workspace, what: Any) -> None:
    words: dict[str, Any] = (
        {"search": "jaguar"} if what not in ("topics", "edges") else {"query": "jaguar"}
    )
    found = ask(f"export/{what}", format="parquet", **words)
    assert isinstance(found, Download)
    path = found.path.parent / f"{what}.parquet"
    demo.export(path, what, **words)
    assert pq.read_table(found.path).equals(pq.read_table(path))


def test_exports_have_the_columns_that_are_asked_for(ask: Ask) -> None:
    found = ask("export/hosts", format="parquet", rank=["pagerank"], group="communities")
    assert {"pagerank", "group", "group_label"} <= set(pq.read_schema(found.path).names)
