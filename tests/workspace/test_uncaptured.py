"""Pages that were not captured: no members of groups, unless they are kept."""

from collections.abc import Callable

import numpy as np

from weft.gather.page import Link, Page
from weft.workspace.workspace import Workspace

Keep = Callable[..., Workspace]
OUTSIDE = ["http://x.org/", "http://y.org/", "http://z.org/"]


def star(keep: Keep) -> Workspace:
    """Eight captured pages that link to some of each other and to three that nobody fetched."""
    names = [f"http://s{k}.org/" for k in range(8)]
    pages = [
        Page(
            name,
            title=f"Sailing {k}",
            text="sailing boats",
            links=tuple(
                Link(other, "boats")
                for other in (names[k - 1], names[k - 2], names[k - 5], *OUTSIDE)
            ),
        )
        for k, name in enumerate(names)
    ]
    return keep(*pages)


def test_topics_list_them_apart(keep: Keep) -> None:
    workspace = star(keep)
    for method in ("auto", "hits", "leiden-votes"):
        dropped = workspace.topics("sailing", method)
        kept = workspace.topics("sailing", method, uncaptured="keep")
        members = {dropped.base.pages[page] for page in dropped[0].members}
        assert members.isdisjoint(OUTSIDE)
        fetch = dropped.base.page_names(dropped[0].uncaptured)
        assert set(fetch) == set(OUTSIDE)
        assert {kept.base.pages[page] for page in kept[0].members} >= (
            members if method == "auto" else {*members, *OUTSIDE}
        )


def test_links_to_them_count_in_the_scores_of_others(keep: Keep) -> None:
    workspace = star(keep)
    dropped, kept = (
        workspace.topics("sailing", "hits", uncaptured=rule)[0] for rule in ("drop", "keep")
    )
    at = np.isin(kept.members, dropped.members)
    np.testing.assert_allclose(kept.hub[at], dropped.hub)


def test_communities_have_captured_members(keep: Keep) -> None:
    workspace = star(keep)
    dropped = workspace.communities()
    kept = workspace.communities(uncaptured="keep")
    assert sum(map(len, dropped)) == 8
    assert sum(map(len, kept)) == 11
