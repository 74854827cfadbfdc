"""Files for spreadsheets and other programs, with formulas neutralised."""

import csv
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from weft.graph.webgraph import WebGraph
from weft.server.downloads import MEDIA_TYPES, graph_download, table_download

TABLE = pa.table({"title": ["=1+1", "+x", "@y", "fine"], "score": [1.0, 2.0, 3.0, 4.0]})


@pytest.mark.parametrize(("suffix", "delimiter"), [("csv", ","), ("tsv", "\t")])
def test_formulas_are_neutralised(tmp_path: Path, suffix: str, delimiter: str) -> None:
    file = table_download(TABLE, tmp_path / f"x.{suffix}", "rows")
    assert (file.name, file.media_type) == (f"rows.{suffix}", MEDIA_TYPES[suffix])
    with file.path.open() as lines:
        rows = list(csv.DictReader(lines, delimiter=delimiter))
    assert [row["title"] for row in rows] == ["'=1+1", "'+x", "'@y", "fine"]


def test_lists_and_headings_are_neutralised_too(tmp_path: Path) -> None:
    paths = pa.array([["=a", "b"], ["c"]])
    kinds = pa.array(["=1", "fine"]).dictionary_encode()
    table = pa.table({"path": paths, "=cmd": kinds, "many": pa.array([[1, 2], [3]])})
    file = table_download(table, tmp_path / "x.csv", "rows")
    assert file.path.read_text() == "\n".join(
        ['"path","\'=cmd","many"', '"\'=a b","\'=1","1 2"', '"c","fine","3"', ""]
    )
    kept = table_download(table, tmp_path / "x.parquet", "rows")
    assert pq.read_table(kept.path).equals(table)


def test_names_in_a_graph_are_escaped(tmp_path: Path) -> None:
    graph = WebGraph.from_links([('<a href="x">&\x00', "b")])
    file = graph_download(graph, tmp_path / "x.gexf", "map")
    assert '<a href="x">' not in file.path.read_text()
    assert file.media_type == "application/gexf+xml"
