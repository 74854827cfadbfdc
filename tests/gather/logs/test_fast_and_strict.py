"""The compiled reader and the strict one agree on every line, clean or dirty; both are linear."""

import string
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.gather.logs.log_lines import combined

from weft.gather.logs.access_logs import known_formats, read_rows
from weft.gather.logs.blocks import LineBlock
from weft.gather.logs.line_format import COMBINED, LineFormat, parse_log_format
from weft.gather.logs.options import LogInput, LogOptions
from weft.gather.logs.rows import LogRows, RowParser
from weft.gather.logs.w3c import fields_format
from weft.gather.page import Problems

IIS = fields_format(b"#Fields: date time c-ip cs-method cs-uri-stem cs-uri-query sc-status")
CLOUDFRONT = fields_format(b"#Fields: date\ttime\tc-ip\tcs-uri-stem\tsc-status\tcs(User-Agent)")
NGINX = '$time_iso8601 $remote_addr "$request" $status ${msec} "$http_user_agent"'
FORMATS = [*known_formats(), parse_log_format(NGINX), *filter(None, (IIS, CLOUDFRONT))]

words = st.text(alphabet=string.printable + "é\0\udcff", max_size=12)
requests = st.one_of(
    st.builds("GET /{} HTTP/1.1".format, words),
    st.builds("{} {}".format, words, words),
    words,
)
digits = st.integers(0, 99).map("{:02}".format)
years = st.sampled_from(["1900", "1970", "2000", "2024", "2099", "0000", "9999", "20x4"])
zones = st.sampled_from(["+0000", "-0730", "+1400", "+2400", "0000", "+00:00", ""])
months = st.sampled_from(["Jan", "Feb", "Dec", "feb", "Mai", "02", "12", "13", "00"])
times = st.one_of(
    st.builds("{}/{}/{}:{}:{}:{} {}".format, digits, months, years, digits, digits, digits, zones),
    st.builds("{}-{}-{}T{}:{}:{}{}".format, years, months, digits, digits, digits, digits, zones),
    st.builds("{}-{}-{}".format, years, months, digits),
    st.builds("{}:{}:{}".format, digits, digits, digits),
    st.sampled_from(
        ["0", "971211336.123", "1.", "1e9", "99999999999", "999999999999", "2000-02-29"]
    ),
)
values = st.one_of(requests, words, times, st.sampled_from(["-", "200", "99", "1000", "404", "12"]))
AS_IT_SHOULD_BE = {
    "common_time": st.sampled_from(["29/Feb/2024:10:00:00 +0200", "01/Jan/1900:00:00:00 -0100"]),
    "iso_time": st.sampled_from(["2024-02-29T10:00:00+02:00", "1900-01-01T00:00:00Z"]),
    "date": st.sampled_from(["2024-02-29", "1900-01-01", "2099-12-31"]),
    "clock": st.sampled_from(["00:00:00", "23:59:59"]),
    "unix_time": st.sampled_from(["0", "1709193600.5"]),
    "status": st.sampled_from(["200", "304", "404"]),
    "size": st.sampled_from(["-", "0", "123456789012345678901234567890"]),
    "address": st.sampled_from(["192.0.2.1", "2001:db8::1", "host.example"]),
    "host": st.sampled_from(["a.example", "a.example:443", "[::1]:80"]),
    "request": requests,
    "target": st.sampled_from(["/", "/a?b", "/a/b.html"]),
}


def lines_of(line_format: LineFormat) -> st.SearchStrategy[bytes]:
    """Lines of a format, mostly with fields as they should be, now and then spoiled."""

    def join(cells: list[str]) -> bytes:
        parts = [line_format.literals[0]]
        for cell, literal in zip(cells, line_format.literals[1:], strict=True):
            parts += [cell.encode("utf-8", "surrogateescape"), literal]
        return b"".join(parts)

    cells = [
        st.one_of(AS_IT_SHOULD_BE.get(field.role, words), values)
        if field.role not in AS_IT_SHOULD_BE
        else st.one_of(*[AS_IT_SHOULD_BE[field.role]] * 9, values)
        for field in line_format.fields
    ]
    return st.tuples(*cells).map(list).map(join)


def column_texts(rows: LogRows) -> list[dict[str, Any]]:
    """Rows as values, whatever the numbers of the values."""
    return [
        {
            "time": int(rows.times[k]),
            "status": int(rows.statuses[k]),
            **{role: c.values[c.codes[k]] for role, c in rows.columns.items()},
        }
        for k in range(len(rows))
    ]


def parse(line_format: LineFormat, data: bytes, *, fast: bool, keep_queries: bool) -> Any:
    problems = Problems()
    parser = RowParser(
        lambda line: line_format.parse(line, keep_queries=keep_queries),
        line_format if fast else None,
        keep_queries,
        "log",
        problems,
    )
    rows = parser.parse(LineBlock(data, data.count(b"\n"), 1))
    texts = column_texts(rows)
    # A column without any value is absent where no line was parsed by the strict reader.
    return [{k: v for k, v in row.items() if v != b""} for row in texts], problems


@pytest.mark.parametrize("line_format", FORMATS, ids=range(len(FORMATS)))
@settings(max_examples=50)
@given(st.data(), st.booleans())
def test_both_readers_give_the_same_rows(
    line_format: LineFormat,
    data: st.DataObject,
    keep_queries: bool,  # noqa: FBT001
) -> None:
    dirty = words.map(lambda text: text.encode("utf-8", "surrogateescape"))
    lines = data.draw(st.lists(st.one_of(lines_of(line_format), dirty), max_size=8))
    text = b"".join(line.replace(b"\n", b"") + b"\n" for line in lines)
    fast, fast_problems = parse(line_format, text, fast=True, keep_queries=keep_queries)
    strict, problems = parse(line_format, text, fast=False, keep_queries=keep_queries)
    assert fast == strict
    assert fast_problems == problems
    filled = sum(1 for line in text.split(b"\n") if line.strip())
    assert len(fast) + sum(problems.counts.values()) == filled


def test_most_generated_lines_are_parsed() -> None:
    """So the property above is about rows, not only about rejected lines."""
    line = combined("/a?b").encode()
    for known in FORMATS[6:7]:
        rows, problems = parse(known, line + b"\n", fast=True, keep_queries=False)
        assert [row["request"] for row in rows] == [b"GET /a"]
        assert not problems.counts


@given(st.lists(st.binary(max_size=40), max_size=20))
@example([b'1.2.3.4 - - [29/Feb/2024:10:00:00 +0200] "GET / HTTP/1.1" 200 1 "-" "\\'])
@example([b"\\", b'"', b"[", b'] "', b'\\"', b" \t\x0b\x0c\r "])
def test_no_bytes_break_the_compiled_reader(lines: list[bytes]) -> None:
    text = b"".join(line.replace(b"\n", b" ") + b"\n" for line in lines)
    combined_format = parse_log_format(COMBINED)
    fast = parse(combined_format, text, fast=True, keep_queries=False)
    assert fast == parse(combined_format, text, fast=False, keep_queries=False)


def fast_parser() -> RowParser:
    combined_format = parse_log_format(COMBINED)
    return RowParser(
        lambda _: None, combined_format, keep_queries=False, display_name="log", problems=Problems()
    )


@given(st.lists(st.text(alphabet="ab", max_size=20), min_size=1, max_size=3000))
def test_distinct_values_are_numbered_once(agents: list[str]) -> None:
    """Values of a column and their rows give back the text."""
    text = "".join(f"{combined(agent=agent)}\n" for agent in agents).encode()
    parser = fast_parser()
    column = parser.parse(LineBlock(text, len(agents), 1)).column("agent")
    assert [column.values[code].decode() for code in column.codes] == agents
    assert len(set(column.values)) == len(column.values)


def test_ten_thousand_distinct_values() -> None:
    """The table of values grows several times."""
    agents = [f"agent {k * k}" for k in range(20_000)] * 2
    text = "".join(f"{combined(agent=agent)}\n" for agent in agents).encode()
    parser = fast_parser()
    column = parser.parse(LineBlock(text, len(agents), 1)).column("agent")
    assert [column.values[code].decode() for code in column.codes] == agents
    assert len(column.values) == 20_000


def hostile_lines() -> dict[str, str]:
    """The repeated part of lines that are long, and at the edge of a format."""
    start = '192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] "GET /'
    end = ' HTTP/1.1" 200 1 "-" "x"'
    return {
        "a long URL": f"{start}%s{end}",
        "quotes in the request": f"{start}%s".replace("%s", '" %s') + end,
        "an open quote": start + "%s",
        "a long agent": combined(agent="%s"),
        "nothing": "%s",
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit", ["x", '" ', '" 200 ', '" "', "\\", "[", " ", "\0", "%", "/../", "?"]
)
@pytest.mark.parametrize("form", hostile_lines().values(), ids=list(hostile_lines()))
def test_long_lines_take_linear_time(tmp_path: Path, form: str, unit: str) -> None:
    """Sixteen times the length may take sixty times as long; quadratic time would be 256 times."""

    def seconds(length: int) -> float:
        line = form.replace("%s", unit * (length // len(unit)))
        text = f"{line}\n{combined()}\n{combined()}\n"
        path = tmp_path / "log"
        path.write_text(text)
        log = LogInput("log", "https://example.com/", "", LogOptions(), Problems())
        start = time.process_time()
        assert sum(len(rows) for rows in read_rows(path, log)) >= 2
        return time.process_time() - start

    seconds(1000)
    short = seconds(1 << 16)
    if short > 0.005:
        assert seconds(1 << 20) < 60 * short
