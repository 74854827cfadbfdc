"""Evidence: the links and anchor texts behind the scores of a topic."""

from collections.abc import Callable

import pytest

from weft.groups import Groups
from weft.groups.evidence import EvidenceCollector, evidence_schema, group_overlaps
from weft.groups.group import ROLES

Make = Callable[..., Groups]


def test_hubs_make_an_authority(cats_and_cars: Groups) -> None:
    first, second = EvidenceCollector(cats_and_cars).for_role(1, "authority")
    assert (first.page, first.place, first.title) == ("car", 1, "Cars of Coventry")
    assert (first.count, first.sites) == (3, 3)
    assert [link.page for link in first.links] == ["h1", "h2", "both"]
    assert first.links[0].anchors == ("Jaguar cars",)
    assert first.anchors == ("Jaguar cars", "cars", "classic cars")
    assert (second.page, second.place, second.count) == ("club", 2, 1)


@pytest.mark.parametrize("role", ["authority", "hub"])
def test_contributions_add_up_to_the_score(cats_and_cars: Groups, role: str) -> None:
    collector = EvidenceCollector(cats_and_cars)
    for number in (1, 2):
        found = collector.for_role(number, role, max_supports=100)  # type: ignore[arg-type]
        assert found
        for one in found:
            assert sum(link.contribution for link in one.links) == pytest.approx(one.score)
            assert one.count == len(one.links)


def test_few_links_are_listed_and_all_are_counted(cats_and_cars: Groups) -> None:
    first = EvidenceCollector(cats_and_cars).for_role(1, "authority", top=1, max_supports=1)[0]
    assert (len(first.links), len(first.anchors), first.count) == (1, 1, 3)


def test_a_hub_points_to_authorities(cats_and_cars: Groups) -> None:
    first = EvidenceCollector(cats_and_cars).for_role(1, "hub")[0]
    assert (first.page, first.count) == ("h1", 2)
    assert [link.page for link in first.links] == ["car", "club"]
    assert first.anchors == ("Jaguar cars", "a club for cars")


def test_other_topics_of_a_page(cats_and_cars: Groups) -> None:
    collector = EvidenceCollector(cats_and_cars)
    other_topics = {one.page: one.other_groups for one in collector.for_role(1, "hub")}
    assert other_topics == {"h1": (), "h2": (), "both": (2,)}
    assert collector.groups_of_page(cats_and_cars.base.graph.page_number("both")) == [1, 2]


def test_overlap_of_topics(cats_and_cars: Groups) -> None:
    [row] = group_overlaps(cats_and_cars)
    assert row == {"number": 1, "other": 2, "pages": 1, "share": pytest.approx(1 / 5)}


def test_a_table_of_all_pages(cats_and_cars: Groups) -> None:
    rows = EvidenceCollector(cats_and_cars).to_table(1).to_pylist()
    assert [(row["topic"], row["role"], row["page"]) for row in rows] == [
        (1, "authority", "car"),
        (1, "hub", "h1"),
        (2, "authority", "cat"),
        (2, "hub", "h3"),
    ]
    assert rows[0]["anchors"] == "Jaguar cars | cars | classic cars"


def test_no_topics_have_no_evidence(make: Make) -> None:
    table = EvidenceCollector(make({}, {}, [])).to_table()
    assert (len(table), table.schema) == (0, evidence_schema("topic"))
    assert len(group_overlaps(make({}, {}, []))) == 0


def test_all_topics_at_once_or_one_by_one(cats_and_cars: Groups) -> None:
    collector = EvidenceCollector(cats_and_cars)
    shown = collector.for_groups(5)
    assert shown == {
        number: {role: collector.for_role(number, role, 5) for role in ROLES}
        for number in range(1, len(cats_and_cars) + 1)
    }
    assert collector.for_groups(5, numbers=[2]) == {2: shown[2]}
