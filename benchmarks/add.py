"""`weft add` against the plain script: `python -m benchmarks.add [ARCHIVE ...] [--rounds N]`.

Without archives it takes the demo web at 5,000 pages, and Wikispeedia where
the real data lies beside the project.
"""

import argparse
import shutil
import tempfile
from pathlib import Path

from benchmarks.measure import Cost, median, run, size, versions
from weft.gather.demoweb import DemoWeb, write_warc

WIKISPEEDIA = Path(__file__).parents[2] / "shared" / "data" / "wikispeedia.warc.gz"
PLAIN = "import sys; from benchmarks.plain import main; main(*sys.argv[1:])"
WEFT = "from weft.show.cli import main; main()"
LEAN = ["--no-main", "--no-language"]
ALONE = ["--workers", "1"]
PEERS = {
    "plain script": (PLAIN, []),
    "weft, everything": (WEFT, []),
    "weft, no main content or language": (WEFT, LEAN),
    "weft, everything, one worker": (WEFT, ALONE),
    "weft, neither, one worker": (WEFT, [*LEAN, *ALONE]),
}


def main() -> None:
    """Measure every archive, and print a table for each."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("archives", nargs="*", type=Path)
    options.add_argument("--rounds", type=int, default=3)
    given = options.parse_args()
    print(versions("weft", "warcio", "beautifulsoup4", "lxml", "resiliparse", "tantivy", "pyarrow"))
    with tempfile.TemporaryDirectory() as folder:
        for archive in given.archives or _defaults(Path(folder)):
            compare(archive, Path(folder), given.rounds)


def _defaults(folder: Path) -> list[Path]:
    demo = folder / "demo.warc.gz"
    write_warc(DemoWeb(pages=5000), demo)
    return [demo, *([WIKISPEEDIA] if WIKISPEEDIA.exists() else [])]


def compare(archive: Path, folder: Path, rounds: int) -> None:
    """Run the peers in turn, so that a slow minute hits them alike; print medians and ratios."""
    costs: dict[str, list[Cost]] = {name: [] for name in PEERS}
    kept = {}
    for _ in range(rounds):
        for name, (code, words) in PEERS.items():
            into = folder / "out"
            if into.is_dir():
                shutil.rmtree(into)
            into.unlink(missing_ok=True)
            before = ["-q", "add", into, archive] if code == WEFT else [archive, into]
            costs[name].append(run(code, *before, *words))
            kept[name] = size(into)
    print(f"\n{archive.name}: {size(archive):,.0f} MB, median of {rounds} rounds")
    print(f"{'':36}{'CPU s':>8}{'wall s':>8}{'peak MB':>9}{'kept MB':>9}{'x CPU':>7}{'x wall':>8}")
    plain = median(costs["plain script"])
    for name, found in costs.items():
        cost = median(found)
        ratios = f"{plain.cpu / cost.cpu:>7.2f}{plain.wall / cost.wall:>8.2f}"
        print(
            f"{name:36}{cost.cpu:>8.1f}{cost.wall:>8.1f}{cost.memory:>9,.0f}{kept[name]:>9,.0f}{ratios}"
        )


if __name__ == "__main__":
    main()
