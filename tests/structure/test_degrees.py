"""The laws of degrees: what is told of webs whose laws are known."""

from dataclasses import replace

import numpy as np
import pytest

from weft.graph.synthetic import copying
from weft.graph.webgraph import WebGraph
from weft.structure import degrees
from weft.structure.goodness import draw_law
from weft.structure.powerlaw import PowerLaw

WEB = copying(8000, 6, seed=3)


def pure(n: int = 3000, seed: int = 1) -> WebGraph:
    """A web whose in-degrees are numbers of a power law with the exponent 2.3."""
    draw = np.random.default_rng(seed)
    law = draw_law(PowerLaw(2.3, 1.0, 0.0, 0), n, draw)
    degree = np.minimum(np.repeat(law.values, law.counts), n).astype(int)
    source = np.concatenate([draw.choice(n, k, replace=False) for k in degree])
    return WebGraph.from_arrays(2 * n, source, np.repeat(np.arange(n, 2 * n), degree))


def ring(n: int) -> WebGraph:
    return WebGraph.from_arrays(n, np.arange(n), (np.arange(n) + 1) % n)


def test_a_pure_law_is_possible_and_cut_off_ones_fit_as_well() -> None:
    found = degrees(pure())
    exponent, error = found["in-degree exponent"], found["in-degree error"]
    assert abs(exponent - 2.3) < 3 * error
    assert found["in-degree verdict"] == "possible, log-normal and truncated power law fit as well"
    assert found["out-degree verdict"].startswith("ruled out")


def test_pages_are_counted() -> None:
    found = degrees(WEB, sets=0)
    assert found["in-degree without links"] == int((WEB.indegrees() == 0).sum())
    assert found["in-degree largest"] == WEB.indegrees().max()
    assert found["out-degree mean"] == pytest.approx(WEB.link_count / 8000)


def test_tables_hold_all_that_a_plot_needs() -> None:
    found = degrees(WEB, sets=0)
    every = found.to_table("degrees").to_pandas()
    inside = every[every["end"] == "in"]
    assert inside["pages"].sum() == int((WEB.indegrees() > 0).sum())
    share = inside["share at least"].to_numpy()
    assert share[0] == pytest.approx((WEB.indegrees() > 0).mean())
    assert (np.diff(share) < 0).all()
    lines = found.to_table("lines").to_pandas()
    assert set(lines["law"]) == {
        "power law",
        "log-normal",
        "exponential",
        "truncated power law",
    }
    first = lines[(lines["end"] == "in") & (lines["law"] == "power law")].iloc[0]
    beside = inside[inside["degree"] == first["degree"]].iloc[0]
    assert first["degree"] == found["in-degree fitted from"]
    assert first["share at least"] == pytest.approx(beside["share at least"])


def test_rivals_are_told_for_both_ends() -> None:
    table = degrees(WEB, sets=0).to_table("rivals").to_pylist()
    assert [row["end"] for row in table] == ["in"] * 3 + ["out"] * 3
    assert table[1]["fits"] == "worse"


def test_without_sets_nothing_is_tested() -> None:
    found = degrees(WEB, sets=0)
    assert found["in-degree p"] is None
    assert found["in-degree verdict"].startswith("not tested")


def test_options_are_read() -> None:
    web = pure()
    assert degrees(web, sets=40, seed=1)["in-degree p"] != degrees(web, sets=40)["in-degree p"]
    few = degrees(WEB, sets=0, least=3000)
    assert few["in-degree pages fitted"] >= 3000


def test_zeros_steep_laws_and_missing_means_are_said() -> None:
    notes = " ".join(degrees(WEB, sets=0).notes)
    assert "have in-degree zero" in notes
    draw = np.random.default_rng(0)
    source, target = draw.integers(0, 3000, (2, 60_000))
    steep = degrees(WebGraph.from_arrays(3000, source, target), sets=0)
    assert "no power law" in " ".join(steep.notes)
    heavy = degrees(copying(8000, 6, uniform=0.01, seed=3), sets=0)
    assert heavy["in-degree exponent"] < 2
    assert "grows with the web" in " ".join(heavy.notes)


def test_pages_never_fetched_are_not_asked_for_their_links() -> None:
    seen = np.arange(8000) >= 6000
    found = degrees(replace(WEB, seen=seen), sets=0)
    assert found["out-degree pages"] == 6000
    assert found["in-degree pages"] == 8000
    assert "2,000 pages never fetched" in found.notes[-1]


@pytest.mark.parametrize("n", [3, 200])
def test_degrees_that_are_all_alike_have_no_law(n: int) -> None:
    found = degrees(ring(n))
    assert found["in-degree exponent"] is None
    assert found["in-degree verdict"] == "too few pages or degrees to tell"
    assert found.to_table("fits")["largest"].to_pylist() == [1, 1]


def test_the_same_bits_twice() -> None:
    assert degrees(WEB).facts == degrees(WEB).facts
