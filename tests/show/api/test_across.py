"""The links behind a cell of the matrix, and two methods beside each other."""

from collections.abc import Callable
from typing import Any

import pytest
from pyarrow import csv
from pydantic import ValidationError

from weft.communities import agreement
from weft.core.errors import UnknownName
from weft.run.workspace import Workspace

Ask = Callable[..., Any]
USUAL = "communities/modularity"


@pytest.mark.parametrize(("one", "other"), [(1, 2), (2, 1), (3, 3)])
def test_a_cell_counts_these_links(ask: Ask, demo: Workspace, one: int, other: int) -> None:
    found = ask(f"{USUAL}/links", community=one, other=other, top=500)
    cells = ask(USUAL)["matrix"]["cells"]
    assert found["total"] == cells[one - 1][other - 1] > 0
    graph = demo.graph()
    known = demo.communities()
    assert (found["label"], found["other_label"]) == (known[one - 1].name, known[other - 1].name)
    for row in found["rows"]:
        source, target = (graph.number(row[end]["page"]) for end in ("source", "target"))
        starts = graph.outlinks.starts
        assert target in graph.outlinks.ids[starts[source] : starts[source + 1]]
        assert one in known.of(row["source"]["page"])
        assert other in known.of(row["target"]["page"])


def test_links_say_what_they_are_called_and_come_in_pieces(ask: Ask) -> None:
    asked = {"community": 1, "other": 1}
    first, second = (ask(f"{USUAL}/links", **asked, top=5, offset=at) for at in (0, 5))
    rows = ask(f"{USUAL}/links", **asked, top=10)["rows"]
    assert first["rows"] + second["rows"] == rows
    assert not ask(f"{USUAL}/links", **asked, offset=first["total"])["rows"]
    assert any(row["anchors"] for row in rows)
    assert all(row["source"]["title"] for row in rows)


def test_links_of_hosts_say_nothing(ask: Ask) -> None:
    rows = ask(f"{USUAL}/links", level="host", top=3)["rows"]
    assert rows
    assert all(row["source"]["kind"] == "host" and not row["anchors"] for row in rows)


def test_links_as_a_file(ask: Ask) -> None:
    file = ask(f"{USUAL}/links", community=1, other=2, format="csv")
    assert file.name == "links-1-2.csv"
    rows = csv.read_csv(file.path)
    assert rows.column_names == ["source", "target"]
    assert len(rows) == ask(f"{USUAL}/links", community=1, other=2)["total"]


def test_a_community_that_is_not_there_is_told(ask: Ask) -> None:
    with pytest.raises(UnknownName, match="no community is called '9999'"):
        ask(f"{USUAL}/links", community=1, other=9999)


def test_agreement_is_that_of_the_library(ask: Ask, demo: Workspace) -> None:
    found = ask(f"{USUAL}/agreement", other="hits", query="jaguar", resolution=2)
    one = demo.communities("jaguar", resolution=2)
    two = demo.communities("jaguar", "hits")
    told = agreement(one, two)
    assert (found["nmi"], found["ari"], found["purity"]) == (told.nmi, told.ari, told.purity)
    assert (found["pages"], found["of"]) == (told.pages, told.of)
    assert (found["communities"], found["other_communities"]) == (len(one), len(two))


def test_a_method_agrees_with_itself(ask: Ask) -> None:
    found = ask(f"{USUAL}/agreement", other="modularity")
    assert (found["nmi"], found["ari"]) == (1, 1)
    with pytest.raises(ValidationError, match="other"):
        ask(f"{USUAL}/agreement", other="nothing")
