"""The level of entities: named groups of prefixes, and hosts, domains or sites for the rest."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from weft.gather.page import Link, Page
from weft.graph.levels import group_pages
from weft.store.entities import Entities, read_entities, write_entities
from weft.workspace.workspace import Workspace

LINKS = {
    "http://a.example.com/": ["http://b.example.com/", "http://other.org/~ann/"],
    "http://b.example.com/": ["http://other.org/~ann/", "http://other.org/"],
    "http://other.org/": ["http://a.example.com/"],
    "http://other.org/~ann/": ["http://other.org/~ann/cv", "http://other.org/"],
    "http://other.org/~ann/cv": ["http://third.net/"],
}


@pytest.fixture
def site(keep_at: Callable[..., Workspace], tmp_path: Path) -> Workspace:
    """Five pages on three hosts, which link to a fourth."""
    pages = [
        Page(url, title=url, text="words", links=tuple(map(Link, targets)))
        for url, targets in LINKS.items()
    ]
    return keep_at(tmp_path / "c.weft", *pages)


def links(site: Workspace) -> dict[tuple[str, str], float]:
    graph = site.graph("entity")
    rows, names = graph.outlinks, list(graph.pages)
    weights = [1.0] * len(rows.ids) if rows.weights is None else rows.weights.tolist()
    ends = zip(rows.row_ids().tolist(), rows.ids.tolist(), weights, strict=True)
    return {(names[s], names[t]): w for s, t, w in ends}


def test_without_rules_entities_are_hosts(site: Workspace) -> None:
    assert list(site.graph("entity").pages) == list(site.graph("host").pages)
    assert links(site)["a.example.com", "b.example.com"] == 1


def test_links_between_entities_add_up(site: Workspace) -> None:
    rules = Entities().with_added("Example", ["example.com"]).with_added("Ann", ["other.org/~ann"])
    write_entities(site.folder, rules)
    assert links(site) == {
        ("Example", "Ann"): 2,
        ("Example", "other.org"): 1,
        ("other.org", "Example"): 1,
        ("Ann", "other.org"): 1,
        ("Ann", "third.net"): 1,
    }
    assert site.rank("indegree", level="entity").to_table()["page"][0].as_py() == "other.org"


def test_changed_rules_are_seen_at_once(site: Workspace) -> None:
    assert len(site.graph("entity")) == 4
    write_entities(site.folder, Entities().with_added("All", ["example.com", "other.org"]))
    assert len(site.graph("entity")) == 2
    write_entities(site.folder, replace(read_entities(site.folder), entities=()))
    assert len(site.graph("entity")) == 4


@pytest.mark.parametrize(
    ("default", "names"),
    [
        ("host", {"a.example.com", "b.example.com", "other.org", "third.net"}),
        ("domain", {"example.com", "other.org", "third.net"}),
        ("site", {"example.com", "other.org", "other.org/~ann", "third.net"}),
    ],
)
def test_the_rest_is_grouped_by_default(site: Workspace, default: str, names: set[str]) -> None:
    write_entities(site.folder, replace(Entities(), default=default))  # type: ignore[arg-type]
    assert set(group_pages(site.collection, "entity")[1].to_pylist()) == names


def test_a_host_of_the_same_name_joins_the_entity(site: Workspace) -> None:
    write_entities(site.folder, Entities().with_added("other.org", ["third.net"]))
    group, names = group_pages(site.collection, "entity")
    assert sorted(names.to_pylist()) == ["a.example.com", "b.example.com", "other.org"]
    assert len(group) == len(site.collection)


def test_a_page_stands_for_its_entity(site: Workspace) -> None:
    write_entities(site.folder, Entities().with_added("Ann", ["other.org/~ann"]))
    by_name = site.similar("Ann", level="entity")
    by_page = site.similar("other.org/~ann/cv", level="entity")
    assert by_name.page == by_page.page == "Ann"


def test_an_empty_collection_has_no_entities(
    keep_at: Callable[..., Workspace], tmp_path: Path
) -> None:
    assert len(keep_at(tmp_path / "c.weft").graph("entity")) == 0
