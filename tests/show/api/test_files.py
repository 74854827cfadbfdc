"""Files to keep: cells that a spreadsheet shows and does not run."""

import csv
from pathlib import Path

import pyarrow as pa
import pytest

from weft.graph.webgraph import WebGraph
from weft.show.api.files import MEDIA, graph_file, table_file

TABLE = pa.table({"title": ["=1+1", "+x", "@y", "fine"], "score": [1.0, 2.0, 3.0, 4.0]})


@pytest.mark.parametrize(("ending", "sign"), [("csv", ","), ("tsv", "\t")])
def test_formulas_are_neutralised(tmp_path: Path, ending: str, sign: str) -> None:
    file = table_file(TABLE, tmp_path / f"x.{ending}", "rows")
    assert (file.name, file.media) == (f"rows.{ending}", MEDIA[ending])
    with file.path.open() as lines:
        rows = list(csv.DictReader(lines, delimiter=sign))
    assert [row["title"] for row in rows] == ["'=1+1", "'+x", "'@y", "fine"]


def test_names_in_a_graph_are_escaped(tmp_path: Path) -> None:
    graph = WebGraph.from_links([('<a href="x">&\x00', "b")])
    file = graph_file(graph, tmp_path / "x.gexf", "map")
    assert '<a href="x">' not in file.path.read_text()
    assert file.media == "application/gexf+xml"
