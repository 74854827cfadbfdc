"""Two real base sets in one graph: cores are of one set each, and cuts part the sets."""

import numpy as np
import pytest
from benchmarks.communities import flow as cuts
from benchmarks.communities import trawling as cores
from benchmarks.topics.case import Case
from benchmarks.topics.mixed import mixed
from benchmarks.topics.sets import SETS, read_set
from benchmarks.webs import rmat
from tests.real import real


@pytest.fixture(scope="module")
def case() -> Case:
    return mixed([read_set(path) for path in SETS])


@real
def test_trawling_keeps_the_sets_apart(case: Case) -> None:
    found, many, covered, purity, least, *_ = cores.found(case, {})
    assert found > 4000
    assert many >= 30
    assert covered > 700
    assert purity > 0.99
    assert least > 0.95


@real
def test_ten_pages_bring_most_of_their_set(case: Case) -> None:
    rows = {tuple(row[:3]): row[3:6] for row in cuts.recovered(case)}
    for name, wanted in (("movies", 0.9), ("cheese", 0.85)):
        _, purity, recall = rows[name, 10, "flow"]
        assert purity > 0.99
        assert recall > wanted
        assert rows[name, 10, "focused-flow"][1] > 0.99


@pytest.mark.parametrize("k", [3, 40])
def test_peers_agree_on_the_cut(k: int) -> None:
    web = rmat(8, 6)
    seeds = cuts.chosen(web, 3)
    found = {
        name: getattr(cuts, name)(web, seeds, k)()
        for name in ("weft", "scipy", "igraph", "networkx")
    }
    assert len({units for units, _ in found.values()}) == 1
    assert found["weft"] == found["scipy"]


def test_planted_cores_are_where_they_are_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cores, "PLANTED", 5)
    made = cores.plant(np.arange(1000) // 10)
    assert len(made) == 5
    for fans, links in made:
        centres = [set(links[fans == fan].tolist()) for fan in np.unique(fans)]
        assert set(links[:3].tolist()) <= set.intersection(*centres)
