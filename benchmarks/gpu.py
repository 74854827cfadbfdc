"""Sweeps and PageRank on a GPU beside cuSPARSE, the gather alone and the processor.

`python -m benchmarks.gpu [--webs rmat-22 web-40m rmat-24 rmat-26] [--cpu]`, on a machine with
an NVIDIA GPU and `pip install 'weft[gpu]'`. Webs are made on the device, since those of
benchmarks.webs would take hours at this size: R-MAT with pages numbered at random, and a web
in the order of its URLs. A sweep is one product; the gather reads every link and the value at
its end, and adds them up without rows, which no product can beat. PageRank is from edge arrays
on the host to a step of 1e-8, with the upload and the sort. Times are medians. `--cpu` adds the
processor, on all its cores, and compares scores to a step of 1e-11. After `--seconds` no
further web is begun. A web that fails, for lack of memory or by a wrong result, does not
keep the others from being measured.
"""

import argparse
import json
import statistics
import time
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import weft
from benchmarks.measure import versions
from benchmarks.webs import OUT
from weft.engine.backends.cupy import ID_MASK, CuPyOperator, cuda_device
from weft.graph.webgraph import WebGraph

GATHER = r"""
extern "C" __global__ void gather(const unsigned* __restrict__ ids, long long links,
                                  const double* __restrict__ x, double* out) {
  long long step = (long long)gridDim.x * blockDim.x;
  long long k = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  double a = 0, b = 0, c = 0, d = 0;
  for (; k + 3 * step < links; k += 4 * step) {
    a += x[__ldcs(ids + k) & 0x7fffffffu];
    b += x[__ldcs(ids + k + step) & 0x7fffffffu];
    c += x[__ldcs(ids + k + 2 * step) & 0x7fffffffu];
    d += x[__ldcs(ids + k + 3 * step) & 0x7fffffffu];
  }
  for (; k < links; k += step) a += x[__ldcs(ids + k) & 0x7fffffffu];
  out[blockIdx.x * (long long)blockDim.x + threadIdx.x] = a + b + c + d;
}
"""
GATHER_BLOCKS, THREADS = 132 * 16, 256
MAX_CUSPARSE_LINKS = (1 << 31) - 1
BATCH = 1 << 26
WEB_LINKS_PER_PAGE = 10
REPEATS = 5
AGREEMENT_TOL = 1e-11  # a larger one would leave scores that differ by the tolerance
BARS = {
    "x gather": ("at most", 1.25),
    "x cuSPARSE": ("at most", 1.0),
    "G links/s, web": ("at least", 110.0),
    "PageRank s, 1e9 links": ("at most", 1.5),
    "x CPU": ("at least", 25.0),
    "L1 to CPU": ("at most", 1e-9),
    "same bits": ("at least", 1),
}


def main() -> None:
    """Measure every web, print a row for each, and which bars it misses."""
    import cupy  # noqa: PLC0415  an extra

    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--webs", nargs="*", default=["rmat-22", "web-40m", "rmat-24", "rmat-26"])
    options.add_argument("--cpu", action="store_true", help="also measure all processor cores")
    options.add_argument("--seconds", type=float, default=360, help="begin no web after that")
    given = options.parse_args()
    gpu = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    print(versions("weft", "numpy", "numba"), f"; CuPy {cupy.__version__}, {gpu}", flush=True)
    OUT.mkdir(exist_ok=True)
    kept = OUT / "gpu.json"
    rows = json.loads(kept.read_text())["rows"] if kept.exists() else {}
    start = time.perf_counter()
    for name in given.webs:
        begun = time.perf_counter()
        if begun - start > given.seconds:
            print(f"{name} is left out: {begun - start:.0f} s have passed", flush=True)
            continue
        try:
            n, source, target = make_web(cupy, name)
            row = measure(cupy, name, n, source, target, cpu=given.cpu)
        except Exception:  # noqa: BLE001  the others are measured all the same
            traceback.print_exc()
            continue
        rows[name] = row | {"all s": time.perf_counter() - begun}
        print(json.dumps({"web": name, **rows[name]}), flush=True)
        print(*(f"{name}: {verdict}" for verdict in verdicts(row)), sep="\n", flush=True)
        kept.write_text(json.dumps({"gpu": gpu, "rows": rows}, indent=1))
        del source, target
        cupy.get_default_memory_pool().free_all_blocks()
    print(*table(rows), sep="\n")


def table(rows: dict[str, dict[str, Any]]) -> list[str]:
    """The figures of all webs as a table for the documentation."""
    columns: dict[str, Callable[[dict[str, Any]], str]] = {
        "million links": lambda row: f"{row['links'] / 1e6:,.0f}",
        "sweep ms": lambda row: f"{row['sweep ms']:.2f}",
        "gather alone": lambda row: f"{row['gather ms']:.2f}",
        "cuSPARSE": lambda row: f"{row['cuSPARSE ms']:.2f}" if row["cuSPARSE ms"] else "",
        "CPU": lambda row: f"{row['CPU sweep ms']:.1f}" if "CPU sweep ms" in row else "",
        "PageRank s": lambda row: f"{_seconds_of_pagerank(row):.2f}",
        "L1 to CPU": lambda row: f"{row['L1 to CPU']:.0e}" if "L1 to CPU" in row else "",
    }
    head = ["| | " + " | ".join(columns) + " |", "|---|" + "--:|" * len(columns)]
    by_size = sorted(rows.items(), key=lambda item: item[1]["links"])
    return head + [
        f"| {name} | " + " | ".join(write(row) for write in columns.values()) + " |"
        for name, row in by_size
    ]


def _seconds_of_pagerank(row: dict[str, Any]) -> float:
    """The median; its name says whether the web is one of 10^9 links."""
    return float(row.get("PageRank s") or row["PageRank s, 1e9 links"])


def verdicts(row: dict[str, Any]) -> list[str]:
    """Each bar that a row has a figure for, and whether it is met."""
    found = []
    for name, (way, bar) in BARS.items():
        figure = row.get(name)
        if figure is not None:
            is_met = figure <= bar if way == "at most" else figure >= bar
            verdict = "met" if is_met else "MISSED"
            found.append(f"{name} {figure:.4g}, {way} {bar:g}: {verdict}")
    return found


def make_web(xp: Any, name: str) -> tuple[int, Any, Any]:
    """The number of pages, and links on the host; made by CuPy, or by NumPy."""
    kind, _, size = name.partition("-")
    if kind == "rmat":
        n, batches = 1 << int(size), _rmat(xp, int(size))
    else:
        n = int(float(size.removesuffix("m")) * 1_000_000)
        batches = _web(xp, n, int(n * WEB_LINKS_PER_PAGE))
    made = list(batches)
    source, target = (np.concatenate([batch[end] for batch in made]) for end in (0, 1))
    return n, source, target


def _rmat(xp: Any, scale: int) -> Iterator[tuple[Any, Any]]:
    """R-MAT with the probabilities of Graph500, as benchmarks.webs.rmat."""
    draw = xp.random.RandomState(1)
    links, numbers = 16 << scale, draw.permutation(1 << scale).astype(xp.int32)
    for at in range(0, links, BATCH):
        count = min(BATCH, links - at)
        source, target = xp.zeros(count, xp.int32), xp.zeros(count, xp.int32)
        for _ in range(scale):
            down = draw.random_sample(count) > 0.76
            right = draw.random_sample(count) > xp.where(down, 0.79, 0.75)
            source, target = source * 2 + down, target * 2 + right
        yield _to_host(numbers[source]), _to_host(numbers[target])


def _web(xp: Any, n: int, links: int) -> Iterator[tuple[Any, Any]]:
    """A web in the order of its URLs, as benchmarks.webs.host_local."""
    draw = xp.random.RandomState(3)

    def pareto(exponent: float, count: int) -> Any:
        return (1 - draw.random_sample(count)) ** (-1 / exponent) - 1

    sizes = xp.minimum(pareto(1.1, n // 4) * 3 + 1, n // 50).astype(xp.int64)
    first = xp.concatenate([xp.zeros(1, xp.int64), xp.cumsum(sizes)])
    first = first[first < n]
    is_dangling = draw.random_sample(n) < 0.15
    degrees = xp.where(is_dangling, 0.0, xp.minimum(pareto(1.6, n) * 8, 2000) + 1)
    ends = xp.cumsum(xp.floor(degrees * (links * 1.25 / float(degrees.sum()))).astype(xp.int64))
    popularity, last = draw.permutation(len(first)), xp.append(first[1:], xp.full(1, n))
    for at in range(0, int(ends[-1]), BATCH):
        source = xp.searchsorted(ends, xp.arange(at, min(at + BATCH, int(ends[-1]))), side="right")
        host = xp.searchsorted(first, source, side="right") - 1
        low, high = first[host], last[host]
        chance = [draw.random_sample(len(source)) for _ in range(3)]
        menu = low + ((high - low) * chance[1] ** 4).astype(xp.int64)
        near = xp.clip(source + ((chance[1] - 0.5) * 80).astype(xp.int64), low, high - 1)
        home = first[popularity[(len(first) * chance[1] ** 6).astype(xp.int64)]]
        inside = xp.where(chance[2] < 0.45, menu, near)
        target = xp.where(chance[0] < 0.8, inside, home)
        yield _to_host(source.astype(xp.int32)), _to_host(target.astype(xp.int32))


def _to_host(array: Any) -> Any:
    return array.get() if hasattr(array, "get") else array


def measure(cupy: Any, name: str, n: int, source: Any, target: Any, *, cpu: bool) -> dict[str, Any]:
    """Times of a sweep in milliseconds, of PageRank in seconds, and whether bits repeat."""
    found, seconds = [], []
    for _ in range(REPEATS):
        graph = WebGraph.from_arrays(n, source, target)
        begun = time.perf_counter()
        with weft.use("cupy"):
            found.append(weft.rank.pagerank(graph, tol=1e-8))
        seconds.append(time.perf_counter() - begun)
    scores = [ranking.scores["score"] for ranking in found]
    with weft.use("cupy"):
        operator = graph.operator()
    assert isinstance(operator, CuPyOperator)
    x, y = operator.ones() / n, operator.zeros()
    sweep = _milliseconds(cupy, lambda: operator.by_target.add_rows(x, y))
    single = x.astype(cupy.float32)
    gather, links = _gather(cupy, operator, x), operator.link_count
    cusparse = _cusparse(cupy, operator, x, y)
    row: dict[str, Any] = {
        "pages": n,
        "links": links,
        "sweep ms": sweep,
        "sweep ms, float32 values": _milliseconds(
            cupy, lambda: operator.by_target.add_rows(single, y)
        ),
        "gather ms": gather,
        "x gather": sweep / gather,
        "cuSPARSE ms": cusparse,
        "x cuSPARSE": sweep / cusparse if cusparse else None,
        "G links/s" + (", web" if name.startswith("web") else ""): links / sweep / 1e6,
        "PageRank s" + (", 1e9 links" if links > 1e9 else ""): statistics.median(seconds[1:]),
        "first PageRank s": seconds[0],
        "iterations": found[0].trace.iterations,
        "upload GB/s": _upload_speed(source),
        "same bits": all(each.tobytes() == scores[0].tobytes() for each in scores),
    }
    with weft.use("cupy"):
        begun = time.perf_counter()
        row["HITS iterations"] = weft.rank.hits(graph, tol=1e-8).trace.iterations
        row["HITS s"] = time.perf_counter() - begun
    return row | (_measure_processor(n, graph, sweep) if cpu else {})


def _measure_processor(n: int, graph: WebGraph, sweep: float) -> dict[str, Any]:
    """The same on all cores, and how far the scores are apart."""
    with weft.use("cupy"):
        scores = weft.rank.pagerank(graph, tol=AGREEMENT_TOL).scores["score"]
    with weft.use("numba"):
        wanted = weft.rank.pagerank(graph, tol=AGREEMENT_TOL).scores["score"]
        host = graph.operator()
    times = []
    for _ in range(REPEATS):
        begun = time.perf_counter()
        host.rmatvec_into(wanted, np.zeros(n))
        times.append((time.perf_counter() - begun) * 1e3)
    own = statistics.median(times)
    difference = float(np.abs(scores - wanted).sum())
    return {"CPU sweep ms": own, "x CPU": own / sweep, "L1 to CPU": difference}


def _upload_speed(array: Any) -> float:
    """Gigabytes a second to the device, from ordinary memory."""
    device, times = cuda_device(), []
    for _ in range(REPEATS):
        begun = time.perf_counter()
        device.upload(array)
        times.append(time.perf_counter() - begun)
    return float(array.nbytes / statistics.median(times) / 1e9)


def _milliseconds(cupy: Any, run: Callable[[], Any], repeats: int = 15) -> float:
    for _ in range(3):
        run()
    times: list[float] = []
    for _ in range(repeats):
        begun, ended = cupy.cuda.Event(), cupy.cuda.Event()
        begun.record()
        run()
        ended.record()
        ended.synchronize()
        times.append(cupy.cuda.get_elapsed_time(begun, ended))
    return statistics.median(times)


def _gather(cupy: Any, operator: CuPyOperator, x: Any) -> float:
    kernel, out = cupy.RawKernel(GATHER, "gather"), cupy.empty(GATHER_BLOCKS * THREADS)
    ids = operator.by_target.ids
    arguments = (ids, np.int64(len(ids)), x, out)
    return _milliseconds(cupy, lambda: kernel((GATHER_BLOCKS,), (THREADS,), arguments))


def _cusparse(cupy: Any, operator: CuPyOperator, x: Any, y: Any) -> float | None:
    """A sweep of cuSPARSE, which must give the same sums; none beyond its 2^31 links."""
    from cupyx.scipy.sparse import csr_matrix  # noqa: PLC0415

    links, n = operator.by_target, operator.n
    if len(links.ids) > MAX_CUSPARSE_LINKS:
        return None
    lengths = cupy.zeros(n + 1, cupy.int64)
    starts = cupy.append(cupy.flatnonzero(links.ids >> 31), len(links.ids))
    lengths[links.rows.astype(cupy.int64) + 1] = cupy.diff(starts)
    ids = (links.ids & ID_MASK).view(cupy.int32)
    pointers = cupy.cumsum(lengths).astype(cupy.int32)
    matrix = csr_matrix((cupy.ones(len(ids)), ids, pointers), shape=(n, n))
    assert float(cupy.abs(matrix @ x - y).max()) <= 1e-12
    return _milliseconds(cupy, lambda: matrix @ x)


if __name__ == "__main__":
    main()
