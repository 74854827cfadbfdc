"""Group and Groups: best pages, tables, and a sequence with a one-line repr."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from weft.groups import Group, Groups
from weft.groups.group import Role

Make = Callable[..., Groups]
TOPIC = Group(np.array([2, 5, 7], np.int32), np.array([0.0, 0.5, 0.5]), np.array([1.0, 0, 0]), 3.0)


def test_the_best_score_and_ties_keep_their_order() -> None:
    assert TOPIC.authorities().tolist() == [5, 7]
    assert TOPIC.authorities(1).tolist() == [5]
    assert TOPIC.hubs().tolist() == [2]


@pytest.mark.parametrize(
    ("role", "page", "score"),
    [("authority", 5, 0.5), ("hub", 2, 1.0), ("hub", 7, 0.0), ("authority", 6, 0), ("hub", 99, 0)],
)
def test_scores_by_page(role: Role, page: int, score: float) -> None:
    assert TOPIC.score(role, page) == score


def test_a_name_is_the_label_or_else_the_title() -> None:
    assert replace(TOPIC, label=("big cats", "zoo"), title="Links").name == "big cats · zoo"
    assert replace(TOPIC, title="Links").name == "Links"
    assert TOPIC.name == ""


def test_one_row_per_page_and_role(cats_and_cars: Groups) -> None:
    rows = cats_and_cars.to_table(top=1).to_pylist()
    assert [(row["topic"], row["role"], row["page"]) for row in rows] == [
        (1, "authority", "car"),
        (1, "hub", "h1"),
        (2, "authority", "cat"),
        (2, "hub", "h3"),
    ]


def test_topics_of_a_page(cats_and_cars: Groups) -> None:
    assert cats_and_cars.group_numbers("both") == [1, 2]
    assert cats_and_cars.group_numbers("zoo") == [2]
    assert cats_and_cars.group_numbers("nobody") == []


def test_a_result_is_a_sequence(cats_and_cars: Groups) -> None:
    cars, cats = cats_and_cars
    assert len(cats_and_cars) == 2
    assert (cats_and_cars[0], cats_and_cars[-1], cats_and_cars[np.int64(1)]) == (cars, cats, cats)
    assert cats_and_cars[:1] == [cars]
    assert cats_and_cars[::-1] == list(reversed(cats_and_cars)) == [cats, cars]
    assert cats in cats_and_cars
    with pytest.raises(IndexError):
        cats_and_cars[2]


def test_a_result_has_a_one_line_repr(cats_and_cars: Groups, make: Make) -> None:
    assert repr(cats_and_cars) == "<2 topics of 'jaguar' by toy>"
    assert "1 set aside" in repr(replace(cats_and_cars, set_aside=(TOPIC,)))
    assert repr(make({}, {}, [])) == "<0 topics by toy>"
    named = replace(cats_and_cars[0], label=("classic cars", "club"))
    single = replace(
        cats_and_cars, groups=(named,), trace=replace(cats_and_cars.trace, converged=False)
    )
    assert repr(single) == (
        "<1 topic of 'jaguar' by toy, first 'classic cars · club', not converged>"
    )
    assert repr(named) == "<Group 'classic cars · club': 5 pages>"
    assert repr(TOPIC) == "<Group: 3 pages>"
