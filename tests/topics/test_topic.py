"""The nouns: who is best in a topic, and what a result says of itself."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from weft.topics import Topic, Topics

Make = Callable[..., Topics]
TOPIC = Topic(np.array([2, 5, 7], np.int32), np.array([0.0, 0.5, 0.5]), np.array([1.0, 0, 0]), 3.0)


def test_the_best_score_and_ties_keep_their_order() -> None:
    assert TOPIC.authorities().tolist() == [5, 7]
    assert TOPIC.authorities(1).tolist() == [5]
    assert TOPIC.hubs().tolist() == [2]


@pytest.mark.parametrize(
    ("role", "page", "score"),
    [("authority", 5, 0.5), ("hub", 2, 1.0), ("hub", 7, 0.0), ("authority", 6, 0), ("hub", 99, 0)],
)
def test_scores_by_page(role: str, page: int, score: float) -> None:
    assert TOPIC.score(role, page) == score


def test_a_name_is_the_label_or_else_the_title() -> None:
    assert replace(TOPIC, label=("big cats", "zoo"), title="Links").name == "big cats · zoo"
    assert replace(TOPIC, title="Links").name == "Links"
    assert TOPIC.name == ""


def test_one_row_per_page_and_role(cats_and_cars: Topics) -> None:
    rows = cats_and_cars.to_table(1).to_pylist()
    assert [(row["topic"], row["role"], row["page"]) for row in rows] == [
        (1, "authority", "car"),
        (1, "hub", "h1"),
        (2, "authority", "cat"),
        (2, "hub", "h3"),
    ]


def test_topics_of_a_page(cats_and_cars: Topics) -> None:
    assert cats_and_cars.of("both") == [1, 2]
    assert cats_and_cars.of("zoo") == [2]
    assert cats_and_cars.of("nobody") == []


def test_a_result_prints_as_one_telling_line(cats_and_cars: Topics, make: Make) -> None:
    assert repr(cats_and_cars) == "<2 topics of 'jaguar' by toy>"
    assert "1 set aside" in repr(replace(cats_and_cars, aside=(TOPIC,)))
    assert repr(make({}, {}, [])) == "<0 topics by toy>"
