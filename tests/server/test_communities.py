"""Communities equal those of the library; members and communities of a page."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from pyarrow import csv
from typer.testing import CliRunner

from weft.cli import app
from weft.core.errors import UnknownName
from weft.gather.page import Link, Page
from weft.groups import Groups
from weft.server.session import Session
from weft.workspace.workspace import Workspace

Ask = Callable[..., Any]
DEFAULT = "communities/modularity"


@pytest.fixture(scope="module")
def found(ask: Ask) -> Any:
    return ask(DEFAULT, top=3, communities=6)


@pytest.fixture(scope="module")
def known(demo: Workspace) -> Groups:
    return demo.communities()


def test_communities_are_those_of_the_command(found: Any, demo: Workspace) -> None:
    words = ["-q", "communities", str(demo.folder), "--communities", "6", "--format", "json"]
    printed = json.loads(CliRunner().invoke(app, words).stdout)
    assert len(found["communities"]) == 6 < found["total"]
    for community, other in zip(found["communities"], printed["communities"], strict=True):
        assert community == other
    assert found["facts"] == printed["facts"]
    assert "collection" not in found["provenance"], "the folder is private"


def test_pages_have_titles_and_scores(found: Any, demo: Workspace, known: Groups) -> None:
    best = found["communities"][0]["authorities"][0]
    row = demo.collection.pages.slice(demo.collection.find_page(best["url"]), 1).to_pylist()[0]
    assert best["title"] == row["title"]
    assert best["score"] == known[0].authority.max()


def test_the_matrix_counts_links(found: Any, known: Groups) -> None:
    matrix = found["matrix"]
    assert matrix["numbers"] == list(range(1, min(len(known), 30) + 1))
    assert matrix["labels"][0] == known[0].name
    for k, row in enumerate(matrix["cells"]):
        links = known[k].links
        assert links
        assert row[k] == links.internal
        assert sum(row) - row[k] <= links.outgoing


def test_evidence_has_page_names(ask: Ask, demo: Workspace) -> None:
    found = ask("communities/trawling", min_fans=2, centres=2, min_sites=0, mirrors="keep")
    known = demo.communities("", "trawling", min_fans=2, centres=2, min_sites=0, mirrors="keep")
    [first, *_] = found["communities"]
    proofs = {proof["name"]: proof for proof in first["evidence"]}
    assert proofs.keys() == known[0].evidence.keys()
    fans = known[0].evidence["fans"]
    assert proofs["fans"]["total"] == len(fans)
    assert [row[0]["url"] for row in proofs["fans"]["rows"]] == [
        known.base.pages[page] for page in fans[:5].tolist()
    ]
    assert all(len(row) == 2 for row in proofs["cores"]["rows"])


def test_matches_of_a_pattern_have_page_names(ask: Ask, demo: Workspace) -> None:
    found = ask("communities/patterns", pattern="a>b b>a", site="page", communities=1)
    known = demo.communities(method="patterns", pattern="a>b b>a", site="page")
    [first] = found["communities"]
    [proof] = first["evidence"]
    matches = known[0].evidence["matches"]
    assert (proof["name"], proof["total"]) == ("matches", len(matches))
    rows = [[each["url"] for each in row] for row in proof["rows"]]
    assert rows == [known.base.page_names(row) for row in matches[: len(rows)]]
    assert rows


def test_bridge_pages_have_titles(
    keep: Callable[..., Workspace], ask_session: Ask, tmp_path: Any
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
    session = Session(
        keep(*pages, Page("http://x.example/", title="Agora", text="words")), tmp_path
    )
    session.refresh_snapshot()
    page = ask_session(session, "communities/agora", base_method="modularity")["bridge_pages"][0]
    assert (page["title"], page["communities"], page["inlinks"]) == ("Agora", [1, 2, 3], 3)
    assert [one["url"] for one in page["through"]] == [f"http://{c}0.example/" for c in "pqr"]


def test_members_come_in_pages(ask: Ask, known: Groups) -> None:
    order = [known.base.pages[page] for page in known[1].members_by_score().tolist()]
    pieces = [ask(f"{DEFAULT}/members", number=2, offset=at, top=5) for at in (0, 5)]
    rows = [row["url"] for piece in pieces for row in piece["rows"]]
    assert rows == order[:10]
    assert pieces[0]["total"] == len(order) == len(known[1])


def test_linked_communities_are_the_cells_of_the_matrix(ask: Ask, found: Any) -> None:
    cells = found["matrix"]["cells"]
    for linked in ask(f"{DEFAULT}/group", number=1)["linked_groups"]:
        other = linked["number"] - 1
        assert other != 0
        if other < len(cells):
            links = (linked["links_to"], linked["links_from"])
            assert links == (cells[0][other], cells[other][0])


def test_an_unknown_community_is_an_error(ask: Ask) -> None:
    with pytest.raises(UnknownName, match="no community is called '9999'"):
        ask(f"{DEFAULT}/group", number=9999)


def test_a_page_knows_its_communities(ask: Ask, known: Groups) -> None:
    page = known.base.pages[int(known[2].authorities(1)[0])]
    found, membership = ask(f"{DEFAULT}/of", url=page), known.explain(page)
    row, evidence = found["roles"][0], membership.evidence[0]
    assert (row["number"], row["role"], row["place"]) == (3, "authority", 1)
    assert row["label"] == known[2].name
    assert [end["url"] for end in row["links"]] == [link.page for link in evidence.links]
    assert (found["links_in"], found["links_out"]) == (membership.links_in, membership.links_out)
    assert [(e["number"], e["links"]) for e in found["links_elsewhere"]] == list(
        membership.links_elsewhere
    )[:20]


def test_a_page_without_community_gets_a_reason(ask: Ask, demo: Workspace) -> None:
    inside = set(demo.communities("jaguar", "hits").base.pages)
    outside = next(url for url in demo.collection.pages["url"].to_pylist() if url not in inside)
    found = ask("communities/hits/of", query="jaguar", url=outside)
    assert not found["roles"]
    assert "not in the base set" in found["origin"]
    with pytest.raises(UnknownName, match="no page is called"):
        ask("communities/hits/of", url="http://nowhere.example/")


def test_hosts_have_communities_too(ask: Ask) -> None:
    found = ask(DEFAULT, level="host")
    best = found["communities"][0]["authorities"][0]
    assert best["kind"] == "host"
    of = ask(f"{DEFAULT}/of", level="host", url=f"http://{best['url']}/")
    assert (of["page"], of["roles"][0]["number"]) == (best["url"], 1)


def test_communities_as_files(ask: Ask, known: Groups) -> None:
    rows = csv.read_csv(ask(DEFAULT, format="csv").path)
    assert rows["label"].to_pylist() == known.to_table()["label"].to_pylist()
    members = ask(f"{DEFAULT}/members", number=2, format="jsonl")
    assert members.name == "communities-2-pages.jsonl"
    assert len(members.path.read_text("utf-8").splitlines()) == len(known[1])
    cells = csv.read_csv(ask(DEFAULT, table="matrix", format="csv").path)
    assert cells.column_names == ["source", "target", "links"]
    agora = csv.read_csv(ask("communities/agora", query="jaguar", format="csv").path)
    assert "archive_pages" in agora.column_names


def test_cached_only_computes_nothing(
    keep: Callable[..., Workspace], ask_session: Ask, tmp_path: Any
) -> None:
    pages = [
        Page(
            f"http://{name}.example/",
            text="words",
            links=(Link(f"http://{other}.example/"),),
        )
        for name, other in ("ab", "bc", "ca")
    ]
    session = Session(keep(*pages), tmp_path)
    session.refresh_snapshot()
    params = {"url": "http://a.example/", "cached_only": True}
    unknown = ask_session(session, f"{DEFAULT}/of", **params)
    assert (unknown["computed"], unknown["roles"]) == (False, [])
    assert "not computed yet" in unknown["unassigned_reason"]
    found = ask_session(session, f"{DEFAULT}/of", url=params["url"])
    assert found["computed"]
    assert ask_session(session, f"{DEFAULT}/of", **params) == found
    session.cache.clear()
    assert ask_session(session, f"{DEFAULT}/of", **params) == found, "they are stored in the folder"
