"""Communities as the library finds them, one with its members, and those of a page."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from pyarrow import csv
from typer.testing import CliRunner

from weft.communities import Communities
from weft.core.errors import UnknownName
from weft.gather.page import Link, Page
from weft.run.workspace import Workspace
from weft.show.api.desk import Desk
from weft.show.cli import app

Ask = Callable[..., Any]
USUAL = "communities/modularity"


@pytest.fixture(scope="module")
def found(ask: Ask) -> Any:
    return ask(USUAL, top=3, communities=6)


@pytest.fixture(scope="module")
def known(demo: Workspace) -> Communities:
    return demo.communities()


def test_communities_are_those_of_the_command(found: Any, demo: Workspace) -> None:
    words = ["-q", "communities", str(demo.folder), "--communities", "6", "--format", "json"]
    said = json.loads(CliRunner().invoke(app, words).stdout)
    assert len(found["communities"]) == 6 < found["total"]
    for one, two in zip(found["communities"], said["communities"], strict=True):
        for name in ("community", "label", "terms", "title", "pages", "inside", "leaving"):
            assert one[name] == two[name], name
        for role in ("centres", "hubs"):
            assert [page["page"] for page in one[role]] == two[role]
    assert found["facts"] == said["facts"]
    assert "collection" not in found["provenance"], "the folder is nobody's business"


def test_pages_have_titles_and_scores(found: Any, demo: Workspace, known: Communities) -> None:
    best = found["communities"][0]["centres"][0]
    row = demo.collection.pages.slice(demo.collection.find(best["page"]), 1).to_pylist()[0]
    assert best["title"] == row["title"]
    assert best["authority"] == known[0].authority.max()


def test_the_matrix_counts_links(found: Any, known: Communities) -> None:
    matrix = found["matrix"]
    assert matrix["communities"] == list(range(1, min(len(known), 30) + 1))
    assert matrix["labels"][0] == known[0].name
    for k, row in enumerate(matrix["cells"]):
        assert row[k] == known[k].inside
        assert sum(row) - row[k] <= known[k].leaving


def test_what_speaks_for_communities_is_named(ask: Ask, demo: Workspace) -> None:
    found = ask("communities/trawling", fans=2, centres=2, sites=0, mirrors="keep")
    known = demo.communities("", "trawling", fans=2, centres=2, sites=0, mirrors="keep")
    [first, *_] = found["communities"]
    proofs = {proof["what"]: proof for proof in first["evidence"]}
    assert proofs.keys() == known[0].evidence.keys()
    fans = known[0].evidence["fans"]
    assert proofs["fans"]["total"] == len(fans)
    assert [row[0]["page"] for row in proofs["fans"]["rows"]] == [
        known.base.pages[page] for page in fans[:5].tolist()
    ]
    assert all(len(row) == 2 for row in proofs["cores"]["rows"])


def test_matches_of_a_pattern_are_named(ask: Ask, demo: Workspace) -> None:
    found = ask("communities/patterns", pattern="a>b b>a", site="page", communities=1)
    known = demo.communities(method="patterns", pattern="a>b b>a", site="page")
    [first] = found["communities"]
    [proof] = first["evidence"]
    matches = known[0].evidence["matches"]
    assert (proof["what"], proof["total"]) == ("matches", len(matches))
    rows = [[each["page"] for each in row] for row in proof["rows"]]
    assert rows == [known.base.named(row) for row in matches[: len(rows)]]
    assert rows


def test_pages_between_communities_are_named(
    keep: Callable[..., Workspace], ask_at: Ask, tmp_path: Any
) -> None:
    rings = {f"{c}{k}": [f"{c}{(k + 1) % 3}", f"{c}{(k + 2) % 3}"] for c in "pqr" for k in range(3)}
    for name, ends in {"p0": "xy", "q0": "xy", "r0": "x", "r1": "y"}.items():
        rings[name] += ends
    pages = [
        Page(
            f"http://{name}.example/",
            text="words",
            links=tuple(Link(f"http://{end}.example/") for end in ends),
        )
        for name, ends in rings.items()
    ]
    desk = Desk(keep(*pages, Page("http://x.example/", title="Agora", text="words")), tmp_path)
    desk.update()
    page = ask_at(desk, "communities/agora", by="modularity")["between"][0]
    assert (page["title"], page["communities"], page["inlinks"]) == ("Agora", [1, 2, 3], 3)
    assert [one["page"] for one in page["through"]] == [f"http://{c}0.example/" for c in "pqr"]


def test_members_come_in_pages(ask: Ask, known: Communities) -> None:
    order = [known.base.pages[page] for page in known[1].order().tolist()]
    pieces = [ask(f"{USUAL}/community", community=2, offset=at, top=5) for at in (0, 5)]
    rows = [row["page"] for piece in pieces for row in piece["rows"]]
    assert rows == order[:10]
    assert pieces[0]["total"] == len(order) == pieces[0]["community"]["pages"]


def test_ties_are_the_cells_of_the_matrix(ask: Ask, found: Any) -> None:
    cells = found["matrix"]["cells"]
    for tie in ask(f"{USUAL}/community", community=1)["ties"]:
        other = tie["community"] - 1
        assert other != 0
        if other < len(cells):
            assert (tie["to"], tie["by"]) == (cells[0][other], cells[other][0])


def test_a_community_that_is_not_there_is_told(ask: Ask) -> None:
    with pytest.raises(UnknownName, match="no community is called '9999'"):
        ask(f"{USUAL}/community", community=9999)


def test_a_page_knows_its_communities(ask: Ask, known: Communities) -> None:
    page = known.base.pages[int(known[2].centres(1)[0])]
    found, place = ask(f"{USUAL}/of", url=page), known.explain(page)
    [row], [one] = found["rows"], place.found
    assert (row["community"], row["centre"], row["label"]) == (3, 1, known[2].name)
    assert [end["page"] for end in row["linked_from"]] == list(one.linked_from)
    assert (found["links_in"], found["links_out"]) == (place.links_in, place.links_out)
    assert [(e["community"], e["links"]) for e in found["elsewhere"]] == list(place.elsewhere)[:20]


def test_a_page_in_none_is_told_why(ask: Ask, demo: Workspace) -> None:
    inside = set(demo.communities("jaguar", "hits").base.pages)
    outside = next(url for url in demo.collection.pages["url"].to_pylist() if url not in inside)
    found = ask("communities/hits/of", query="jaguar", url=outside)
    assert not found["rows"]
    assert "not among the pages looked at" in found["alone"]
    with pytest.raises(UnknownName, match="no page is called"):
        ask("communities/hits/of", url="http://nowhere.example/")


def test_hosts_have_communities_too(ask: Ask) -> None:
    found = ask(USUAL, level="host")
    best = found["communities"][0]["centres"][0]
    assert best["kind"] == "host"
    of = ask(f"{USUAL}/of", level="host", url=f"http://{best['page']}/")
    assert (of["page"], of["rows"][0]["community"]) == (best["page"], 1)


def test_communities_as_files(ask: Ask, known: Communities) -> None:
    rows = csv.read_csv(ask(USUAL, format="csv").path)
    assert rows["label"].to_pylist() == known.to_table()["label"].to_pylist()
    members = ask(f"{USUAL}/community", community=2, format="jsonl")
    assert members.name == "community-2.jsonl"
    assert len(members.path.read_text("utf-8").splitlines()) == len(known[1])
    cells = csv.read_csv(ask(USUAL, table="matrix", format="csv").path)
    assert cells.column_names == ["source", "target", "links"]
    agora = csv.read_csv(ask("communities/agora", query="jaguar", format="csv").path)
    assert "through" in agora.column_names


def test_communities_may_be_asked_for_only_if_they_are_known(
    keep: Callable[..., Workspace], ask_at: Ask, tmp_path: Any
) -> None:
    pages = [
        Page(
            f"http://{name}.example/",
            text="words",
            links=(Link(f"http://{other}.example/"),),
        )
        for name, other in ("ab", "bc", "ca")
    ]
    desk = Desk(keep(*pages), tmp_path)
    desk.update()
    asked = {"url": "http://a.example/", "kept": True}
    unknown = ask_at(desk, f"{USUAL}/of", **asked)
    assert (unknown["known"], unknown["rows"]) == (False, [])
    assert "were not found yet" in unknown["alone"]
    found = ask_at(desk, f"{USUAL}/of", url=asked["url"])
    assert found["known"]
    assert ask_at(desk, f"{USUAL}/of", **asked) == found
    desk.known.clear()
    assert ask_at(desk, f"{USUAL}/of", **asked) == found, "they are kept in the folder"
