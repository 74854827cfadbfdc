"""The GPU backend: links and vectors on the device, by CuPy and kernels of our own (`pull.cu`).

What it needs of CuPy is a `Device`. Tests give it NumPy instead, and the kernels
compiled for the processor, so that all but the chip itself runs without a GPU.
"""

import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from threading import local
from typing import Any

import numpy as np
import numpy.typing as npt

from weft.core.arrays import CSR, Floats, Ids
from weft.core.errors import WeftError
from weft.core.memory import format_bytes
from weft.engine.operator import (
    Adjacency,
    Item,
    LinkOperator,
    StepNorms,
    Vectors,
    VectorSums,
    WalkState,
)
from weft.kernels.bipartite_components import BipartiteComponents

THREADS, TILE = 256, 2048  # as in pull.cu

ROW_STARTS, ID_MASK = np.uint32(1 << 31), np.uint32((1 << 31) - 1)
VALUE_TYPES = {"float64": "double", "float32": "float"}
PULL_KERNELS = [
    f"pull<{value}, {weight}, {columns}>"
    for value, weight in (
        ("double", "char"),
        ("float", "char"),
        ("double", "float"),
        ("double", "double"),
    )
    for columns in (0, 1)
]
COMPILE_OPTIONS = ("-std=c++17",)
PLAIN_KERNELS = [
    "seams",
    "combine",
    "accumulate",
    "sum_bends",
    "extrapolate",
    "count_links",
    "unite",
    "flatten",
]
COPY_BYTES, COPY_WORKERS = 1 << 25, 8
SMALL_COPY_BYTES = 1 << 20  # below this, starting workers would take longer than the copy
MAX_SORTED_LINKS = (1 << 31) - 1  # CuPy's scans of longer arrays are not to be relied on
SORTED_LINK_BYTES = 24  # two copies of its key, or one with a flag, the scan of the flags, a result
WORKING_VECTORS = 12  # of a solver, at most: state, start, totals to extrapolate from, product
OUT_OF_MEMORY_HINT = "rank hosts instead (--level host), or leave out --backend cupy"
Launch = Callable[..., None]
Array = Any  # of the device


@dataclass(frozen=True, slots=True)
class Device:
    """A GPU, or what takes its place in tests: arrays, transfers, and kernels by name.

    `launch(name, blocks, *arguments)` runs a kernel with `THREADS` threads a block.
    """

    xp: Any
    launch: Launch
    upload: Callable[[npt.NDArray[Any]], Array]
    download: Callable[[Array], npt.NDArray[Any]]
    free_bytes: Callable[[], int]
    sum_blocks: int = 1024


@cache
def cuda_device() -> Device:
    """The current CUDA device; an error if CuPy is not installed, or finds no GPU."""
    cupy, number = _find_gpu()
    module = cupy.RawModule(
        code=(files("weft.engine.backends") / "pull.cu").read_text("utf-8"),
        options=COMPILE_OPTIONS,
        name_expressions=[*PULL_KERNELS, *PLAIN_KERNELS],
    )
    find_kernel = cache(module.get_function)

    def launch(name: str, blocks: int, *arguments: Any) -> None:
        find_kernel(name)((blocks,), (THREADS,), arguments)

    def upload(array: npt.NDArray[Any]) -> Array:
        host = np.ascontiguousarray(array)
        if host.nbytes <= SMALL_COPY_BYTES:
            return cupy.array(host)
        copy = cupy.empty(host.shape, host.dtype)
        _transfer(cupy, number, copy, host, cupy.cuda.runtime.memcpyHostToDevice)
        return copy

    def download(array: Array) -> npt.NDArray[Any]:
        array = cupy.ascontiguousarray(array)
        if array.nbytes <= SMALL_COPY_BYTES:
            small: npt.NDArray[Any] = array.get()
            return small
        host = np.empty(array.shape, array.dtype)
        _transfer(cupy, number, array, host, cupy.cuda.runtime.memcpyDeviceToHost)
        return host

    def free_bytes() -> int:
        unused: int = cupy.get_default_memory_pool().free_bytes()
        return int(cupy.cuda.runtime.memGetInfo()[0]) + unused

    return Device(cupy, launch, upload, download, free_bytes)


def _find_gpu() -> tuple[Any, int]:
    """CuPy, and the number of its current device."""
    try:
        import cupy  # noqa: PLC0415  an extra
    except ModuleNotFoundError as error:
        if error.name != "cupy":
            raise
        hint = "pip install 'weft[gpu]' (CUDA 13), or 'weft[gpu-cuda12]'"
        raise WeftError("CuPy is not installed", hint=hint) from None
    try:
        return cupy, cupy.cuda.runtime.getDevice()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        hint = "install the driver of an NVIDIA GPU, or leave out the backend cupy"
        raise WeftError(f"there is no GPU that CuPy can use: {error}", hint=hint) from None


def _transfer(cupy: Any, number: int, array: Array, host: npt.NDArray[Any], way: int) -> None:
    """Copy all bytes between host and device through pinned buffers, one for each worker.

    A copy from ordinary memory would go through one small buffer of the driver,
    and take many times as long.
    """
    runtime, to_device = cupy.cuda.runtime, way == cupy.cuda.runtime.memcpyHostToDevice
    cupy.cuda.get_current_stream().synchronize()
    flat, own = host.reshape(-1).view(np.uint8), local()
    size = min(COPY_BYTES, max(flat.size, 1))

    def prepare() -> None:
        cupy.cuda.Device(number).use()
        own.stream = cupy.cuda.Stream(non_blocking=True)
        own.buffer = np.frombuffer(cupy.cuda.alloc_pinned_memory(size), np.uint8, size)

    def copy(start: int) -> None:
        piece = flat[start : start + size]
        buffer, at = own.buffer[: piece.size], array.data.ptr + start
        if to_device:
            buffer[:] = piece
        ends = (at, buffer.ctypes.data) if to_device else (buffer.ctypes.data, at)
        runtime.memcpyAsync(*ends, piece.size, way, own.stream.ptr)
        own.stream.synchronize()
        if not to_device:
            piece[:] = buffer

    starts = range(0, flat.size, size)
    with ThreadPoolExecutor(max(1, min(COPY_WORKERS, len(starts))), initializer=prepare) as pool:
        list(pool.map(copy, starts))


class DeviceVectors(Vectors):
    """Vectors on a device, whose steps are kernels; sums are added up in a fixed order."""

    def __init__(self, device: Device) -> None:
        self.device, self.xp = device, device.xp

    def asarray(self, x: npt.ArrayLike) -> Floats:
        """The numbers as a vector on the device, uploaded unless they are there."""
        if isinstance(x, self.xp.ndarray):
            there: Floats = self.xp.ascontiguousarray(x, self.xp.float64)
            return there
        uploaded: Floats = self.device.upload(np.ascontiguousarray(x, np.float64))
        return uploaded

    def to_host(self, x: npt.NDArray[Item]) -> npt.NDArray[Item]:
        """The vector as a NumPy array."""
        return self.device.download(x)

    def combine(
        self,
        y: Floats,
        weights: Sequence[float],
        vectors: Sequence[Floats],
        *,
        nonnegative: bool = False,
    ) -> VectorSums:
        """Set `y` to a weighted sum of vectors; at most three are read in each pass."""
        factors, parts = [float(weight) for weight in weights], list(vectors)
        if len(parts) > 3:
            total = self.xp.empty_like(y)
            self.combine(total, factors[:3], parts[:3])
            return self.combine(
                y, [1.0, *factors[3:]], [total, *parts[3:]], nonnegative=nonnegative
            )
        (a, b, c), (x, z, w) = (
            [*factors, 0.0, 0.0][:3],
            [*parts, parts[0], parts[0]][:3],
        )
        alike = int(x.size == 1 < y.size)
        return VectorSums(
            *self._sum("combine", y.size, y, a, x, alike, b, z, c, w, int(nonnegative))
        )

    def accumulate(self, arrived: Floats, state: WalkState) -> StepNorms:
        """Add what arrived, and the teleport, to the total; set what is passed on next."""
        n, outgoing, total = state.total.size, state.outgoing, state.total
        alike, uniform = (int(part.size == 1) for part in (arrived, state.teleport))
        mass = float(state.teleport_mass)
        arguments = (
            arrived,
            alike,
            outgoing,
            total,
            state.row_scale,
            state.teleport,
            uniform,
            mass,
        )
        change, dangling_mass, _ = self._sum("accumulate", n, *arguments)
        return StepNorms(change, dangling_mass)

    def extrapolate(self, first: Floats, second: Floats, state: WalkState) -> float:
        """Extrapolate three successive totals by Aitken's process."""
        n, total = state.total.size, state.total
        squares, product, _ = self._sum("sum_bends", n, first, second, total)
        t = -product / squares if squares else 0.0
        ends = (state.outgoing, total, state.row_scale)
        return self._sum("extrapolate", n, first, second, t, *ends)[0]

    def sum_by_label(self, values: Floats, labels: Ids, count: int) -> Floats:
        """Sum values by label, as a product with the matrix that has a row for each label."""
        xp = self.xp
        pages = xp.flatnonzero(labels >= 0)
        keys = xp.sort((labels[pages].astype(xp.uint64) << 32) | pages.astype(xp.uint64))
        sums = self.zeros(count)
        Pull.from_keys(self.device, keys).add_rows(values, sums)
        return sums

    def _sum(self, kernel: str, n: int, *arguments: Any) -> list[float]:
        """Run a kernel that writes three sums for each block, and add them up."""
        blocks = self.device.sum_blocks
        sums = self.xp.zeros((blocks, 3))
        sizes = (np.int64(part) if isinstance(part, int) else part for part in arguments)
        self.device.launch(kernel, blocks, np.int64(n), *sizes, sums)
        total: list[float] = self.device.download(sums).sum(axis=0).tolist()
        return total


def explain_memory_error(error: MemoryError) -> WeftError | None:
    """CuPy's lack of memory as an error that says how much is needed; none for any other.

    CuPy says what it could not allocate, and what it had allocated before.
    """
    if type(error).__module__.partition(".")[0] != "cupy":
        return None
    sizes = re.findall(r"(?<![\d,])([\d,]+) bytes", str(error))[:2]
    needed = sum(int(size.replace(",", "")) for size in sizes)
    return WeftError(
        f"the GPU ran out of memory: at least {format_bytes(needed)} are needed",
        hint=OUT_OF_MEMORY_HINT,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Pull:
    """Links in rows, in the form of the kernel `pull`.

    `ids` is the neighbour of each link, with the top bit set where a row
    begins; `rows` are the pages of the rows, which are not empty. Of each tile,
    `first_row` is the number of rows that begin before it, and `last` the next
    tile in which a row begins.
    """

    device: Device
    ids: Array
    weights: Array | None
    rows: Array
    first_row: Array
    last: Array

    @classmethod
    def from_csr(cls, device: Device, rows: CSR, *, weighted: bool) -> "Pull":
        """From CSR rows on the host."""
        xp = device.xp
        starts = device.upload(np.asarray(rows.starts, np.int64))
        present = xp.flatnonzero(xp.diff(starts) > 0)
        weights = rows.weights if weighted else None
        return cls._from_starts(
            device,
            device.upload(np.asarray(rows.ids).view(np.uint32)),
            starts[present],
            present,
            None if weights is None else device.upload(np.asarray(weights)),
        )

    @classmethod
    def from_keys(cls, device: Device, keys: Array) -> "Pull":
        """From sorted 64-bit keys: the row, then the neighbour."""
        xp = device.xp
        rows = (keys >> 32).astype(xp.uint32)
        is_first = xp.ones(len(keys), bool)
        is_first[1:] = rows[1:] != rows[:-1]
        starts = xp.flatnonzero(is_first)
        return cls._from_starts(device, keys.astype(xp.uint32), starts, rows[starts], None)

    @classmethod
    def _from_starts(
        cls, device: Device, ids: Array, starts: Array, rows: Array, weights: Array | None
    ) -> "Pull":
        """Mark the starts of rows, and divide the links into tiles."""
        xp, tiles = device.xp, -(-len(ids) // TILE)
        ids[starts] |= ROW_STARTS
        begins = xp.minimum(xp.arange(tiles + 1) * TILE, len(ids))
        first_row = xp.searchsorted(starts, begins)
        with_starts = xp.flatnonzero(first_row[1:] > first_row[:-1])
        place = xp.searchsorted(with_starts, xp.arange(tiles), side="right")
        last = xp.append(with_starts, xp.full(1, tiles - 1, with_starts.dtype))[place]
        return cls(
            device,
            ids,
            weights,
            rows.astype(xp.uint32),
            first_row.astype(xp.uint32),
            last.astype(xp.uint32),
        )

    def add_rows(self, x: Array, y: Array) -> None:
        """Write the sum of `x` over each row into `y`, which is zero elsewhere."""
        xp, tiles = self.device.xp, len(self.last)
        columns = 1 if x.ndim == 1 else x.shape[1]
        if not tiles or not columns:
            return
        weight = "char" if self.weights is None else VALUE_TYPES[self.weights.dtype.name]
        kernel = f"pull<{VALUE_TYPES[x.dtype.name]}, {weight}, {int(columns == 1)}>"
        seams = xp.empty((2, columns, tiles))
        shape = self.first_row, self.rows, np.int64(columns)
        weights = self.ids if self.weights is None else self.weights  # unread if there are none
        links = self.ids, weights, np.int64(len(self.ids))
        self.device.launch(kernel, tiles, *links, *shape, x, y, seams[0], seams[1])
        blocks = -(-tiles * columns * 32 // THREADS)
        ends = np.int64(tiles), self.first_row, self.last, self.rows, np.int64(columns)
        self.device.launch("seams", blocks, *ends, seams[0], seams[1], y)


@dataclass(frozen=True, slots=True, eq=False)
class CuPyOperator(LinkOperator):
    """Links on the device by target; by source as well once a product needs them."""

    n: int
    by_target: Pull
    by_source: Callable[[], Pull]

    @property
    def vectors(self) -> DeviceVectors:
        """The vectors of the device."""
        return DeviceVectors(self.by_target.device)

    @property
    def link_count(self) -> int:
        """The number of links."""
        return len(self.by_target.ids)

    def rmatvec(self, x: Floats) -> Floats:
        """A'x."""
        return self._product(self.by_target, self.asarray(x))

    def matvec(self, x: Floats) -> Floats:
        """A x."""
        return self._product(self.by_source(), self.asarray(x))

    def _product(self, links: Pull, x: Floats) -> Floats:
        y = self.zeros(*x.shape[1:])
        links.add_rows(x, y)
        return y

    def outdegrees(self) -> Floats:
        """The number of links of each page, or the sum of their weights."""
        if self.by_target.weights is not None:
            return self.matvec(self.ones())
        degrees: Floats = self._count_outlinks().astype(np.float64)
        return degrees

    def _count_outlinks(self) -> Array:
        links, counts = self.by_target, self.vectors.xp.zeros(self.n, np.uint32)
        shape = links.ids, np.int64(len(links.ids))
        links.device.launch("count_links", links.device.sum_blocks, *shape, counts)
        return counts

    def neumann_step(self, state: WalkState, *, low_precision: bool = False) -> StepNorms:
        """One step of a Neumann series; with `low_precision`, values are float32, sums float64."""
        outgoing = state.outgoing
        if low_precision and self.by_target.weights is None:
            outgoing = outgoing.astype(np.float32)
        return self.vectors.accumulate(self._product(self.by_target, outgoing), state)

    def hub_authority_components(self) -> BipartiteComponents:
        """The connected components of hubs and authorities, by union-find on the device.

        The root of a component is its first node, which is a hub: hubs are
        numbered before authorities, and a component has both.
        """
        xp, n, links = self.vectors.xp, self.n, self.by_target
        parent = xp.arange(2 * n, dtype=xp.uint32)
        present = xp.zeros(2 * n, bool)
        if len(links.ids):
            launch, shape = links.device.launch, (links.first_row, links.rows, np.int64(n))
            launch("unite", len(links.last), links.ids, np.int64(len(links.ids)), *shape, parent)
            launch("flatten", links.device.sum_blocks, np.int64(2 * n), parent)
            present[:n] = self._count_outlinks() > 0
            present[n:][links.rows] = True
        number = xp.cumsum(present & (parent == xp.arange(2 * n, dtype=xp.uint32)), dtype=xp.int32)
        count = int(number[-1]) if n else 0
        labels = xp.where(present, number[parent] - xp.int32(1), xp.int32(-1))
        return BipartiteComponents(count, labels[:n], labels[n:])


def build_operator(adjacency: Adjacency, *, weighted: bool) -> CuPyOperator:
    """Bring the links to the current CUDA device."""
    return operator_on(cuda_device(), adjacency, weighted=weighted)


def operator_on(device: Device, adjacency: Adjacency, *, weighted: bool) -> CuPyOperator:
    """Bring the links to a device: CSR as it is, an edge list to be sorted there."""
    edges, inlinks, outlinks = adjacency.edge_list, adjacency.inlinks, adjacency.outlinks

    def in_rows(rows: CSR, ends: tuple[Ids, Ids] | None, working_vectors: int) -> Pull:
        needed = needed_bytes(adjacency, working_vectors, weighted=weighted)
        free = device.free_bytes()
        if needed > free:
            raise WeftError(
                f"the GPU has {format_bytes(free)} free, and {format_bytes(needed)} are needed",
                hint=OUT_OF_MEMORY_HINT,
            )
        if ends is None or weighted or len(ends[0]) > MAX_SORTED_LINKS:
            return Pull.from_csr(device, rows, weighted=weighted)
        return Pull.from_keys(device, _sort_edges(device, *ends))

    by_target = in_rows(inlinks, edges and edges[::-1], WORKING_VECTORS)
    by_source = cache(lambda: in_rows(outlinks, edges, 1))
    return CuPyOperator(adjacency.n, by_target, by_source)


def needed_bytes(adjacency: Adjacency, working_vectors: int, *, weighted: bool) -> int:
    """The memory on the device for links in one direction and vectors, or for sorting links."""
    n, edges, rows = adjacency.n, adjacency.edge_list, adjacency.outlinks
    links = len(edges[0]) if edges else len(rows.ids)
    weight = rows.weights.dtype.itemsize if weighted and rows.weights is not None else 0
    kept = links * (4 + weight) + 8 * n * working_vectors
    sorting = links * SORTED_LINK_BYTES if edges and links <= MAX_SORTED_LINKS else 0
    return max(kept, sorting + 8 * n)


def _sort_edges(device: Device, rows: Ids, ids: Ids) -> Array:
    """The distinct links without self-links as sorted keys: the row, then the neighbour."""
    xp = device.xp
    keys = device.upload(np.asarray(rows)).astype(xp.uint64) << 32
    keys |= device.upload(np.asarray(ids)).astype(xp.uint64)
    keys = keys[(keys >> 32).astype(xp.uint32) != keys.astype(xp.uint32)]
    keys.sort()
    is_first = xp.ones(len(keys), bool)
    is_first[1:] = keys[1:] != keys[:-1]
    return keys[is_first]
