"""HyperBall against exact counts, with the same bits for any number of threads."""

import os
import subprocess
import sys

import numpy as np
import pytest

from weft.core.arrays import Floats
from weft.graph.webgraph import WebGraph
from weft.kernels.hyperball import REGISTERS_PER_SLICE, hyperball
from weft.kernels.traversal import count_pages_by_distance

SCRIPT = """
import numpy as np
from weft.kernels.hyperball import hyperball
from weft.graph.webgraph import WebGraph
ends = np.random.default_rng(0).integers(0, 30_000, (2, 90_000)).astype(np.int32)
graph = WebGraph.from_arrays(30_000, ends[0], ends[1])
found = hyperball([graph.outlinks], lambda: [graph.inlinks], 8, 3)
print(found.tobytes().hex())
"""


def random_web(n: int = 600, links: int = 3, seed: int = 0) -> WebGraph:
    target = np.random.default_rng(seed).integers(0, n, n * links).astype(np.int32)
    return WebGraph.from_arrays(n, np.repeat(np.arange(n, dtype=np.int32), links), target)


def estimated(graph: WebGraph, bits: int, seed: int) -> Floats:
    return hyperball([graph.outlinks], lambda: [graph.inlinks], bits, seed)


def exact(graph: WebGraph) -> Floats:
    found = count_pages_by_distance([graph.outlinks], np.arange(len(graph), dtype=np.int32))
    return np.cumsum(found.pages_at_distance.sum(axis=1)).astype(float)


@pytest.mark.parametrize("bits", [4, 5, 6, 8, 10, 12])
def test_pairs_are_close_to_the_true_number(bits: int) -> None:
    graph = random_web()
    wanted = exact(graph)
    runs = [estimated(graph, bits, seed) for seed in range(8)]
    mean = np.mean([run[-1] for run in runs])
    assert mean == pytest.approx(wanted[-1], rel=4 * 1.06 / np.sqrt(8 << bits))


def test_counters_that_never_fill_are_nearly_exact() -> None:
    """Up to 30 reachable pages in 4,096 registers: hardly two share one."""
    chain = WebGraph.from_arrays(30, np.arange(29), np.arange(1, 30))
    np.testing.assert_allclose(estimated(chain, 12, 0), exact(chain), rtol=0.02)


def test_it_starts_at_every_page_with_itself_and_never_falls() -> None:
    for seed in range(5):
        found = estimated(random_web(2000), 6, seed)
        assert found[0] == 2000
        assert (np.diff(found) > 0).all()


def test_it_ends_when_no_counter_changes() -> None:
    graph = random_web()
    assert len(estimated(graph, 8, 0)) <= len(exact(graph))
    assert estimated(WebGraph.from_arrays(5, [], []), 8, 0).tolist() == [5.0]
    assert estimated(WebGraph.from_arrays(0, [], []), 8, 0).tolist() == [0.0]


def test_seeds_differ_and_repeat() -> None:
    graph = random_web()
    assert estimated(graph, 8, 1).tolist() == estimated(graph, 8, 1).tolist()
    assert estimated(graph, 8, 1)[-1] != estimated(graph, 8, 2)[-1]


def test_few_changes_are_found_by_reverse_links() -> None:
    """A chain of 5,000 changes few counters in each iteration: reverse links find these."""
    n = 5000
    chain = WebGraph.from_arrays(n, np.arange(n - 1), np.arange(1, n))
    asked = []

    def back() -> list[object]:
        asked.append(1)
        return [chain.inlinks]

    found = hyperball([chain.outlinks], back, 4, 0)  # type: ignore[arg-type]
    assert asked
    assert found[-1] == pytest.approx(n * (n + 1) / 2, rel=0.5)


def test_links_in_both_directions() -> None:
    graph = WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")])
    directions = [graph.outlinks, graph.inlinks]
    found = hyperball(directions, lambda: directions, 12, 0)
    np.testing.assert_allclose(found, [4, 10, 14, 16], rtol=0.01)


def test_slices_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = random_web()
    unsliced = estimated(graph, 8, 0)
    monkeypatch.setattr("weft.kernels.hyperball.REGISTERS_PER_SLICE", 4 * REGISTERS_PER_SLICE)
    assert estimated(graph, 8, 0).tobytes() == unsliced.tobytes()


@pytest.mark.slow
def test_the_number_of_threads_changes_no_bit() -> None:
    def run(threads: str) -> str:
        environment = os.environ | {"WEFT_THREADS": threads}
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    assert run("1") == run("5")
