"""Friends: the worked values, igraph's similarity, rare things count more."""

from collections.abc import Callable
from itertools import permutations
from typing import Any

import igraph
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.communities import friends, friends_of
from weft.communities.friends import NO_LISTS, Common
from weft.communities.items import Items, of_rows
from weft.core.arrays import Floats, Rows
from weft.graph.baseset import BaseSet
from weft.graph.webgraph import WebGraph

PEOPLE = ["ann", "bob", "cat", "dan"]
HAVE = {
    "outlinks": [["u1", "u2"], ["u1", "u2", "u3"], ["u1", "u4"], ["u1"]],
    "inlinks": [["v1"], ["v1"], ["v2"], ["v2"]],
    "lists": [["L1", "L2"], ["L1", "L3"], ["L1"], ["L3"]],
}
ONE = dict.fromkeys(("text", "outlinks", "inlinks", "lists"), 1.0)
pairs = st.lists(st.sampled_from(list(permutations(range(7), 2))), min_size=1, max_size=25)


def items(kind: str, have: list[list[str]]) -> Items:
    names = sorted({name for own in have for name in own})
    ids = [names.index(name) for own in have for name in sorted(own)]
    starts = np.cumsum([0, *map(len, have)])
    return of_rows(kind, Rows(starts, np.array(ids, np.int32)), len(names), names.__getitem__)


def common() -> Common:
    kinds = [items(kind, have) for kind, have in HAVE.items()]
    return Common.among(kinds, ONE, len(PEOPLE), 1.0, 1000)


def matrix(found: Common, n: int) -> Floats:
    table = np.zeros((n, n))
    one, other, shared = found.pairs(n, n)
    table[one, other] = table[other, one] = shared
    return table


def test_worked_values(mining: Callable[[str], Any]) -> None:
    values = mining("adamic_adar")
    found = common()
    for each in found.kinds:
        wanted = values["freq"][{"outlinks": "out", "inlinks": "in", "lists": "list"}[each.kind]]
        assert {each.called(k): f for k, f in enumerate(each.frequency)} == wanted
    table = matrix(found, 4)
    assert table[0, 1] == pytest.approx(values["ann_bob"], abs=1e-8)
    assert table[0, 2] == pytest.approx(values["ann_cat"], abs=1e-8)
    assert table[2, 3] == pytest.approx(values["cat_dan"], abs=1e-8)
    [bob, *_] = found.friends(BaseSet.whole(WebGraph.from_arrays(PEOPLE, [], [])), 0, 3)
    assert bob.page == "bob"
    assert bob.by_kind["outlinks"] == pytest.approx(values["ann_bob_outlinks"], abs=1e-8)
    assert bob.shared["outlinks"] == ("u2", "u1")


@given(pairs)
def test_links_shared_are_those_of_igraph(links: list[tuple[int, int]]) -> None:
    graph = WebGraph.from_arrays(7, *np.array(links, np.int32).T)
    found = Common.of(BaseSet.of(graph), {**dict.fromkeys(ONE, 0.0), "outlinks": 1.0}, 1.0, 99)
    oracle = igraph.Graph(7, list(set(links)), directed=True)
    expected = np.array(oracle.similarity_inverse_log_weighted(mode="out"))
    np.fill_diagonal(expected, 0)
    np.testing.assert_allclose(matrix(found, 7), np.nan_to_num(expected), atol=1e-9)


@given(pairs)
def test_it_is_something_where_anything_is_shared(links: list[tuple[int, int]]) -> None:
    base = BaseSet.of(WebGraph.from_arrays(7, *np.array(links, np.int32).T))
    table = matrix(Common.of(base, ONE, 1.0, 99), 7)
    out, into = (
        [{t for s, t in links if s == p} for p in range(7)],
        [{s for s, t in links if t == p} for p in range(7)],
    )
    for p, q in permutations(range(7), 2):
        assert (table[p, q] > 0) == bool(out[p] & out[q] or into[p] & into[q])


def test_a_rarer_item_counts_more() -> None:
    links = [("a", "rare"), ("b", "rare"), ("a", "known"), ("c", "known"), ("d", "known")]
    [first, second, *_] = friends_of(links, "a")
    assert (first.page, second.page) == ("b", "c")
    assert first.score > second.score
    assert friends_of(links, "a", outlinks=0) == []
    assert [friend.page for friend in friends_of(links, "a", most=2)] == ["b"]


def test_groups_share_without_linking() -> None:
    stars = [(s, t) for own, ts in (("ab", "xyz"), ("cd", "uvw")) for s in own for t in ts]
    found = friends(stars)
    groups = [{found.base.pages[page] for page in c.members} for c in found]
    assert groups == [set("xyz"), set("uvw"), set("ab"), set("cd")]
    assert found[0].inside == 0
    assert found[0].facts["mean similarity"] == pytest.approx(2 / np.log(3))
    assert found[0].evidence["most alike"].shape == (3, 2)
    assert NO_LISTS in found.notes


def test_options_are_read() -> None:
    web = [(f"s{i}", f"t{j}") for i in range(30) for j in (i % 4, 4)]
    assert any("left out" in note for note in friends(web).notes)
    assert not any("left out" in note for note in friends(web, stop=1.0).notes)
    assert any("more than 5 pages" in note for note in friends(web, stop=1.0, most=5).notes)
    assert friends(web, inlinks=0).facts["items"].keys() == {"text", "outlinks", "lists"}
    base = BaseSet.of(web)
    few, many = (len(Common.of(base, ONE, 1.0, 99).pairs(len(base), k)[0]) for k in (1, 5))
    assert len(base) / 2 <= few < many
    assert len(friends(web, stop=1.0, resolution=5)) > len(friends(web, stop=1.0, resolution=0.01))
    assert {len(c) for c in friends(web, least=6)} <= set(range(6, 40))
    assert friends(web, stop=1.0, outlinks=5).facts != friends(web, stop=1.0).facts


def test_pages_that_share_nothing_are_told() -> None:
    found = friends([("a", "b"), ("b", "c")])
    assert not len(found)
    assert "3 pages that share nothing: in no community" in found.notes
