"""PageRate: by hand, by its equation, and where it fails."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.graph.transitions import Sessions
from weft.usage import Usage, pagerate

paths = st.lists(st.lists(st.sampled_from("abcdef"), max_size=9), max_size=9)


def rates(found: Usage) -> dict[str, float]:
    table = found.to_table()
    return dict(zip(table["page"].to_pylist(), table["rate"].to_pylist(), strict=True))


def test_by_hand() -> None:
    """N_in(a) = 1 and N(a, b) = 2: b = 1/2 + 1/2 * a * 2 with a = 1/2, as c passes nothing on."""
    found = pagerate(["ab", "cab"], damping=0.5)
    assert rates(found) == pytest.approx({"b": 1.0, "a": 0.5, "c": 0.5})
    assert found["divisions by zero"] == 1
    assert found["largest gain"] == 1


def test_entry_pages_divide_by_zero() -> None:
    found = pagerate(["hab", "hb", "ha"])
    assert found["divisions by zero"] == 1
    assert "1 page where sessions begin has no clicks in, which divides by zero: h" in found.notes
    gains = {row["page"]: row["gain"] for row in found.to_table().to_pylist()}
    assert gains["h"] is None
    assert gains["a"] == pytest.approx(0.85 / 2)


def test_few_clicks_in_are_a_large_gain() -> None:
    """Page a is entered by one click and left by four."""
    found = pagerate(["ab", "ab", "ab", "cab"], damping=0.5)
    assert found["largest gain"] == 2
    assert found["pages with gain above one"] == 1
    counted = pagerate(["ab", "ab", "ab", "cab"], damping=0.5, count_entries=True)
    assert counted["largest gain"] == 0.5
    assert counted["divisions by zero"] == 0


@given(paths)
def test_with_entries_no_page_gains(sessions: list[list[str]]) -> None:
    """A page is left at most as often as it is entered."""
    found = pagerate(sessions, count_entries=True)
    assert found["largest gain"] <= 0.85 + 1e-12
    assert found["divisions by zero"] == 0


@pytest.mark.parametrize("count_entries", [True, False])
@given(sessions_of=paths, damping=st.floats(0.1, 0.9))
def test_the_rates_solve_the_equation(
    *, sessions_of: list[list[str]], count_entries: bool, damping: float
) -> None:
    sessions = Sessions.from_paths(sessions_of)
    n = len(sessions.graph)
    clicks = np.zeros((n, n))
    for path in sessions:
        np.add.at(clicks, (path[:-1], path[1:]), 1)
    arrivals = clicks.sum(axis=0) + count_entries * sessions.transitions.entries
    shares = np.divide(clicks, arrivals[:, None], out=np.zeros((n, n)), where=arrivals[:, None] > 0)
    wanted = np.linalg.solve(np.eye(n) - damping * shares.T, np.full(n, 1 - damping))
    found = pagerate(sessions, count_entries=count_entries, damping=damping)
    assert found["converged"]
    values = rates(found)
    for name, value in zip(sessions.graph.pages, wanted, strict=True):
        assert values[name] == pytest.approx(value, rel=1e-6)


def test_an_early_stop_is_noted() -> None:
    found = pagerate(["aba", "bca"], max_iter=1)
    assert not found["converged"]
    assert "not converged after 1 iteration" in found.notes


def test_reconstruction_is_noted() -> None:
    assert any("reconstructed" in note for note in pagerate(["ab"]).notes)
    assert any("no clicks" in note for note in pagerate(["a"]).notes)
