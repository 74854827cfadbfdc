"""Options of a base set: checked in one place, told in one place."""

from dataclasses import fields

import numpy as np
import pytest

from weft.core.errors import BadParameter
from weft.graph.options import UNFILTERED, USUAL, BaseOptions, schema


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"root": 0}, "root"),
        ({"inlinks": -1}, "inlinks"),
        ({"between": "planet"}, "between"),
        ({"mirrors": "break"}, "mirrors"),
        ({"nofollow": "perhaps"}, "nofollow"),
        ({"per_domain": "many"}, "per_domain"),
        ({"root": "7"}, "root"),
        ({"without": "a.com"}, "without"),
    ],
)
def test_what_cannot_be_is_refused(given: dict[str, object], told: str) -> None:
    with pytest.raises(BadParameter, match=f"base set: {told}"):
        BaseOptions(**given).checked()  # type: ignore[arg-type]


def test_values_from_outside_become_what_they_should_be() -> None:
    given = BaseOptions(root=np.int64(7), pages=["a.com"], without=["b.com"])  # type: ignore[arg-type]
    assert given.checked() == BaseOptions(root=7, pages=("a.com",), without=("b.com",))
    with pytest.raises(BadParameter, match="there is no option 'roots'") as caught:
        USUAL.checked(roots=5)
    assert "did you mean 'root'?" in caught.value.hint


def test_every_option_is_told() -> None:
    shown = schema().model_json_schema()["properties"]
    assert set(shown) == {each.name for each in fields(BaseOptions)}
    for each in fields(BaseOptions):
        assert shown[each.name]["description"] == each.metadata["description"]
    assert shown["root"]["minimum"] == 1
    assert shown["between"]["enum"] == ["auto", "any", "page", "host", "domain", "site"]


def test_the_usual_filters_can_all_be_switched_off() -> None:
    assert USUAL.checked() == USUAL
    changed = {
        e.name for e in fields(USUAL) if getattr(USUAL, e.name) != getattr(UNFILTERED, e.name)
    }
    assert changed == {"per_domain", "stoplist", "mirrors", "nofollow", "boilerplate"}
