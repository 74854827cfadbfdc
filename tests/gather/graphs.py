"""Graphs as lists of nodes and links, and two files that many tests read."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, NamedTuple

import pyarrow as pa

from weft.core.arrays import Ids, Offsets
from weft.core.errors import UnknownName
from weft.gather.formats import InputHead, detect_format, input_formats
from weft.gather.page import GraphBatch, NodeScores, NumberedLinks, Problems

BAD = "bad rows in an edge list"
Link = tuple[str, str, float, str]
Write = Callable[[bytes], Path]
GML = b"""Creator "me [and] you"
# graph [ node [ id 9 ] ]
graph [
  directed 1
  edge [ source 1 target 2 value 2.5 ]
  node [ id 1 label "a &amp; b" graphics [ x 1 label "no" ] ]
  node [ id 2 ] node [ id 3 label "a?x=1&copy=2" ]
  edge [ source 2 target 3 ]
  edge [ source 2 target 4 ]
]
"""
GRAPHML = b"""<?xml version="1.0" encoding="latin-1"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="d0" for="node" attr.name="label"/><key id="d1" for="edge" attr.name="weight"/>
<key id="d2" for="node" attr.name="url"/>
<graph edgedefault="directed">
<node id="n0"><data key="d0">Caf\xe9 &amp; bar</data></node>
<node id="n1"><data key="d2">http://x/</data><data key="d0">X</data></node>
<node id="n2"/>
<edge source="n0" target="n1"><data key="d1">3</data></edge>
<edge source="n1" target="n2" directed="false"/>
<edge source="n1" target="n9"/>
</graph></graphml>"""


class Graph(NamedTuple):
    """All batches of a graph together."""

    nodes: list[tuple[str, str]]
    links: list[Link]
    problems: Problems

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The links without weight and anchor."""
        return [(source, target) for source, target, _, _ in self.links]


def join_batches(batches: Iterable[GraphBatch], problems: Problems) -> Graph:
    """Join the batches of a graph; each must have the right columns."""
    nodes, links = [], []
    for batch in batches:
        assert not isinstance(batch, NodeScores)
        if isinstance(batch, NumberedLinks):
            ends = [name_numbers(batch, end) for end in (batch.source, batch.target)]
            links += [(source, target, 1.0, "") for source, target in zip(*ends, strict=True)]
            nodes += [(name, "") for name in name_numbers(batch, batch.nodes)]
            continue
        assert batch.input_digest == "digest"
        assert batch.links.schema.names == ["source", "target", "weight", "anchor"]
        assert batch.links.schema.field("weight").type in (pa.float32(), pa.float64())
        nodes += [(row["name"], row["title"]) for row in batch.nodes.to_pylist()]
        links += [tuple(row.values()) for row in batch.links.to_pylist()]
    return Graph(nodes, links, problems)


def name_numbers(batch: NumberedLinks, numbers: Ids | Offsets) -> list[str]:
    """The names of nodes that are numbers."""
    if batch.names is None:
        return [str(number) for number in numbers]
    return [batch.names[int(number)].as_py() for number in numbers]


def detect_graph_format(head: bytes) -> str | None:
    """The graph format that is recognised in the first bytes of a file."""
    with NamedTemporaryFile() as file:
        file.write(head)
        file.flush()
        kind = detect_format(InputHead(Path(file.name)))
    return kind if kind and input_formats()[kind].yields == "links" else None


def read_edges(path: Path, kind: str, input_digest: str, problems: Problems) -> Iterator[Any]:
    """Read a graph in a format."""
    if kind not in input_formats():
        raise UnknownName("format", kind, input_formats())
    return input_formats()[kind].read(path, input_digest, problems)


def read(path: Path, kind: str) -> Graph:
    """Read a file in a format."""
    problems = Problems()
    return join_batches(read_edges(path, kind, "digest", problems), problems)


def read_detected(path: Path) -> Graph:
    """Read a file in the format that is detected."""
    kind = detect_graph_format(path.read_bytes()[: 1 << 16])
    assert kind is not None
    return read(path, kind)
