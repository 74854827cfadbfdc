"""Memory of `weft add` by the size of the collection: `python -m benchmarks.memory [PAGES ...]`.

The demo web is written at each size and added; a million pages take a quarter of
an hour and a few gigabytes of disk. Mapped files count.
"""

import sys
import tempfile
from pathlib import Path

from benchmarks.add import WEFT
from benchmarks.measure import run, size, versions
from weft.demo import DemoWeb, write_warc

SIZES = (10_000, 100_000)


def main(*sizes: str) -> None:
    """Print time and memory for each size."""
    print(versions("weft", "tantivy", "pyarrow"))
    print(f"{'pages':>10}{'CPU s':>8}{'wall s':>8}{'peak MB':>9}{'stored MB':>9}")
    for pages in map(int, sizes or SIZES):
        with tempfile.TemporaryDirectory() as folder:
            archive, into = Path(folder) / "demo.warc.gz", Path(folder) / "demo.weft"
            write_warc(DemoWeb(pages=pages), archive)
            cost = run(WEFT, "-q", "add", into, archive)
            stored = size(into)
        print(f"{pages:10,}{cost.cpu:8.0f}{cost.wall:8.0f}{cost.memory:9.0f}{stored:9.0f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
