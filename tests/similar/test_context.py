"""The web around a page."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.errors import UnknownName
from weft.graph.baseset.baseset import ANCHOR_SCHEMA, BaseSet
from weft.graph.webgraph import WebGraph
from weft.similar.context import WebContext, propagate

Links = list[tuple[str, str]]
webs = st.lists(st.sampled_from(list(permutations("abcdef", 2))), min_size=1, max_size=25)
WEB = [("http://a.org/", "http://b.org/"), ("http://www.a.org/", "http://b.org/")]


def anchor_table(*rows: tuple[int, int, str]) -> pa.Table:
    columns = [list(column) for column in zip(*rows, strict=True)]
    blank = [""] * len(rows)
    return pa.table([*columns, blank, blank], schema=ANCHOR_SCHEMA)


def test_it_is_made_of_whatever_holds_links() -> None:
    context = WebContext.from_any(WEB)
    assert WebContext.from_any(context) is context
    assert len(context.graph) == 3
    assert context.level == "page"
    assert WebContext.from_any(BaseSet.from_graph(context.graph)).graph is context.graph


def test_word_forms_of_a_page() -> None:
    context = replace(
        WebContext.from_any(WEB), read_word_forms=lambda page: {"en/faculti": f"faculty {page}"}
    )
    assert [context.word_form(page, "en/faculti") for page in (0, 1)] == ["faculty 0", "faculty 1"]
    assert context.word_form(0, "en/servic") == "servic"
    assert WebContext.from_any(WEB).word_form(0, "en/servic") == "servic"


def test_an_unknown_page_is_an_error() -> None:
    with pytest.raises(UnknownName):
        WebContext.from_any(WEB).require_page_number("http://c.org/")


def test_sites_are_domains() -> None:
    context = WebContext.from_any(WEB)
    assert context.site_names == ["a.org", "b.org"]
    assert context.site_ids.tolist() == [0, 1, 0]


def test_titles_and_kinds() -> None:
    plain, some = WebContext.from_any(WEB), np.array([1, 0], np.int32)
    assert plain.titles(some) == ["", ""]
    assert plain.kinds(some) == ["", ""]
    base = BaseSet.from_graph(plain.graph, read_titles=lambda: ["A", "B", "C"])
    assert WebContext(base).titles(some) == ["B", "A"]
    with_readers = WebContext(
        base, lambda pages: [f"t{k}" for k in pages], lambda _: ["uncaptured", "captured"]
    )
    assert with_readers.titles(some) == ["t1", "t0"]
    assert with_readers.kinds(some) == ["uncaptured", "captured"]


def test_distinct_anchor_texts() -> None:
    graph = WebGraph.from_links(WEB)
    table = anchor_table((0, 1, "the  b"), (0, 1, "the b"), (0, 1, ""), (2, 1, "bee"))
    context = WebContext.from_any(BaseSet.from_graph(graph, read_anchors=lambda: table))
    found = context.anchor_texts(np.array([2, 0, 1], np.int32), np.array([1, 1, 0], np.int32))
    assert found == [("bee",), ("the b",), ()]


def test_undirected_graph() -> None:
    graph = WebContext.from_any([("a", "b"), ("b", "a"), ("b", "c")]).undirected_graph
    assert graph.link_count == 4
    assert graph.indegrees().tolist() == graph.outdegrees().tolist() == [1, 2, 1]


@given(webs, st.integers(0, 5))
def test_sparse_and_dense_propagation_agree(links: Links, seed: int) -> None:
    """A large empty part makes the same links sparse."""
    small = WebGraph.from_links(links)
    wide = WebGraph.from_arrays(
        [*small.pages, *(f"p{k}" for k in range(2000))],
        np.repeat(np.arange(len(small)), np.diff(small.outlinks.starts)),
        small.outlinks.ids,
    )
    x = np.random.default_rng(seed).random(len(small))
    padded = np.concatenate([x, np.zeros(2000)])
    for backward in (False, True):
        wanted = small.operator().matvec(x) if backward else small.operator().rmatvec(x)
        np.testing.assert_allclose(propagate(wide, padded, backward=backward)[: len(small)], wanted)
        np.testing.assert_allclose(propagate(small, x, backward=backward), wanted)
