"""Problems are counted by reason, with a few places each."""

from weft.gather.page import Problems


def test_a_few_places_and_the_whole_count() -> None:
    problems = Problems()
    for place in "abbcdefg":
        problems.tell("too long", place)
    problems.tell("no page", "x", damage=False, times=40)
    assert problems.counts == {"too long": 8, "no page": 40}
    assert problems.places == {"too long": list("abcde"), "no page": ["x"]}
    assert problems.damage == 8


def test_what_others_told_is_taken_over() -> None:
    one, two = Problems(), Problems()
    for place in "abc":
        one.tell("cut off", place)
    for place in "bcdefg":
        two.tell("cut off", place)
    two.tell("no page", "y", damage=False)
    one.merge(two)
    assert one.counts == {"cut off": 9, "no page": 1}
    assert one.places == {"cut off": list("abcde"), "no page": ["y"]}
    assert one.damage == 9


def test_a_place_can_be_written_down() -> None:
    problems = Problems()
    problems.tell("odd name", "file\udcff" + "x" * 1000)
    [place] = problems.places["odd name"]
    assert place.startswith("file\\udcff")
    assert len(place.encode()) < 520
