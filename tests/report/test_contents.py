"""The contents of a topics report, against its topics."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from tests.subjects import HUBS_ONLY

from weft.graph.selection import Level
from weft.groups.group import Group
from weft.report.topics import build_topics_report, count_by_origin, count_by_topic
from weft.workspace.workspace import Workspace


def test_sections_have_evidence_and_snippets(two: Workspace) -> None:
    found = two.topics("jaguar", "atd", min_size=5)
    report = build_topics_report(two.collection, found, top=2, max_topics=10)
    assert [section.topic.name for section in report.sections] == ["Engine", "Jungle"]
    first = report.sections[0]
    assert [entry["url"] for entry in first.authorities] == [
        "http://cars.com/0",
        "http://cars.com/1",
    ]
    assert [entry["snippet"] for entry in first.hubs] == ["jaguar engine"] * 2
    assert [entry["kind"] for entry in first.hubs] == ["captured"] * 2
    assert [entry["kind"] for entry in first.authorities] == ["captured"] * 2
    assert first.uncaptured == []


def test_uncaptured_pages_are_worth_fetching_or_marked(keep: Callable[..., Workspace]) -> None:
    hubs = keep(*HUBS_ONLY)
    kept = hubs.topics("jaguar", "atd", min_size=5, uncaptured="keep")
    first = build_topics_report(hubs.collection, kept, top=2, max_topics=10).sections[0]
    assert [entry["kind"] for entry in first.authorities] == ["uncaptured"] * 2
    assert [entry["kind"] for entry in first.hubs] == ["captured"] * 2
    assert first.uncaptured == []
    dropped = hubs.topics("jaguar", "atd", min_size=5)
    first = build_topics_report(hubs.collection, dropped, top=2, max_topics=10).sections[0]
    assert first.authorities == []
    assert [entry["kind"] for entry in first.hubs] == ["captured"] * 2
    assert [entry["url"] for entry in first.uncaptured] == [
        "http://cars.com/0",
        "http://cars.com/1",
    ]


def test_links_between_the_best_hubs_and_authorities(two: Workspace) -> None:
    """Six hubs link to all four authorities, and all score the same."""
    found = two.topics("jaguar", "atd", min_size=5)
    links = (
        build_topics_report(two.collection, found, top=2, max_topics=1)
        .sections[0]
        .hub_authority_links
    )
    assert links.weights.shape == (6, 4)
    np.testing.assert_allclose(links.weights, 1.0)


def test_pairs_without_a_link_have_no_weight(demo: Workspace) -> None:
    found = demo.topics("jaguar", "hits")
    links = (
        build_topics_report(demo.collection, found, top=10, max_topics=1)
        .sections[0]
        .hub_authority_links
    )
    graph = found.base.graph
    linked = [
        [
            graph.page_number(end["url"]) in _targets(demo, found.base, hub["url"])
            for end in links.authorities
        ]
        for hub in links.hubs
    ]
    assert (np.array(linked) == (links.weights > 0)).all()
    assert links.weights.max() == 1.0


def _targets(workspace: Workspace, base: object, page: str) -> set[int]:
    del workspace
    rows, number = base.graph.outlinks, base.graph.page_number(page)  # type: ignore[attr-defined]
    return set(rows.ids[rows.starts[number] : rows.starts[number + 1]].tolist())


def test_every_page_is_counted_once(demo: Workspace) -> None:
    found = demo.topics("jaguar", "eigen")
    assert sum(share.page_count for share in count_by_origin(found)) == len(found.base)
    for max_topics in (1, 3, 100):
        assert sum(share.page_count for share in count_by_topic(found, max_topics)) == len(
            found.base
        )


def test_a_page_of_several_counts_for_the_first(two: Workspace) -> None:
    found = two.topics("jaguar", "atd", min_size=5)
    first = found[0]
    again = Group(first.members, first.authority, first.hub, 1.0, ("again",))
    aside = Group(found[1].members, found[1].authority, found[1].hub, 1.0, reason="why not")
    odd = replace(found, groups=(first, again), set_aside=(aside,))
    shares = {share.label: share.page_count for share in count_by_topic(odd, 10)}
    assert shares == {"Engine": 10, "set aside": 10}
    assert {
        share.label: share.page_count for share in count_by_topic(replace(odd, groups=()), 10)
    } == {
        "set aside": 10,
        "in no topic": 10,
    }


def test_further_topics_are_counted(two: Workspace) -> None:
    found = two.topics("jaguar", "atd", min_size=5)
    assert [(share.label, share.page_count) for share in count_by_topic(found, 1)] == [
        ("Engine", 10),
        ("in further topics", 10),
    ]


@pytest.mark.parametrize("level", ["host", "domain"])
def test_hosts_have_no_snippets(demo: Workspace, level: Level) -> None:
    found = demo.topics(method="hits", level=level)
    report = build_topics_report(demo.collection, found, top=5, max_topics=5)
    assert report.level == level
    assert not any(entry["snippet"] for entry in report.sections[0].hubs)
