"""Drawings are bounded, inside the frame, and say what is left out."""

import shutil
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from weft.core.errors import UnknownName
from weft.server import drawings
from weft.server.collection import default_methods
from weft.server.session import Session
from weft.workspace.workspace import Workspace

Ask = Callable[..., Any]
MAGAZINE = "http://jaguarmagazine.example/"
DEFAULT = f"topics/{default_methods().topics}"
DRAWN = [
    ("graph/around", {"url": MAGAZINE}),
    ("graph/level", {"level": "host"}),
    ("graph/level", {"level": "page"}),
    ("graph/level", {"level": "domain"}),
    (f"{DEFAULT}/map", {"query": "jaguar"}),
    (f"{DEFAULT}/map", {"query": "jaguar", "number": 0}),
    ("communities/modularity/map", {}),
    ("communities/modularity/map", {"number": 2}),
    ("communities/hits/map", {"query": "jaguar"}),
]


@pytest.mark.parametrize(("path", "params"), DRAWN)
def test_a_drawing_is_bounded_and_consistent(ask: Ask, path: str, params: dict[str, Any]) -> None:
    found = ask(path, nodes=12, **params)
    nodes = found["nodes"]
    assert 1 < len(nodes) <= 12
    assert all(abs(node[side]) <= 1 for node in nodes for side in "xy")
    assert all(0 <= node[score] <= 1 for node in nodes for score in ("authority", "hub"))
    assert all(
        0 <= link[end] < len(nodes) for link in found["links"] for end in ("source", "target")
    )
    assert sum(group["nodes"] for group in found["groups"]) == len(nodes)
    assert f"of {found['total_nodes']:,}" in found["caption"]
    assert ask(path, nodes=12, **params) == found


def test_nodes_have_their_tags(
    ask_session: Callable[..., Any], demo: Workspace, tmp_path: Path
) -> None:
    workspace = Workspace(Path(shutil.copytree(demo.folder, tmp_path / "c.weft")))
    workspace.tag("jaguarmagazine.example", "decision", "in", scope="host")
    session = Session(workspace, tmp_path)
    found = ask_session(session, "graph/level", level="host")
    assert found["facets"] == {"decision": ["in"]}
    tags = {node["url"]: node["tags"] for node in found["nodes"] if node["tags"]}
    assert tags == {"jaguarmagazine.example": {"decision": "in"}}
    around = ask_session(session, "graph/around", url=MAGAZINE)
    (magazine,) = [node for node in around["nodes"] if node["url"] == MAGAZINE]
    assert magazine["tags"] == {"decision": "in"}


def test_around_a_page_are_its_neighbours(ask: Ask, demo: Workspace) -> None:
    found = ask("graph/around", url=MAGAZINE, nodes=1000)
    links = demo.links(MAGAZINE).to_pylist()
    near = {row["url"] for row in links} | {MAGAZINE}
    assert {node["url"] for node in found["nodes"]} == near
    groups = {node["url"]: node["group"] for node in found["nodes"]}
    directions = {url: {row["direction"] for row in links if row["url"] == url} for url in near}
    assert groups.pop(MAGAZINE) == "page"
    assert all(
        group == ("both" if len(directions[url]) > 1 else min(directions[url]))
        for url, group in groups.items()
    )


def test_a_map_shows_hubs_and_their_authorities(ask: Ask) -> None:
    found = ask(f"{DEFAULT}/map", query="jaguar")
    topic = ask(DEFAULT, query="jaguar")["topics"][0]
    places = {node["url"]: k for k, node in enumerate(found["nodes"])}
    for role in ("authorities", "hubs"):
        assert {page["url"] for page in topic[role]} <= places.keys()
    best = places[topic["authorities"][0]["url"]]
    pointing = {link["source"] for link in found["links"] if link["target"] == best}
    assert {places[link["url"]] for link in topic["authorities"][0]["links"]} <= pointing
    assert found["nodes"][best]["authority"] == 1


def test_links_between_hosts_are_those_of_the_graph(ask: Ask, demo: Workspace) -> None:
    found, graph = ask("graph/level", nodes=1000), demo.graph("host")
    assert len(found["nodes"]) == len(graph) == found["total_nodes"]
    assert len(found["links"]) == graph.link_count


def test_a_caption_uses_singular_and_plural(ask: Ask) -> None:
    found = ask("graph/level", level="host", nodes=1)
    total = f"{found['total_nodes']:,}"
    assert found["caption"].endswith(f": 1 host of {total}, and 0 links among them")


def test_too_many_links_are_not_drawn(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawings, "MAX_DRAWN_LINKS", 10)
    found = ask("graph/level", level="host", nodes=100)
    assert len(found["links"]) == 10
    assert f"10 of {found['total_links']:,} links" in found["caption"]


def test_a_drawing_as_a_file(ask: Ask) -> None:
    found = ask("graph/level", nodes=20)
    tree = ET.parse(ask("graph/level", nodes=20, format="gexf").path)
    space = {"g": "http://gexf.net/1.3"}
    assert len(tree.findall(".//g:node", space)) == len(found["nodes"])
    assert len(tree.findall(".//g:edge", space)) == found["total_links"]
    [first, *_], drawn = tree.findall(".//g:node", space), found["nodes"][0]
    place = first.find("{http://gexf.net/1.3/viz}position")
    assert place is not None
    scale = 60 * len(found["nodes"]) ** 0.5
    assert [float(place.attrib[axis]) for axis in "xy"] == pytest.approx(
        [drawn["x"] * scale, drawn["y"] * scale], abs=0.01
    )
    assert first.get("label") == (drawn["title"] or drawn["url"])
    attributes = {
        value.attrib["for"]: value.attrib["value"]
        for value in first.iter()
        if value.attrib.get("for")
    }
    assert attributes["kind"] == drawn["kind"]
    assert float(attributes["authority"]) == pytest.approx(drawn["authority"], abs=1e-6)


def test_a_map_of_communities_has_pages_of_each(ask: Ask, demo: Workspace) -> None:
    found, known = ask("communities/modularity/map", nodes=200), demo.communities()
    homes = {node["url"]: int(node["group"]) for node in found["nodes"]}
    assert set(homes.values()) == set(range(1, min(len(known), drawings.MAX_DRAWN_GROUPS) + 1))
    assert all(home == known.group_numbers(page)[0] for page, home in homes.items())
    best = {known.base.pages[int(one.authorities(1)[0])] for one in known[:5]}
    assert best <= homes.keys()
    labels = {group["group"]: group["label"] for group in found["groups"]}
    assert labels["1"] == known[0].name
    assert found["total_nodes"] == sum(map(len, known))


def test_one_community_is_drawn_alone(ask: Ask, demo: Workspace) -> None:
    found, known = ask("communities/modularity/map", number=3, nodes=1000), demo.communities()
    members = {known.base.pages[page] for page in known[2].members.tolist()}
    assert {node["url"] for node in found["nodes"]} <= members
    assert found["total_nodes"] == len(members)
    assert known[2].links
    assert found["total_links"] <= known[2].links.internal
    assert {group["label"] for group in found["groups"]} == {"authorities", "hubs"}
    with pytest.raises(UnknownName, match="no community is called '9999'"):
        ask("communities/modularity/map", number=9999)
