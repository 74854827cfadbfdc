"""What links say, by pair of pages."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pyarrow as pa

from weft.core.arrays import Ids
from weft.graph.baseset import BaseSet
from weft.topics import Topics
from weft.topics.spoken import Heard, Role, Side, far_ends

Make = Callable[..., Topics]


def spoken(base: BaseSet, sources: Ids, targets: Ids) -> list[tuple[str, ...]]:
    return Heard.of(base, sources, targets).by_pair(np.arange(len(sources)))


def test_anchors_between_pages(cats_and_cars: Topics) -> None:
    base = cats_and_cars.base
    number = base.graph.number
    sources = np.array([number(page) for page in ("h2", "h1", "h4", "h1")])
    targets = np.array([number(page) for page in ("car", "car", "car", "club")])
    assert spoken(base, sources, targets) == [
        ("classic cars",),
        ("Jaguar cars",),
        (),
        ("a club for cars",),
    ]
    assert spoken(base, sources[:0], targets[:0]) == []


def test_words_are_said_once_and_spaced_once(make: Make) -> None:
    made = make({("a", "x"): "  the\n zoo ", ("b", "x"): " "}, {}, ["a b x"])
    base = made.base
    twice = pa.concat_tables([base.anchors, base.anchors])
    base = replace(base, read_anchors=lambda: twice)
    ends = np.array([base.graph.number("a"), base.graph.number("b")])
    assert spoken(base, ends, np.full(2, base.graph.number("x"))) == [("the zoo",), ()]


def test_what_is_said_most_of_each() -> None:
    # two pairs speak of page 0 and one of page 1; the first says two things
    heard = Heard(np.array([0, 0, 1, 2]), np.array([0, 1, 1, 2]), ["zoo", "cat", "car"])
    most = heard.most(np.array([0, 0, 1]), np.array([2.0, 2.0, 1.0, 5.0]), few=1)
    assert most.owner.tolist() == [0, 1]
    assert most.words == ["cat", "car"]
    assert most.pair.tolist() == [0, 2]
    assert most.share.tolist() == [0.6, 1.0]


def test_of_equal_words_the_first_by_the_alphabet() -> None:
    heard = Heard(np.array([0, 0]), np.array([0, 1]), ["zoo", "cat"])
    assert heard.most(np.array([0]), np.array([1.0, 1.0]), few=2).words == ["cat", "zoo"]


def test_the_other_ends_are_those_of_the_topic(cats_and_cars: Topics) -> None:
    base, cars = cats_and_cars.base, cats_and_cars[0]

    def named(role: Role, page: str) -> list[str]:
        far = far_ends(base, [Side(cars, role, np.array([base.graph.number(page)], np.int32))])
        assert (np.diff(far.score) <= 0).all()
        return [base.pages[end] for end in far.page]

    assert named("authority", "car") == ["h1", "h2", "both"]
    assert named("hub", "both") == ["car"]
    assert named("authority", "h1") == []


def test_ends_of_many_pages_are_those_of_each(cats_and_cars: Topics) -> None:
    base = cats_and_cars.base
    sides = [
        Side(cats_and_cars[0], "authority", cats_and_cars[0].authorities()),
        Side(cats_and_cars[1], "hub", cats_and_cars[1].hubs()),
    ]
    far = far_ends(base, sides)
    places = [(side, page) for side in sides for page in side.pages.tolist()]
    for owner, (side, page) in enumerate(places):
        own = far.some(far.owner == owner)
        alone = far_ends(base, [Side(side.topic, side.role, np.array([page], np.int32))])
        assert own.page.tolist() == alone.page.tolist()
        assert own.score.tolist() == alone.score.tolist()
        assert own.turn.tolist() == list(range(len(alone.page)))
        near = own.target if side.role == "authority" else own.source
        assert set(near.tolist()) == {page}
