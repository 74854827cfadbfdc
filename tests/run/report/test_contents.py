"""What stands in a report, against what the topics say."""

from dataclasses import replace

import numpy as np
import pytest

from weft.graph.options import Level
from weft.run.report.contents import assemble, came, ended
from weft.run.workspace import Workspace
from weft.topics.topic import Topic


def test_sections_have_evidence_and_snippets(two: Workspace) -> None:
    found = two.topics("jaguar", "atd", least=5)
    report = assemble(two.collection, found, top=2, most=10)
    assert [section.topic.name for section in report.sections] == ["engine", "jungle"]
    first = report.sections[0]
    assert [entry.case.page for entry in first.authorities] == [
        "http://cars.com/0",
        "http://cars.com/1",
    ]
    assert [entry.snippet for entry in first.hubs] == ["jaguar engine"] * 2
    assert [entry.fetched for entry in first.hubs] == [True, True]
    assert [entry.fetched for entry in first.authorities] == [False, False]


def test_ties_are_the_links_between_the_best(two: Workspace) -> None:
    """Six hubs link to all four authorities, and all score the same."""
    found = two.topics("jaguar", "atd", least=5)
    ties = assemble(two.collection, found, top=2, most=1).sections[0].ties
    assert ties.weight.shape == (6, 4)
    np.testing.assert_allclose(ties.weight, 1.0)


def test_ties_without_a_link_weigh_nothing(demo: Workspace) -> None:
    found = demo.topics("jaguar", "hits")
    ties = assemble(demo.collection, found, top=10, most=1).sections[0].ties
    graph = found.base.graph
    linked = [
        [graph.number(end.page) in _targets(demo, found.base, hub.page) for end in ties.authorities]
        for hub in ties.hubs
    ]
    assert (np.array(linked) == (ties.weight > 0)).all()
    assert ties.weight.max() == 1.0


def _targets(workspace: Workspace, base: object, page: str) -> set[int]:
    del workspace
    rows, number = base.graph.outlinks, base.graph.number(page)  # type: ignore[attr-defined]
    return set(rows.ids[rows.starts[number] : rows.starts[number + 1]].tolist())


def test_every_page_came_and_ended_once(demo: Workspace) -> None:
    found = demo.topics("jaguar", "eigen")
    assert sum(share.pages for share in came(found)) == len(found.base)
    for most in (1, 3, 100):
        assert sum(share.pages for share in ended(found, most)) == len(found.base)


def test_a_page_of_several_counts_for_the_first(two: Workspace) -> None:
    found = two.topics("jaguar", "atd", least=5)
    first = found[0]
    again = Topic(first.members, first.authority, first.hub, 1.0, ("again",))
    aside = Topic(found[1].members, found[1].authority, found[1].hub, 1.0, reason="why not")
    odd = replace(found, topics=(first, again), aside=(aside,))
    shares = {share.what: share.pages for share in ended(odd, 10)}
    assert shares == {"engine": 10, "set aside": 10}
    assert {share.what: share.pages for share in ended(replace(odd, topics=()), 10)} == {
        "set aside": 10,
        "in no topic": 10,
    }


def test_further_topics_are_counted(two: Workspace) -> None:
    found = two.topics("jaguar", "atd", least=5)
    assert [(share.what, share.pages) for share in ended(found, 1)] == [
        ("engine", 10),
        ("in further topics", 10),
    ]


@pytest.mark.parametrize("level", ["host", "domain"])
def test_hosts_have_no_snippets(demo: Workspace, level: Level) -> None:
    found = demo.topics(method="hits", level=level)
    report = assemble(demo.collection, found, top=5, most=5)
    assert report.thing == level
    assert not any(entry.snippet for entry in report.sections[0].hubs)
