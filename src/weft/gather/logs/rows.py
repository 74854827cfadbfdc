"""The rows of a block of lines, with each distinct value once."""

import re
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from weft.core.arrays import Flags, Ids, Offsets
from weft.gather.logs.blocks import LineBlock
from weft.gather.logs.line_format import LineFormat, ParsedLine
from weft.gather.page import Problems
from weft.kernels.log_fields import BLANK, PADDING_BYTES, PARSED, REJECTED

MAX_SAMPLE_CHARS = 80
REJECTED_LINES = "log lines that are not requests"
LETTERS_AND_DIGITS = re.compile(rb"[^\W\d_]|[\x80-\xff]"), re.compile(rb"\d")

LineParser = Callable[[bytes], ParsedLine | None]


@dataclass(frozen=True, slots=True, eq=False)
class TextColumn:
    """A column of texts: row k has the value `values[codes[k]]`."""

    codes: Ids
    values: Sequence[bytes]


@dataclass(frozen=True, slots=True, eq=False)
class LogRows:
    """Requests of a log in the order of their lines; `columns` are the texts by role."""

    columns: dict[str, TextColumn]
    times: Offsets
    statuses: Ids

    def __len__(self) -> int:
        return len(self.times)

    def column(self, role: str) -> TextColumn:
        """The texts of a role; empty texts if the log has no such field."""
        return self.columns.get(role) or TextColumn(np.zeros(len(self), np.int32), [b""])

    def map_values(self, change: Callable[[str, bytes], bytes]) -> "LogRows":
        """The same rows with every distinct value changed."""
        columns = {
            role: TextColumn(column.codes, [change(role, value) for value in column.values])
            for role, column in self.columns.items()
        }
        return LogRows(columns, self.times, self.statuses)

    def join(self, left: str, separator: bytes, right: str, role: str) -> "LogRows":
        """The same rows with two columns joined into one of another role."""
        a, b = self.column(left).values, self.column(right).values
        codes, pairs = self.combine(left, right)
        joined = TextColumn(codes, [a[x] + separator + b[y] for x, y in pairs])
        others = {k: c for k, c in self.columns.items() if k not in (left, right)}
        return LogRows({**others, role: joined}, self.times, self.statuses)

    def combine(self, left: str, right: str) -> "PairColumn":
        """The pairs of values in two columns."""
        return combine_columns(self.column(left), self.column(right))


class PairColumn(NamedTuple):
    """Pairs of values: row k has pair `codes[k]`, whose values have the numbers in `pairs`."""

    codes: Ids
    pairs: list[tuple[int, int]]


def combine_columns(left: TextColumn, right: TextColumn) -> PairColumn:
    """The distinct pairs of the values of two columns."""
    from weft.kernels.log_lines import number_pairs  # noqa: PLC0415  loads the compiler

    codes, firsts = number_pairs(left.codes, right.codes)
    pairs = zip(left.codes[firsts].tolist(), right.codes[firsts].tolist(), strict=True)
    return PairColumn(codes, list(pairs))


@dataclass(frozen=True, slots=True)
class RowParser:
    """Parses blocks of lines: `line_format` whole blocks, `parse_line` what that rejects."""

    parse_line: LineParser
    line_format: LineFormat | None
    keep_queries: bool
    display_name: str
    problems: Problems
    seed: int = secrets.randbits(64)

    def parse(self, block: LineBlock) -> LogRows:
        """The requests of a block; lines that are none are counted as damage."""
        builder = self._parse_fast(block) if self.line_format else _start_rows(block)
        rejected = np.flatnonzero(builder.states == REJECTED)
        for line in rejected.tolist():
            text = block.data[builder.line_starts[line] : builder.line_ends[line]]
            if parsed := self.parse_line(text):
                builder.set_line(line, parsed)
            else:
                sample = f"{self.display_name}:{block.first_line + line}: {mask_text(text)}"
                self.problems.add(REJECTED_LINES, sample)
        return builder.rows(builder.states == PARSED)

    def _parse_fast(self, block: LineBlock) -> "RowsBuilder":
        from weft.kernels.log_lines import split_lines  # noqa: PLC0415  loads the compiler

        assert self.line_format is not None
        padded = np.frombuffer(block.data + bytes(PADDING_BYTES), np.uint8)
        plan = self.line_format.plan(keep_queries=self.keep_queries)
        split = split_lines(padded, plan, block.lines, self.seed)
        codes, values = {}, {}
        for c, role in enumerate(self.line_format.text_roles):
            n = int(split.distinct[c])
            places = zip(split.starts[c, :n].tolist(), split.ends[c, :n].tolist(), strict=True)
            codes[role] = split.codes[c]
            values[role] = [block.data[start:end] for start, end in places]
        return RowsBuilder(
            split.states, split.line_starts, split.line_ends, split.times, split.statuses,
            codes, values, {},
        )  # fmt: skip


def _start_rows(block: LineBlock) -> "RowsBuilder":
    """The places of lines, none of them parsed."""
    starts, ends, states = [], [], []
    for start, line in _line_places(block.data):
        text = line.rstrip()
        starts.append(start)
        ends.append(start + len(text))
        states.append(REJECTED if text else BLANK)
    return RowsBuilder(
        np.array(states, np.uint8),
        np.array(starts, np.int32),
        np.array(ends, np.int32),
        np.zeros(block.lines, np.int64),
        np.zeros(block.lines, np.int16),
        {},
        {},
        {},
    )


def _line_places(data: bytes) -> Iterator[tuple[int, bytes]]:
    start = 0
    for line in data.split(b"\n")[:-1]:
        yield start, line
        start += len(line) + 1


@dataclass(frozen=True, slots=True, eq=False)
class RowsBuilder:
    """What is known of the lines of a block; lines can be added one by one."""

    states: Ids
    line_starts: Ids
    line_ends: Ids
    times: Offsets
    statuses: Ids
    codes: dict[str, Ids]
    values: dict[str, list[bytes]]
    numbers: dict[str, dict[bytes, int]]

    def set_line(self, line: int, parsed: ParsedLine) -> None:
        """Fill in a line; values that are new get the next numbers."""
        for role in parsed.texts.keys() | self.codes.keys():
            if role not in self.codes:
                self.codes[role] = np.zeros(len(self.states), np.int32)
                self.values[role] = [b""]
            if role not in self.numbers:
                self.numbers[role] = {value: k for k, value in enumerate(self.values[role])}
            value, numbers = parsed.texts.get(role, b""), self.numbers[role]
            if value not in numbers:
                numbers[value] = len(numbers)
                self.values[role].append(value)
            self.codes[role][line] = numbers[value]
        self.times[line], self.statuses[line] = parsed.time, parsed.status
        self.states[line] = PARSED

    def rows(self, kept: Flags) -> LogRows:
        """The lines that were parsed."""
        columns = {
            role: TextColumn(codes[kept], self.values[role]) for role, codes in self.codes.items()
        }
        return LogRows(columns, self.times[kept], self.statuses[kept])


def mask_text(line: bytes) -> str:
    """The form of a line without what it says: letters as x, digits as 9.

    Examples
    --------
    >>> mask_text(b'10.0.0.1 - "GET /?q=secret')
    '99.9.9.9 - "xxx /?x=xxxxxx'
    """
    masked = line[:MAX_SAMPLE_CHARS]
    for pattern, mask in zip(LETTERS_AND_DIGITS, (b"x", b"9"), strict=True):
        masked = pattern.sub(mask, masked)
    return masked.decode("ascii", "replace")
