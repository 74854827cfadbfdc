"""`weft add` against the plain script: `python -m benchmarks.add [ARCHIVE ...] [--repeats N]`.

Without archives it uses a demo web of 5,000 pages, and Wikispeedia if the real
data is beside the project.
"""

import argparse
import shutil
import tempfile
from pathlib import Path

from benchmarks.measure import Cost, median, run, size, versions
from weft.demo import DemoWeb, write_warc

WIKISPEEDIA = Path(__file__).parents[2] / "shared" / "data" / "wikispeedia.warc.gz"
PLAIN = "import sys; from benchmarks.plain import main; main(*sys.argv[1:])"
WEFT = "from weft.cli import main; main()"
LEAN = ["--no-main", "--no-language"]
ALONE = ["--workers", "1"]
VARIANTS = {
    "plain script": (PLAIN, []),
    "weft, everything": (WEFT, []),
    "weft, no main content or language": (WEFT, LEAN),
    "weft, everything, one worker": (WEFT, ALONE),
    "weft, neither, one worker": (WEFT, [*LEAN, *ALONE]),
}


def main() -> None:
    """Measure every archive, and print a table for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("archives", nargs="*", type=Path)
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    print(versions("weft", "warcio", "beautifulsoup4", "lxml", "resiliparse", "tantivy", "pyarrow"))
    with tempfile.TemporaryDirectory() as folder:
        for archive in given.archives or _defaults(Path(folder)):
            compare(archive, Path(folder), given.repeats)


def _defaults(folder: Path) -> list[Path]:
    demo = folder / "demo.warc.gz"
    write_warc(DemoWeb(pages=5000), demo)
    return [demo, *([WIKISPEEDIA] if WIKISPEEDIA.exists() else [])]


def compare(archive: Path, folder: Path, repeats: int) -> None:
    """Run the variants in turn, so that a slow minute affects all alike; print medians."""
    costs: dict[str, list[Cost]] = {name: [] for name in VARIANTS}
    stored = {}
    for _ in range(repeats):
        for name, (code, options) in VARIANTS.items():
            into = folder / "out"
            if into.is_dir():
                shutil.rmtree(into)
            into.unlink(missing_ok=True)
            before = ["-q", "add", into, archive] if code == WEFT else [archive, into]
            costs[name].append(run(code, *before, *options))
            stored[name] = size(into)
    print(f"\n{archive.name}: {size(archive):,.0f} MB, median of {repeats} runs")
    print(
        f"{'':36}{'CPU s':>8}{'wall s':>8}{'peak MB':>9}{'stored MB':>9}{'x CPU':>7}{'x wall':>8}"
    )
    plain = median(costs["plain script"])
    for name, found in costs.items():
        cost = median(found)
        ratios = f"{plain.cpu / cost.cpu:>7.2f}{plain.wall / cost.wall:>8.2f}"
        print(
            f"{name:36}{cost.cpu:>8.1f}{cost.wall:>8.1f}{cost.memory:>9,.0f}{stored[name]:>9,.0f}{ratios}"
        )


if __name__ == "__main__":
    main()
