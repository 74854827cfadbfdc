"""Small files that expand to much: read as a stream, in memory that does not follow their size.

Blocks and batches are cut to a sixteenth, so that bombs of some megabytes show what larger ones
would. Each is read by a process of its own, whose peak of memory is looked at.
"""

import gzip
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.workspace.zygote import Outcome, Zygote

from weft.workspace.workspace import Workspace

pytestmark = pytest.mark.slow
MB = 1 << 20
MAX_GROWTH = 40 * MB
SMALL_BLOCKS = {
    "weft.gather.edges.text_rows.MAX_BLOCK_BYTES": MB,
    "weft.gather.edges.text_rows.MAX_BLOCK_ROWS": 1 << 15,
    "weft.gather.edges.edge_tables.MAX_BATCH_ROWS": 250_000,
    "weft.gather.edges.graph_files.BATCH_DECLARATIONS": 1 << 14,
    "weft.gather.edges.edge_lists.PARQUET_BATCH_ROWS": 1 << 14,
    "weft.workspace.ingest.MIN_SEGMENT_ROWS": 60_000,
}
CSV, PAIRS = b"source,target\na,b\n", b"a b\nc d\n"
MARKET = b"%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n"
GML = b"graph [ directed 1 node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 ] "
XML = b'<graphml><graph edgedefault="directed"><node id="1"/><node id="2"/>'
XML += b'<edge source="1" target="2"/>'


class Bomb(NamedTuple):
    """A file: its head, what it repeats for `size` megabytes, its tail; its links and damage."""

    head: bytes
    filling: bytes
    tail: bytes
    links: int
    damage: str = ""
    size: int = 4


BAD, LONG = "bad rows in an edge list", "graph file tokens longer than 16 MB"
BOMBS = {
    "empty rows": Bomb(CSV, b"\n", b"c,d\n", 2),
    "rows without names": Bomb(CSV, b",\n", b"c,d\n", 2),
    "rows of one cell": Bomb(CSV, b"a\n", b"c,d\n", 2, BAD, 1),
    "a long cell": Bomb(CSV, b"x", b"\nc,d\n", 2, BAD),
    "a row of many cells": Bomb(CSV, b",", b"\nc,d\n", 2, BAD),
    "the same row again and again": Bomb(CSV, b"a,b\n", b"c,d\n", 2),
    "the same anchor again and again": Bomb(
        b"source,target,anchor\na,b,x\n", b"a,b,x\na,b,y\n", b"c,d,\n", 2
    ),
    "comments": Bomb(PAIRS, b"#\n", b"e f\n", 3),
    "the same pair again and again": Bomb(PAIRS, b"a b\n", b"e f\n", 3),
    "a row of many words": Bomb(PAIRS, b"a ", b"\ne f\n", 3, BAD),
    "a matrix": Bomb(MARKET, b"1 2\n", b"2 3\n", 2),
    "a comment in a matrix": Bomb(MARKET, b"%", b"\n2 3\n", 2, BAD),
    "a word in GML": Bomb(GML + b"name ", b"x", b" edge [ source 2 target 1 ] ]", 2, LONG),
    "GML in one line": Bomb(
        GML, b"edge [ source 1 target 2 ] ", b"edge [ source 2 target 1 ] ]", 2, "", 2
    ),
    "text in GraphML": Bomb(XML, b"x", b'<edge source="2" target="1"/></graph></graphml>', 2),
    "a comment in GraphML": Bomb(XML + b"<!--", b"x", b"--></graph></graphml>", 1, LONG),
    "an attribute in GraphML": Bomb(XML + b'<a b="', b"x", b'"/></graph></graphml>', 1, LONG),
    "nested tags": Bomb(XML, b"<a>", b"", 1, "malformed XML files"),
    "nested links": Bomb(XML, b"<edge>", b"", 1, "malformed XML files"),
}


@pytest.fixture(scope="module")
def max_memory(zygote: Zygote, tmp_path_factory: pytest.TempPathFactory) -> int:
    """The peak of adding two links, and what a bomb may take beyond it."""
    folder = tmp_path_factory.mktemp("plain")
    (folder / "links.csv").write_bytes(CSV + b"c,d\n")
    return add(zygote, folder, "links.csv").memory + MAX_GROWTH


def add(zygote: Zygote, folder: Path, name: str) -> Outcome:
    """Add a file in a process of its own."""
    return zygote.run("add", folder / "c.weft", folder / name, constants=SMALL_BLOCKS)


@pytest.mark.parametrize("name", BOMBS)
def test_memory_does_not_follow_what_it_expands_to(
    zygote: Zygote, max_memory: int, tmp_path: Path, name: str
) -> None:
    bomb = BOMBS[name]
    piece = bomb.filling * (MB // len(bomb.filling))
    with gzip.open(tmp_path / "bomb.gz", "wb", compresslevel=1) as file:
        file.writelines([bomb.head, *[piece] * bomb.size, bomb.tail])
    done = add(zygote, tmp_path, "bomb.gz")
    assert done.returncode == (3 if bomb.damage else 0), done.stderr
    assert done.memory < max_memory
    workspace = Workspace(tmp_path / "c.weft")
    assert workspace.graph().link_count == bomb.links
    [entry] = workspace.history
    assert {problem["reason"] for problem in entry["problems"] if problem["damage"]} == (
        {bomb.damage} if bomb.damage else set()
    )


def test_a_long_name_that_a_parquet_file_repeats(
    zygote: Zygote, max_memory: int, tmp_path: Path
) -> None:
    """A hundred thousand times a megabyte, in a file of some kilobytes."""
    rows = pa.array([0] + [1] * 100_000, pa.int32())
    source = pa.DictionaryArray.from_arrays(rows, pa.array(["a", "x" * MB]))
    table = pa.table({"source": source, "target": pa.repeat("b", len(rows))})
    pq.write_table(table, tmp_path / "bomb.parquet", compression="zstd")
    done = add(zygote, tmp_path, "bomb.parquet")
    assert (done.returncode, Workspace(tmp_path / "c.weft").graph().link_count) == (3, 1)
    assert done.memory < max_memory


@pytest.mark.parametrize("compression", ["gzip", "zstd", "lz4"])
def test_every_compression_is_a_stream(
    zygote: Zygote, max_memory: int, tmp_path: Path, compression: str
) -> None:
    with pa.output_stream(str(tmp_path / "bomb"), compression=compression) as file:
        for piece in [CSV, *[b"\n" * MB] * 4, b"c,d\n"]:
            file.write(piece)
    done = add(zygote, tmp_path, "bomb")
    assert (done.returncode, Workspace(tmp_path / "c.weft").graph().link_count) == (0, 2)
    assert done.memory < max_memory
