"""Joined pairs: what leads through the core need not be walked."""

import numpy as np
import pytest

from weft.engine.strong import condensed
from weft.graph.webgraph import WebGraph
from weft.structure.joined import Sides, joined


@pytest.mark.parametrize("known", [True, False])
def test_knowing_the_sides_changes_nothing(known: bool) -> None:  # noqa: FBT001
    """A ring of three with one page before and two behind, one of which in leads to itself."""
    links = [("a", "b"), ("b", "c"), ("c", "a"), ("i", "a"), ("c", "o"), ("o", "p"), ("i", "o")]
    graph = WebGraph.from_links([*links, ("i", "t")])
    core, into, out = (np.isin(list(graph.pages), list(some)) for some in ("abc", "i", "op"))
    none = np.zeros(len(graph), bool)
    sides = Sides(core, into, out) if known else Sides(none, none, none)
    found = joined(graph, condensed(graph.outlinks), sides, 1024, 0)
    pairs = 3 * 4 + 6 + 1
    assert found.share == pytest.approx(pairs / (7 * 6))
    assert found.exact


def test_a_sample_of_pages_that_lead_alike_is_certain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weft.structure.joined.WORK", 0)
    graph = WebGraph.from_links([(f"{k}", f"{k}x") for k in range(50)] * 2)
    none = np.zeros(len(graph), bool)
    found = joined(graph, condensed(graph.outlinks), Sides(none, none, none), 100, 0)
    assert found == (50 / (100 * 99), 0.0, True, 100)
    some = joined(graph, condensed(graph.outlinks), Sides(none, none, none), 40, 0)
    assert not some.exact
    assert abs(some.share - found.share) < 4 * some.error
