"""Problems are counted by reason, with a few locations each."""

from weft.gather.page import Problems


def test_five_locations_and_the_full_count() -> None:
    problems = Problems()
    for place in "abbcdefg":
        problems.add("too long", place)
    problems.add("no page", "x", damage=False, count=40)
    assert problems.counts == {"too long": 8, "no page": 40}
    assert problems.locations == {"too long": list("abcde"), "no page": ["x"]}
    assert problems.damage_count == 8


def test_problems_are_merged() -> None:
    one, two = Problems(), Problems()
    for place in "abc":
        one.add("cut off", place)
    for place in "bcdefg":
        two.add("cut off", place)
    two.add("no page", "y", damage=False)
    one.merge(two)
    assert one.counts == {"cut off": 9, "no page": 1}
    assert one.locations == {"cut off": list("abcde"), "no page": ["y"]}
    assert one.damage_count == 9


def test_a_location_can_be_encoded() -> None:
    problems = Problems()
    problems.add("odd name", "file\udcff" + "x" * 1000)
    [place] = problems.locations["odd name"]
    assert place.startswith("file\\udcff")
    assert len(place.encode()) < 520
