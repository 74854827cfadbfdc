"""Build a large graph: `python -m benchmarks.graph [--links 10000000]`.

The links of a synthetic web with local and popular targets, written as pairs and
added like any edge list; memory is measured over the whole process tree.
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv

from benchmarks.measure import run, size, versions
from weft.workspace.workspace import Workspace

BLOCK = 4_000_000
PLAIN = csv.WriteOptions(include_header=False, delimiter="\t")
WEFT = "from weft.cli import main; main()"


def main() -> None:
    """Write the pairs, add them, and print time and memory."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--links", type=int, default=10_000_000)
    links = options.parse_args().links
    print(versions("weft", "numpy", "pyarrow"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "web.txt"
        write_pairs(path, links, pages=max(1000, links // 20))
        cost = run(WEFT, "-q", "add", Path(folder) / "c.weft", path)
        graph = Workspace(Path(folder) / "c.weft").graph()
        stored = size(Path(folder) / "c.weft")
    print(f"{links:,} pairs ({rate(links, cost.cpu)}) became {graph!r}")
    print(f"CPU {cost.cpu:.0f} s, wall {cost.wall:.0f} s")
    print(f"peak {cost.memory:,.0f} MB, stored {stored:,.0f} MB")


def rate(links: int, seconds: float) -> str:
    """Links per CPU second, as text."""
    return f"{links / seconds / 1e6:.2f} M per CPU second"


def write_pairs(path: Path, links: int, pages: int) -> None:
    """Write pairs: three of four links stay near their page, the others go to popular pages."""
    random = np.random.default_rng(0)
    with path.open("wb") as file:
        for start in range(0, links, BLOCK):
            n = min(BLOCK, links - start)
            source = random.integers(0, pages, n)
            near = np.clip(source + random.integers(-500, 500, n), 0, pages - 1)
            popular = (pages * random.random(n) ** 4).astype(np.int64)
            target = np.where(random.random(n) < 0.75, near, popular)
            pairs = pa.table({"source": source, "target": target})
            csv.write_csv(pairs, file, PLAIN)


if __name__ == "__main__":
    main()
