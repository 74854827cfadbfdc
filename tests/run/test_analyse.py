"""Views of a collection, and the memory that results keep of them."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import weft
from weft.core.errors import BadParameter
from weft.gather.page import Link, Page
from weft.graph.baseset import BaseSet
from weft.graph.webgraph import WebGraph
from weft.run.analyse import View, digest, look, provenance
from weft.run.workspace import Workspace

Keep = Callable[..., Workspace]
PAGES = (
    Page("http://a.com/", time=1, text="jaguar", links=(Link("http://b.com/", "to b"),)),
    Page("http://b.com/", time=2, text="lynx", links=(Link("http://c.org/"),)),
    Page("http://c.org/", time=3, text="cat"),
)


def test_nouns_that_methods_take(keep: Keep) -> None:
    seen = look(keep(*PAGES).collection, View())
    base, graph = seen.as_(BaseSet), seen.as_(WebGraph)
    assert isinstance(base, BaseSet)
    assert isinstance(graph, WebGraph)
    assert list(base.texts) == ["jaguar", "lynx", "cat"]
    assert base.graph is graph


def test_a_query_shows_its_surroundings_alone(keep: Keep) -> None:
    seen = look(keep(*PAGES).collection, View(query="jaguar"))
    assert list(seen.base.pages) == ["http://a.com/", "http://b.com/"]
    assert seen.base.query == "jaguar"
    with pytest.raises(BadParameter, match="not hosts"):
        look(keep(*PAGES).collection, View("host", "jaguar"))


def test_which_links_count_can_be_chosen(keep: Keep) -> None:
    own = Page("http://a.com/", text="jaguar", links=(Link("http://a.com/x"), PAGES[0].links[0]))
    collection = keep(own).collection
    wanted = {"auto": 1, "domain": 1, "site": 1, "host": 1, "page": 2}
    for between, links in wanted.items():
        view = View.of(query="jaguar", between=between)  # type: ignore[arg-type]
        assert look(collection, view).base.graph.link_count == links
    assert look(collection, View()).base.graph.link_count == 2
    assert look(collection, View.of(between="domain")).base.graph.link_count == 1
    with pytest.raises(BadParameter, match="between hosts"):
        look(collection, View.of("host", between="domain"))


def test_levels_and_stop_lists(keep: Keep) -> None:
    seen = look(keep(*PAGES).collection, View.of("domain", without=("b.com",)))
    assert sorted(seen.base.pages) == ["a.com", "c.org"]
    assert [(told.reason, told.pages, told.links) for told in seen.base.dropped] == [
        ("without b.com", 1, 2)
    ]


def test_a_result_knows_where_it_comes_from(keep: Keep) -> None:
    workspace = keep(*PAGES)
    memory = workspace.rank("indegree", level="host", without=["b.com"]).provenance
    assert memory["snapshot"] == 1
    assert memory["weft"] == weft.__version__
    assert (memory["level"], memory["query"], memory["without"]) == ("host", "", ["b.com"])
    assert memory["between"] == "auto"
    assert memory["left_out"] == [{"reason": "without b.com", "pages": 1, "links": 2}]
    assert datetime.now(UTC) - datetime.fromisoformat(memory["time"]) < timedelta(minutes=5)
    assert len(memory["digest"]) == 64
    assert memory == provenance(
        workspace.collection, look(workspace.collection, View.of("host", "", ("b.com",)))
    ) | {"time": memory["time"]}


def test_a_digest_names_what_a_collection_holds(keep: Keep) -> None:
    one, same, other = (keep(*pages, name=name) for name, pages in
                        {"a": PAGES, "b": PAGES, "c": PAGES[:2]}.items())  # fmt: skip
    assert digest(one.collection) == digest(same.collection) != digest(other.collection)
    before = digest(one.collection)
    one.remove(["http://c.org/"])
    assert digest(one.collection) != before


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
    around = look(workspace.collection, View.of(query="a", between="any")).base.graph
    assert "b" in around.pages
    row = around.outlinks.row(list(around.pages).index("b"))
    assert list(around.pages).index("b") in row.tolist()
    nothing = look(workspace.collection, View.of(query="nowhere", between="any")).base.graph
    assert len(nothing) == 0
    whole = look(workspace.collection, View.of()).base.graph
    assert whole.link_count == 6
