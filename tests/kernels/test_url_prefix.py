"""URL prefixes, against a regular expression."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.kernels.url_prefix import find_prefix_changes

SCHEME = "(?:https?|ftp|file)://"
HEADS = {False: re.compile(f"{SCHEME}[^/?#]+"), True: re.compile(f"{SCHEME}[^/]+(?:/[^/]*)?")}
names = st.from_regex(
    r"((https?|ftp|file|gopher|HTTP)(://|:/)[a-cé]{0,2})?([/?#][a~]{0,2}){0,3}", fullmatch=True
)


@pytest.mark.parametrize("include_folder", [False, True])
@given(st.lists(names, max_size=8))
def test_prefixes_are_those_of_a_regular_expression(
    include_folder: bool,  # noqa: FBT001
    given_: list[str],
) -> None:
    spelled = [name.encode() for name in given_]
    starts = np.cumsum([0, *map(len, spelled)])
    letters = np.frombuffer(b"".join(spelled), np.uint8)
    fresh, ends = find_prefix_changes(starts, letters, include_folder)
    found = [
        letters[begin:end].tobytes().decode() for begin, end in zip(starts, ends, strict=False)
    ]
    matched = [HEADS[include_folder].match(name) for name in given_]
    wanted = [match[0] if match else name for match, name in zip(matched, given_, strict=True)]
    assert found == wanted
    assert fresh.tolist() == [k == 0 or head != wanted[k - 1] for k, head in enumerate(wanted)]
