"""Compression of Markov chains: Spears' worked values, exact merges, and by definition."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.core.arrays import Floats
from weft.graph.transitions import Sessions
from weft.kernels.markov_compression import compress_chain, merge_errors
from weft.usage import one
from weft.usage.one import CompressedModel

VALUES = json.loads((Path(__file__).parents[1] / "data" / "mining-values.json").read_text())
COMPRESSION = VALUES["markov_compression"]
P = np.array(COMPRESSION["P"])


def merge_by_definition(
    matrix: Floats, mass: Floats, threshold: float, size: int, *, add: bool
) -> tuple[list[set[int]], list[float]]:
    """Merge one pair at a time, with all errors worked out anew."""
    groups, errors = [{state} for state in range(len(mass))], list[float]()
    while len(groups) > size:
        best = (np.inf, 0, 0)
        for i in range(len(mass)):
            for j in range(i + 1, len(mass)):
                alpha = np.abs(matrix[i] - matrix[j]).sum()
                both = mass[i] + mass[j]
                column = np.abs(mass[i] * matrix[:, j] - mass[j] * matrix[:, i]).sum()
                beta = column / both if both else 0.0
                error = alpha + beta if add else alpha * beta
                if error < best[0] - 1e-13:
                    best = (error, i, j)
        error, i, j = best
        if not error < threshold:
            break
        errors.append(float(error))
        both = mass[i] + mass[j]
        share = mass[i] / both if both else len(groups[i]) / len(groups[i] | groups[j])
        matrix, mass = matrix.copy(), mass.copy()
        matrix[i] = share * matrix[i] + (1 - share) * matrix[j]
        matrix[:, i] += matrix[:, j]
        mass[i] = both
        matrix = np.delete(np.delete(matrix, j, axis=0), j, axis=1)
        mass = np.delete(mass, j)
        groups[i] |= groups.pop(j)
    return groups, errors


def compress(matrix: Floats, group: list[int], mass: Floats) -> Floats:
    """Rows are means by mass, columns sums."""
    member = np.eye(max(group) + 1)[group]
    weighted = member * mass[:, None]
    compressed: Floats = (weighted / weighted.sum(axis=0)).T @ matrix @ member
    return compressed


def test_worked_errors() -> None:
    mass = P.sum(axis=0)
    assert mass == pytest.approx(COMPRESSION["m"])
    alpha, beta = merge_errors(P, mass)
    assert alpha[1, 2] == pytest.approx(COMPRESSION["alpha_12"])
    assert beta[1, 2] == pytest.approx(COMPRESSION["beta_12"], abs=1e-15)
    for pair in ("01", "03", "12", "13"):
        i, j = map(int, pair)
        wanted = pytest.approx(COMPRESSION[f"error_{pair}"], abs=1e-10)
        assert alpha[i, j] * beta[i, j] == wanted


def test_worked_merge() -> None:
    """The merged state is the second here, and the last in the worked matrix."""
    group, errors = compress_chain(P, P.sum(axis=0), 1e-9, 1, add=False)
    assert group.tolist() == [0, 1, 1, 2]
    assert errors == pytest.approx([0], abs=1e-12)
    found = compress(P, group.tolist(), P.sum(axis=0))
    order = [0, 2, 1]
    np.testing.assert_allclose(found[np.ix_(order, order)], COMPRESSION["merged_12"], atol=1e-12)


@pytest.mark.parametrize("power", [2, 3, 5])
def test_an_exact_merge_commutes_with_powers(power: int) -> None:
    mass, group = P.sum(axis=0), [0, 1, 1, 2]
    first = compress(np.linalg.matrix_power(P, power), group, mass)
    second = np.linalg.matrix_power(compress(P, group, mass), power)
    np.testing.assert_allclose(first, second, atol=1e-15)


chains = st.integers(2, 7).flatmap(
    lambda n: st.lists(
        st.lists(st.sampled_from([0, 0, 0, 1, 2, 3]), min_size=n, max_size=n),
        min_size=n,
        max_size=n,
    )
)

rules = st.sampled_from(["sum", "product"])


@settings(max_examples=100)
@given(chains, st.sampled_from([0.0513, 0.5137, 9.0]), st.integers(1, 3), rules)
def test_merges_are_those_of_the_definition(
    counts: list[list[int]], threshold: float, size: int, rule: str
) -> None:
    clicks = np.array(counts, float)
    matrix = clicks / np.maximum(clicks.sum(axis=1, keepdims=True), 1)
    mass = matrix.sum(axis=0)
    add = rule == "sum"
    group, errors = compress_chain(matrix, mass, threshold, size, add=add)
    wanted, their_errors = merge_by_definition(matrix, mass, threshold, size, add=add)
    assert errors == pytest.approx(their_errors, abs=1e-11)
    found = [set(np.flatnonzero(group == k).tolist()) for k in range(int(group.max()) + 1)]
    assert sorted(map(sorted, found)) == sorted(map(sorted, wanted))


def test_pages_that_visitors_use_alike_are_merged() -> None:
    found = one(["abd", "acd", "abd", "axy"], path=["a"])
    states = found.to_table("states").to_pylist()
    assert [(row["page"], round(row["share"], 3)) for row in states] == [("b", 0.667), ("c", 0.333)]
    assert found["states"] == 5
    assert found.to_table("merges").to_pylist() == [{"states": 5, "error": 0.0}]


def test_an_exact_merge_changes_no_prediction() -> None:
    """Pages b and c are reached and left alike: the merged model predicts as the whole one."""
    sessions = Sessions.from_paths(["abd", "acd", "abd", "ad"])
    whole, merged = (CompressedModel.fit(sessions, threshold=t) for t in (0.0, 1e-9))
    assert len(merged.chain) < len(whole.chain)
    for path in ([0], [0, 1], [0, 3]):
        first, second = (m.predict(np.array(path, np.int32), 9) for m in (whole, merged))
        assert first[0].tolist() == second[0].tolist()
        np.testing.assert_allclose(first[1], second[1], atol=1e-12)


def test_a_wanted_size() -> None:
    sessions = ["abcde", "acebd", "bdace", "edcba"]
    assert one(sessions, size=2)["states"] == 2
    assert one(sessions, size=99)["states"] == 5
    assert one(sessions, size=2)["coverage"] == 1


def test_only_the_forward_path_counts() -> None:
    """The visitor went back from c to a: what follows c says nothing."""
    sessions = Sessions.from_paths(["abx", "cd", "cd", "ac"])
    model = CompressedModel.fit(sessions, threshold=0.0)
    pages = sessions.graph.page_numbers
    there_and_back, straight = (model.predict(pages(path), 9) for path in ("aca", "a"))
    assert there_and_back[0].tolist() == straight[0].tolist()
    assert there_and_back[1] == pytest.approx(straight[1])


def test_pages_left_out_are_noted() -> None:
    found = one(["abcde", "abc"], max_pages=3)
    assert found["pages modelled"] == 3
    assert found["coverage"] == pytest.approx(4 / 6)
    assert "2 pages viewed less often are not in the model" in found.notes
