"""Information scent: the values, the closed forms, and what flows must obey."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.core.arrays import Floats
from weft.core.errors import BadParameter, UnknownName
from weft.graph.webgraph import WebGraph
from weft.usage import ScentData, absorption, need, scent
from weft.usage.link_cues import url_words
from weft.usage.scent import ScentFlow, absorb, smell_links

FILE = Path(__file__).parents[1] / "data" / "mining-values.json"
VALUES = json.loads(FILE.read_text())["wufis"]
LINKS = [
    ("P1", "P2", "python tutorial"),
    ("P1", "P3", "cooking recipes python"),
    ("P2", "P3", ""),
    ("P2", "P1", "home"),
    ("P3", "P1", "home"),
]
TEXTS = {
    "P1": "home python cooking home",
    "P2": "tutorial python python tutorial python python tutorial",
    "P3": "cooking recipes python",
}
SITE = ScentData.from_lists(LINKS, TEXTS, {"P1": 100.0})
NEED = "python tutorial"
WORDS = ("", "red", "red blue", "green", "the", "blue blue")
webs = st.lists(
    st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef"), st.sampled_from(WORDS)),
    min_size=1,
    max_size=20,
)
few = settings(max_examples=30)
shares = st.sampled_from([0.0, 0.3, 0.85, 0.97])


def matrix(data: ScentData, per_link: Floats) -> Floats:
    """By target and source, as in the paper."""
    rows, n = data.graph.outlinks, len(data.graph)
    found = np.zeros((n, n))
    found[rows.ids, rows.row_ids()] = per_link
    return found


def all_visits(data: ScentData, **options: Any) -> dict[str, float]:
    table = scent(data, **options).to_table()
    return dict(zip(table["page"].to_pylist(), table["visits"].to_pylist(), strict=True))


def test_scent_and_probabilities_of_the_values() -> None:
    found = smell_links(SITE, SITE.stem_need(NEED), 0.01, "auto")
    np.testing.assert_allclose(matrix(SITE, found.scent), VALUES["raw"], atol=1e-9)
    np.testing.assert_allclose(matrix(SITE, found.probability), VALUES["S"], atol=1e-9)


@pytest.mark.parametrize(("clicks", "key"), [(1, "A2"), (2, "A3"), (4, "A5"), (0, "limit")])
def test_visits_of_the_values(clicks: int, key: str) -> None:
    visits = all_visits(SITE, need=NEED, alpha=VALUES["alpha"], clicks=clicks)
    expected = dict(zip(("P1", "P2", "P3"), VALUES[key], strict=True))
    assert visits == pytest.approx(expected, abs=1e-8)


def test_idf_of_the_values() -> None:
    stems = list(VALUES["idf"])
    assert SITE.read_idf(stems) == pytest.approx(list(VALUES["idf"].values()))


def test_absorption_of_the_values() -> None:
    found = absorption(SITE, need=NEED, source="P1", target=["P2"], alpha=VALUES["alpha"])
    assert found["success"] == pytest.approx(VALUES["absorption_at_P2"])
    reach = scent(SITE, need=NEED, source="P1", target=["P2"], alpha=VALUES["alpha"])
    assert reach["reach a target"] == pytest.approx(VALUES["absorption_at_P2"])


def test_need_of_the_values() -> None:
    table = need(SITE, path=["P1", "P2"], subtract_mean=False).to_table()
    weights = dict(zip(table["term"].to_pylist(), table["weight"].to_pylist(), strict=True))
    expected = {term: weight for term, weight in VALUES["iunis_keywords"].items() if weight}
    assert weights == pytest.approx(expected)
    assert list(weights) == ["tutorial", "python", "home", "cooking"]


def test_the_mean_of_the_site_is_subtracted() -> None:
    plain = need(SITE, path=["P1", "P2"], subtract_mean=False).to_table().to_pylist()
    less = need(SITE, path=["P1", "P2"]).to_table().to_pylist()
    rows = SITE.term_weights
    stem = rows.stems.to_pylist().index("python")
    mean = float(rows.weights[rows.matrix.ids == stem].sum()) / 3
    before, after = (
        next(row["weight"] for row in table if row["term"] == "python") for table in (plain, less)
    )
    assert after == pytest.approx(before - 3 * mean)


def test_cues_taken_are_compared_with_those_not_taken() -> None:
    table = need(SITE, path=["P1", "P2"]).to_table("cues").to_pylist()
    idf = VALUES["idf"]
    # python is on both links of P1, tutorial on the one that was taken
    assert [row["term"] for row in table] == ["tutorial"]
    assert table[0]["difference"] == pytest.approx(idf["tutorial"])
    whole = need(SITE, path=["P1", "P2", "P1"]).to_table("cues").to_pylist()
    assert {row["term"] for row in whole} == {"tutorial", "home"}


def test_a_click_without_a_link_is_noted() -> None:
    found = need(SITE, path=["P3", "P2"])
    assert found["clicks on links"] == 0
    assert "1 click of the path without a link" in found.notes


@few
@given(webs, st.sampled_from(["", "red", "blue green"]), st.sampled_from(["auto", "proximal"]))
def test_column_sums_are_one_or_zero(links: Any, words: str, basis: Any) -> None:
    data = ScentData.from_lists(links, {"b": "red red", "c": "green"})
    for floor in (0.0, 0.01):
        wanted = data.stem_need(words)
        sums = matrix(data, smell_links(data, wanted, floor, basis).probability).sum(axis=0)
        assert all(value == pytest.approx(1) or value == 0 for value in sums)
        if floor:
            assert ((sums > 0) == (np.diff(data.graph.outlinks.starts) > 0)).all()


@few
@given(webs, shares, st.sampled_from(["auto", "proximal", "distal"]))
def test_visits_solve_the_flow_equation(links: Any, alpha: float, basis: Any) -> None:
    data = ScentData.from_lists(links, {"b": "red red", "c": "green"})
    found = smell_links(data, data.stem_need("red"), 0.01, basis)
    start = data.start_vector("")
    visits, trace = ScentFlow(data.graph, found.probability, alpha).visits(start)
    assert trace.converged
    steps = matrix(data, found.probability)
    exact = np.linalg.solve(np.eye(len(start)) - alpha * steps, start)
    np.testing.assert_allclose(visits, exact, rtol=1e-7, atol=1e-9)
    assert visits.sum() <= start.sum() / (1 - alpha) * (1 + 1e-9)


@few
@given(webs)
def test_without_going_on_visits_are_the_start(links: Any) -> None:
    data = ScentData.from_lists(links)
    assert sum(all_visits(data, alpha=0.0).values()) == pytest.approx(data.start_vector("").sum())


@few
@given(webs, shares)
def test_without_a_need_users_surf_at_random(links: Any, alpha: float) -> None:
    data = ScentData.from_lists(links)
    rows = data.graph.outlinks
    degrees = np.maximum(np.diff(rows.starts), 1)
    walk = ScentFlow(data.graph, 1 / degrees[rows.row_ids()], alpha)
    expected = walk.visits(data.start_vector(""))[0]
    found = all_visits(data, alpha=alpha, top=100)
    named = {p: v for p, v in zip(data.graph.pages, expected.tolist(), strict=True) if v > 0}
    assert found == pytest.approx(named)


@few
@given(webs, st.sampled_from([2, 5]))
def test_the_size_of_the_need_changes_the_floor_alone(links: Any, factor: int) -> None:
    data = ScentData.from_lists(links, {"b": "red red", "c": "green"})
    once, often = data.stem_need("red"), {s: factor * w for s, w in data.stem_need("red").items()}
    plain = smell_links(data, once, 0.01, "auto").probability
    scaled = smell_links(data, often, 0.01 * factor, "auto").probability
    np.testing.assert_allclose(plain, scaled)


@few
@given(webs, shares, st.sampled_from("abcdef"))
def test_absorption_solves_the_chain_with_absorbing_targets(
    links: Any, alpha: float, goal: str
) -> None:
    data = ScentData.from_lists(links, {"b": "red red", "c": "green"}, pages="abcdef")
    probability = smell_links(data, data.stem_need("red"), 0.01, "auto").probability
    target = data.graph.page_numbers([goal])
    start = data.start_vector("")
    found = absorb(ScentFlow(data.graph, probability, alpha), start, target)
    steps = matrix(data, probability)
    steps[:, target] = 0.0
    exact = np.linalg.solve(np.eye(6) - alpha * steps, start)
    assert found.arrived.sum() == pytest.approx(exact[target[0]], abs=1e-7)
    assert found.arrived.sum() <= start.sum() * (1 + 1e-9)


def test_everyone_succeeds_or_leaves_somewhere() -> None:
    found = absorption(SITE, need=NEED, source="P1", target=["P2"], alpha=0.7, top=10)
    left = sum(found.to_table("wrong pages")["share"].to_pylist())
    assert found["success"] + left == pytest.approx(1)
    assert found["most common wrong page"] == "P3"  # not P1, where everyone begins


def test_clicks_to_success_on_a_chain() -> None:
    chain = [("a", "b"), ("b", "c"), ("c", "d")]
    found = absorption(chain, source="a", target=["d"], alpha=0.5)
    assert found["clicks to success"] == pytest.approx(3)
    assert found["success"] == pytest.approx(0.5**3)
    row = found.to_table().to_pylist()[0]
    assert row["clicks on the shortest path"] == 3


def test_weak_links_of_the_shortest_path() -> None:
    links = [
        ("home", "shop", "shoes and more"),
        ("home", "about", "about us"),
        ("home", "news", "news of shoes"),
        ("shop", "deep", "shoes"),
        ("about", "shoes", "x"),
        ("deep", "shoes", "shoes"),
    ]
    found = scent(links, need="shoes", source="home", target=["shoes"])
    shortest = found.to_table("shortest path").to_pylist()
    assert [(row["page"], row["link to"]) for row in shortest] == [
        ("home", "about"),
        ("about", "shoes"),
    ]
    assert [row["weak"] for row in shortest] == [True, False]
    assert shortest[0]["place"] == 3
    assert shortest[0]["strongest link"] in {"shop", "news"}
    trail = found.to_table("trail").to_pylist()
    assert [row["link to"] for row in trail] == ["shop", "deep", "shoes"]


def test_the_trail_without_a_target_follows_the_strongest_links() -> None:
    trail = scent(SITE, need=NEED, source="P1").to_table("trail").to_pylist()
    assert [row["link to"] for row in trail] == ["P2", "P3"]


def test_flow_over_links_arrives_at_pages() -> None:
    found = scent(SITE, need=NEED, alpha=0.7)
    arrived = dict.fromkeys(("P1", "P2", "P3"), 0.0) | {"P1": 100.0}
    for row in found.to_table("links").to_pylist():
        arrived[row["target"]] += row["flow"]
    assert arrived == pytest.approx(all_visits(SITE, need=NEED, alpha=0.7))


def test_stop_words_are_no_cues() -> None:
    data = ScentData.from_lists([("a", "b", "the of"), ("a", "c", "cats")], language="en")
    assert data.has_cues.tolist() == [False, True]
    assert data.stem_need("the cats") == {"en/cat": 1.0}


def test_parallel_links_join_their_cues() -> None:
    data = ScentData.from_lists([("a", "b", "red"), ("a", "b", "blue"), ("a", "c", "red")])
    assert data.cues.count_stems(["red", "blue", "green"]).toarray().tolist() == [
        [1, 1, 0],
        [1, 0, 0],
    ]


def test_users_start_on_home_pages_where_nothing_is_known() -> None:
    links = [("http://a.org/", "http://a.org/x"), ("http://a.org/x", "http://b.org/")]
    data = ScentData.from_lists(links)
    assert data.entries.tolist() == [1.0, 0.0, 0.0]
    assert "1 home page" in data.entry_note
    assert data.entry_note in scent(data).notes
    assert data.entry_note not in scent(data, source="http://a.org/x").notes


def test_url_words_are_decoded_twice() -> None:
    assert url_words("http://s.org/wp/a/Atlantic%2520Ocean.htm?page=2") == (
        "wp Atlantic Ocean page"
    )


@pytest.mark.parametrize("method", [scent, absorption, need])
def test_empty_data_say_so(method: Any) -> None:
    empty: list[Any] = [[], WebGraph.from_links([])]
    for data in empty:
        found = method(data)
        assert len(found.to_table()) == 0
        assert found.notes
    assert "no path was given" in need([]).notes
    assert "no target was given" in absorption(SITE).notes


def test_unknown_words_and_pages() -> None:
    assert "no link smells of 'zebra'" in scent(SITE, need="zebra").notes[0]
    with pytest.raises(UnknownName):
        scent(SITE, source="P9")
    with pytest.raises(BadParameter):
        ScentData.from_any("a b")
    with pytest.raises(BadParameter):
        ScentData.from_any([("a",)])
    with pytest.raises(BadParameter):
        ScentData.from_any(3)
