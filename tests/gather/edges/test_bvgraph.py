"""Web graphs of the WebGraph framework: decoded, with URLs, damaged, refused."""

import gzip
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.command import weft
from tests.gather.graphs import BAD, Graph, read
from tests.gather.webgraphs import DEFAULT_CODING, encode, properties, write_web_graph
from tests.real import DATA, real

import weft as library
from weft.core.errors import WeftError
from weft.gather.edges import bvgraph, text_rows
from weft.gather.formats import recognise_input
from weft.gather.page import NumberedLinks, Problems
from weft.kernels.bvgraph import DELTA, GAMMA, GOLOMB, NIBBLE, UNARY, ZETA, BVGraphCoding

DAMAGED = bvgraph.DAMAGED_GRAPHS
SMALL = [{1, 2, 5}, {0, 1, 2, 5}, set(), {0, 2, 3, 4, 5, 6}, {0, 3, 4, 5, 6}, {5}, set()]
CNR_2000 = DATA / "bvgraph" / "cnr-2000.graph"


def pairs(graph: list[set[int]]) -> list[tuple[str, str]]:
    return [(str(a), str(b)) for a, targets in enumerate(graph) for b in sorted(targets)]


def random_graph(nodes: int, seed: int = 0) -> list[set[int]]:
    """A graph with copied lists, intervals and residuals."""
    random = Random(seed)
    graph: list[set[int]] = []
    for node in range(nodes):
        links = set(random.sample(range(nodes), random.randrange(4)))
        if graph and random.random() < 0.7:
            links |= {x for x in graph[max(0, node - random.randrange(1, 9))] if x % 7}
        if random.random() < 0.2:
            first = random.randrange(nodes)
            links |= set(range(first, min(nodes, first + 12)))
        graph.append(links)
    return graph


@st.composite
def graphs(draw: st.DrawFn) -> list[set[int]]:
    nodes = draw(st.integers(1, 40))
    return draw(
        st.lists(st.sets(st.integers(0, nodes - 1), max_size=30), min_size=nodes, max_size=nodes)
    )


codings = st.builds(
    BVGraphCoding,
    outdegrees=st.sampled_from([GAMMA, DELTA]),
    references=st.sampled_from([UNARY, GAMMA, DELTA]),
    block_counts=st.sampled_from([UNARY, GAMMA, DELTA]),
    blocks=st.sampled_from([UNARY, GAMMA, DELTA]),
    residuals=st.sampled_from([GAMMA, DELTA, ZETA, NIBBLE, GOLOMB]),
    zeta_k=st.integers(1, 8),
    window=st.sampled_from([0, 1, 7, 100]),
    min_interval=st.sampled_from([0, 2, 4]),
)


def test_by_hand(tmp_path: Path) -> None:
    """Outdegree 1 (010), no reference (1), no interval (1), gap +1 (1011); outdegree 0 (1)."""
    (tmp_path / "web.properties").write_text(properties([{1}, set()], compressionflags=""))
    path = tmp_path / "web.graph"
    path.write_bytes(bytes([0b01011101, 0b11000000]))
    graph = read(path, "bvgraph")
    assert graph.links == [("0", "1", 1, "")]
    assert graph.nodes == [("1", "")]
    assert not graph.problems.counts


@given(graphs(), codings)
def test_round_trip(graph: list[set[int]], coding: BVGraphCoding) -> None:
    with TemporaryDirectory() as folder:
        found = read(write_web_graph(Path(folder), graph, coding), "bvgraph")
    assert found.pairs == pairs(graph)
    assert [int(name) for name, _ in found.nodes] == [k for k, out in enumerate(graph) if not out]
    assert not found.problems.counts


def test_long_unary_codes(tmp_path: Path) -> None:
    """A reference, a number of blocks and a quotient of more than 64."""
    graph: list[set[int]] = [set() for _ in range(1000)]
    graph[0] = set(range(0, 1000, 3))
    graph[100] = set(range(0, 1000, 6))
    graph[101] = {0, 999}
    coding = BVGraphCoding(window=100, block_counts=UNARY, residuals=GOLOMB)
    assert read(write_web_graph(tmp_path, graph, coding), "bvgraph").pairs == pairs(graph)


@pytest.mark.parametrize("residuals", [GAMMA, DELTA, ZETA, NIBBLE])
@pytest.mark.parametrize("zeta_k", [1, 2, 3, 16, 31])
def test_the_largest_numbers(tmp_path: Path, residuals: int, zeta_k: int) -> None:
    """The first nodes of a graph of 2^31 - 1; the others are missing."""
    last, coding = (1 << 31) - 2, BVGraphCoding(residuals=residuals, zeta_k=zeta_k)
    graph = [{0, last}, {last}, {0, *range(last - 9, last + 1)}, {last - 1}]
    found = read(write_web_graph(tmp_path, graph, coding, nodes=last + 1), "bvgraph")
    assert found.pairs[: len(pairs(graph))] == pairs(graph)
    assert list(found.problems.counts) == [DAMAGED]


def test_parts_of_the_file_and_batches_fit_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows cut by the end of a part, longer than a part, and longer than a batch."""
    graph = random_graph(300)
    graph[150] = set(range(0, 300, 2))
    path = write_web_graph(tmp_path, graph)
    monkeypatch.setattr(bvgraph, "CHUNK_BYTES", 8)
    monkeypatch.setattr(bvgraph, "MAX_BATCH_ROWS", 50)
    monkeypatch.setattr(bvgraph, "MAX_BATCH_NODES", 9)
    found = read(path, "bvgraph")
    assert found.pairs == pairs(graph)
    assert not found.problems.counts


def test_a_cut_file_keeps_the_nodes_before_the_cut(tmp_path: Path) -> None:
    graph = random_graph(60)
    path = write_web_graph(tmp_path, graph)
    data, expected = path.read_bytes(), pairs(graph)
    kept = []
    for size in range(len(data) - 1):
        path.write_bytes(data[:size])
        found = read(path, "bvgraph")
        assert found.pairs == expected[: len(found.pairs)]
        assert list(found.problems.counts) == [DAMAGED]
        kept.append(len(found.pairs))
    assert kept[0] == 0
    assert kept == sorted(kept)
    assert kept[-1] > len(expected) * 0.9


@given(st.integers(0, 1 << 30), codings)
def test_flipped_bits(seed: int, coding: BVGraphCoding) -> None:
    """What is read are increasing lists of nodes; all before the flip, and no error."""
    random, graph = Random(seed), random_graph(40, seed)
    data = bytearray(encode(graph, coding))
    for _ in range(random.randrange(1, 4)):
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    with TemporaryDirectory() as folder:
        path = write_web_graph(Path(folder), graph, coding)
        path.write_bytes(data)
        found = read(path, "bvgraph")
    rows = [(int(a), int(b)) for a, b in found.pairs]
    assert rows == sorted(set(rows))
    assert all(0 <= end < 40 for row in rows for end in row)
    damaged = found.problems.damage_reasons
    assert damaged <= {DAMAGED, bvgraph.WRONG_COUNTS}
    assert damaged or len(rows) == len(pairs(graph))


@given(st.binary(max_size=300), codings)
def test_any_bytes(data: bytes, coding: BVGraphCoding) -> None:
    with TemporaryDirectory() as folder:
        path = write_web_graph(Path(folder), [set()] * 1000, coding)
        path.write_bytes(data)
        found = read(path, "bvgraph")
    assert found.problems.damage_reasons == {DAMAGED}


@pytest.mark.parametrize("byte", [0x00, 0xFF, 0x55])
def test_claims_do_not_take_memory(tmp_path: Path, byte: int) -> None:
    """Two thousand million nodes in a hundred kB: what is there is read, batch by batch."""
    coding = BVGraphCoding(references=GAMMA, residuals=GOLOMB, block_counts=UNARY)
    path = write_web_graph(tmp_path, [], coding, nodes=(1 << 31) - 1, arcs=1 << 60)
    path.write_bytes(bytes([byte]) * 100_000)
    found = read(path, "bvgraph")
    assert DAMAGED in found.problems.counts
    assert len(found.nodes) <= 800_000


def test_a_graph_that_expands_too_much_is_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bvgraph, "BASE_LINK_LIMIT", 1000)
    monkeypatch.setattr(bvgraph, "MAX_LINKS_PER_BYTE", 10)
    monkeypatch.setattr(bvgraph, "MAX_BATCH_ROWS", 2000)
    graph = [set(range(200)) for _ in range(200)]
    found = read(write_web_graph(tmp_path, graph), "bvgraph")
    assert list(found.problems.counts) == [bvgraph.OVERSIZED_GRAPHS]
    assert len(found.pairs) < 40_000


def test_a_row_longer_than_memory_allows_is_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bvgraph, "MAX_BATCH_ROWS", 8)
    monkeypatch.setattr(bvgraph, "MAX_ROW_IDS", 100)
    found = read(write_web_graph(tmp_path, [{0}, set(range(90)), *[{1}] * 98]), "bvgraph")
    assert found.pairs == [("0", "0")]
    assert found.problems.locations == {DAMAGED: [f"{tmp_path}/web.graph: from node 1 of 100 on"]}


def test_another_number_of_links_is_reported(tmp_path: Path) -> None:
    found = read(write_web_graph(tmp_path, SMALL, arcs=3), "bvgraph")
    assert found.pairs == pairs(SMALL)
    assert list(found.problems.counts) == [bvgraph.WRONG_COUNTS]


def test_an_empty_graph(tmp_path: Path) -> None:
    found = read(write_web_graph(tmp_path, []), "bvgraph")
    assert found == Graph([], [], Problems())


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"graphclass": "it.unimi.dsi.webgraph.EFGraph"}, "class 'it.unimi.dsi.webgraph.EFGraph'"),
        ({"graphclass": None}, "class ''"),
        ({"version": 1}, "version '1'"),
        ({"version": None}, "version None"),
        ({"endianness": "little"}, "little-endian"),
        ({"nodes": 1 << 31}, "nodes '2147483648'"),
        ({"nodes": -1}, "nodes '-1'"),
        ({"nodes": None}, "nodes ''"),
        ({"arcs": "9" * 5000}, "arcs '9999"),
        ({"windowsize": 1 << 20}, "windowsize"),
        ({"zetak": 0}, "zetak '0'"),
        ({"zetak": 40}, "zetak '40'"),
        ({"minintervallength": "four"}, "minintervallength 'four'"),
        ({"compressionflags": "RESIDUALS_RICE"}, "flag 'RESIDUALS_RICE'"),
        ({"compressionflags": "OUTDEGREES_ZETA"}, "flag 'OUTDEGREES_ZETA'"),
        ({"compressionflags": "INTERVALS_DELTA"}, "flag 'INTERVALS_DELTA'"),
        ({"compressionflags": "DELTA"}, "flag 'DELTA'"),
    ],
)
def test_what_cannot_be_read_is_refused(
    tmp_path: Path, changed: dict[str, object], message: str
) -> None:
    path = write_web_graph(tmp_path, SMALL, DEFAULT_CODING, **changed)
    with pytest.raises(WeftError, match=message):
        read(path, "bvgraph")


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("compressionflags", "OUTDEGREES_GAMMA|OFFSETS_DELTA | BLOCKS_GAMMA"),
        ("compressionflags", ""),
        ("compressionflags", None),
        ("zetak", None),
        ("graphclass", "it.unimi.dsi.big.webgraph.BVGraph"),
        ("endianness", "big"),
    ],
)
def test_other_ways_to_write_the_defaults(tmp_path: Path, key: str, text: str | None) -> None:
    path = write_web_graph(tmp_path, SMALL, DEFAULT_CODING, **{key: text})
    assert read(path, "bvgraph").pairs == pairs(SMALL)


def test_java_properties(tmp_path: Path) -> None:
    path = write_web_graph(tmp_path, SMALL)
    text = path.with_suffix(".properties").read_text().replace("nodes=", "nodes : ")
    path.with_suffix(".properties").write_text(text.replace("\n", "\r\n").replace(".dsi", "\\.dsi"))
    assert recognise_input(path).input_format == "bvgraph"
    assert read(path, "bvgraph").pairs == pairs(SMALL)


def test_recognised_by_its_properties(tmp_path: Path) -> None:
    path = write_web_graph(tmp_path, SMALL)
    for name in ("web.offsets", "web.ef", "web.obl", "web.urls.gz"):
        (tmp_path / name).write_bytes(b"\0\1\2")
    assert recognise_input(path).input_format == "bvgraph"
    with pytest.raises(WeftError, match="cannot tell what"):
        recognise_input(tmp_path / "web.offsets")
    path.with_suffix(".properties").unlink()
    with pytest.raises(WeftError, match="cannot tell what"):
        recognise_input(path)
    with pytest.raises(WeftError, match=r"web\.properties is missing"):
        list(recognise_input(path, input_format="bvgraph").read_graph(Problems()))


def test_offsets_do_not_matter(tmp_path: Path) -> None:
    path = write_web_graph(tmp_path, SMALL)
    without = recognise_input(path).digest()
    (tmp_path / "web.offsets").write_bytes(b"nonsense")
    (tmp_path / "web.ef").write_bytes(b"nonsense")
    assert recognise_input(path).digest() == without
    assert read(path, "bvgraph").pairs == pairs(SMALL)


@pytest.mark.parametrize("name", ["web.urls", "web.urls.gz"])
def test_urls_name_the_nodes(tmp_path: Path, name: str) -> None:
    path = write_web_graph(tmp_path, SMALL)
    urls = [f"http://h{k}.example" for k in range(6)] + ["http://é.example/x"]
    text = "\r\n".join(urls).encode()
    (tmp_path / name).write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    found = read(path, "bvgraph")
    names = [f"{url}/" for url in urls[:6]] + urls[6:]
    assert found.pairs == [(names[int(a)], names[int(b)]) for a, b in pairs(SMALL)]
    assert found.nodes == [(names[2], ""), (names[6], "")]
    assert not found.problems.counts


def test_nodes_without_a_usable_url_keep_their_numbers(tmp_path: Path) -> None:
    path = write_web_graph(tmp_path, SMALL)
    urls = tmp_path / "web.urls"
    urls.write_bytes(b"http://a/\n\nhttp://c/\nhttp://a/\nhttp://\1/\n")
    found = read(path, "bvgraph")
    names = ["http://a/", "1", "http://c/", "http://a/", "4", "5", "6"]
    assert found.pairs == [(names[int(a)], names[int(b)]) for a, b in pairs(SMALL)]
    assert found.problems.locations == {
        BAD: [f"{urls}:2", f"{urls}:5"],
        bvgraph.MISSING_NAMES: [f"{urls}: 5 for 7"],
        bvgraph.SHARED_NAMES: [str(urls)],
    }


def test_more_urls_than_nodes_are_reported_blank_lines_are_not(tmp_path: Path) -> None:
    path, text = write_web_graph(tmp_path, [{0}]), b"http://a/\n"
    for more, problems in ((b"\n \n\n", {}), (b"\nhttp://b/\n", {bvgraph.MISSING_NAMES: 1})):
        (tmp_path / "web.urls").write_bytes(text + more)
        found = read(path, "bvgraph")
        assert found.pairs == [("http://a/", "http://a/")]
        assert found.problems.counts == problems


def test_a_bomb_of_urls_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bvgraph, "BASE_URL_BYTES", 1000)
    monkeypatch.setattr(text_rows, "MAX_BLOCK_ROWS", 1000)
    path = write_web_graph(tmp_path, [set() for _ in range(10_000)])
    text = b"".join(b"http://%d/%b\n" % (k, b"x" * 2000) for k in range(10_000))
    (tmp_path / "web.urls.gz").write_bytes(gzip.compress(text))
    found = read(path, "bvgraph")
    assert bvgraph.OVERSIZED_URL_LISTS in found.problems.damage_reasons
    assert found.nodes[0][0].startswith("http://0/x")
    assert found.nodes[-1] == ("9999", "")


@pytest.mark.slow
def test_add_and_add_again(tmp_path: Path) -> None:
    path, folder = write_web_graph(tmp_path, SMALL), tmp_path / "c.weft"
    assert "7 pages · 15 links" in weft("add", folder, path).stderr
    first = library.open(folder).collection.manifest.snapshot
    weft("add", folder, path)
    assert library.open(folder).collection.manifest.snapshot == first
    path.with_suffix(".urls").write_text("".join(f"http://h/{k}\n" for k in range(7)))
    assert "14 pages · 30 links" in weft("add", folder, path).stderr


@real
def test_cnr_2000() -> None:
    """The counts of its properties file, and the degrees that another decoder found."""
    problems = Problems()
    sources, targets = list[Any](), list[Any]()
    isolated = 0
    for batch in bvgraph.read_bvgraph(CNR_2000, "digest", problems):
        assert isinstance(batch, NumberedLinks)
        isolated += len(batch.nodes)
        sources.append(np.asarray(batch.source))
        targets.append(np.asarray(batch.target))
    outdegrees, indegrees = (np.bincount(np.concatenate(x)) for x in (sources, targets))
    assert not problems.counts
    assert len(outdegrees) == 325_557
    assert outdegrees.sum() == indegrees.sum() == 3_216_152
    assert isolated == (outdegrees == 0).sum() == 78_056
    assert (outdegrees.max(), indegrees.max()) == (2_716, 18_235)
