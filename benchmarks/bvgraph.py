"""Read a BVGraph: `python -m benchmarks.bvgraph [X.graph]`, by default cnr-2000.

Prints how many links a CPU second decodes and reads, and what `weft add` takes, for the
graph and for the same links as pairs of numbers in a text file.
"""

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
from pyarrow import csv

from benchmarks.graph import PLAIN, WEFT, rate
from benchmarks.measure import run, size, versions
from weft.gather.edges.bvgraph import read_bvgraph, read_properties, read_rows
from weft.gather.page import NumberedLinks, Problems

CNR_2000 = Path(__file__).parents[2] / "shared" / "data" / "bvgraph" / "cnr-2000.graph"
REPEATS = 7


def main(path: Path) -> None:
    """Time the steps on one graph."""
    properties = read_properties(path.with_suffix(".properties"))
    print(versions("weft", "numba", "numpy", "pyarrow"))
    print(
        f"{path.name}: {properties.nodes:,} nodes, {properties.arcs:,} links, {size(path):.1f} MB"
    )

    def decode() -> int:
        return sum(len(rows.ids) for rows in read_rows(path, properties, Problems()))

    def read() -> int:
        return sum(len(batch.source) for batch in read_batches(path))

    print(f"decoded: {fastest(decode)}; read with names: {fastest(read)}")
    with tempfile.TemporaryDirectory() as folder:
        pairs = Path(folder) / "pairs.txt"
        write_pairs(path, pairs)
        for name, source in (("BVGraph", path), ("pairs", pairs)):
            cost = run(WEFT, "-q", "add", Path(folder) / f"{name}.weft", source)
            print(
                f"add {name} ({size(source):.1f} MB): {rate(properties.arcs, cost.cpu)},"
                f" CPU {cost.cpu:.1f} s, wall {cost.wall:.1f} s, peak {cost.memory:,.0f} MB"
            )


def fastest(count_links: Callable[[], int]) -> str:
    """The links per CPU second of the fastest of some runs, after one to compile."""
    links, seconds = count_links(), []
    for _ in range(REPEATS):
        start = time.process_time()
        count_links()
        seconds.append(time.process_time() - start)
    return rate(links, min(seconds))


def write_pairs(graph: Path, path: Path) -> None:
    """Write the links of a graph as pairs of numbers."""
    with path.open("wb") as file:
        for batch in read_batches(graph):
            ends = {"source": batch.source, "target": batch.target}
            csv.write_csv(pa.table(ends), file, PLAIN)


def read_batches(graph: Path) -> Iterator[NumberedLinks]:
    """The links of a graph as its reader yields them."""
    batches = read_bvgraph(graph, "", Problems())
    return (batch for batch in batches if isinstance(batch, NumberedLinks))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else CNR_2000)
