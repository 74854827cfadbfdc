"""Nofollow links: those whose every occurrence on a page is marked."""

from collections.abc import Callable

import numpy as np
import pytest

from weft.gather.page import Link, Page
from weft.graph.baseset.filters import induced_link_arrays
from weft.graph.levels import load_graph
from weft.graph.link_facts import count_nofollow_inlinks, nofollow_positions, read_nofollow_links
from weft.workspace.workspace import Workspace

Keep = Callable[..., Workspace]


def marked(workspace: Workspace) -> set[tuple[str, str]]:
    collection = workspace.refresh().collection
    graph, numbers = load_graph(collection), np.arange(len(collection), dtype=np.int32)
    links, gone = (
        induced_link_arrays(graph.outlinks, numbers),
        nofollow_positions(collection, graph.outlinks, numbers),
    )
    short = [page.removeprefix("http://").rstrip("/") for page in graph.pages]
    ends = zip(links.source[gone].tolist(), links.target[gone].tolist(), strict=True)
    return {(short[s], short[t]) for s, t in ends}


def page(url: str, *links: Link) -> Page:
    return Page(f"http://{url}/", text="words", links=links)


def to(url: str, rel: str = "") -> Link:
    return Link(f"http://{url}/", rel=rel)


@pytest.mark.parametrize(
    ("rel", "counts"),
    [
        ("nofollow", False),
        ("noopener NoFollow", False),
        ("sponsored", False),
        ("ugc nofollow", False),
        ("", True),
        ("noopener", True),
        ("nofollowers", True),
    ],
)
def test_what_marks_a_link(keep: Keep, rel: str, counts: bool) -> None:  # noqa: FBT001
    workspace = keep(page("a.com", to("b.com", rel), to("c.com")))
    assert marked(workspace) == (set() if counts else {("a.com", "b.com")})


def test_a_link_with_an_unmarked_occurrence_counts(keep: Keep) -> None:
    twice = page("a.com", to("b.com", "nofollow"), to("b.com"), to("c.com", "nofollow"))
    assert marked(keep(twice)) == {("a.com", "c.com")}


def test_links_marked_twice_do_not_count(keep: Keep) -> None:
    twice = page("a.com", to("b.com", "nofollow"), to("b.com", "sponsored"))
    assert marked(keep(twice)) == {("a.com", "b.com")}


def test_links_to_aliases_are_links_to_the_page(keep: Keep) -> None:
    moved = Page("http://old.com/", kind="redirect", redirect="http://b.com/")
    both = page("a.com", to("b.com"), to("old.com", "nofollow"))
    assert marked(keep(both, moved, page("b.com"), name="both")) == set()
    alone = page("a.com", to("old.com", "nofollow"))
    assert marked(keep(alone, moved, page("b.com"))) == {("a.com", "b.com")}


def test_several_segments_and_later_captures(keep: Keep) -> None:
    keep(page("a.com", to("b.com", "nofollow")), page("d.com", to("b.com", "nofollow")))
    later = Page("http://a.com/", text="words", time=9, links=(to("b.com"), to("c.com", "ugc")))
    assert marked(keep(later)) == {("a.com", "c.com"), ("d.com", "b.com")}


def test_nothing_is_marked_in_an_empty_collection(keep: Keep) -> None:
    assert marked(keep(page("a.com"))) == set()


def test_nofollow_links_are_counted_by_target(keep: Keep) -> None:
    pages = [page(f"{name}.com", to("ad.com", "sponsored"), to("z.com")) for name in "ab"]
    collection = keep(*pages, page("c.com", to("ad.com"))).refresh().collection
    found = count_nofollow_inlinks(read_nofollow_links(collection), len(collection))
    assert found.sum() == found[collection.find_page("http://ad.com/")] == 2
