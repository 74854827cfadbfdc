"""Structure results equal those of the library; slices, files and pictures."""

import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import Any, cast

import pyarrow.parquet as pq
import pytest
from pyarrow import csv

from weft.core.errors import UnknownName
from weft.gather.page import Link, Page
from weft.server.session import Session
from weft.structure import BowTie
from weft.structure.bowtie import REGIONS
from weft.workspace.workspace import Workspace

Ask = Callable[..., Any]
MAGAZINE = "http://jaguarmagazine.example/"


@pytest.mark.parametrize("level", ["page", "host"])
@pytest.mark.parametrize("method", ["bow-tie", "degrees", "depth", "components"])
def test_facts_and_tables_are_those_of_the_library(
    ask: Ask, demo: Workspace, method: str, level: Any
) -> None:
    found, known = ask(f"structure/{method}", level=level), demo.structure(method, level=level)
    assert found["facts"] == pytest.approx(dict(known.facts))
    assert found["notes"] == list(known.notes)
    assert list(found["tables"]) == list(known.tables)
    for name, table in known.tables.items():
        shown = found["tables"][name]
        rows = [dict(zip(shown["columns"], row, strict=True)) for row in shown["rows"]]
        assert rows == table.slice(0, 100).to_pylist()
        assert shown["total"] == len(table)


def test_options_and_views_are_passed_on(ask: Ask, demo: Workspace) -> None:
    kept = ask("structure/bow-tie", uncaptured="keep")
    assert kept["options"]["uncaptured"] == "keep"
    assert kept["facts"]["pages"] == len(demo.collection)
    around = ask("structure/components", query="jaguar", exclude=["jaguarmagazine.example"])
    assert around["facts"]["pages"] < ask("structure/components")["facts"]["pages"]
    reasons = [left["reason"] for left in around["left_out"]]
    assert "without jaguarmagazine.example" in reasons
    assert "collection" not in around["provenance"], "the folder is private"


def test_a_table_comes_in_slices(ask: Ask, demo: Workspace) -> None:
    every = demo.structure("bow-tie").to_table("pages")
    pieces = [
        ask("structure/bow-tie", table="pages", offset=at, top=7)["tables"] for at in (0, 7, 14)
    ]
    assert all(list(piece) == ["pages"] for piece in pieces)
    rows = [row for piece in pieces for row in piece["pages"]["rows"]]
    assert [row[0] for row in rows] == every["page"].slice(0, 21).to_pylist()


def test_pages_in_rows_have_titles(ask: Ask, demo: Workspace) -> None:
    found = ask("structure/depth", top=5)
    shown = {row[0] for name in ("orphans", "deepest") for row in found["tables"][name]["rows"]}
    steps = {step for row in found["tables"]["deepest"]["rows"] for step in row[2]}
    assert found["names"].keys() == shown | steps
    page = demo.collection.pages.slice(demo.collection.find_page(min(shown)), 1).to_pylist()[0]
    assert found["names"][min(shown)] == {"title": page["title"], "kind": "captured"}
    assert not ask("structure/reciprocity", level="host")["names"], "a host has no title"


def test_an_unknown_table_is_an_error(ask: Ask) -> None:
    with pytest.raises(UnknownName, match="no table is called 'beauty'"):
        ask("structure/degrees", table="beauty")


def test_tables_are_files_too(ask: Ask, demo: Workspace) -> None:
    pages = ask("structure/bow-tie", table="pages", format="parquet")
    assert pages.name == "bow-tie-pages.parquet"
    known = demo.structure("bow-tie").to_table("pages")
    assert pq.read_table(pages.path)["page"].to_pylist() == known["page"].to_pylist()
    deepest = csv.read_csv(ask("structure/depth", table="deepest", format="csv").path).to_pylist()
    paths = demo.structure("depth").to_table("deepest")["path"].to_pylist()
    assert [row["path"].split() for row in deepest] == paths
    assert ask("structure/degrees", format="jsonl").name == "degrees-fits.jsonl"


def test_a_missing_path_is_null(ask: Ask, demo: Workspace) -> None:
    alone = next(page for page in demo.graph().pages if not demo.links(page, "out").num_rows)
    found = ask("structure/clicks", pages=[MAGAZINE, alone])
    [_, (_, back, here)] = found["tables"]["average clicks"]["rows"]
    assert (back, here) == (None, 0)


def test_the_overview_has_the_main_facts_and_tables(ask: Ask) -> None:
    found, bow_tie = ask("structure/overview"), ask("structure/bow-tie")
    assert found["method"] == "overview"
    assert found["facts"]["core"] == bow_tie["facts"]["core"]
    assert found["tables"]["bow-tie"] == bow_tie["tables"]["regions"]


def test_regions_list_their_pages(ask: Ask, demo: Workspace) -> None:
    known = cast("BowTie", demo.structure("bow-tie"))
    sizes = {row["region"]: row["pages"] for row in known.to_table().to_pylist()}
    for region, pages in sizes.items():
        found = ask("structure/bow-tie/region", region=region, top=500)
        assert found["total"] == pages
        inlinks = [row["inlinks"] for row in found["rows"]]
        assert inlinks == sorted(inlinks, reverse=True)
        assert all(known.explain(row["url"]).region == region for row in found["rows"][:3])
    file = ask("structure/bow-tie/region", region="tendrils in", format="csv")
    assert file.name == "bow-tie-tendrils-in.csv"
    assert len(file.path.read_text().splitlines()) == 1 + sizes["tendrils in"]


def test_the_region_of_a_page_is_explained(
    keep: Callable[..., Workspace], ask_session: Ask, tmp_path: Any
) -> None:
    def page(name: str, *ends: str) -> Page:
        links = tuple(Link(f"http://{end}.example/") for end in ends)
        return Page(f"http://{name}.example/", title=name.upper(), text="words", links=links)

    session = Session(
        keep(page("a", "b"), page("b", "a"), page("c", "a", "s"), page("d")), tmp_path
    )
    session.refresh_snapshot()
    found = ask_session(session, "structure/bow-tie/why", url="c.example")
    assert (found["region"], found["meaning"]) == ("in", REGIONS["in"])
    assert [step["title"] for step in found["path"]] == ["C", "A"]
    assert (
        ask_session(session, "structure/bow-tie/why", url="d.example")["region"] == "disconnected"
    )
    uncaptured = ask_session(session, "structure/bow-tie/why", url="s.example")
    assert (uncaptured["region"], uncaptured["path"]) == ("", [])
    assert "uncaptured=keep" in uncaptured["note"]
    kept = ask_session(session, "structure/bow-tie/why", url="s.example", uncaptured="keep")
    assert kept["region"] == "tendrils in"
    host = ask_session(session, "structure/bow-tie/why", url="http://c.example/", level="host")
    assert (host["page"], host["region"]) == ("c.example", "in")


def test_a_picture_shows_the_regions(ask: Ask) -> None:
    tree = ET.parse(ask("structure/bow-tie/picture").path)
    words = [element.text for element in tree.iter("{http://www.w3.org/2000/svg}text")]
    assert "Core" in words
    assert words[0] == "Bow-tie, areas to the scale of pages"
    narrow = ET.parse(ask("structure/bow-tie/picture", width=360, titled=False).path)
    assert narrow.getroot().attrib["viewBox"].split()[2] == "360"
    assert words[0] not in {one.text for one in narrow.iter("{http://www.w3.org/2000/svg}text")}
    assert ask("structure/degrees/picture", picture="out-degrees").name == "out-degrees.svg"
    with pytest.raises(UnknownName, match="no picture is called 'self-portrait'"):
        ask("structure/bow-tie/picture", picture="self-portrait")
