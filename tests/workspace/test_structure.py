"""The structure of a collection: by a method, of a selection, as an overview."""

from collections.abc import Callable
from pathlib import Path
from typing import cast

import pyarrow.compute as pc
import pytest

from weft.core.errors import BadParameter, UnknownName
from weft.core.register import METHODS, find_method
from weft.gather.page import Link, Page
from weft.graph.synthetic import copying_graph
from weft.graph.webgraph import WebGraph
from weft.structure import BowTie, Shape, bow_tie, reciprocity
from weft.workspace.structure_overview import OVERVIEW_PARTS, overview
from weft.workspace.workspace import Workspace


def test_a_part_is_that_of_its_method(demo: Workspace) -> None:
    for level in ("page", "host", "domain"):
        graph = demo.graph(level)
        found = demo.structure("bow-tie", level=level)
        assert found.facts == bow_tie(graph).facts
        assert found.provenance["level"] == level
        assert found.provenance["collection"] == str(demo.folder)


def test_uncaptured_pages_are_dropped_by_default(demo: Workspace) -> None:
    counts = demo.counts
    found = demo.structure("bow-tie")
    assert found["pages"] == counts["captured"] + counts["listed"]
    assert f"{counts['uncaptured']:,} page" in found.notes[0]
    kept = demo.structure("bow-tie", uncaptured="keep")
    assert kept["pages"] == len(demo.graph())
    assert kept.options["uncaptured"] == "keep"
    assert isinstance(kept, BowTie)
    seen = demo.collection.pages.filter(pc.equal(demo.collection.pages["kind"], 3))["url"]
    assert kept.explain(seen[0].as_py()).region != "core"


def test_a_query_looks_at_its_base_set(demo: Workspace) -> None:
    found = demo.structure("bow-tie", query="jaguar", uncaptured="keep")
    base = demo.load(WebGraph, query="jaguar")
    assert found["pages"] == len(base)  # type: ignore[arg-type]
    assert demo.structure("bow-tie", query="jaguar")["pages"] < found["pages"]
    assert found.provenance["query"] == "jaguar"
    fewer = demo.structure("reciprocity", exclude=["*/links.html"])
    assert fewer["links"] < demo.structure("reciprocity")["links"]
    across = demo.structure("reciprocity", between="domain")
    assert across["links"] < demo.structure("reciprocity")["links"]


def test_an_overview_has_the_heads_of_all_parts(demo: Workspace) -> None:
    found = demo.structure()
    assert found.method == "overview"
    assert found["pages"] == len(demo.graph())
    assert found["captured"] + found["uncaptured"] == found["pages"]
    assert found["reciprocity"] == demo.structure("reciprocity")["reciprocity"]
    assert found["core"] == demo.structure("bow-tie")["core"]
    parts = {row["part"] for row in found.to_table().to_pylist()}
    assert parts == {"", *(name for name in OVERVIEW_PARTS if ("structure", name) in METHODS)}
    assert found.to_table("bow-tie").equals(demo.structure("bow-tie").to_table())
    assert {"reciprocity", "components", "bow-tie", "degrees"} <= parts


def test_a_figure_of_an_overview_is_that_of_its_part() -> None:
    """On a web that would be too large to search from every page in one go."""
    web = copying_graph(2_000, 4, seed=1)
    found = overview(web)
    for name, head in OVERVIEW_PARTS.items():
        part = cast("Shape", find_method("structure", name)(web))
        for fact in list(part.facts)[: head.fact_count]:
            assert found[fact] == part[fact], fact


def test_numbers_of_an_overview_are_numbers(demo: Workspace) -> None:
    found = demo.structure()
    rows = {row["fact"]: row for row in found.to_table().to_pylist()}
    for fact, value in found.facts.items():
        words = isinstance(value, str)
        assert (rows[fact]["text"] if words else rows[fact]["value"]) == value
        assert rows[fact]["value" if words else "text"] is None


def test_an_overview_of_little() -> None:
    for links in ([], [("a", "a")], [("a", "b")]):
        found = overview(WebGraph.from_links(links))
        assert found["core"] == "no core"
        assert found["links"] == len([pair for pair in links if pair[0] != pair[1]])
        assert list(found.facts)[:2] == ["pages", "links"]
    ring = overview(WebGraph.from_links([("a", "b"), ("b", "a")]))
    assert (ring["core"], ring["reciprocity"], ring["pages"]) == (2, 1, 2)


def test_pages_of_a_graph_without_text_are_not_called_captured(tmp_path: Path) -> None:
    edges = tmp_path / "e.txt"
    edges.write_text("a b\nb a\n")
    listed = Workspace(tmp_path / "c.weft")
    listed.add(edges)
    assert list(listed.structure().facts)[:2] == ["pages", "links"]


def test_unknown_methods_and_options_are_errors(demo: Workspace) -> None:
    with pytest.raises(UnknownName, match="bowtie"):
        demo.structure("bowtie")
    with pytest.raises(BadParameter, match="no options"):
        demo.structure(uncaptured="keep")
    with pytest.raises(BadParameter, match="uncaptured"):
        demo.structure("bow-tie", uncaptured="perhaps")


def test_options_that_are_pages_too(demo: Workspace) -> None:
    url = demo.graph().pages[0]
    short = url.partition("://")[2]
    assert demo.structure("depth", home=[short]).options["home"] == [url]
    assert demo.structure("clicks", source=short)["from"] == url
    with pytest.raises(UnknownName, match="nowhere"):
        demo.structure("clicks", source="nowhere.example/x")


def test_links_answered_by_hosts_alone(tmp_path: Path, keep_at: Callable[..., Workspace]) -> None:
    """Two hosts whose pages never answer each other, though the hosts do."""
    one, two = "http://one.example/", "http://two.example/"
    pages = [
        Page(f"{one}a", links=(Link(f"{two}a"),)),
        Page(f"{two}a"),
        Page(f"{two}b", links=(Link(f"{one}a"),)),
    ]
    found = keep_at(tmp_path / "two.weft", *pages)
    assert found.structure("reciprocity")["mutual pairs"] == 0
    assert found.structure("reciprocity", level="host")["mutual pairs"] == 1
    assert reciprocity(found.graph("host"))["reciprocity"] == 1
