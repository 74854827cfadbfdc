"""Words of a selection: validation, defaults and descriptions."""

from dataclasses import fields

import numpy as np
import pytest

from weft.core.errors import BadParameter
from weft.graph.selection import (
    BASE_SET_WORDS,
    DEFAULT_SELECTION,
    EXPANSION_WORDS,
    SELECTION_WORDS,
    UNFILTERED_SELECTION,
    Selection,
    selection_model,
)
from weft.store.search import ANY_TIME, TimeRange


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
    with pytest.raises(BadParameter, match=f"selection: {name}"):
        Selection(**given).with_changes()  # type: ignore[arg-type]


def test_values_are_converted() -> None:
    given = Selection(root_size=np.int64(7), pages=["a.com"], exclude=["b.com"])  # type: ignore[arg-type]
    assert given.with_changes() == Selection(root_size=7, pages=("a.com",), exclude=("b.com",))
    with pytest.raises(BadParameter, match="there is no option 'rootsize'") as caught:
        DEFAULT_SELECTION.with_changes(rootsize=5)
    assert "did you mean 'root_size'?" in caught.value.hint


def test_every_option_is_in_the_schema() -> None:
    shown = selection_model().model_json_schema()["properties"]
    assert set(shown) == {option.name for option in fields(Selection)}
    for option in fields(Selection):
        assert shown[option.name]["description"] == option.metadata["description"]
        assert len(option.metadata["description"]) <= 100
    assert shown["root_size"]["minimum"] == 1
    assert shown["between"]["enum"] == ["auto", "any", "page", "host", "domain", "site"]


def test_all_default_filters_can_be_switched_off() -> None:
    assert DEFAULT_SELECTION.with_changes() == DEFAULT_SELECTION
    changed = {
        e.name
        for e in fields(DEFAULT_SELECTION)
        if getattr(DEFAULT_SELECTION, e.name) != getattr(UNFILTERED_SELECTION, e.name)
    }
    assert changed == {"per_domain", "stoplist", "mirrors", "nofollow", "boilerplate"}


def test_defaults_of_topics_and_of_rankings() -> None:
    topics, rankings = DEFAULT_SELECTION.for_topics(), DEFAULT_SELECTION.for_rankings()
    assert (topics.per_domain, topics.roots) == (6, "diverse")
    assert (rankings.per_domain, rankings.roots) == (0, "first")
    given = Selection(per_domain=2, roots="first")
    assert given.for_topics() == given.for_rankings() == given
    assert topics.changed_words(DEFAULT_SELECTION) == ["roots", "per_domain"]


def test_what_is_selected() -> None:
    assert not Selection(since="2004").has_base_set
    assert Selection(query="cats").has_base_set
    assert Selection(pages=("a.com",)).has_base_set
    assert Selection(since="1970-01-02").time_range == TimeRange(since=86400)
    assert DEFAULT_SELECTION.time_range == ANY_TIME
    with pytest.raises(BadParameter, match="'tomorrow' is not a date"):
        _ = Selection(until="tomorrow").time_range


def test_sets_of_words() -> None:
    assert {option.name for option in fields(Selection)} == SELECTION_WORDS
    assert EXPANSION_WORDS < BASE_SET_WORDS < SELECTION_WORDS
