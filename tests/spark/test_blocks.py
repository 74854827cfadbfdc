"""What tasks do with blocks of links, called here one after another instead of by Spark."""

from collections import defaultdict
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from weft.core.arrays import Floats, Offsets
from weft.spark import blocks
from weft.spark.array_folder import ArrayFolder
from weft.spark.blocks import BlockFiles, _number_neighbours, split_links, write_block
from weft.spark.edge_table import _rename_to_owners, _sort_codes, look_up_numbers
from weft.spark.exchange import _ask, _receive, _send, _write_send_list

PAGES, LINKS = 200, 3000


@pytest.fixture(autouse=True)
def _threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tasks set the number of threads of their process, which is that of all tests here."""
    monkeypatch.setenv("WEFT_THREADS", "1")


def make_links(seed: int) -> tuple[Offsets, Offsets, Floats]:
    """Rows, other ends and weights of links, many of them parallel."""
    rng = np.random.default_rng(seed)
    row, other = rng.integers(0, PAGES, LINKS), (PAGES * rng.random(LINKS) ** 3).astype(np.int64)
    return row, other, rng.choice([0.5, 1.0, 1 / 3], LINKS)


def write_blocks(folder: Path, count: int, seed: int, *, weighted: bool) -> BlockFiles:
    """The blocks of those links, in an order of their own, by way of two tasks and a shuffle."""
    files, rng = BlockFiles(ArrayFolder(str(folder)), PAGES, count), np.random.default_rng(seed)
    names = ("target", "source", "weight") if weighted else ("target", "source")
    columns = dict(zip(names, make_links(0), strict=False))
    links = pa.table(columns).take(rng.permutation(LINKS)).combine_chunks()
    partitions = defaultdict(list)
    for half in (links[: LINKS // 3], links[LINKS // 3 :]):
        for part in split_links(half.to_batches(max_chunksize=77), files, None):
            # Spark may join partitions: those of the last places are one.
            partitions[min(part["place"][0].as_py(), 3)].append(part)
    written = [row for parts in partitions.values() for batch in write_block(parts, files)
               for row in batch.to_pylist()]  # fmt: skip
    assert sorted(row["place"] for row in written) == [*range(2 * count)]
    merged = len({*zip(*make_links(0)[:2], strict=True)})
    assert sum(row["links"] for row in written) == 2 * merged
    return files


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("count", [1, 3])
def test_a_round_of_exchange_adds_up_rows(tmp_path: Path, count: int, *, weighted: bool) -> None:
    files = write_blocks(tmp_path, count, 1, weighted=weighted)
    values, sums = np.random.default_rng(2).random(PAGES), np.zeros(PAGES)
    asked, sent = defaultdict(list), defaultdict(list)
    for receiver in range(count):
        for sender, wanted in _ask(files, "in", receiver):
            asked[sender].append((sender, wanted))
    for sender in range(count):
        assert not [*_write_send_list(files, "in", sender, asked[sender][::-1])]
        send = _send(files, "in", lambda own, block: values[own.page_slice(block)], sender)
        for receiver, payload in send:
            sent[receiver].append((receiver, payload))

    def finish(own: BlockFiles, block: int, found: Floats) -> tuple[float, ...]:
        sums[own.page_slice(block)] = found
        return ()

    for receiver in range(count):
        list(_receive(files, "in", finish, receiver, sent[receiver][::-1], weighted=weighted))
    matrix = np.zeros((PAGES, PAGES))
    row, other, weight = make_links(0)
    np.add.at(matrix, (row, other), weight)
    expected = (matrix if weighted else matrix > 0) @ values
    assert sums == pytest.approx(expected, rel=1e-12)


def test_blocks_do_not_depend_on_the_order_of_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, seed in (("one", 1), ("other", 2)):
        monkeypatch.setattr(blocks, "MIN_SPLIT_LINKS", 100 * seed)
        write_blocks(tmp_path / name, 2, seed, weighted=True)
    files = sorted((tmp_path / "one").iterdir())
    assert len(files) == 16
    for file in files:
        assert file.read_bytes() == (tmp_path / "other" / file.name).read_bytes()


def test_neighbours_of_few_links_among_many_pages() -> None:
    neighbours, ids = _number_neighbours(np.array([5, 10**9, 5]), 10**10)
    assert (neighbours.tolist(), ids.tolist()) == ([5, 10**9], [0, 1, 0])


def test_page_numbers_are_looked_up_by_code(tmp_path: Path) -> None:
    """Where two names have one code, nothing is saved, and links are joined instead."""
    assert _sort_codes(np.array([5, -1, 5]), np.arange(3)) is None
    found = _sort_codes(np.array([5, -1, 7]), np.arange(3))
    assert found is not None
    folder = ArrayFolder(str(tmp_path))
    folder.save("codes", found[0])
    folder.save("numbers", found[1])
    assert look_up_numbers(folder, np.array([7, 5, -1, 7])).tolist() == [2, 0, 1, 2]


def test_one_link_within_each_host_remains() -> None:
    links = [("http://a.org/1", "http://a.org/2"), ("http://a.org/2", "http://a.org/3"),
             ("http://a.org/1", "http://b.org/"), ("http://b.org/", "http://b.org/")]  # fmt: skip
    sources, targets = map(list, zip(*links, strict=True))
    [renamed] = _rename_to_owners([pa.record_batch({"source": sources, "target": targets})], "host")
    pairs = zip(*renamed.to_pydict().values(), strict=True)
    assert [*pairs] == [("a.org", "a.org"), ("a.org", "b.org"), ("b.org", "b.org")]
