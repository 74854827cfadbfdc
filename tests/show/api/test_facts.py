"""The collection in numbers, its hosts and its shape."""

from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np
import pyarrow.csv as pc
import pytest

from weft.run.workspace import Workspace
from weft.show.api.files import File

Ask = Callable[..., Any]


def test_facts_are_those_of_the_workspace(ask: Ask, demo: Workspace) -> None:
    found = ask("collection")
    assert found["counts"] == demo.counts
    assert found["name"] == "demo.weft"
    for verb in (demo.topics, demo.communities, demo.similar, demo.suggest):
        usual = signature(verb).parameters["method"].default
        assert found["defaults"][verb.__name__] == usual
    assert found["history"][0]["inputs"] == ["demo.warc.gz"], "the folder is nobody's business"


def test_what_a_commit_says_is_part_of_the_facts(ask: Ask) -> None:
    brief, found = ask("collection/brief"), ask("collection")
    assert found.items() >= brief.items()
    assert found.keys() - brief.keys() == {"facts", "hosts"}


def test_hosts_come_in_pages(ask: Ask, demo: Workspace) -> None:
    first, rest = ask("hosts", top=3), ask("hosts", offset=3, top=500)
    assert [len(first["rows"]), first["total"]] == [3, 3 + len(rest["rows"])]
    rows = first["rows"] + rest["rows"]
    sizes = [row["pages"] for row in rows]
    assert sizes == sorted(sizes, reverse=True)
    assert sum(row["pages"] + row["seen"] for row in rows) == len(demo.collection)
    seen = [row["seen"] for row in ask("hosts", by="seen", top=500)["rows"]]
    assert seen == sorted(seen, reverse=True)
    assert sum(seen) == demo.counts["seen"]


def test_links_of_hosts_are_those_of_their_graph(ask: Ask, demo: Workspace) -> None:
    graph, rows = demo.graph("host"), ask("hosts", top=500)["rows"]
    for name, degrees in (("inlinks", graph.indegrees()), ("outlinks", graph.outdegrees())):
        assert [row[name] for row in rows] == [degrees[graph.number(row["host"])] for row in rows]


@pytest.mark.parametrize("level", ["page", "host", "domain"])
def test_loose_ends_are_the_nodes_that_lack_links(ask: Ask, demo: Workspace, level: Any) -> None:
    found, graph = ask("structure/ends", level=level), demo.graph(level)
    linking = {int(page) for page in np.flatnonzero(graph.outdegrees())}
    linked = set(np.asarray(graph.outlinks.ids).tolist())
    nodes = set(range(len(graph)))
    assert (found["nodes"], found["links"]) == (len(graph), graph.link_count)
    assert found["unlinked"] == len(nodes - linked)
    assert found["dangling"] == len(nodes - linking)
    assert found["isolated"] == len(nodes - linked - linking)


def test_exports_are_files_of_the_whole(ask: Ask, demo: Workspace) -> None:
    pages = ask("export/pages", format="csv")
    assert isinstance(pages, File)
    assert pc.read_csv(pages.path).num_rows == len(demo.collection)
    edges = ask("export/edges", level="host", format="graphml")
    assert edges.path.read_text().count("<edge ") == demo.graph("host").link_count
    assert edges.name == "host-links.graphml"
