"""Power laws of degrees on webs whose laws are known."""

from dataclasses import replace

import numpy as np
import pytest

from weft.graph.synthetic import copying_graph
from weft.graph.webgraph import WebGraph
from weft.structure import degree_distribution
from weft.structure.power_law import PowerLaw, sample_power_law

WEB = copying_graph(8000, 6, seed=3)


def pure(n: int = 3000, seed: int = 1) -> WebGraph:
    """A web whose in-degrees are numbers of a power law with the exponent 2.3."""
    draw = np.random.default_rng(seed)
    law = sample_power_law(PowerLaw(2.3, 1.0, 0.0, 0), n, draw)
    degree = np.minimum(np.repeat(law.values, law.counts), n).astype(int)
    source = np.concatenate([draw.choice(n, k, replace=False) for k in degree])
    return WebGraph.from_arrays(2 * n, source, np.repeat(np.arange(n, 2 * n), degree))


def ring(n: int) -> WebGraph:
    return WebGraph.from_arrays(n, np.arange(n), (np.arange(n) + 1) % n)


def test_a_pure_law_is_possible_and_cut_off_ones_fit_as_well() -> None:
    found = degree_distribution(pure())
    exponent, error = found["in-degree exponent"], found["in-degree standard error"]
    assert abs(exponent - 2.3) < 3 * error
    assert found["in-degree verdict"] == "possible, log-normal and truncated power law fit as well"
    assert found["out-degree verdict"].startswith("ruled out")


def test_pages_are_counted() -> None:
    found = degree_distribution(WEB, bootstrap_samples=0)
    assert found["in-degree without links"] == int((WEB.indegrees() == 0).sum())
    assert found["in-degree largest"] == WEB.indegrees().max()
    assert found["out-degree mean"] == pytest.approx(WEB.link_count / 8000)


def test_tables_hold_all_that_a_plot_needs() -> None:
    found = degree_distribution(WEB, bootstrap_samples=0)
    every = found.to_table("degrees").to_pandas()
    inside = every[every["direction"] == "in"]
    assert inside["pages"].sum() == int((WEB.indegrees() > 0).sum())
    share = inside["share at least"].to_numpy()
    assert share[0] == pytest.approx((WEB.indegrees() > 0).mean())
    assert (np.diff(share) < 0).all()
    curves = found.to_table("curves").to_pandas()
    assert set(curves["distribution"]) == {
        "power law",
        "log-normal",
        "exponential",
        "truncated power law",
    }
    first = curves[(curves["direction"] == "in") & (curves["distribution"] == "power law")].iloc[0]
    beside = inside[inside["degree"] == first["degree"]].iloc[0]
    assert first["degree"] == found["in-degree x_min"]
    assert first["share at least"] == pytest.approx(beside["share at least"])


def test_alternatives_of_both_directions() -> None:
    table = degree_distribution(WEB, bootstrap_samples=0).to_table("alternatives").to_pylist()
    assert [row["direction"] for row in table] == ["in"] * 3 + ["out"] * 3
    assert table[1]["verdict"] == "worse"


def test_without_bootstrap_samples_nothing_is_tested() -> None:
    found = degree_distribution(WEB, bootstrap_samples=0)
    assert found["in-degree p-value"] is None
    assert found["in-degree verdict"].startswith("not tested")


def test_options_are_read() -> None:
    web = pure()
    assert (
        degree_distribution(web, bootstrap_samples=40, seed=1)["in-degree p-value"]
        != degree_distribution(web, bootstrap_samples=40)["in-degree p-value"]
    )
    few = degree_distribution(WEB, bootstrap_samples=0, min_tail=3000)
    assert few["in-degree pages fitted"] >= 3000


def test_notes_on_zeros_steep_laws_and_missing_means() -> None:
    notes = " ".join(degree_distribution(WEB, bootstrap_samples=0).notes)
    assert "have in-degree zero" in notes
    draw = np.random.default_rng(0)
    source, target = draw.integers(0, 3000, (2, 60_000))
    steep = degree_distribution(WebGraph.from_arrays(3000, source, target), bootstrap_samples=0)
    assert "no power law" in " ".join(steep.notes)
    heavy = degree_distribution(copying_graph(8000, 6, uniform=0.01, seed=3), bootstrap_samples=0)
    assert heavy["in-degree exponent"] < 2
    assert "grows with the web" in " ".join(heavy.notes)


def test_uncaptured_pages_have_no_outdegree() -> None:
    seen = np.arange(8000) >= 6000
    found = degree_distribution(replace(WEB, uncaptured=seen), bootstrap_samples=0)
    assert found["out-degree pages"] == 6000
    assert found["in-degree pages"] == 8000
    assert "2,000 pages not captured" in found.notes[-1]


@pytest.mark.parametrize("n", [3, 200])
def test_equal_degrees_have_no_law(n: int) -> None:
    found = degree_distribution(ring(n))
    assert found["in-degree exponent"] is None
    assert found["in-degree verdict"] == "too few pages or degrees to tell"
    assert found.to_table("fits")["largest"].to_pylist() == [1, 1]


def test_the_same_bits_twice() -> None:
    assert degree_distribution(WEB).facts == degree_distribution(WEB).facts
