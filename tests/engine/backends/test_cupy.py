"""What the GPU backend refuses, how it reads edge lists, and that its kernels compile for GPUs."""

import ctypes
import importlib
import importlib.util
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.engine.gpu import SOURCE, launch_twin, numpy_device
from tests.engine.operators import MAKERS, adjacency, has_gpu

import weft
from weft.core.arrays import CSR
from weft.core.errors import WeftError
from weft.core.memory import available_memory
from weft.engine.backends import cupy as cupy_backend
from weft.engine.backends.cupy import (
    COMPILE_OPTIONS,
    COPY_BYTES,
    MAX_SORTED_LINKS,
    PLAIN_KERNELS,
    PULL_KERNELS,
    SMALL_COPY_BYTES,
    TILE,
    Pull,
    cuda_device,
    explain_memory_error,
    operator_on,
)
from weft.engine.operator import Adjacency, default_backend

N = 900
NO_CUPY = importlib.util.find_spec("cupy") is None


def links() -> Adjacency:
    rng = np.random.default_rng(1)
    source, target = rng.integers(0, N, (2, 9000)).astype(np.int32)
    return adjacency(source, target, N)


def edge_list() -> Adjacency:
    """The same links twice over, shuffled, and with self-links."""
    rows = links().outlinks
    own = np.arange(N, dtype=np.int32)
    ends = np.stack([np.tile(rows.row_ids(), 2), np.tile(rows.ids, 2)])
    ends = np.concatenate([ends, np.stack([own, own])], axis=1)
    source, target = np.random.default_rng(2).permutation(ends, axis=1)
    return links()._replace(edge_list=(source, target))


def test_it_is_never_the_default() -> None:
    assert {default_backend(count) for count in (0, 10**6, 10**9)} == {"scipy", "numba"}


@pytest.mark.skipif(not NO_CUPY, reason="CuPy is installed")
def test_without_cupy_the_error_names_the_extra() -> None:
    with weft.use("cupy"), pytest.raises(WeftError, match="CuPy is not installed") as error:
        weft.rank.pagerank([("a", "b")])
    assert "weft[gpu]" in (error.value.hint or "")


def test_a_graph_too_large_says_what_it_needs() -> None:
    device = numpy_device(launch_twin, free_bytes=50_000)
    with pytest.raises(WeftError, match=r"50 kB free, and \d+ kB are needed") as error:
        operator_on(device, links(), weighted=False)
    assert "--level host" in (error.value.hint or "")


def test_a_graph_may_fit_in_one_direction_alone() -> None:
    """PageRank needs the links by target; those by source are checked once they are wanted."""
    free = [100_000_000]
    device = replace(numpy_device(launch_twin), free_bytes=lambda: free[0])
    operator = operator_on(device, links(), weighted=False)
    free[0] = 10_000
    assert operator.rmatvec(np.ones(N)).any()
    with pytest.raises(WeftError, match=r"10 kB free, and \d+ kB are needed"):
        operator.matvec(np.ones(N))


def test_running_out_of_memory_later_says_so_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """CuPy's error has the sizes in its text."""
    out_of_memory = type("OutOfMemoryError", (MemoryError,), {"__module__": "cupy.cuda.memory"})
    text = "Out of memory allocating 6,000,000,000 bytes (allocated so far: 30,200,000,000 bytes)."

    def fail(error: MemoryError) -> None:
        def build(*_: object, **__: object) -> None:
            raise error

        monkeypatch.setattr(cupy_backend, "build_operator", build)
        with weft.use("cupy"):
            weft.rank.pagerank([("a", "b")])

    with pytest.raises(WeftError, match=r"out of memory: at least 36\.2 GB are needed") as error:
        fail(out_of_memory(text))
    assert "--level host" in (error.value.hint or "")
    with pytest.raises(MemoryError, match="of the processor"):
        fail(MemoryError("of the processor"))


@pytest.mark.skipif(NO_CUPY, reason="CuPy is not installed")
def test_the_sizes_are_read_from_the_error_of_cupy() -> None:
    memory = importlib.import_module("cupy.cuda.memory")
    for limit in (0, 30_000_000):
        explained = explain_memory_error(memory.OutOfMemoryError(1_000_000, 24_000_000, limit))
        assert "at least 25 MB are needed" in str(explained)


def test_an_edge_list_is_sorted_on_the_device() -> None:
    operator = operator_on(numpy_device(launch_twin), edge_list(), weighted=False)
    wanted = MAKERS["scipy"](links(), weighted=False)
    x = np.random.default_rng(3).random(N)
    assert operator.link_count == wanted.link_count
    np.testing.assert_allclose(operator.rmatvec(x), wanted.rmatvec(x), rtol=1e-12)
    np.testing.assert_allclose(operator.matvec(x), wanted.matvec(x), rtol=1e-12)
    np.testing.assert_array_equal(operator.outdegrees(), wanted.outdegrees())


@pytest.mark.parametrize("name", [name for name in MAKERS if name.startswith("gpu")])
@pytest.mark.parametrize("length", [1, TILE - 1, TILE, TILE + 1, 3 * TILE, 3 * TILE + 5])
def test_a_row_over_several_tiles_is_added_up(name: str, length: int) -> None:
    """One long row between two short ones, at every position of the seams."""
    n = 3 * TILE + 10
    hubs = np.arange(length, dtype=np.int32)
    source = np.concatenate([[5], hubs, [6, 7]]).astype(np.int32)
    target = np.concatenate([[n - 3], np.full(length, n - 2), [n - 1, n - 1]]).astype(np.int32)
    operator = MAKERS[name](adjacency(source, target, n), weighted=False)
    x = np.arange(1.0, n + 1)
    found = operator.rmatvec(x)
    assert found[n - 3 :].tolist() == [6.0, length * (length + 1) / 2, 15.0]
    assert not found[: n - 3].any()


def test_low_precision_sums_in_double_precision() -> None:
    """A float32 sum of a million ones and a half would lose the half."""
    n = 5000
    star = adjacency(np.arange(1, n, dtype=np.int32), np.zeros(n - 1, np.int32), n)
    operator = operator_on(numpy_device(launch_twin), star, weighted=False)
    x = np.full(n, 1e4, np.float32)
    x[1] = 2.0**-10
    y = operator.zeros()
    operator.by_target.add_rows(x, y)
    assert y[0] == (n - 2) * 1e4 + 2.0**-10


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="no CUDA compiler")
@pytest.mark.parametrize("architecture", ["sm_80", "sm_90"])
def test_the_kernels_compile_for_gpus(architecture: str, tmp_path: Path) -> None:
    code = tmp_path / "kernels.cu"
    uses = "".join(f"auto use_{k} = &{name};\n" for k, name in enumerate(PULL_KERNELS))
    code.write_text(f"{SOURCE.read_text('utf-8')}\n{uses}")
    out = tmp_path / "kernels.cubin"
    words = ["nvcc", "-std=c++17", f"-arch={architecture}", "-cubin", "-o", str(out), str(code)]
    done = subprocess.run(words, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert all(name in out.read_bytes() for name in (b"pull", b"seams", b"unite", b"flatten"))


@pytest.mark.slow
@pytest.mark.parametrize("architecture", ["sm_80", "sm_90"])
@pytest.mark.parametrize("cuda", [12, 13])
def test_the_kernels_compile_as_cupy_compiles_them(cuda: int, architecture: str) -> None:
    """By NVRTC, which has no headers and finds kernels by the names that are given to it."""
    library = nvrtc_library(cuda)
    if library is None:
        pytest.skip(f"no NVRTC of CUDA {cuda}")
    nvrtc, program, size = ctypes.CDLL(str(library)), ctypes.c_void_p(), ctypes.c_size_t()
    code, names = SOURCE.read_bytes(), [*PULL_KERNELS, *PLAIN_KERNELS]
    assert not nvrtc.nvrtcCreateProgram(ctypes.byref(program), code, b"pull.cu", 0, None, None)
    for name in names:
        assert not nvrtc.nvrtcAddNameExpression(program, name.encode())
    words = [*COMPILE_OPTIONS, f"-arch={architecture}", "--device-as-default-execution-space"]
    options = (ctypes.c_char_p * len(words))(*(word.encode() for word in words))
    failed = nvrtc.nvrtcCompileProgram(program, len(words), options)
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    assert not failed, log.value.decode()
    nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size))
    machine_code = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetCUBIN(program, machine_code)
    for name in names:
        lowered = ctypes.c_char_p()
        assert not nvrtc.nvrtcGetLoweredName(program, name.encode(), ctypes.byref(lowered))
        assert lowered.value
        assert lowered.value in machine_code.raw


def nvrtc_library(cuda: int) -> Path | None:
    """The library of NVIDIA's wheels, or of a toolkit in its usual place."""
    spec = importlib.util.find_spec("nvidia")
    folders = [*map(Path, spec.submodule_search_locations or ())] if spec else []
    folders += Path("/usr/local").glob(f"cuda-{cuda}*")
    found = (path for folder in folders for path in folder.rglob(f"libnvrtc.so.{cuda}"))
    return next(found, None)


@pytest.mark.skipif(NO_CUPY or has_gpu(), reason="needs CuPy and no GPU")
def test_without_a_gpu_the_error_says_what_to_do() -> None:
    with weft.use("cupy"), pytest.raises(WeftError, match="no GPU that CuPy can use") as error:
        weft.rank.pagerank([("a", "b")])
    assert "driver" in (error.value.hint or "")


@pytest.mark.skipif(not has_gpu(), reason="no GPU")
@pytest.mark.parametrize("size", [0, 1, SMALL_COPY_BYTES, SMALL_COPY_BYTES + 1, 3 * COPY_BYTES + 7])
def test_on_a_gpu_all_bytes_are_copied_there_and_back(size: int) -> None:
    device, sent = cuda_device(), np.random.default_rng(size).integers(0, 256, size, np.uint8)
    np.testing.assert_array_equal(device.download(device.upload(sent)), sent)


@pytest.mark.slow
@pytest.mark.skipif(not has_gpu(), reason="no GPU")
@pytest.mark.skipif(available_memory() < 40 << 30, reason="needs 40 GB of memory")
def test_on_a_gpu_rows_beyond_two_to_the_31_links_are_added_up() -> None:
    n, degree = 25_000_000, 100
    assert n * degree > MAX_SORTED_LINKS
    device, rng = cuda_device(), np.random.default_rng(1)
    ids = rng.integers(0, n, n * degree, np.int32)
    rows = CSR(np.arange(n + 1, dtype=np.int64) * degree, ids)
    checked = np.r_[0:1000, n - 1000 : n, rng.integers(0, n, 1000)]
    wanted_ids = ids.reshape(n, degree)[checked]
    x, y = rng.random(n), device.xp.zeros(n)
    Pull.from_csr(device, rows, weighted=False).add_rows(device.upload(x), y)
    sums = device.download(y)
    np.testing.assert_allclose(sums[checked], x[wanted_ids].sum(axis=1), rtol=1e-12)
    assert sums.min() > 0
