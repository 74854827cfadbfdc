"""Power laws fitted by Weft and by the package `powerlaw`: time, agreement, and weight of install.

`python -m benchmarks.power_laws [--docs COLLECTION]` prints the tables as Markdown, and with
`--page` writes them into `docs/explanation/structure-of-webs.md`.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.metadata import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks.measure import versions
from benchmarks.realwebs import DATA, added
from benchmarks.side_by_side import DOCS, table
from benchmarks.suggest import collection_of
from benchmarks.topics.write import put
from benchmarks.webs import ends, web
from weft.graph.webgraph import WebGraph
from weft.structure.power_law import ValueCounts, fit_alternatives, fit_power_law
from weft.structure.shape import apply_uncaptured_option

PAGE = DOCS / "explanation" / "structure-of-webs.md"
TIMEOUT = 300
# what a base install would have to add for powerlaw
ADDED_PACKAGES = (
    "powerlaw", "matplotlib", "mpmath", "tqdm", "contourpy", "cycler", "fonttools", "kiwisolver",
    "packaging", "pillow", "pyparsing", "python-dateutil", "six",
)  # fmt: skip
THEIR_NAMES = {
    "log-normal": "lognormal",
    "exponential": "exponential",
    "truncated power law": "truncated_power_law",
}


def main() -> None:
    """Measure, print, and write the page if asked to."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.power_laws", description=__doc__)
    parser.add_argument("--docs", type=Path, help="the documentation web, else it is built")
    parser.add_argument("--page", action="store_true", help="write the page of the docs")
    given = parser.parse_args()
    with TemporaryDirectory() as folder:
        rows = [row for each in sequences(Path(folder), given.docs) for row in compare(*each)]
    heads = [
        "web",
        "degree",
        "package",
        "exponent",
        "x min",
        "KS",
        "fit ms",
        "alternatives ms",
        "x",
    ]
    text = f"""\
{table(heads, rows, "lllrrrrrr")}

{weight()}

Measured with {versions("numpy", "scipy", "numba", "powerlaw")}.
"""
    print(text)
    if given.page:
        PAGE.write_text(put(PAGE.read_text("utf-8"), "powerlaw", text.rstrip()), "utf-8")


def sequences(folder: Path, docs: Path | None) -> Iterator[tuple[str, str, np.ndarray]]:
    """The degrees of the captured pages of each web."""
    webs = {
        "wikispeedia": added(folder, "wikispeedia", DATA / "wikispeedia.warc.gz").graph(),
        "docs-web": collection_of(docs).graph(),
        "cnr-2000": WebGraph.from_arrays(*ends(web("cnr-2000"))),
    }
    for name, whole in webs.items():
        graph, _ = apply_uncaptured_option(whole, "drop")
        yield name, "in", graph.indegrees()
        yield name, "out", graph.outdegrees()


def compare(name: str, direction: str, degrees: np.ndarray) -> Iterator[list[str]]:
    """One row of Weft, one of powerlaw, with how many times as long it took."""
    fit_by_weft(degrees[:1000])  # compiles
    ours = fit_by_weft(degrees)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "degrees.npy"
        np.save(path, degrees)
        command = [sys.executable, "-c", "from benchmarks.power_laws import peer; peer()", path]
        try:
            done = subprocess.run(
                command, check=True, capture_output=True, text=True, timeout=TIMEOUT
            )
            theirs = json.loads(done.stdout.splitlines()[-1])
        except subprocess.TimeoutExpired as expired:
            printed = (expired.stdout or b"").decode().splitlines()
            theirs = json.loads(printed[-1]) if printed else {}
    for package, found in (("weft", ours), ("powerlaw", theirs)):
        spent = found.get("fit", TIMEOUT) + found.get("alternatives", 0 if found else TIMEOUT)
        yield [
            name,
            direction,
            package,
            f"{found['exponent']:.4f}" if found else "",
            f"{found['x_min']:.0f}" if found else "",
            f"{found['ks']:.4f}" if found else "",
            f"{1e3 * found['fit']:,.1f}" if found else f"over {TIMEOUT} s",
            f"{1e3 * found['alternatives']:,.1f}"
            if "alternatives" in found
            else f"over {TIMEOUT} s",
            f"{spent / (ours['fit'] + ours['alternatives']):,.0f}",
        ]
    print(name, direction, ours, theirs, flush=True, file=sys.stderr)


def fit_by_weft(degrees: np.ndarray) -> dict[str, Any]:
    """Fit the power law and its alternatives."""
    start = time.process_time()
    counts = ValueCounts.of(degrees)
    law = fit_power_law(counts)
    assert law is not None
    fitted = time.process_time()
    ratios = {fit.name: fit.vuong_ratio for fit in fit_alternatives(counts, law)}
    return {
        "exponent": law.exponent,
        "x_min": law.x_min,
        "ks": law.ks_distance,
        "fit": fitted - start,
        "alternatives": time.process_time() - fitted,
        "ratios": ratios,
    }


def peer() -> None:
    """The same by powerlaw, in a process of its own; prints what it has after each step."""
    import powerlaw  # noqa: PLC0415

    degrees = np.load(sys.argv[1])
    start = time.process_time()
    fit = powerlaw.Fit(degrees[degrees > 0], discrete=True, verbose=0)
    law = fit.power_law
    found = {"exponent": float(law.alpha), "x_min": float(law.xmin), "ks": float(law.D)}
    found["fit"] = time.process_time() - start
    print(json.dumps(found), flush=True)
    start = time.process_time()
    ratios = {
        name: float(fit.distribution_compare("power_law", theirs, normalized_ratio=True)[0])
        for name, theirs in THEIR_NAMES.items()
    }
    found["alternatives"] = time.process_time() - start
    print(json.dumps({**found, "ratios": ratios}), flush=True)


def weight() -> str:
    """What `powerlaw` adds to an install, and how long it takes to import."""
    size = sum(
        path.locate().stat().st_size
        for package in ADDED_PACKAGES
        for path in files(package) or ()
        if Path(str(path.locate())).is_file()
    )
    code = "import time; import scipy.stats; s = time.process_time(); import powerlaw; "
    code += "print(time.process_time() - s)"
    timed = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout
    return (
        f"`powerlaw` would add {len(ADDED_PACKAGES)} packages of {size / 1e6:.0f} MB to the\n"
        f"install, matplotlib among them, and {float(timed):.1f} s of CPU time to the import."
    )


if __name__ == "__main__":
    main()
