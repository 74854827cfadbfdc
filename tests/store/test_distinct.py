"""Sorted lists as one, however much of them is looked at together."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.store import distinct as module
from weft.store.distinct import distinct
from weft.store.mapped import Scratch

SCHEMA = pa.schema({"word": pa.large_string(), "of": pa.int32()})
words = st.text(st.characters(codec="utf-8"), max_size=3)


@given(st.lists(st.sets(words, max_size=9), max_size=9), st.sampled_from([64, 128, 512, 1 << 24]))
def test_every_word_once_as_the_first_list_has_it(lists: list[set[str]], letters: int) -> None:
    with TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "RANGE", letters)
        with Scratch(Path(name), SCHEMA) as every, Scratch(Path(name), SCHEMA) as once:
            starts = np.cumsum([0, *map(len, lists)])
            for k, own in enumerate(lists):
                every.add({"word": sorted(own), "of": [k] * len(own)})
            places = distinct(every, starts, once)
            found = once.table().to_pydict()
    known = sorted(set().union(*lists))
    first = [next(k for k, own in enumerate(lists) if word in own) for word in known]
    assert found == {"word": known, "of": first}
    where = [[known.index(word) for word in sorted(own)] for own in lists]
    assert [ids.tolist() for ids in places] == where
