"""Building a large graph: `python -m benchmarks.graph [--links 10000000]`.

Links of a synthetic web with local and popular targets, as a list of pairs,
added like any edge list; the memory of the whole process tree is watched.
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv

from benchmarks.measure import run, size, versions
from weft.run.workspace import Workspace

PIECE = 4_000_000
PLAIN = csv.WriteOptions(include_header=False, delimiter="\t")
WEFT = "from weft.show.cli import main; main()"


def main() -> None:
    """Write the pairs, add them, and print what it took."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--links", type=int, default=10_000_000)
    links = options.parse_args().links
    print(versions("weft", "numpy", "pyarrow"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "web.txt"
        write_pairs(path, links, pages=max(1000, links // 20))
        cost = run(WEFT, "-q", "add", Path(folder) / "c.weft", path)
        graph = Workspace(Path(folder) / "c.weft").graph()
        kept = size(Path(folder) / "c.weft")
    print(f"{links:,} pairs ({size_of(links, cost.cpu)}) became {graph!r}")
    print(f"CPU {cost.cpu:.0f} s, wall {cost.wall:.0f} s")
    print(f"peak {cost.memory:,.0f} MB, kept {kept:,.0f} MB")


def size_of(links: int, seconds: float) -> str:
    """Links a CPU second, in words."""
    return f"{links / seconds / 1e6:.2f} M a CPU second"


def write_pairs(path: Path, links: int, pages: int) -> None:
    """Three links in four stay near their page, the others go to popular ones."""
    random = np.random.default_rng(0)
    with path.open("wb") as file:
        for start in range(0, links, PIECE):
            n = min(PIECE, links - start)
            source = random.integers(0, pages, n)
            near = np.clip(source + random.integers(-500, 500, n), 0, pages - 1)
            popular = (pages * random.random(n) ** 4).astype(np.int64)
            target = np.where(random.random(n) < 0.75, near, popular)
            pairs = pa.table({"source": source, "target": target})
            csv.write_csv(pairs, file, PLAIN)


if __name__ == "__main__":
    main()
