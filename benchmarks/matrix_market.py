"""Matrix Market: Weft's reader against `scipy.io`: `python -m benchmarks.matrix_market [LINKS]`.

Reads a random matrix into links with Weft, and with SciPy into a matrix and from there into
the same table of links. Each runs in a process of its own; prints CPU seconds and peak memory,
then what each makes of a file that is cut, and of one that claims to be huge.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import scipy
from scipy.io import mmread

from weft.gather.edges.edge_tables import clean_links, split_into_batches
from weft.gather.edges.numbered_graphs import read_matrix_market
from weft.gather.page import Problems

LINKS = 4_000_000
HEAD = "%%MatrixMarket matrix coordinate pattern general\n"


def by_weft(path: Path) -> int:
    """The number of links that Weft reads."""
    return sum(len(batch.links) for batch in read_matrix_market(path, "", Problems()))


def by_scipy(path: Path) -> int:
    """The number of links that SciPy reads, named and checked as the store needs them."""
    matrix = mmread(path)
    ends = [pa.array(end.astype(np.int64) + 1).cast(pa.string()) for end in matrix.coords]
    links, _ = clean_links(*ends, pa.array(matrix.data.astype(np.float64)))
    return sum(len(batch.links) for batch in split_into_batches("", links))


READERS: dict[str, Callable[[Path], int]] = {"weft": by_weft, "scipy.io": by_scipy}


def main(links: int) -> None:
    """Write the files and time both readers on each."""
    print(f"scipy {scipy.__version__}, {links:,} links between {links // 8:,} pages")
    with tempfile.TemporaryDirectory() as folder:
        path, n = Path(folder) / "matrix.mtx", links // 8
        ends = np.random.default_rng(0).integers(1, n + 1, (links, 2))
        rows = "\n".join(f"{a} {b}" for a, b in ends.tolist())
        path.write_text(f"{HEAD}{n} {n} {links}\n{rows}\n")
        cut, huge = Path(folder) / "cut.mtx", Path(folder) / "huge.mtx"
        cut.write_bytes(path.read_bytes()[: 1 << 20])
        huge.write_text(f"{HEAD}2 2 999999999999\n1 2\n")
        for file in (path, cut, huge):
            for reader in READERS:
                line = [sys.executable, "-m", "benchmarks.matrix_market", reader, str(file)]
                done = subprocess.run(line, capture_output=True, text=True, check=False)
                answer = done.stdout.strip() or done.stderr.strip().splitlines()[-1][:70]
                print(f"{file.name:<12}{reader:<10}{answer}", flush=True)


def peak_mb() -> int:
    """The peak memory of this process."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) >> 10


def one(reader: str, path: Path) -> None:
    """Time one reader on one file, in this process."""
    memory, start = peak_mb(), time.process_time()
    links = READERS[reader](path)
    cpu = time.process_time() - start
    print(f"{links:,} links, {cpu:.2f} s CPU, {peak_mb() - memory:,} MB")


if __name__ == "__main__":
    if sys.argv[1:] and sys.argv[1] in READERS:
        one(sys.argv[1], Path(sys.argv[2]))
    else:
        main(int(sys.argv[1]) if sys.argv[1:] else LINKS)
