"""Links of theirs that mine do not have."""

from collections.abc import Callable
from typing import Any

import pytest

from weft.gather.page import Link, Page
from weft.run.site_links import Outside, outside
from weft.run.sites import find_site
from weft.run.workspace import Workspace

Keep = Callable[..., Workspace]
SHARED, NEW, DEEP, FOOTER = (
    "http://shared.org/",
    "http://new.com/",
    "http://www.new.com/deep",
    "http://footer.net/",
)


@pytest.fixture
def two(keep: Keep) -> Workspace:
    """Their first three of twelve pages link to something new, all of them to the footer."""
    own = Page("http://mine.org/", links=(Link(SHARED, "shared"), Link("http://www.shared.org/b")))
    theirs = [
        Page(
            f"http://theirs.org/{k}",
            links=(
                Link(FOOTER, "made with"),
                Link(SHARED),
                Link("http://theirs.org/0"),
                Link("http://blog.theirs.org/"),
                Link("http://mine.org/"),
                *((Link(NEW, "the new"), Link(NEW, "again new"), Link(DEEP)) if k < 3 else ()),
                *((Link("http://shared.org/c", "sea"),) if k == 0 else ()),
            ),
        )
        for k in range(12)
    ]
    return keep(own, *theirs)


def found(workspace: Workspace, *known: str, top: int = 10) -> Outside:
    one, two = (find_site(workspace.collection, name) for name in ("mine.org", "theirs.org"))
    return outside(workspace.collection, one, two, frozenset(known), top)


def rows(table: Any) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = table.to_pylist()
    return listed


def test_urls_by_how_many_pages_link_footers_last(two: Workspace) -> None:
    links = rows(found(two).links)
    assert [row["url"] for row in links] == [DEEP, NEW, "http://shared.org/c", FOOTER]
    assert [row["pages"] for row in links] == [3, 3, 1, 12]
    assert links[0]["share"] == pytest.approx(3 / 12)
    assert set(links[1]["anchors"].split(" | ")) == {"the new", "again new"}
    assert links[0]["examples"].split() == [f"http://theirs.org/{k}" for k in range(3)]


def test_domains_count_a_page_once(two: Workspace) -> None:
    [new, footer] = rows(found(two).domains)
    assert (new["domain"], new["pages"], new["urls"]) == ("new.com", 3, 2)
    assert footer["domain"] == "footer.net"


def test_totals_are_those_of_all_rows(two: Workspace) -> None:
    some = found(two, top=1)
    assert (len(some.links), some.urls_found, some.domains_found) == (1, 4, 2)
    assert (some.to_mine, some.everywhere) == (12, 1)


def test_what_is_known_is_left_out(two: Workspace) -> None:
    assert NEW not in {row["url"] for row in rows(found(two, NEW).links)}
    assert [row["domain"] for row in rows(found(two, "new.com").domains)] == ["footer.net"]


def test_a_site_links_to_nothing_that_it_does_not(two: Workspace) -> None:
    site = find_site(two.collection, "theirs.org")
    same = outside(two.collection, site, site, frozenset(), 10)
    assert (len(same.links), len(same.domains), same.urls_found) == (0, 0, 0)
