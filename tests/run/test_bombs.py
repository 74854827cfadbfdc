"""Small files that expand to much: read as a stream, in memory that does not follow their size.

Each is read by a process of its own, whose peak of memory is looked at.
"""

import gzip
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from weft.run.workspace import Workspace

MB = 1 << 20
MOST = 400 * MB
ADD = """
import sys
from pathlib import Path
from weft.run import ingest
from weft.show.cli import main
ingest.WORTH_SEGMENT = 1_000_000
sys.argv = ["weft", "add", *sys.argv[1:]]
try:
    main()
finally:
    print(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0])
"""
CSV, PAIRS = b"source,target\na,b\n", b"a b\nc d\n"
MARKET = b"%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n"
GML = b"graph [ directed 1 node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 ] "
XML = b'<graphml><graph edgedefault="directed"><node id="1"/><node id="2"/>'
XML += b'<edge source="1" target="2"/>'
CALIFORNIA = b"n 1 http://a/\nn 2 http://b/\ne 1 2\n"


class Bomb(NamedTuple):
    """A file: how it begins, what it repeats up to so many megabytes, how it ends; what is told."""

    head: bytes
    filling: bytes
    tail: bytes
    links: int
    told: str = ""
    size: int = 24


BAD, LONG = "bad rows in an edge list", "words of a graph file longer than 16 MB"
BOMBS = {
    "empty rows": Bomb(CSV, b"\n", b"c,d\n", 2),
    "rows without names": Bomb(CSV, b",\n", b"c,d\n", 2),
    "rows of one cell": Bomb(CSV, b"a\n", b"c,d\n", 2, BAD, 2),
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
        GML, b"edge [ source 1 target 2 ] ", b"edge [ source 2 target 1 ] ]", 2, "", 17
    ),
    "text in GraphML": Bomb(XML, b"x", b'<edge source="2" target="1"/></graph></graphml>', 2),
    "a comment in GraphML": Bomb(XML + b"<!--", b"x", b"--></graph></graphml>", 1, LONG),
    "an attribute in GraphML": Bomb(XML + b'<a b="', b"x", b'"/></graph></graphml>', 1, LONG),
    "nested tags": Bomb(XML, b"<a>", b"", 1, "XML files that are broken"),
    "nested links": Bomb(XML, b"<edge>", b"", 1, "XML files that are broken"),
    "links to no page": Bomb(CALIFORNIA, b"e 1 9\n", b"e 2 1\n", 2, BAD, 8),
}


def peak(arguments: Iterable[object]) -> tuple[int, int]:
    """How an `add` in a process of its own ends, and the most memory it had, in bytes.

    It says so itself: what a parent is told of it begins with the parent's own memory.
    """
    line = [sys.executable, "-c", ADD, *map(str, arguments)]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    return done.returncode, int(done.stdout.split()[-1]) * 1024


@pytest.mark.parametrize("name", BOMBS)
def test_memory_does_not_follow_what_it_expands_to(tmp_path: Path, name: str) -> None:
    bomb = BOMBS[name]
    piece = bomb.filling * (MB // len(bomb.filling))
    with gzip.open(tmp_path / "bomb.gz", "wb", compresslevel=1) as file:
        file.writelines([bomb.head, *[piece] * bomb.size, bomb.tail])
    code, memory = peak([tmp_path / "c.weft", tmp_path / "bomb.gz"])
    assert code == (3 if bomb.told else 0)
    assert memory < MOST
    workspace = Workspace(tmp_path / "c.weft")
    assert workspace.graph().link_count == bomb.links
    [note] = workspace.collection.manifest.adds
    assert {problem["reason"] for problem in note["problems"] if problem["damage"]} == (
        {bomb.told} if bomb.told else set()
    )


def test_a_long_name_that_a_parquet_file_repeats(tmp_path: Path) -> None:
    rows = pa.array([0] + [1] * 300_000, pa.int32())
    source = pa.DictionaryArray.from_arrays(rows, pa.array(["a", "x" * MB]))
    table = pa.table({"source": source, "target": pa.repeat("b", len(rows))})
    pq.write_table(table, tmp_path / "bomb.parquet", compression="zstd")
    code, memory = peak([tmp_path / "c.weft", tmp_path / "bomb.parquet"])
    assert (code, Workspace(tmp_path / "c.weft").graph().link_count) == (3, 1)
    assert memory < MOST


@pytest.mark.parametrize("compression", ["gzip", "zstd", "lz4"])
def test_every_compression_is_a_stream(tmp_path: Path, compression: str) -> None:
    with pa.output_stream(str(tmp_path / "bomb"), compression=compression) as file:
        for piece in [CSV, *[b"\n" * MB] * 24, b"c,d\n"]:
            file.write(piece)
    code, memory = peak([tmp_path / "c.weft", tmp_path / "bomb"])
    assert (code, Workspace(tmp_path / "c.weft").graph().link_count) == (0, 2)
    assert memory < MOST
