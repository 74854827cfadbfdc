"""Large synthetic webs, and the one real crawl beside the project, as arrays of links."""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt

OUT = Path(__file__).parent / "out"
SHARED = Path(__file__).parents[2] / "shared"
BLOCK = 1 << 22
Ends = tuple[int, npt.NDArray[np.int32], npt.NDArray[np.int32]]


def rmat(scale: int, factor: int = 16, seed: int = 1) -> Ends:
    """R-MAT with the probabilities of Graph500; pages and links shuffled, links distinct."""
    draw = np.random.default_rng(seed)
    n = 1 << scale
    names = draw.permutation(n).astype(np.int64)
    keys = []
    for start in range(0, n * factor, BLOCK):
        count = min(BLOCK, n * factor - start)
        source, target = np.zeros((2, count), np.int64)
        for _ in range(scale):
            down = draw.random(count, np.float32) > 0.76
            right = draw.random(count, np.float32) > np.where(down, 0.79, 0.75)
            source, target = source * 2 + down, target * 2 + right
        keys.append(names[source] << 32 | names[target])
    return distinct(n, np.concatenate(keys), draw)


def host_local(n: int, links: int, seed: int = 3) -> Ends:
    """A web in the order of its URLs: most links stay on their host, others go to home pages.

    Host sizes and out-degrees follow power laws, and one page in seven has no
    links. Inside a host links lead to its first pages, as menus do, or nearby;
    outside they lead to home pages of very different popularity.
    """
    draw = np.random.default_rng(seed)
    sizes = np.minimum((draw.pareto(1.1, n // 4) * 3 + 1).astype(np.int64), n // 50)
    first = np.concatenate([[0], np.cumsum(sizes)])
    first = first[first < n]
    degrees = np.where(draw.random(n) < 0.15, 0, np.minimum(draw.pareto(1.6, n) * 8, 2000) + 1)
    degrees = np.floor(degrees * (links * 1.25 / degrees.sum())).astype(np.int64)
    popularity = draw.permutation(len(first))
    keys, at = [], 0
    while at < n:
        end = min(n, at + BLOCK // 10)
        source = np.repeat(np.arange(at, end), degrees[at:end])
        keys.append(source << 32 | _targets(source, first, popularity, n, draw))
        at = end
    return distinct(n, np.concatenate(keys), draw)


def _targets(
    source: npt.NDArray[np.int64],
    first: npt.NDArray[np.int64],
    popularity: npt.NDArray[np.int64],
    n: int,
    draw: np.random.Generator,
) -> npt.NDArray[np.int64]:
    host = np.searchsorted(first, source, side="right") - 1
    low, high = first[host], np.append(first, n)[host + 1]
    chance = draw.random((3, len(source)))
    menu = low + ((high - low) * chance[1] ** 4).astype(np.int64)
    near = np.clip(source + ((chance[1] - 0.5) * 80).astype(np.int64), low, high - 1)
    home = first[popularity[(len(first) * chance[1] ** 6).astype(np.int64)]]
    inside = np.where(chance[2] < 0.45, menu, near)
    found: npt.NDArray[np.int64] = np.where(chance[0] < 0.8, inside, home)
    return found


def distinct(n: int, keys: npt.NDArray[np.int64], draw: np.random.Generator) -> Ends:
    """Each link once, without self-links, shuffled."""
    keys = np.unique(keys)
    keys = keys[(keys >> 32) != (keys & 0xFFFFFFFF)]
    draw.shuffle(keys)
    return n, (keys >> 32).astype(np.int32), (keys & 0xFFFFFFFF).astype(np.int32)


def cnr() -> Ends:
    """The crawl cnr-2000, read by the decoder of the prototype."""
    sys.path.insert(0, str(SHARED / "perf"))
    from bvgraph import load  # type: ignore[import-not-found]  # noqa: PLC0415

    n, starts, ids = load(str(SHARED / "data" / "bvgraph" / "cnr-2000"))
    keys = np.repeat(np.arange(n, dtype=np.int64), np.diff(starts)) << 32 | ids
    return distinct(n, keys, np.random.default_rng(0))


WEBS: dict[str, Callable[[], Ends]] = {
    "cnr-2000": cnr,
    "rmat-16": lambda: rmat(16),
    "rmat-18": lambda: rmat(18),
    "rmat-20": lambda: rmat(20),
    "rmat-22": lambda: rmat(22),
    "web-5m": lambda: host_local(5_000_000, 50_000_000),
    "web-12m": lambda: host_local(12_000_000, 123_000_000),
}


def web(name: str) -> Path:
    """The file of a web, generated if it does not exist."""
    path = OUT / f"{name}.npz"
    if not path.exists():
        OUT.mkdir(exist_ok=True)
        n, source, target = WEBS[name]()
        np.savez(path, n=n, source=source, target=target)
    return path


def ends(path: Path) -> Ends:
    """The number of pages of a web, and the source and target of each link."""
    with np.load(path) as saved:
        return int(saved["n"]), saved["source"], saved["target"]
