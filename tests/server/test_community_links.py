"""The links of a cell of the matrix, and the agreement of two methods."""

from collections.abc import Callable
from typing import Any

import pytest
from pyarrow import csv
from pydantic import ValidationError

from weft.communities import compare_partitions
from weft.core.errors import UnknownName
from weft.workspace.workspace import Workspace

Ask = Callable[..., Any]
DEFAULT = "communities/modularity"


@pytest.mark.parametrize(("one", "other"), [(1, 2), (2, 1), (3, 3)])
def test_a_cell_counts_these_links(ask: Ask, demo: Workspace, one: int, other: int) -> None:
    found = ask(f"{DEFAULT}/links", number=one, other=other, top=500)
    cells = ask(DEFAULT)["matrix"]["cells"]
    assert found["total"] == cells[one - 1][other - 1] > 0
    graph = demo.graph()
    known = demo.communities()
    assert (found["label"], found["other_label"]) == (known[one - 1].name, known[other - 1].name)
    for row in found["rows"]:
        source, target = (graph.page_number(row[end]["url"]) for end in ("source", "target"))
        starts = graph.outlinks.starts
        assert target in graph.outlinks.ids[starts[source] : starts[source + 1]]
        assert one in known.group_numbers(row["source"]["url"])
        assert other in known.group_numbers(row["target"]["url"])


def test_links_have_anchors_and_come_in_slices(ask: Ask) -> None:
    params = {"number": 1, "other": 1}
    first, second = (ask(f"{DEFAULT}/links", **params, top=5, offset=at) for at in (0, 5))
    rows = ask(f"{DEFAULT}/links", **params, top=10)["rows"]
    assert first["rows"] + second["rows"] == rows
    assert not ask(f"{DEFAULT}/links", **params, offset=first["total"])["rows"]
    assert any(row["anchors"] for row in rows)
    assert all(row["source"]["title"] for row in rows)


def test_links_of_hosts_have_no_anchors(ask: Ask) -> None:
    rows = ask(f"{DEFAULT}/links", level="host", top=3)["rows"]
    assert rows
    assert all(row["source"]["kind"] == "host" and not row["anchors"] for row in rows)


def test_links_as_a_file(ask: Ask) -> None:
    file = ask(f"{DEFAULT}/links", number=1, other=2, format="csv")
    assert file.name == "links-1-2.csv"
    rows = csv.read_csv(file.path)
    assert rows.column_names == ["source", "target"]
    assert len(rows) == ask(f"{DEFAULT}/links", number=1, other=2)["total"]


def test_an_unknown_community_is_an_error(ask: Ask) -> None:
    with pytest.raises(UnknownName, match="no community is called '9999'"):
        ask(f"{DEFAULT}/links", number=1, other=9999)


def test_agreement_is_that_of_the_library(ask: Ask, demo: Workspace) -> None:
    found = ask(f"{DEFAULT}/agreement", other="hits", query="jaguar", resolution=2)
    first = demo.communities("jaguar", resolution=2)
    second = demo.communities("jaguar", "hits")
    agreement = compare_partitions(first, second)
    for name in ("nmi", "ari", "purity", "compared_pages", "total_pages"):
        assert found[name] == getattr(agreement, name)
    assert (found["communities"], found["other_communities"]) == (len(first), len(second))


def test_a_method_agrees_with_itself(ask: Ask) -> None:
    found = ask(f"{DEFAULT}/agreement", other="modularity")
    assert (found["nmi"], found["ari"]) == (1, 1)
    with pytest.raises(ValidationError, match="other"):
        ask(f"{DEFAULT}/agreement", other="nothing")
