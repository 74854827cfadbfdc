"""Anchor texts of links, by pair of pages."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pyarrow as pa

from weft.core.arrays import Ids
from weft.graph.baseset.baseset import BaseSet
from weft.groups import Groups
from weft.groups.evidence import GroupSide, PairAnchors, find_far_ends
from weft.groups.group import Role

Make = Callable[..., Groups]


def anchor_texts(base: BaseSet, sources: Ids, targets: Ids) -> list[tuple[str, ...]]:
    return PairAnchors.from_links(base, sources, targets).texts_of_pairs(np.arange(len(sources)))


def test_anchors_between_pages(cats_and_cars: Groups) -> None:
    base = cats_and_cars.base
    number = base.graph.page_number
    sources = np.array([number(page) for page in ("h2", "h1", "h4", "h1")])
    targets = np.array([number(page) for page in ("car", "car", "car", "club")])
    assert anchor_texts(base, sources, targets) == [
        ("classic cars",),
        ("Jaguar cars",),
        (),
        ("a club for cars",),
    ]
    assert anchor_texts(base, sources[:0], targets[:0]) == []


def test_anchors_are_distinct_with_single_spaces(make: Make) -> None:
    topics = make({("a", "x"): "  the\n zoo ", ("b", "x"): " "}, {}, ["a b x"])
    base = topics.base
    twice = pa.concat_tables([base.anchors, base.anchors])
    base = replace(base, read_anchors=lambda: twice)
    ends = np.array([base.graph.page_number("a"), base.graph.page_number("b")])
    assert anchor_texts(base, ends, np.full(2, base.graph.page_number("x"))) == [("the zoo",), ()]


def test_top_anchors_of_each_owner() -> None:
    # two pairs belong to owner 0 and one to owner 1; the first has two anchor texts
    anchors = PairAnchors(np.array([0, 0, 1, 2]), np.array([0, 1, 1, 2]), ["zoo", "cat", "car"])
    most = anchors.top_anchors(np.array([0, 0, 1]), np.array([2.0, 2.0, 1.0, 5.0]), max_anchors=1)
    assert most.owner.tolist() == [0, 1]
    assert most.anchor_texts == ["cat", "car"]
    assert most.pair.tolist() == [0, 2]
    assert most.share.tolist() == [0.6, 1.0]


def test_ties_go_by_alphabet() -> None:
    anchors = PairAnchors(np.array([0, 0]), np.array([0, 1]), ["zoo", "cat"])
    assert anchors.top_anchors(np.array([0]), np.array([1.0, 1.0]), max_anchors=2).anchor_texts == [
        "cat",
        "zoo",
    ]


def test_the_other_ends_are_those_of_the_topic(cats_and_cars: Groups) -> None:
    base, cars = cats_and_cars.base, cats_and_cars[0]

    def named(role: Role, page: str) -> list[str]:
        far = find_far_ends(
            base, [GroupSide(cars, role, np.array([base.graph.page_number(page)], np.int32))]
        )
        assert (np.diff(far.score) <= 0).all()
        return [base.pages[end] for end in far.page]

    assert named("authority", "car") == ["h1", "h2", "both"]
    assert named("hub", "both") == ["car"]
    assert named("authority", "h1") == []


def test_ends_of_many_pages_are_those_of_each(cats_and_cars: Groups) -> None:
    base = cats_and_cars.base
    sides = [
        GroupSide(cats_and_cars[0], "authority", cats_and_cars[0].authorities()),
        GroupSide(cats_and_cars[1], "hub", cats_and_cars[1].hubs()),
    ]
    far = find_far_ends(base, sides)
    places = [(side, page) for side in sides for page in side.pages.tolist()]
    for owner, (side, page) in enumerate(places):
        own = far.select(far.owner == owner)
        alone = find_far_ends(base, [GroupSide(side.group, side.role, np.array([page], np.int32))])
        assert own.page.tolist() == alone.page.tolist()
        assert own.score.tolist() == alone.score.tolist()
        assert own.rank_in_owner.tolist() == list(range(len(alone.page)))
        near = own.target if side.role == "authority" else own.source
        assert set(near.tolist()) == {page}
