"""A log as JSON lines, one request each, for what follows its reading."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from weft.gather.formats import Evidence, InputFormat, InputSource
from weft.gather.logs.options import LogInput
from weft.gather.page import REQUEST_SCHEMA, RequestBatch

Row = dict[str, Any]
BATCH_ROWS = 4
DEFAULTS = {"visitor": 1, "session": 0, "time": 0, "referrer": "", "status": 200, "robot": 0}


def request(page: str, time: int = 0, referrer: str = "", **more: Any) -> Row:
    """A request for a page of example.com, from another one or from elsewhere."""
    from_url = referrer if "://" in referrer or not referrer else url(referrer)
    return {**DEFAULTS, "url": url(page), "time": time, "referrer": from_url, **more}


def url(page: str) -> str:
    """The address of a page of example.com."""
    return f"https://example.com/{page}"


def batch(rows: Sequence[Row], input_digest: str = "") -> RequestBatch:
    """Rows as a reader yields them."""
    columns = {name: [row[name] for row in rows] for name in REQUEST_SCHEMA.names}
    plain = pa.table({name: pa.array(values) for name, values in columns.items()})
    return RequestBatch(input_digest, plain.cast(REQUEST_SCHEMA))


def read_rows(path: Path, log: LogInput) -> Iterator[RequestBatch]:
    """Read requests, a few at a time; `robot` ones are dropped, and what is no JSON."""
    rows = []
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        try:
            row = json.loads(line)
        except ValueError:
            log.problems.add("not a request", f"line {number}")
            continue
        if row["robot"] and log.options.robots == "drop":
            log.problems.add("robots", f"line {number}", damage=False)
            continue
        rows.append(row)
    for start in range(0, len(rows), BATCH_ROWS):
        yield batch(rows[start : start + BATCH_ROWS], log.input_digest)


FORMAT = InputFormat("rows", "Rows", Evidence.ANYTHING, lambda _: False, read_rows)


class RowSource(InputSource):
    """An input in this format, which is registered nowhere."""

    @property
    def format(self) -> InputFormat:
        """The format."""
        return FORMAT


def write_log(path: Path, rows: Sequence[Row]) -> RowSource:
    """Write requests to a file; the input."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return RowSource(path, "rows", path.name)
