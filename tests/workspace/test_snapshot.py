"""What a commit builds: counts, and the anchors of links into a page."""

from collections.abc import Callable

import numpy as np

from weft.gather.page import Link, Page
from weft.workspace import ingest
from weft.workspace.ingest import InlinkAnchors
from weft.workspace.workspace import Workspace

Keep = Callable[..., Workspace]
ONE = np.array([1], np.int32)


def test_counts(keep: Keep) -> None:
    workspace = keep(
        Page("http://a.com/", links=(Link("http://x.org/"), Link("http://www.a.com/"))),
        Page("http://www.a.com/", time=1),
        Page("http://www.a.com/", time=2),
        Page("http://b.com/", kind="error", status=404),
        Page("http://c.com/", kind="redirect", redirect="http://a.com/"),
    )
    assert workspace.counts == {
        "captured": 2, "error": 1, "listed": 0, "uncaptured": 1, "hosts": 3, "domains": 2,
        "captures": 5, "links": 2, "folded": 1,
    }  # fmt: skip


def test_anchors_are_distinct(keep: Keep) -> None:
    target = "http://b.com/"
    workspace = keep(
        Page(
            "http://a.com/", links=(Link(target, "bee"), Link(target, "bee"), Link(target, "sea"))
        ),
        Page("http://c.com/", links=(Link(target, "bee"), Link(target, ""))),
    )
    said = InlinkAnchors(workspace.collection.checked_snapshot_path("graph"))
    texts = said.of(np.arange(len(workspace.collection), dtype=np.int32)).to_pylist()
    words = [sorted(filter(None, text.split("\n"))) for text in texts]
    assert words == [[], ["bee", "sea"], []]


def test_a_page_keeps_a_bounded_number_of_anchors(keep: Keep) -> None:
    many = ingest.MAX_ANCHORS_PER_PAGE + 50
    links = tuple(Link("http://b.com/", f"anchor {k}") for k in range(many))
    workspace = keep(Page("http://a.com/", links=links))
    said = InlinkAnchors(workspace.collection.checked_snapshot_path("graph"))
    assert len(said.of(ONE)[0].as_py().split("\n")) == ingest.MAX_ANCHORS_PER_PAGE


def test_no_anchors_at_all(keep: Keep) -> None:
    workspace = keep(Page("http://a.com/", links=(Link("http://b.com/"),)))
    said = InlinkAnchors(workspace.collection.checked_snapshot_path("graph"))
    assert said.of(ONE).to_pylist() == [""]
