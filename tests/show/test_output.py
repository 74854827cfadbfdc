"""What is printed cannot command a terminal or a spreadsheet."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from weft.show.cli.output import CONTROL, plain


@given(st.text())
def test_plain_text_has_no_controls(words: str) -> None:
    shown = plain(words)
    assert not CONTROL.search(shown)
    assert "\n" not in shown


def test_values_as_people_read_them() -> None:
    assert plain(0.123456) == "0.1235"
    assert plain(None) == ""
    assert plain(datetime(2004, 5, 31, 12, 30, tzinfo=UTC)) == "2004-05-31 12:30"
    assert plain(datetime(1970, 1, 1, tzinfo=UTC)) == ""
