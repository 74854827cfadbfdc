"""Lines of two numbers: parsed as the general parser does, or left to it."""

import re

from hypothesis import given
from hypothesis import strategies as st

from weft.kernels.number_pairs import parse_number_pairs

SIGNS = st.sampled_from(list("0123 \t,;#x-\n"))
CELLS = {" ": r"[ \t]+", ",": r"[ \t]*,[ \t]*", "\t": r" *\t *"}


def parse_by_pattern(text: str, delimiter: str) -> list[tuple[int, int]] | None:
    blanks = " *" if delimiter == "\t" else r"[ \t]*"
    number = r"(0|[1-9]\d{0,17})"
    row = re.compile(f"{blanks}{number}{CELLS[delimiter]}{number}{blanks}")
    pairs = []
    for line in text.split("\n"):
        if re.fullmatch(rf"{blanks}(#.*)?", line):
            continue
        match = row.fullmatch(line)
        if match is None:
            return None
        pairs.append((int(match[1]), int(match[2])))
    return pairs


def parse(text: str, delimiter: str) -> list[tuple[int, int]] | None:
    ends = parse_number_pairs(text.encode(), delimiter, comments=True)
    return None if ends is None else list(zip(*(end.tolist() for end in ends), strict=True))


@given(st.text(SIGNS, max_size=40), st.sampled_from(list(CELLS)))
def test_any_text_is_parsed_as_by_a_pattern(text: str, delimiter: str) -> None:
    assert parse(text, delimiter) == parse_by_pattern(text, delimiter)


@given(
    st.lists(st.tuples(*[st.integers(0, 10**18 - 1)] * 2)),
    st.sampled_from(list(CELLS)),
    st.sampled_from(["", "\n"]),
)
def test_pairs_come_back(pairs: list[tuple[int, int]], delimiter: str, last_line: str) -> None:
    text = "\n".join(f"{source}{delimiter}{target}" for source, target in pairs)
    assert parse(text + last_line, delimiter) == pairs


def test_other_names_are_left_to_the_general_parser() -> None:
    for row in ("01 2", "1 2 3", "1", "-1 2", "1 +2", "1 x", f"{10**18} 1", "1 1e3", '"1" 2'):
        assert parse(f"0 1\n{row}\n2 3\n", " ") is None, row


def test_comments_count_only_where_the_format_has_them() -> None:
    text = b"# Nodes: 2\n0 1\n"
    assert parse_number_pairs(text, " ", comments=False) is None
    assert parse(text.decode(), " ") == [(0, 1)]
