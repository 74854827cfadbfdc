"""The GPU backend without a GPU: NumPy in place of CuPy, and two kinds of kernels.

Either each kernel has a twin in NumPy, or the real source is compiled for the
processor, where the threads of a block take turns (`host_cuda.h`).
"""

import ctypes
import shutil
import subprocess
import tempfile
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from weft.engine import LinkOperator
from weft.engine.backends.cupy import (
    ID_MASK,
    PLAIN_KERNELS,
    PULL_KERNELS,
    TILE,
    Device,
    Launch,
    operator_on,
)
from weft.engine.operator import Adjacency

Array = npt.NDArray[Any]
SOURCE = files("weft.engine.backends") / "pull.cu"
SHIM = Path(__file__).with_name("host_cuda.h")


def numpy_device(launch: Launch, free_bytes: int = 1 << 40) -> Device:
    """A device whose arrays are NumPy's; transfers copy, as they would to a GPU."""
    return Device(np, launch, np.array, np.array, lambda: free_bytes, sum_blocks=2)


def make_twin(links: Adjacency, *, weighted: bool) -> LinkOperator:
    """The operator with the kernels' twins in NumPy."""
    return operator_on(numpy_device(launch_twin), links, weighted=weighted)


def make_compiled(links: Adjacency, *, weighted: bool) -> LinkOperator:
    """The operator with the real kernels, compiled for the processor."""
    return operator_on(numpy_device(compiled_launch()), links, weighted=weighted)


@cache
def compiled_launch() -> Launch:
    """Compile the kernels with g++, and launch them as the CUDA driver does: by pointers."""
    compiler = shutil.which("g++")
    assert compiler
    kernels = [*PULL_KERNELS, *PLAIN_KERNELS]
    entries = "".join(
        f'extern "C" void launch_{k}(unsigned blocks, void** arguments)'
        f"{{ launch({name}, blocks, arguments); }}\n"
        for k, name in enumerate(kernels)
    )
    with tempfile.TemporaryDirectory() as folder:
        code, library = Path(folder) / "kernels.cpp", Path(folder) / "kernels.so"
        code.write_text(f"{SHIM.read_text()}\n{SOURCE.read_text('utf-8')}\n{entries}")
        words = [compiler, "-std=c++17", "-O2", "-ffp-contract=off", "-shared", "-fPIC"]
        words += ["-U_FORTIFY_SOURCE", "-o", str(library), str(code)]
        subprocess.run(words, check=True)
        loaded = ctypes.CDLL(str(library))
    functions = {name: getattr(loaded, f"launch_{k}") for k, name in enumerate(kernels)}

    def launch(name: str, blocks: int, *arguments: Any) -> None:
        values = [_to_c(argument) for argument in arguments]
        pointers = (ctypes.c_void_p * len(values))(*map(ctypes.addressof, values))
        functions[name](ctypes.c_uint(blocks), pointers)

    return launch


def _to_c(argument: Any) -> Any:
    """The argument as the kernel declares it: a pointer, a 64-bit integer, or a double."""
    if isinstance(argument, np.ndarray):
        assert argument.flags.c_contiguous
        return ctypes.c_void_p(argument.ctypes.data)
    if isinstance(argument, np.int64):
        return ctypes.c_longlong(int(argument))
    assert type(argument) is float
    return ctypes.c_double(argument)


def launch_twin(name: str, blocks: int, *arguments: Any) -> None:
    """Run the twin of a kernel; sums are in the first block's row."""
    del blocks
    TWINS[name.partition("<")[0]](*arguments)


def pull(
    ids: Array,
    weights: Array,
    links: int,
    first_row: Array,
    rows: Array,
    columns: int,
    x: Array,
    y: Array,
    head: Array,
    tail: Array,
) -> None:
    """The sums of the rows inside each tile, and what tiles share of a row."""
    values = x.reshape(-1, columns)[ids & ID_MASK].astype(np.float64)
    if weights is not ids:
        values *= weights[:, None]
    starts = np.flatnonzero(ids >> 31)
    tile_starts = np.arange(0, links, TILE)
    bounds = np.union1d(starts, tile_starts)
    sums = np.add.reduceat(values, bounds, axis=0)
    begins_row, begins_tile = np.isin(bounds, starts), np.isin(bounds, tile_starts)
    ends_tile = np.append(begins_tile[1:], True)
    target = y.reshape(-1, columns)
    inside = begins_row & ~ends_tile
    target[rows[np.searchsorted(starts, bounds[inside])]] = sums[inside]
    head[:] = np.where(begins_row[begins_tile, None], 0, sums[begins_tile]).T
    tail[:] = sums[ends_tile].T
    assert np.array_equal(first_row[:-1], np.searchsorted(starts, tile_starts))


def seams(
    tiles: int,
    first_row: Array,
    last: Array,
    rows: Array,
    columns: int,
    head: Array,
    tail: Array,
    y: Array,
) -> None:
    """The last row of each tile, with what follows of it in others."""
    target = y.reshape(-1, columns)
    for tile in range(tiles):
        if first_row[tile + 1] > first_row[tile]:
            rest = head[:, tile + 1 : int(last[tile]) + 1].sum(axis=1)
            target[rows[first_row[tile + 1] - 1]] = tail[:, tile] + rest


def combine(
    n: int,
    y: Array,
    a: float,
    x: Array,
    alike: int,
    b: float,
    z: Array,
    c: float,
    w: Array,
    nonnegative: int,
    sums: Array,
) -> None:
    """The weighted sum of up to three vectors."""
    assert alike == (x.size == 1 < n)
    new = np.broadcast_to(a * x + (b * z if b else 0) + (c * w if c else 0), n)
    new = np.maximum(new, 0) if nonnegative else new
    sums[0] = np.square(new).sum(), new.sum(), np.abs(new - y).sum()
    y[:] = new


def accumulate(
    n: int,
    arrivals: Array,
    alike: int,
    outgoing: Array,
    total: Array,
    row_scale: Array,
    teleport: Array,
    uniform: int,
    mass: float,
    sums: Array,
) -> None:
    """What arrived, in the total and in what is passed on."""
    assert (alike, uniform) == (arrivals.size == 1, teleport.size == 1)
    arrived = np.broadcast_to(arrivals + mass * teleport, n)
    total += arrived
    outgoing[:] = arrived * row_scale
    sums[0] = np.abs(arrived).sum(), arrived[row_scale == 0].sum(), 0


def sum_bends(n: int, first: Array, second: Array, total: Array, sums: Array) -> None:
    """The products of Aitken's process."""
    assert n == len(total)
    last, bend = total - second, total - 2 * second + first
    sums[0] = bend @ bend, last @ bend, 0


def extrapolate(
    n: int,
    first: Array,
    second: Array,
    t: float,
    outgoing: Array,
    total: Array,
    row_scale: Array,
    sums: Array,
) -> None:
    """The step of Aitken's process."""
    assert n == len(total)
    last, bend = total - second, total - 2 * second + first
    total += t * last
    outgoing[:] = (last + t * bend) * row_scale
    sums[0] = (last + t * bend)[row_scale == 0].sum(), 0, 0


def count_links(ids: Array, links: int, counts: Array) -> None:
    """The number of links of each id."""
    assert len(ids) == links
    counts[:] = np.bincount(ids & ID_MASK, minlength=len(counts))


def unite(ids: Array, links: int, first_row: Array, rows: Array, pages: int, parent: Array) -> None:
    """The first node of each component."""
    assert first_row[-1] == len(rows)
    hubs, authorities = ids & ID_MASK, rows[np.cumsum(ids >> 31) - 1].astype(np.int64) + pages
    edges = coo_array((np.ones(links), (hubs, authorities)), shape=(2 * pages, 2 * pages))
    _, labels = connected_components(edges, directed=False)
    first = np.full(labels.max() + 1, 2 * pages)
    np.minimum.at(first, labels, np.arange(2 * pages))
    parent[:] = first[labels]


def flatten(nodes: int, parent: Array) -> None:
    """Nothing is left to do after `unite`."""
    assert (parent[parent] == parent).all()
    assert nodes == len(parent)


STEP_TWINS = combine, accumulate, sum_bends, extrapolate
LINK_TWINS = pull, seams, count_links, unite, flatten
TWINS = {twin.__name__: twin for twin in (*STEP_TWINS, *LINK_TWINS)}
