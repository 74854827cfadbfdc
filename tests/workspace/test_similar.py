"""Questions about one page of a collection."""

from collections.abc import Callable
from pathlib import Path

import pytest

from weft.core.errors import UnknownName
from weft.gather.page import Link, Page
from weft.graph.selection import Selection
from weft.similar import WebContext
from weft.workspace.analyse import load_selection
from weft.workspace.workspace import Workspace

HUBS = {
    "http://one.org/": ["http://x.org/", "http://y.org/"],
    "http://two.org/": ["http://x.org/", "http://y.org/", "http://z.org/"],
    "http://three.org/": ["http://x.org/"],
    "http://x.org/": ["http://one.org/"],
}


@pytest.fixture
def web(keep: Callable[..., Workspace]) -> Workspace:
    return keep(
        *(
            Page(
                url,
                title=f"About {url[7:-5]}",
                text="jaguar engines" if url != "http://x.org/" else "cats",
                links=tuple(Link(target, anchor=f"thread {target[7]}") for target in targets),
            )
            for url, targets in HUBS.items()
        )
    )


def test_similar_pages_with_their_witnesses(web: Workspace) -> None:
    found = web.similar("x.org")
    assert found.page == "http://x.org/"
    assert [one.page for one in found] == ["http://y.org/", "http://z.org/"]
    first = found.pages[0]
    assert first.kind == "uncaptured"
    assert first.witness_counts == {"co-citation": 2, "coupling": 0}
    assert {(tie.page, tie.page_anchor, tie.other_anchor) for tie in first.witnesses} == {
        ("http://one.org/", "thread x", "thread y"),
        ("http://two.org/", "thread x", "thread y"),
    }


def test_words_count_if_wanted(web: Workspace) -> None:
    found = web.similar("one.org", text=True)
    assert found.pages[0].page in ("http://two.org/", "http://three.org/")
    assert found.pages[0].contributions["text"] > 0
    assert found.pages[0].title.startswith("About")


def test_words_in_common_are_words_not_stems(keep: Callable[..., Workspace]) -> None:
    """As the page that is asked about mostly writes them."""
    one = "Our services: a service of the faculty, and further services of these libraries."
    two = "Every faculty has services and libraries."
    texts = {"http://a.org/": one, "http://b.org/": two, "http://c.org/": "Something else."}
    pages = [
        Page(url, text=text, language="en", links=(Link("http://c.org/"),))
        for url, text in texts.items()
    ]
    [found] = keep(*pages).similar("a.org", "text").pages
    assert set(found.shared_words) == {"services", "faculty", "libraries"}


def test_missing_links_both_ways(web: Workspace) -> None:
    found = web.suggest("three.org", uncaptured="keep")
    first = found.to[0]
    assert (first.page, first.kind, first.anchor) == ("http://y.org/", "uncaptured", "thread y")
    assert first.anchor_source == "links"
    assert "2 pages with links like its own link there" in first.reason
    back = web.suggest("y.org", direction="from")
    assert back.from_[0].page == "http://three.org/"
    assert back.from_[0].kind == "captured"
    assert back.from_[0].anchor == "thread y"


def test_pages_that_were_not_captured_are_suggested_if_wanted(web: Workspace) -> None:
    """Of y and z nothing is known but links to them; one and two were captured."""
    found = web.suggest("three.org", direction="to")
    assert {link.page for link in found.to} == {"http://one.org/", "http://two.org/"}
    assert found.notes == ("to: 2 pages nearby left out, as not captured",)
    kept = web.suggest("three.org", direction="to", uncaptured="keep")
    assert {link.page for link in kept.to} >= {"http://y.org/", "http://z.org/"}


def test_the_pages_of_an_edge_list_are_suggested(tmp_path: Path) -> None:
    """They are listed, not captured, and nothing else is known of any of them."""
    edges = tmp_path / "edges.csv"
    edges.write_text("source,target\na,b\nb,c\nb,d\n")
    workspace = Workspace(tmp_path / "edges.weft")
    workspace.add(edges)
    links = workspace.suggest("a", direction="to").to
    assert [(link.page, link.kind) for link in links] == [("c", "listed"), ("d", "listed")]


def test_hosts_and_domains(web: Workspace) -> None:
    for level in ("host", "domain"):
        found = web.similar("http://x.org/", level=level)
        assert found.page == "x.org"
        assert [one.page for one in found] == ["y.org", "z.org"]
        assert web.suggest("three.org", level=level).to[0].page == "one.org"
        kept = web.suggest("three.org", level=level, uncaptured="keep")
        assert kept.to[0].page == "y.org"
        assert found.provenance["level"] == level


def test_the_result_tells_where_it_comes_from(web: Workspace) -> None:
    found = web.suggest("three.org", "katz", top=2)
    assert found.method == "katz"
    assert found.options["top"] == 2
    assert found.provenance["snapshot"] == web.collection.manifest.snapshot


def test_an_unknown_page_or_method_is_an_error(web: Workspace) -> None:
    with pytest.raises(UnknownName):
        web.similar("nowhere.org")
    with pytest.raises(UnknownName):
        web.suggest("x.org", "magic")


def test_what_was_found_out_is_kept(web: Workspace) -> None:
    def load(selection: Selection) -> object:
        complete = selection.for_rankings()
        return load_selection(web.collection, complete, "similar", WebContext).data

    assert load(Selection()) is load(Selection())
    assert load(Selection(exclude=("two.org",))) is not load(Selection())


def test_a_page_by_another_name(demo: Workspace) -> None:
    """An alias leads to its page."""
    aliases = demo.collection.aliases
    if not len(aliases):
        pytest.skip("the demo web has no aliases")
    row = aliases.slice(0, 1).to_pylist()[0]
    wanted = demo.collection.pages["url"][row["page"]].as_py()
    assert demo.similar(row["url"]).page == wanted


def test_suggestions_of_a_real_web_are_not_links(demo: Workspace) -> None:
    graph = demo.graph()
    for page in range(0, len(graph), 40):
        url = graph.pages[page]
        linked = set(demo.links(url, "out")["url"].to_pylist())
        linking = set(demo.links(url, "in")["url"].to_pylist())
        found = demo.suggest(url, top=5)
        assert not linked & {one.page for one in found.to}
        assert not linking & {one.page for one in found.from_}
        assert all(one.reason for one in (*found.to, *found.from_))
