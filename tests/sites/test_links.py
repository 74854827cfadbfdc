"""Links of their site that mine does not have."""

from collections.abc import Callable
from typing import Any

import pytest

from weft.gather.page import Link, Page
from weft.sites.links import LinkComparison, compare_outlinks
from weft.sites.site import find_site
from weft.workspace.workspace import Workspace

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


def found(workspace: Workspace, *known: str, top: int = 10) -> LinkComparison:
    one, two = (find_site(workspace.collection, name) for name in ("mine.org", "theirs.org"))
    return compare_outlinks(workspace.collection, one, two, frozenset(known), top)


def rows(table: Any) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = table.to_pylist()
    return listed


def test_urls_by_linking_pages_sitewide_last(two: Workspace) -> None:
    links = rows(found(two).links_table)
    assert [row["url"] for row in links] == [DEEP, NEW, "http://shared.org/c", FOOTER]
    assert [row["pages"] for row in links] == [3, 3, 1, 12]
    assert links[0]["share"] == pytest.approx(3 / 12)
    assert set(links[1]["anchors"].split(" | ")) == {"the new", "again new"}
    assert links[0]["examples"].split() == [f"http://theirs.org/{k}" for k in range(3)]


def test_domains_count_a_page_once(two: Workspace) -> None:
    [new, footer] = rows(found(two).domains_table)
    assert (new["domain"], new["pages"], new["urls"]) == ("new.com", 3, 2)
    assert footer["domain"] == "footer.net"


def test_totals_count_all_rows(two: Workspace) -> None:
    some = found(two, top=1)
    assert (len(some.links_table), some.url_count, some.domain_count) == (1, 4, 2)
    assert (some.pages_linking_to_mine, some.sitewide_count) == (12, 1)


def test_expected_targets_are_left_out(two: Workspace) -> None:
    assert NEW not in {row["url"] for row in rows(found(two, NEW).links_table)}
    assert [row["domain"] for row in rows(found(two, "new.com").domains_table)] == ["footer.net"]


def test_a_site_has_no_unexpected_links_of_its_own(two: Workspace) -> None:
    site = find_site(two.collection, "theirs.org")
    same = compare_outlinks(two.collection, site, site, frozenset(), 10)
    assert (len(same.links_table), len(same.domains_table), same.url_count) == (0, 0, 0)
