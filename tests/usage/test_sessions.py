"""Sessions in figures, and the law of surfing."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import invgauss, kstest

from weft.graph.transitions import Sessions
from weft.usage import session_overview
from weft.usage.surfing import InverseGaussian, fit_inverse_gaussian, ks_distance

VALUES = json.loads((Path(__file__).parents[1] / "data" / "mining-values.json").read_text())
SURFING = VALUES["law_of_surfing"]
DAY = 86_400
laws = st.builds(InverseGaussian, st.floats(0.5, 50), st.floats(0.01, 500))


def worked_law() -> InverseGaussian:
    law = fit_inverse_gaussian(SURFING["clicks"])
    assert law is not None
    return law


def test_worked_values() -> None:
    law = worked_law()
    found = {
        "mu": law.mu,
        "lam": law.lam,
        "mode": law.mode,
        "variance": law.variance,
        "pdf_1": float(law.pdf(1)),
        "pdf_4": float(law.pdf(4)),
        "cdf_4": float(law.cdf(4)),
        "continue_after_1": float(law.continue_probability(1)),
    }
    assert found == pytest.approx({name: SURFING[name] for name in found}, abs=1e-10)


def test_the_fit_is_that_of_scipy() -> None:
    shape, _, scale = invgauss.fit(np.array(SURFING["clicks"], float), floc=0)
    law = worked_law()
    assert law.lam == pytest.approx(scale, rel=1e-6)
    assert law.mu / law.lam == pytest.approx(shape, rel=1e-6)


@given(laws, st.floats(0.1, 500))
def test_it_is_the_distribution_of_scipy(law: InverseGaussian, x: float) -> None:
    theirs = invgauss(law.mu / law.lam, scale=law.lam)
    assert law.pdf(x) == pytest.approx(theirs.pdf(x), rel=1e-9, abs=1e-300)
    assert law.cdf(x) == pytest.approx(theirs.cdf(x), rel=1e-9, abs=1e-15)
    assert np.exp(law.log_survival(x)) == pytest.approx(theirs.sf(x), rel=1e-7, abs=1e-290)
    assert law.variance == pytest.approx(theirs.var())


@given(laws)
def test_the_mode_has_the_greatest_density(law: InverseGaussian) -> None:
    near = law.mode * np.array([0.99, 1.01])
    assert (law.pdf(near) <= law.pdf(law.mode)).all()


def test_the_density_integrates_to_the_distribution_function() -> None:
    law = worked_law()
    area, _ = quad(lambda x: float(law.pdf(x)), 0, 7, points=[0.1, 1])
    assert area == pytest.approx(float(law.cdf(7)), abs=1e-9)


@pytest.mark.parametrize("lam", [1e-9, 1e-3, 1.0, 1e3, 1e6, 1e12])
@pytest.mark.parametrize("mu", [1.0, 3.0, 1e4])
def test_extreme_shapes_stay_in_range(mu: float, lam: float) -> None:
    law = InverseGaussian(mu, lam)
    x = np.array([1e-3, 1.0, mu, 10 * mu, 1e6, 1e12])
    cdf = law.cdf(x)
    assert ((cdf >= 0) & (cdf <= 1)).all()
    assert (np.diff(cdf) >= -1e-12).all()
    going_on = law.continue_probability(x)
    assert ((going_on >= 0) & (going_on <= 1)).all()
    assert (law.log_survival(x) <= 0).all()


def test_far_out_the_rate_of_stopping_is_constant() -> None:
    law = worked_law()
    limit = np.exp(-law.lam / (2 * law.mu**2))
    assert law.continue_probability(1e5) == pytest.approx(limit, rel=1e-3)
    assert law.continue_probability(1e17) == pytest.approx(limit)


@given(st.lists(st.integers(1, 30), min_size=2, max_size=30).filter(lambda x: len(set(x)) > 1))
def test_ks_distance_is_that_of_scipy(lengths: list[int]) -> None:
    law = fit_inverse_gaussian(lengths)
    assert law is not None
    theirs = kstest(lengths, invgauss(law.mu / law.lam, scale=law.lam).cdf).statistic
    assert ks_distance(lengths, law) == pytest.approx(theirs, abs=1e-9)


@given(laws, st.integers(0, 5))
def test_samples_give_their_law_back(law: InverseGaussian, seed: int) -> None:
    sample = np.random.default_rng(seed).wald(law.mu, law.lam, 20_000)
    found = fit_inverse_gaussian(sample)
    assert found is not None
    error = 6 * np.sqrt(law.variance / len(sample))
    assert found.mu == pytest.approx(law.mu, abs=error)
    assert found.lam == pytest.approx(law.lam, rel=0.1)


@pytest.mark.parametrize("lengths", [[], [3], [4, 4, 4]])
def test_nothing_to_fit(lengths: list[int]) -> None:
    assert fit_inverse_gaussian(lengths) is None


def timed_sessions() -> Sessions:
    """Three sessions of two visitors on two days, and one without times."""
    sessions = Sessions.from_paths(["abac", "b", "ab", "cc"])
    times = np.array([10, 70, 0, 130, 3 * DAY, 3 * DAY + 9, 3 * DAY + 29, 0, 0])
    inferred = np.array([False, False, True] + [False] * 6)
    visitors = np.array([7, 8, 7, 9], np.uint64)
    referrers = pa.array(["x.org", "", "x.org", ""])
    return replace(sessions, times=times, inferred=inferred, visitors=visitors, referrers=referrers)


def test_facts_by_hand() -> None:
    found = session_overview(timed_sessions())
    assert found["sessions"] == 4
    assert found["visitors"] == 3
    assert found["views"] == 8
    assert found["inferred views"] == 1
    assert found["bounce rate"] == 1 / 4
    assert found["views per session"] == 2
    assert found["longest session"] == 3
    assert found["mean seconds"] == (120 + 20) / 2
    assert found["timed sessions"] == 2
    assert any("1 session without times" in note for note in found.notes)
    assert any("1 view inferred" in note for note in found.notes)


def test_tables_by_hand() -> None:
    found = session_overview(timed_sessions())
    days = found.to_table("days").to_pylist()
    assert days == [
        {"day": "1970-01-01", "sessions": 1, "visitors": 1, "views": 3},
        {"day": "1970-01-04", "sessions": 2, "visitors": 2, "views": 3},
    ]
    entries = [
        (r["page"], r["sessions"], r["bounces"]) for r in found.to_table("entries").to_pylist()
    ]
    assert entries == [("a", 2, 0), ("b", 1, 1), ("c", 1, 0)]
    exits = [(r["page"], r["sessions"], r["views"]) for r in found.to_table("exits").to_pylist()]
    assert exits == [("b", 2, 3), ("c", 2, 3)]
    pages = [(r["page"], r["views"], r["sessions"]) for r in found.to_table().to_pylist()]
    assert pages == [("b", 3, 3), ("c", 3, 2), ("a", 2, 2)]
    referrers = found.to_table("referrers").to_pylist()
    assert referrers == [
        {"referrer": "none or unknown", "sessions": 2},
        {"referrer": "x.org", "sessions": 2},
    ]


def test_days_before_1970() -> None:
    sessions = Sessions.from_paths(["ab"])
    early = replace(sessions, times=np.array([-2 * DAY, -2 * DAY + 30]))
    found = session_overview(early)
    assert found.to_table("days")["day"].to_pylist() == ["1969-12-30"]
    assert (found["median seconds"], found["timed sessions"]) == (30, 1)


def test_lengths_and_the_law() -> None:
    paths = [["p"] * clicks for clicks in SURFING["clicks"]]
    found = session_overview(paths)
    assert found["surfing mean"] == SURFING["mu"]
    assert found["surfing shape"] == pytest.approx(SURFING["lam"])
    lengths = found.to_table("lengths").to_pylist()
    assert [row["views"] for row in lengths] == [1, 2, 3, 4, 5, 8, 13]
    assert lengths[3]["fitted at most"] == pytest.approx(SURFING["cdf_4"])
    assert lengths[0]["continues fitted"] == pytest.approx(SURFING["continue_after_1"])
    assert (lengths[0]["continues"], lengths[-1]["continues"]) == (0.7, 0.0)


def test_equal_lengths_have_no_law() -> None:
    found = session_overview(["ab", "cd"])
    assert found["surfing mean"] is None
    assert "all sessions have 2 pages: the law of surfing cannot be fitted" in found.notes


@given(st.lists(st.lists(st.sampled_from("abcd"), max_size=6), max_size=8))
def test_totals_agree(paths: list[list[str]]) -> None:
    found = session_overview(paths)
    views = sum(map(len, paths))
    started = sum(map(bool, paths))
    assert sum(found.to_table("pages")["views"].to_pylist()) == found["views"] == views
    for name in ("entries", "exits", "lengths"):
        assert sum(found.to_table(name)["sessions"].to_pylist()) == started
