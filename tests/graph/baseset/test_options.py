"""Options of a base set: validation and descriptions."""

from dataclasses import fields

import numpy as np
import pytest

from weft.core.errors import BadParameter
from weft.graph.baseset.options import (
    DEFAULT_OPTIONS,
    UNFILTERED_OPTIONS,
    BaseOptions,
    base_options_model,
)


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({"root_size": 0}, "root_size"),
        ({"max_inlinks": -1}, "max_inlinks"),
        ({"between": "planet"}, "between"),
        ({"mirrors": "break"}, "mirrors"),
        ({"nofollow": "perhaps"}, "nofollow"),
        ({"per_domain": "many"}, "per_domain"),
        ({"root_size": "7"}, "root_size"),
        ({"exclude": "a.com"}, "exclude"),
    ],
)
def test_invalid_values_are_refused(given: dict[str, object], name: str) -> None:
    with pytest.raises(BadParameter, match=f"base set: {name}"):
        BaseOptions(**given).with_changes()  # type: ignore[arg-type]


def test_values_are_converted() -> None:
    given = BaseOptions(root_size=np.int64(7), pages=["a.com"], exclude=["b.com"])  # type: ignore[arg-type]
    assert given.with_changes() == BaseOptions(root_size=7, pages=("a.com",), exclude=("b.com",))
    with pytest.raises(BadParameter, match="there is no option 'rootsize'") as caught:
        DEFAULT_OPTIONS.with_changes(rootsize=5)
    assert "did you mean 'root_size'?" in caught.value.hint


def test_every_option_is_in_the_schema() -> None:
    shown = base_options_model().model_json_schema()["properties"]
    assert set(shown) == {option.name for option in fields(BaseOptions)}
    for option in fields(BaseOptions):
        assert shown[option.name]["description"] == option.metadata["description"]
        assert len(option.metadata["description"]) <= 100
    assert shown["root_size"]["minimum"] == 1
    assert shown["between"]["enum"] == ["auto", "any", "page", "host", "domain", "site"]


def test_all_default_filters_can_be_switched_off() -> None:
    assert DEFAULT_OPTIONS.with_changes() == DEFAULT_OPTIONS
    changed = {
        e.name
        for e in fields(DEFAULT_OPTIONS)
        if getattr(DEFAULT_OPTIONS, e.name) != getattr(UNFILTERED_OPTIONS, e.name)
    }
    assert changed == {"per_domain", "stoplist", "mirrors", "nofollow", "boilerplate"}
