"""What is around a page."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.errors import UnknownName
from weft.graph.baseset import ANCHORS, BaseSet
from weft.graph.webgraph import WebGraph
from weft.suggest.around import Around, onward

Links = list[tuple[str, str]]
webs = st.lists(st.sampled_from(list(permutations("abcdef", 2))), min_size=1, max_size=25)
WEB = [("http://a.org/", "http://b.org/"), ("http://www.a.org/", "http://b.org/")]


def said(*rows: tuple[int, int, str]) -> pa.Table:
    columns = [list(column) for column in zip(*rows, strict=True)]
    blank = [""] * len(rows)
    return pa.table([*columns, blank, blank], schema=ANCHORS)


def test_it_is_made_of_whatever_holds_links() -> None:
    around = Around.of(WEB)
    assert Around.of(around) is around
    assert len(around.graph) == 3
    assert around.level == "page"
    assert Around.of(BaseSet.whole(around.graph)).graph is around.graph


def test_what_follows_is_made_once() -> None:
    around = Around.of(WEB)
    assert around.once("thing", lambda: [1]) is around.once("thing", lambda: [2])


def test_words_are_told_as_a_page_writes_them() -> None:
    around = replace(Around.of(WEB), read_written=lambda page: {"en/faculti": f"faculty {page}"})
    assert [around.written(page, "en/faculti") for page in (0, 1)] == ["faculty 0", "faculty 1"]
    assert around.written(0, "en/servic") == "servic"
    assert Around.of(WEB).written(0, "en/servic") == "servic"


def test_an_unknown_page_is_an_error() -> None:
    with pytest.raises(UnknownName):
        Around.of(WEB).number("http://c.org/")


def test_sites_are_domains() -> None:
    around = Around.of(WEB)
    assert around.site_names == ["a.org", "b.org"]
    assert around.sites.tolist() == [0, 1, 0]


def test_titles_and_kinds_come_from_who_knows() -> None:
    plain, some = Around.of(WEB), np.array([1, 0], np.int32)
    assert plain.titles(some) == ["", ""]
    assert plain.kinds(some) == ["", ""]
    assert not plain.stopped(some).any()
    base = BaseSet.whole(plain.graph, read_titles=lambda: ["A", "B", "C"])
    assert Around(base).titles(some) == ["B", "A"]
    told = Around(base, lambda pages: [f"t{k}" for k in pages], lambda _: ["seen", "fetched"])
    assert told.titles(some) == ["t1", "t0"]
    assert told.kinds(some) == ["seen", "fetched"]


def test_links_say_each_thing_once() -> None:
    graph = WebGraph.from_links(WEB)
    table = said((0, 1, "the  b"), (0, 1, "the b"), (0, 1, ""), (2, 1, "bee"))
    around = Around.of(BaseSet.whole(graph, read_anchors=lambda: table))
    found = around.said(np.array([2, 0, 1], np.int32), np.array([1, 1, 0], np.int32))
    assert found == [("bee",), ("the b",), ()]


def test_both_ways_forgets_directions() -> None:
    graph = Around.of([("a", "b"), ("b", "a"), ("b", "c")]).both_ways
    assert graph.link_count == 4
    assert graph.indegrees().tolist() == graph.outdegrees().tolist() == [1, 2, 1]


@given(webs, st.integers(0, 5))
def test_few_senders_or_all_bring_the_same(links: Links, seed: int) -> None:
    """A large empty part makes the same links sparse."""
    small = WebGraph.from_links(links)
    wide = WebGraph.from_arrays(
        [*small.pages, *(f"p{k}" for k in range(2000))],
        np.repeat(np.arange(len(small)), np.diff(small.outlinks.starts)),
        small.outlinks.ids,
    )
    x = np.random.default_rng(seed).random(len(small))
    padded = np.concatenate([x, np.zeros(2000)])
    for back in (False, True):
        wanted = small.flow().backward(x) if back else small.flow().forward(x)
        np.testing.assert_allclose(onward(wide, padded, back=back)[: len(small)], wanted)
        np.testing.assert_allclose(onward(small, x, back=back), wanted)
