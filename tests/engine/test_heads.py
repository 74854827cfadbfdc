"""Beginnings of names, against an expression."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.engine.heads import heads

SCHEME = "(?:https?|ftp|file)://"
HEADS = {False: re.compile(f"{SCHEME}[^/?#]+"), True: re.compile(f"{SCHEME}[^/]+(?:/[^/]*)?")}
names = st.from_regex(
    r"((https?|ftp|file|gopher|HTTP)(://|:/)[a-cé]{0,2})?([/?#][a~]{0,2}){0,3}", fullmatch=True
)


@pytest.mark.parametrize("folders", [False, True])
@given(st.lists(names, max_size=8))
def test_they_are_those_of_an_expression(folders: bool, given_: list[str]) -> None:  # noqa: FBT001
    spelled = [name.encode() for name in given_]
    starts = np.cumsum([0, *map(len, spelled)])
    letters = np.frombuffer(b"".join(spelled), np.uint8)
    fresh, ends = heads(starts, letters, folders)
    found = [
        letters[begin:end].tobytes().decode() for begin, end in zip(starts, ends, strict=False)
    ]
    matched = [HEADS[folders].match(name) for name in given_]
    wanted = [match[0] if match else name for match, name in zip(matched, given_, strict=True)]
    assert found == wanted
    assert fresh.tolist() == [k == 0 or head != wanted[k - 1] for k, head in enumerate(wanted)]
