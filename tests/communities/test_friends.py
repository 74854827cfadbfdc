"""Friends: the worked values, the similarity of igraph, rare items count more."""

from collections.abc import Callable
from dataclasses import replace
from itertools import permutations
from typing import Any

import igraph
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.communities import friends, friends_of
from weft.communities.friends import (
    NO_LISTS_NOTE,
    ItemSimilarity,
    PageItems,
    collect_items,
    concatenate_item_kinds,
    innermost_html_lists,
    is_first_copy,
    items_from_rows,
)
from weft.core.arrays import CSR, Floats
from weft.graph.baseset.baseset import BLOCK_SCHEMA, BaseSet
from weft.graph.webgraph import WebGraph

PEOPLE = ["ann", "bob", "cat", "dan"]
HAVE = {
    "outlinks": [["u1", "u2"], ["u1", "u2", "u3"], ["u1", "u4"], ["u1"]],
    "inlinks": [["v1"], ["v1"], ["v2"], ["v2"]],
    "lists": [["L1", "L2"], ["L1", "L3"], ["L1"], ["L3"]],
}
ONE = dict.fromkeys(("text", "outlinks", "inlinks", "lists"), 1.0)
pairs = st.lists(st.sampled_from(list(permutations(range(7), 2))), min_size=1, max_size=25)


def items(kind: str, have: list[list[str]]) -> PageItems:
    names = sorted({name for own in have for name in own})
    ids = [names.index(name) for own in have for name in sorted(own)]
    starts = np.cumsum([0, *map(len, have)])
    return items_from_rows(
        kind, CSR(starts, np.array(ids, np.int32)), len(names), names.__getitem__
    )


def common() -> ItemSimilarity:
    kinds = [items(kind, have) for kind, have in HAVE.items()]
    return ItemSimilarity.from_items(kinds, ONE, len(PEOPLE), 1.0, 1000)


def matrix(found: ItemSimilarity, n: int) -> Floats:
    table = np.zeros((n, n))
    one, other, shared = found.nearest_neighbour_pairs(n, n)
    table[one, other] = table[other, one] = shared
    return table


def test_worked_values(mining: Callable[[str], Any]) -> None:
    values = mining("adamic_adar")
    found = common()
    for each in found.kinds:
        wanted = values["freq"][{"outlinks": "out", "inlinks": "in", "lists": "list"}[each.kind]]
        assert {each.item_name(k): f for k, f in enumerate(each.document_frequencies)} == wanted
    table = matrix(found, 4)
    assert table[0, 1] == pytest.approx(values["ann_bob"], abs=1e-8)
    assert table[0, 2] == pytest.approx(values["ann_cat"], abs=1e-8)
    assert table[2, 3] == pytest.approx(values["cat_dan"], abs=1e-8)
    [bob, *_] = found.most_similar_pages(
        BaseSet.from_graph(WebGraph.from_arrays(PEOPLE, [], [])), 0, 3
    )
    assert bob.page == "bob"
    assert bob.score_by_kind["outlinks"] == pytest.approx(values["ann_bob_outlinks"], abs=1e-8)
    assert bob.shared_items["outlinks"] == ("u2", "u1")


@pytest.mark.slow
@given(pairs)
def test_links_shared_are_those_of_igraph(links: list[tuple[int, int]]) -> None:
    graph = WebGraph.from_arrays(7, *np.array(links, np.int32).T)
    found = ItemSimilarity.from_base_set(
        BaseSet.from_any(graph), {**dict.fromkeys(ONE, 0.0), "outlinks": 1.0}, 1.0, 99
    )
    oracle = igraph.Graph(7, list(set(links)), directed=True)
    expected = np.array(oracle.similarity_inverse_log_weighted(mode="out"))
    np.fill_diagonal(expected, 0)
    np.testing.assert_allclose(matrix(found, 7), np.nan_to_num(expected), atol=1e-9)


@given(pairs)
def test_similarity_is_positive_if_anything_is_shared(links: list[tuple[int, int]]) -> None:
    base = BaseSet.from_any(WebGraph.from_arrays(7, *np.array(links, np.int32).T))
    table = matrix(ItemSimilarity.from_base_set(base, ONE, 1.0, 99), 7)
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
    assert [friend.page for friend in friends_of(links, "a", max_pages=2)] == ["b"]


def test_groups_share_without_linking() -> None:
    stars = [(s, t) for own, ts in (("ab", "xyz"), ("cd", "uvw")) for s in own for t in ts]
    found = friends(stars)
    groups = [{found.base.pages[page] for page in c.members} for c in found]
    assert groups == [set("xyz"), set("uvw"), set("ab"), set("cd")]
    assert found[0].links
    assert found[0].links.internal == 0
    assert found[0].facts["mean similarity"] == pytest.approx(2 / np.log(3))
    assert found[0].evidence["most similar"].shape == (3, 2)
    assert NO_LISTS_NOTE in found.notes


def test_options_are_read() -> None:
    web = [(f"s{i}", f"t{j}") for i in range(30) for j in (i % 4, 4)]
    assert any("ignored" in note for note in friends(web).notes)
    assert not any("ignored" in note for note in friends(web, max_df=1.0).notes)
    assert any("more than 5 pages" in note for note in friends(web, max_df=1.0, max_pages=5).notes)
    assert friends(web, inlinks=0).facts["items"].keys() == {"text", "outlinks", "lists"}
    base = BaseSet.from_any(web)
    few, many = (
        len(
            ItemSimilarity.from_base_set(base, ONE, 1.0, 99).nearest_neighbour_pairs(len(base), k)[
                0
            ]
        )
        for k in (1, 5)
    )
    assert len(base) / 2 <= few < many
    assert len(friends(web, max_df=1.0, resolution=5)) > len(
        friends(web, max_df=1.0, resolution=0.01)
    )
    assert {len(c) for c in friends(web, min_size=6)} <= set(range(6, 40))
    assert friends(web, max_df=1.0, outlinks=5).facts != friends(web, max_df=1.0).facts


def test_pages_that_share_nothing_are_noted() -> None:
    found = friends([("a", "b"), ("b", "c")])
    assert not len(found)
    assert "3 pages that share nothing: in no community" in found.notes


PAGES = [
    "http://hub.org/1",
    "http://hub.org/2",
    "http://lone.net/",
    "http://x.org/",
    "http://y.org/",
    "http://z.org/",
]


def base_of(blocks: list[tuple[int, int, str]]) -> BaseSet:
    rows = [
        {"source": s, "target": t, "anchor": "", "position": 0, "path": path}
        for s, t, path in blocks
    ]
    ends = np.array([(s, t) for s, t, _ in blocks], np.int32).reshape(-1, 2).T
    base = BaseSet.from_graph(WebGraph.from_arrays(PAGES, *ends))
    return replace(base, read_blocks=lambda: pa.Table.from_pylist(rows, schema=BLOCK_SCHEMA))


def shared(base: BaseSet, kind: str) -> dict[str, set[str]]:
    [found] = collect_items(base, [kind])
    ends = found.pages_by_item.starts
    return {
        found.item_name(k): {base.pages[p] for p in found.pages_by_item.ids[ends[k] : ends[k + 1]]}
        for k in range(len(ends) - 1)
    }


def test_a_list_is_the_innermost_one_around_a_link() -> None:
    base = base_of(
        [
            (0, 3, "body/ul[1]/li[1]"),
            (0, 4, "body/ul[1]/li[2]/b[1]"),
            (0, 5, "body/ul[1]/li[2]/ol[1]/li[1]"),
            (2, 3, "body/div[1]/p[1]"),
        ]
    )
    assert shared(base, "lists") == {
        "http://hub.org/1 body/ul[1]": {"http://x.org/", "http://y.org/"},
        "http://hub.org/1 body/ul[1]/li[2]/ol[1]": {"http://z.org/"},
    }


def test_the_same_list_on_many_pages_of_a_site_counts_once() -> None:
    both = [(source, target, "ul[1]/li[1]") for source in (0, 1, 2) for target in (3, 4)]
    assert list(shared(base_of(both), "lists")) == [
        "http://hub.org/1 ul[1]",
        "http://lone.net/ ul[1]",
    ]
    longer = shared(base_of([*both, (1, 5, "ul[1]/li[2]")]), "lists")
    assert len(longer) == 3


def test_links_are_items_in_both_directions() -> None:
    base = base_of([(0, 3, ""), (1, 3, ""), (1, 4, "")])
    assert shared(base, "outlinks")["http://x.org/"] == {"http://hub.org/1", "http://hub.org/2"}
    assert shared(base, "inlinks")["http://hub.org/2"] == {"http://x.org/", "http://y.org/"}
    assert shared(base, "lists") == {}


def test_words_are_items() -> None:
    texts = ["jaguar cat", "jaguar car", "jaguar cat"]
    base = BaseSet.from_graph(
        WebGraph.from_arrays(["a", "b", "c"], [0], [1]), read_texts=lambda: texts
    )
    assert shared(base, "text")["cat"] == {"a", "c"}


def test_weights_fall_with_frequency() -> None:
    rows = CSR(np.array([0, 3, 5, 6, 6]), np.array([0, 1, 2, 0, 1, 0], np.int32))
    items = items_from_rows("kind", rows, 3)
    assert items.document_frequencies.tolist() == [3, 2, 1]
    assert items.rarity_weights(9) == pytest.approx([1 / np.log(3), 1 / np.log(2), 0.0])
    assert items.rarity_weights(2)[0] == 0


def test_kinds_are_joined_one_after_the_other() -> None:
    one = items_from_rows("one", CSR(np.array([0, 1, 2]), np.array([1, 0], np.int32)), 2)
    two = items_from_rows("two", CSR(np.array([0, 0, 2]), np.array([0, 1], np.int32)), 2)
    rows, back = concatenate_item_kinds([one, two], 2)
    assert rows.starts.tolist() == [0, 1, 4]
    assert rows.ids.tolist() == [1, 0, 2, 3]
    assert back.starts.tolist() == [0, 1, 2, 3, 4]
    assert back.ids.tolist() == [1, 0, 1, 1]


def test_an_empty_base_set_has_no_items() -> None:
    for kind in ("text", "outlinks", "inlinks", "lists"):
        assert shared(BaseSet.from_any([]), kind) == {}
    assert innermost_html_lists(pa.chunked_array([], pa.string()))[0].tolist() == []
    none = np.zeros(0, np.int64)
    assert is_first_copy(none, none, none).tolist() == []
