"""Links marked nofollow: only those that are marked wherever they stand."""

from collections.abc import Callable

import numpy as np
import pytest

from weft.gather.page import Link, Page
from weft.graph.filters import links_of
from weft.graph.levels import load
from weft.graph.nofollow import marked_to, read_marks, unfollowed
from weft.run.workspace import Workspace

Keep = Callable[..., Workspace]


def marked(workspace: Workspace) -> set[tuple[str, str]]:
    collection = workspace.refresh().collection
    graph, numbers = load(collection), np.arange(len(collection), dtype=np.int32)
    links, gone = links_of(graph.outlinks, numbers), unfollowed(collection, graph.outlinks, numbers)
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


def test_a_link_that_stands_unmarked_as_well_counts(keep: Keep) -> None:
    twice = page("a.com", to("b.com", "nofollow"), to("b.com"), to("c.com", "nofollow"))
    assert marked(keep(twice)) == {("a.com", "c.com")}


def test_links_marked_twice_do_not_count(keep: Keep) -> None:
    twice = page("a.com", to("b.com", "nofollow"), to("b.com", "sponsored"))
    assert marked(keep(twice)) == {("a.com", "b.com")}


def test_other_names_of_a_page_are_the_page(keep: Keep) -> None:
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


def test_marked_links_are_counted_where_they_lead(keep: Keep) -> None:
    pages = [page(f"{name}.com", to("ad.com", "sponsored"), to("z.com")) for name in "ab"]
    collection = keep(*pages, page("c.com", to("ad.com"))).refresh().collection
    found = marked_to(read_marks(collection), len(collection))
    assert found.sum() == found[collection.find("http://ad.com/")] == 2
