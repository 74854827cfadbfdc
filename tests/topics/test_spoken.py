"""What links say, by pair of pages."""

from collections.abc import Callable

import numpy as np

from weft.topics import Topics
from weft.topics.spoken import Spoken, others

Make = Callable[..., Topics]


def test_anchors_between_pages(cats_and_cars: Topics) -> None:
    base = cats_and_cars.base
    number = base.graph.number
    spoken = Spoken.of(base)
    sources = np.array([number(page) for page in ("h2", "h1", "h4", "h1")])
    targets = np.array([number(page) for page in ("car", "car", "car", "club")])
    assert spoken.between(sources, targets) == [
        ("classic cars",),
        ("Jaguar cars",),
        (),
        ("a club for cars",),
    ]
    assert spoken.between(sources[:0], targets[:0]) == []


def test_words_are_said_once_and_spaced_once(make: Make) -> None:
    made = make({("a", "x"): "  the\n zoo ", ("b", "x"): " "}, {}, ["a b x"])
    base = made.base
    table = base.anchors
    twice = Spoken(
        np.repeat(Spoken.of(base).keys, 2), table["anchor"].combine_chunks().take([0, 0, 1, 1])
    )
    ends = np.array([base.graph.number("a"), base.graph.number("b")])
    assert twice.between(ends, np.full(2, base.graph.number("x"))) == [("the zoo",), ()]


def test_the_other_ends_are_those_of_the_topic(cats_and_cars: Topics) -> None:
    base, cars = cats_and_cars.base, cats_and_cars[0]

    def named(role: str, page: str) -> list[str]:
        ends, scores = others(base, cars, role, base.graph.number(page))  # type: ignore[arg-type]
        assert (np.diff(scores) <= 0).all()
        return [base.pages[end] for end in ends]

    assert named("authority", "car") == ["h1", "h2", "both"]
    assert named("hub", "both") == ["car"]
    assert named("authority", "h1") == []
