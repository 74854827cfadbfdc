"""Usage in general and around a page: counts by hand, and what they leave out."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from weft.core.errors import UnknownName
from weft.graph.transitions import Sessions
from weft.usage import Usage, around, overview
from weft.usage.overview import MAX_FLOWS, is_search_engine

LINKS = [("home", "a"), ("home", "b"), ("home", "c"), ("a", "home"), ("b", "end")]
PATHS = [["home", "a", "home", "b", "end"], ["home", "b", "end"], ["end"], ["home", "b", "end"]]


@pytest.fixture(scope="module")
def site() -> Sessions:
    """Four sessions on five pages, of three days and two referrers."""
    sessions = Sessions.from_paths(PATHS, LINKS)
    day = 86_400
    times = np.concatenate([k * day + np.arange(1, len(path) + 1) for k, path in enumerate(PATHS)])
    times[sessions.starts[3] :] -= day
    hosts = pa.array(["", "www.google.com", "www.google.com", "other.example"])
    return replace(sessions, times=times.astype(np.int64), referrers=hosts)


def rows(result: Usage, table: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = result.to_table(table).to_pylist()
    return found


def test_facts_are_counts(site: Sessions) -> None:
    found = overview(site)
    assert dict(found) == {
        "sessions": 4,
        "visitors": 4,
        "views": 12,
        "clicks": 8,
        "pages viewed": 4,
        "views per session": 3.0,
        "sessions of one page": 0.25,
        "first day": "1970-01-01",
        "last day": "1970-01-03",
    }


def test_entries_and_exits(site: Sessions) -> None:
    found = overview(site)
    assert [(row["page"], row["sessions"]) for row in rows(found, "entries")] == [
        ("home", 3),
        ("end", 1),
    ]
    assert [(row["page"], row["sessions"], row["exit rate"]) for row in rows(found, "exits")] == [
        ("end", 4, 1.0)
    ]


def test_clicks_say_whether_there_is_a_link(site: Sessions) -> None:
    clicks = {(row["source"], row["target"]): row for row in rows(overview(site), "clicks")}
    assert clicks["home", "b"] == {
        "source": "home", "target": "b", "clicks": 3, "share": 0.75, "linked": True,
    }  # fmt: skip
    assert len(clicks) == 4
    jumped = overview(Sessions.from_paths([["a", "b"]], [("b", "a")]))
    assert [row["linked"] for row in rows(jumped, "clicks")] == [False]


def test_days_and_referrers(site: Sessions) -> None:
    found = overview(site)
    assert rows(found, "days") == [
        {"day": "1970-01-01", "sessions": 1, "visitors": 1, "views": 5},
        {"day": "1970-01-02", "sessions": 1, "visitors": 1, "views": 3},
        {"day": "1970-01-03", "sessions": 2, "visitors": 2, "views": 4},
    ]
    assert [
        (row["referrer"], row["sessions"], row["search engine"]) for row in rows(found, "referrers")
    ] == [
        ("www.google.com", 2, True),
        ("none or unknown", 1, False),
        ("other.example", 1, False),
    ]


def test_an_unused_link_is_one_that_nobody_followed(site: Sessions) -> None:
    unused = rows(overview(site, min_views=1), "unused links")
    assert [(row["source"], row["target"]) for row in unused] == [("home", "c")]
    assert unused[0]["expected clicks"] == pytest.approx(4 / 3)
    assert rows(overview(site, min_views=5), "unused links") == []


def test_navigation_is_no_unused_link() -> None:
    """Every page links to the imprint, which nobody reads."""
    pages = [f"p{k}" for k in range(20)]
    links = [(page, other) for page in pages for other in ("imprint", "rare")[: 1 + (page == "p0")]]
    found = rows(overview(Sessions.from_paths([pages] * 5, links)), "unused links")
    assert [(row["source"], row["target"]) for row in found] == [("p0", "rare")]


def test_a_dead_end_ends_more_sessions_than_others() -> None:
    paths = [["a", "b", "c", "dead"]] * 40 + [["a", "b", "c"]] * 4
    found = rows(overview(Sessions.from_paths(paths)), "dead ends")
    assert [row["page"] for row in found] == ["dead"]


def test_a_page_without_clicks_into_it_is_reached_from_outside() -> None:
    sessions = Sessions.from_paths([["a", "b"], ["c"], ["c", "a"]])
    sessions = replace(sessions, referrers=pa.array(["", "google.com", ""]))
    assert rows(overview(sessions), "reached from outside only") == [
        {"page": "c", "entries": 2, "from search": 1, "links to it": 0}
    ]


def test_flow_counts_every_session_once_a_step(site: Sessions) -> None:
    flow = rows(overview(site), "flow")
    assert sum(int(str(row["sessions"])) for row in flow if row["step"] == 1) == 4
    assert {"step": 1, "from": "end", "to": "left the site", "sessions": 1} in flow
    many = Sessions.from_paths([[f"p{k}", f"q{k}", f"r{k}"] for k in range(100)])
    assert len(rows(overview(many), "flow")) <= MAX_FLOWS


def test_without_sessions_it_says_so() -> None:
    found = overview(Sessions.from_paths([]))
    assert found["sessions"] == 0
    assert found.notes == ("there are no sessions",)
    assert all(len(table) == 0 for table in found.tables.values())


def test_inferred_views_are_no_views() -> None:
    sessions = Sessions.from_paths([["a", "b", "a", "c"]])
    sessions = replace(sessions, inferred=np.array([False, False, True, False]))
    found = overview(sessions)
    assert (found["views"], found["clicks"]) == (3, 2)
    assert any("1 view" in note for note in found.notes)


def test_around_a_page_are_its_links_and_clicks(site: Sessions) -> None:
    found = around(site, page="home")
    assert (found["views"], found["entries"], found["exits"]) == (4, 3, 0)
    assert [(row["page"], row["clicks"], row["linked"]) for row in rows(found, "after")] == [
        ("b", 3, True),
        ("a", 1, True),
        ("c", 0, True),
    ]
    assert [(row["page"], row["clicks"]) for row in rows(found, "before")] == [("a", 1)]


def test_around_which_page(site: Sessions) -> None:
    assert around(site)["page"] == "home"
    assert around([]).notes == ("there are no pages",)
    with pytest.raises(UnknownName):
        around(site, page="nowhere")


@pytest.mark.parametrize(
    ("host", "is_one"),
    [("google.de", True), ("images.google.com", True), ("notgoogle.com", False), ("", False)],
)
def test_search_engines_are_known_by_name(host: str, *, is_one: bool) -> None:
    assert is_search_engine(host) is is_one
