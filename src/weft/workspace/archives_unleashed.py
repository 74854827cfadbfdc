"""Derivatives of the Archives Unleashed Toolkit, under its names and columns.

A row is a capture or a link of one, as in the toolkit, not a page as it is now.
"""

from collections.abc import Callable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import Flags
from weft.graph.levels import encode_owners
from weft.store.captures import iter_capture_links, iter_captures
from weft.store.collection import Collection, extract_main_content
from weft.store.search import TimeRange

Derivative = Callable[[Collection, Flags | None, TimeRange], pa.RecordBatchReader]
SECONDS, DAYS = "%Y%m%d%H%M%S", "%Y%m%d"
WEB_PAGES = pa.schema(
    {
        name: pa.string()
        for name in (
            "crawl_date",
            "domain",
            "url",
            "mime_type_web_server",
            "mime_type_tika",
            "language",
            "content",
        )
    }
)
WEB_GRAPH = pa.schema({name: pa.string() for name in ("crawl_date", "src", "dest", "anchor")})
PLAIN_TEXT = pa.schema({"content": pa.string()})
DOMAIN_GRAPH = pa.schema(
    {
        "crawl_date": pa.string(),
        "src_domain": pa.string(),
        "dest_domain": pa.string(),
        "count": pa.int64(),
    }
)
DOMAIN_FREQUENCY = pa.schema({"domain": pa.string(), "count": pa.int64()})


def web_pages(collection: Collection, pages: Flags | None, span: TimeRange) -> pa.RecordBatchReader:
    """Every capture with its text; the type that Tika detects is not known, and null."""

    def rows() -> Iterator[pa.Table]:
        columns = ["mime", "language", "text"]
        for captures in _iter_pages(collection, columns, pages, span):
            yield pa.table(
                {
                    "crawl_date": _format_dates(captures["time"], SECONDS),
                    "domain": _domains(captures["url"]),
                    "url": captures["url"],
                    "mime_type_web_server": captures["mime"],
                    "mime_type_tika": pa.nulls(len(captures), pa.string()),
                    "language": captures["language"],
                    "content": captures["text"],
                }
            )

    return read_batches(WEB_PAGES, rows())


def plain_text(
    collection: Collection, pages: Flags | None, span: TimeRange
) -> pa.RecordBatchReader:
    """The main content of every capture, or all text where no main content was found."""

    def rows() -> Iterator[pa.Table]:
        for captures in _iter_pages(collection, ["text", "main"], pages, span):
            yield pa.table({"content": pa.array(main_contents(captures), pa.string())})

    return read_batches(PLAIN_TEXT, rows())


def web_graph(collection: Collection, pages: Flags | None, span: TimeRange) -> pa.RecordBatchReader:
    """Every link of every capture with its anchor text."""

    def rows() -> Iterator[pa.Table]:
        for links in _iter_links(collection, ["anchor"], pages, span):
            yield pa.table(
                {
                    "crawl_date": _format_dates(links["time"], SECONDS),
                    "src": links["source"],
                    "dest": links["target"],
                    "anchor": links["anchor"],
                }
            )

    return read_batches(WEB_GRAPH, rows())


def domain_graph(
    collection: Collection, pages: Flags | None, span: TimeRange
) -> pa.RecordBatchReader:
    """The number of links from domain to domain on each day, most first."""
    keys, counts = DOMAIN_GRAPH.names[:-1], DOMAIN_GRAPH.empty_table()
    for links in _iter_links(collection, [], pages, span):
        rows = pa.table(
            {
                "crawl_date": _format_dates(links["time"], DAYS),
                "src_domain": _domains(links["source"]),
                "dest_domain": _domains(links["target"]),
                "count": pa.array(np.ones(len(links), np.int64)),
            }
        )
        counts = _add_up(pa.concat_tables([counts, rows.cast(DOMAIN_GRAPH)]), keys)
    return _sort_by_count(counts, keys).to_reader()


def domain_frequency(
    collection: Collection, pages: Flags | None, span: TimeRange
) -> pa.RecordBatchReader:
    """The number of captures of each domain, most first."""
    counts = DOMAIN_FREQUENCY.empty_table()
    for captures in _iter_pages(collection, [], pages, span):
        ones = pa.array(np.ones(len(captures), np.int64))
        rows = pa.table({"domain": _domains(captures["url"]), "count": ones})
        counts = _add_up(pa.concat_tables([counts, rows.cast(DOMAIN_FREQUENCY)]), ["domain"])
    return _sort_by_count(counts, ["domain"]).to_reader()


DERIVATIVES: dict[str, Derivative] = {
    "web-pages": web_pages,
    "web-graph": web_graph,
    "domain-graph": domain_graph,
    "domain-frequency": domain_frequency,
    "plain-text": plain_text,
}


def read_batches(schema: pa.Schema, tables: Iterator[pa.Table]) -> pa.RecordBatchReader:
    """A stream of tables as batches of a schema."""
    batches = (batch for table in tables for batch in table.cast(schema).to_batches())
    return pa.RecordBatchReader.from_batches(schema, batches)


def main_contents(captures: pa.Table) -> list[str]:
    """The main content of each capture, or its text where none was found."""
    columns = captures["text"].to_pylist(), captures["main"].to_pylist()
    return [extract_main_content(text, spans or ()) for text, spans in zip(*columns, strict=True)]


def in_time(rows: pa.Table, span: TimeRange) -> pa.Table:
    """The rows whose `time` is in a range."""
    times = rows["time"].to_numpy()
    return rows.filter(pa.array((times >= span.since) & (times < span.until)))


def _iter_pages(
    collection: Collection, columns: list[str], pages: Flags | None, span: TimeRange
) -> Iterator[pa.Table]:
    """The captures that are pages, without redirects and errors."""
    for captures in iter_captures(collection, ["kind", "time", *columns], pages):
        is_page = pc.equal(captures["kind"].cast(pa.string()), "captured")
        yield in_time(captures.filter(is_page), span)


def _iter_links(
    collection: Collection, columns: list[str], pages: Flags | None, span: TimeRange
) -> Iterator[pa.Table]:
    for links in iter_capture_links(collection, columns, pages, live_only=False):
        yield in_time(links, span)


def _format_dates(times: pa.ChunkedArray, pattern: str) -> pa.ChunkedArray:
    """Seconds since 1970 as digits; empty where the time is not known."""
    dates = pc.strftime(times.cast(pa.timestamp("s", "UTC")), pattern)
    return pc.if_else(pc.greater(times, 0), dates, "")


def _domains(urls: pa.ChunkedArray) -> pa.Array:
    codes, names = encode_owners(urls.combine_chunks().cast(pa.large_string()), "domain")
    return pa.array(names, pa.string()).take(pa.array(codes))


def _add_up(rows: pa.Table, keys: list[str]) -> pa.Table:
    total = rows.group_by(keys, use_threads=False).aggregate([("count", "sum")])
    return total.rename_columns([*keys, "count"])


def _sort_by_count(rows: pa.Table, keys: list[str]) -> pa.Table:
    return rows.sort_by([("count", "descending"), *((key, "ascending") for key in keys)])
