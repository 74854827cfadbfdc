"""What `log_lines` is asked and what it answers, without loading the compiler."""

from enum import IntEnum
from typing import Any, NamedTuple

from weft.core.arrays import Ids

PADDING_BYTES = 8  # a word may be read at the last byte of a block
REJECTED, PARSED, BLANK = 0, 1, 2
# What a request was, and what is counted for each visitor.
IS_PAGE, IS_ASSET, WITHOUT_REFERRER, ASKS_FOR_RULES = 1, 2, 4, 8
REQUESTS, ASSETS, UNREFERRED, RUN_PAGES, LONGEST_RUN, RULES = range(6)
VISITOR_COUNTS = 6


class Extent(IntEnum):
    """Where a field ends."""

    BARE = 0  # before white space, or the first byte of the next literal
    QUOTED = 1  # before a quote without a backslash
    BRACKETED = 2  # before a closing bracket
    TABBED = 3  # before a tab
    REST = 4  # at the end of the line
    SEPARATED = 5  # before the first byte of the next literal; for the strict reader only


class Content(IntEnum):
    """What a field contains, and thereby how it is checked."""

    IGNORED = 0
    TEXT = 1
    URL = 2  # text up to its query string
    STATUS = 3
    SIZE = 4
    COMMON_TIME = 5  # 10/Oct/2000:13:55:36 -0700
    ISO_TIME = 6  # 2000-10-10T13:55:36+02:00
    DATE = 7  # 2000-10-10, beside a clock
    CLOCK = 8  # 13:55:36
    UNIX_TIME = 9  # 971211336.123


class FieldPlan(NamedTuple):
    """The form of a line; `literals[literal_ends[k - 1]:literal_ends[k]]` comes before field k.

    The last literal ends the line. `columns` numbers the fields with text.
    """

    literals: Any
    literal_ends: Ids
    extents: Any
    contents: Any
    columns: Ids
