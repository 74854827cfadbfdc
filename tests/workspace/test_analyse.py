"""Selections of a collection, and the memory that results keep of them."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import weft
from weft.core.errors import BadParameter, UnknownName
from weft.gather.page import Link, Page
from weft.graph.baseset.baseset import BaseSet
from weft.graph.selection import Level, Selection
from weft.graph.webgraph import WebGraph
from weft.workspace.analyse import (
    LoadedSelection,
    complete_selection,
    load_selection,
    resolve_name,
)
from weft.workspace.workspace import Workspace

Keep = Callable[..., Workspace]
PAGES = (
    Page("http://a.com/", time=1, text="jaguar", links=(Link("http://b.com/", "to b"),)),
    Page("http://b.com/", time=2, text="lynx", links=(Link("http://c.org/"),)),
    Page("http://c.org/", time=3, text="cat"),
)


def load(workspace: Workspace, data_type: type = BaseSet, **words: Any) -> LoadedSelection:
    """What a ranking method that takes this type is given."""
    selection = complete_selection("rank", Selection().with_changes(**words))
    return load_selection(workspace.collection, selection, "rank", data_type)


def test_nouns_that_methods_take(keep: Keep) -> None:
    workspace = keep(*PAGES)
    base, graph = load(workspace).data, load(workspace, WebGraph).data
    assert isinstance(base, BaseSet)
    assert isinstance(graph, WebGraph), "a whole graph needs no base set"
    assert list(base.texts) == ["jaguar", "lynx", "cat"]
    assert base.graph.to_arrow().equals(graph.to_arrow())
    assert load(workspace).graph is not None


def test_a_query_shows_its_surroundings_alone(keep: Keep) -> None:
    workspace = keep(*PAGES)
    base = load(workspace, query="jaguar").data
    assert list(base.pages) == ["http://a.com/", "http://b.com/"]
    assert base.query == "jaguar"
    assert list(load(workspace, WebGraph, query="jaguar").data.pages) == list(base.pages)
    with pytest.raises(BadParameter, match="not hosts"):
        load(workspace, level="host", query="jaguar")


def test_which_links_count_can_be_chosen(keep: Keep) -> None:
    own = Page("http://a.com/", text="jaguar", links=(Link("http://a.com/x"), PAGES[0].links[0]))
    workspace = keep(own)
    wanted = {"auto": 1, "domain": 1, "site": 1, "host": 1, "page": 2}
    for between, links in wanted.items():
        assert load(workspace, query="jaguar", between=between).graph.link_count == links
    for data_type in (BaseSet, WebGraph):
        assert load(workspace, data_type).graph.link_count == 2
        assert load(workspace, data_type, between="domain").graph.link_count == 1
    with pytest.raises(BadParameter, match="between hosts"):
        load(workspace, level="host", between="domain")


def test_levels_and_stop_lists(keep: Keep) -> None:
    workspace = keep(*PAGES)
    for data_type in (BaseSet, WebGraph):
        seen = load(workspace, data_type, level="domain", exclude=["b.com"])
        assert sorted(seen.graph.pages) == ["a.com", "c.org"]
        assert [(drop.reason, drop.pages, drop.links) for drop in seen.dropped] == [
            ("without b.com", 1, 2)
        ]


def test_a_result_knows_where_it_comes_from(keep: Keep) -> None:
    workspace = keep(*PAGES)
    memory = workspace.rank("indegree", level="host", exclude=["b.com"]).provenance
    assert memory["snapshot"] == 1
    assert memory["weft"] == weft.__version__
    assert (memory["level"], memory["query"], memory["exclude"]) == ("host", "", ["b.com"])
    assert memory["between"] == "auto"
    assert memory["left_out"] == [{"reason": "without b.com", "pages": 1, "links": 2}]
    assert datetime.now(UTC) - datetime.fromisoformat(memory["time"]) < timedelta(minutes=5)
    assert len(memory["digest"]) == 64
    assert memory["selection"]["level"] == "host"
    seen = load(workspace, level="host", exclude=["b.com"])
    assert memory == seen.provenance() | {"time": memory["time"]}


def test_a_digest_names_what_a_collection_holds(keep: Keep) -> None:
    one, same, other = (keep(*pages, name=name) for name, pages in
                        {"a": PAGES, "b": PAGES, "c": PAGES[:2]}.items())  # fmt: skip
    assert one.collection.digest == same.collection.digest != other.collection.digest
    before = one.collection.digest
    one.remove(["http://c.org/"])
    assert one.collection.digest != before


def test_links_to_oneself_count_where_that_is_asked_for(tmp_path: Path) -> None:
    """A Markov chain: its stationary distribution needs the chance to stay."""
    chain = "a,b,.5\na,c,.5\nb,b,.1\nb,a,.6\nb,c,.3\nc,a,.8\nc,b,.2\n"
    (tmp_path / "chain.csv").write_text(f"source,target,weight\n{chain}")
    workspace = Workspace(tmp_path / "c.weft")
    workspace.add(tmp_path / "chain.csv")
    found = workspace.rank("prestige", weighted=True, between="any")
    assert dict(zip(found.pages, found.scores["score"], strict=True)) == pytest.approx(
        {"a": 7 / 17, "b": 5 / 17, "c": 5 / 17}
    )
    around = load(workspace, query="a", between="any").graph
    assert "b" in around.pages
    row = around.outlinks.row(list(around.pages).index("b"))
    assert list(around.pages).index("b") in row.tolist()
    assert len(load(workspace, query="nowhere", between="any").graph) == 0
    assert load(workspace).graph.link_count == 6


def test_pages_hosts_and_domains_are_named_as_people_write_them(demo: Workspace) -> None:
    url = demo.collection.pages["url"][0].as_py()
    host = demo.graph("host").pages[0]
    domain = demo.graph("domain").pages[0]
    assert resolve_name(demo.collection, "page", url.removeprefix("http://")) == url
    for given in (host, f"http://{host}/", f"http://{host}/some/page?x#y"):
        assert resolve_name(demo.collection, "host", given) == host
    for given in (domain, f"http://www.{domain}/"):
        assert resolve_name(demo.collection, "domain", given) == domain


@pytest.mark.parametrize("level", ["page", "host", "domain"])
def test_an_unknown_name_is_an_error(demo: Workspace, level: Level) -> None:
    with pytest.raises(UnknownName, match=f"no {level}"):
        resolve_name(demo.collection, level, "http://nowhere.example/")


def test_every_analysis_takes_a_url_for_its_host(demo: Workspace) -> None:
    host = demo.rank(level="host").pages[0]
    url = f"http://{host}/"
    assert demo.why(url, level="host").breakdown.page == host
    assert demo.similar(url, level="host").page == host
    assert demo.suggest(url, level="host").page == host
