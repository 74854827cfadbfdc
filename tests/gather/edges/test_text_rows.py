"""Cells of text in any compression and encoding, with any quotes and line ends."""

import codecs
import csv
import gzip
import io
from collections.abc import Callable

import pyarrow as pa
import pytest
from tests.gather.graphs import BAD, GML, GRAPHML, Write, read, read_detected, read_edges

from weft.gather.edges import edge_tables, text_rows
from weft.gather.page import Problems


def test_csv_quotes(write: Write) -> None:
    graph = read_detected(
        write(b'source,target,anchor\n"a,1","b ""2""","two\nlines"\nc,d,5" disk\n')
    )
    assert graph.links == [("a,1", 'b "2"', 1, "two\nlines"), ("c", "d", 1, '5" disk')]


def test_a_stray_quote_does_not_swallow_what_follows(write: Write) -> None:
    rows = b"".join(b"s%d,t%d\n" % (k, k) for k in range(1000))
    odd = read(write(b'source,target\n"x,y\n' + rows), "csv")
    assert odd.pairs == [('"x', "y"), *((f"s{k}", f"t{k}") for k in range(1000))]
    even = read(write(b'source,target\n"x,y\n' + rows + b'"z,w\n'), "csv")
    assert even.pairs == [*odd.pairs, ('"z', "w")]
    few = read(write(b'source,note,target\na,"x,b\nc,y,d\ne,z,"f\n'), "csv")
    assert few.pairs == [("a", "b"), ("c", "d"), ("e", '"f')]


@pytest.mark.parametrize(
    "recode",
    [
        lambda text: codecs.BOM_UTF8 + text,
        lambda text: text.replace(b"\n", b"\r\n"),
        lambda text: text.replace(b"\n", b"\r"),
        lambda text: text.decode().encode("utf-16"),
        lambda text: text.decode().encode("latin-1"),
        lambda text: text.rstrip(b"\n"),
        lambda text: b"# by hand\n\n" + text,
    ],
    ids=["bom", "crlf", "cr", "utf-16", "latin-1", "no last line end", "comment"],
)
def test_encodings_and_line_ends(write: Write, recode: Callable[[bytes], bytes]) -> None:
    text = "source;target;weight\ncaf\u00e9;b;2\nc;\u00fc;1\n".encode()
    graph = read_detected(write(recode(text)))
    assert graph.links == [("caf\u00e9", "b", 2, ""), ("c", "\u00fc", 1, "")]
    assert graph.problems.counts == {}


@pytest.mark.parametrize("compression", ["gzip", "zstd"])
@pytest.mark.parametrize(
    ("kind", "text"),
    [("csv", b"source,target\na,b\n"), ("snap", b"a b\n"), ("gml", GML), ("graphml", GRAPHML)],
)
def test_compressed(write: Write, compression: str, kind: str, text: bytes) -> None:
    packed = pa.compress(text, compression, asbytes=True)
    if compression == "gzip":
        packed = gzip.compress(text[:9]) + gzip.compress(text[9:])
    plain = read(write(text), kind).links
    assert read(write(packed), kind).links == plain != []


@pytest.mark.slow
def test_truncated_compression_is_reported_and_drops_its_last_line(write: Write) -> None:
    text = b"".join(b"%d %d\n" % (k, k * k) for k in range(200_000))
    packed = gzip.compress(text)
    graph = read(write(packed[: len(packed) // 2]), "snap")
    assert 50_000 < len(graph.links) < 150_000
    assert graph.pairs == [(str(k), str(k * k)) for k in range(len(graph.links))]
    assert graph.problems.counts == {"truncated compressed files": 1}


def test_block_and_batch_sizes_do_not_change_the_links(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [(f"s{k}", f"t, {k}", f'"{k}"\n') for k in range(500)]
    sheet = io.StringIO()
    csv.writer(sheet).writerows([("source", "target", "anchor"), *rows])
    path = write(sheet.getvalue().encode() + b"bad\n")
    monkeypatch.setattr(text_rows, "READ_BYTES", 64)
    monkeypatch.setattr(text_rows, "MAX_BLOCK_BYTES", 300)
    monkeypatch.setattr(edge_tables, "MAX_BATCH_ROWS", 3)
    parts = list(read_edges(path, "csv", "digest", Problems()))
    assert max(len(part.links) for part in parts) == 3
    graph = read(path, "csv")
    assert graph.links == [(source, target, 1, anchor) for source, target, anchor in rows]
    assert graph.problems.counts == {BAD: 1}


def test_a_line_longer_than_a_block_is_a_bad_row(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_rows, "READ_BYTES", 64)
    monkeypatch.setattr(text_rows, "MAX_BLOCK_BYTES", 256)
    path = write(b"a b\nc d\n" + b"x" * 5000 + b" y\ne f\n")
    graph = read(path, "snap")
    assert graph.pairs == [("a", "b"), ("c", "d"), ("e", "f")]
    assert graph.problems.locations == {BAD: [f"{path}:3"]}
