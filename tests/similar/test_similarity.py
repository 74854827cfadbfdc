"""Similar pages: text cosine, witnesses, and the result."""

import numpy as np
import pyarrow as pa
import pytest

from weft.graph.baseset.baseset import ANCHOR_SCHEMA, BaseSet
from weft.graph.cocitation import Pattern
from weft.graph.webgraph import WebGraph
from weft.similar.context import WebContext
from weft.similar.similarity import (
    SimilarOptions,
    SimilarPage,
    SimilarPages,
    Witness,
    find_similar_pages,
    text_cosine,
)

TEXTS = ["jaguar cars and engines", "jaguar engines", "cats and dogs", "dogs", ""]
LINKS = [("a", "b"), ("a", "c"), ("a", "d"), ("a", "e")]


def text_context() -> WebContext:
    graph = WebGraph.from_links(LINKS)
    return WebContext(BaseSet.from_graph(graph, read_texts=lambda: TEXTS))


def test_text_cosine_is_symmetric_and_zero_with_itself() -> None:
    context = text_context()
    table = np.array([text_cosine(context, page)[0] for page in range(5)])
    np.testing.assert_allclose(table, table.T)
    assert (np.diag(table) == 0).all()
    assert table.max() <= 1 + 1e-12


def test_text_cosine_does_not_depend_on_page_order() -> None:
    graph = WebGraph.from_arrays(301, [], [])
    texts = [" ".join(f"word{k * page % 97}" for k in range(page % 40)) for page in range(150)]
    context = WebContext(
        BaseSet.from_graph(graph, read_texts=lambda: ["word1 word2 word3", *texts, *texts])
    )
    cosine, _ = text_cosine(context, 0)
    assert np.count_nonzero(cosine) > 100
    assert cosine[1:151].tolist() == cosine[151:].tolist()


def test_pages_with_shared_words_are_similar() -> None:
    found = find_similar_pages(text_context(), "text", SimilarOptions(page="a"), (), with_text=True)
    assert found.pages[0].page == "b"
    assert set(found.pages[0].shared_words) == {"jaguar", "engines"}
    assert found.pages[0].contributions == {"text": pytest.approx(found.pages[0].score)}


def test_a_page_without_text_is_noted() -> None:
    found = find_similar_pages(text_context(), "text", SimilarOptions(page="e"), (), with_text=True)
    assert not len(found)
    assert found.notes == ("e has no known text",)


def test_words_add_to_links() -> None:
    links = find_similar_pages(
        text_context(), "combined", SimilarOptions(page="b"), ("co-citation",)
    )
    both = find_similar_pages(
        text_context(), "combined", SimilarOptions(page="b"), ("co-citation",), with_text=True
    )
    assert {one.page: one.score for one in links} == {"c": 1.0, "d": 1.0, "e": 1.0}
    assert both.contribution_names == ("co-citation", "text")
    for one in both:
        assert one.score == pytest.approx(sum(one.contributions.values()))


def anchor_table(*rows: tuple[int, int, str]) -> pa.Table:
    columns = [list(column) for column in zip(*rows, strict=True)]
    blank = [""] * len(rows)
    return pa.table([*columns, blank, blank], schema=ANCHOR_SCHEMA)


@pytest.mark.parametrize(
    ("pattern", "page", "other", "words"),
    [
        ("co-citation", "x", "y", ("to x", "to y")),
        ("coupling", "w", "v", ("to y", "also y")),
        ("indirect", "w", "z", ("to y", "on to z")),
        ("indirect from", "z", "w", ("on to z", "to y")),
    ],
)
def test_witnesses_have_the_anchors_of_their_links(
    pattern: Pattern, page: str, other: str, words: tuple[str, str]
) -> None:
    graph = WebGraph.from_links([("w", "x"), ("w", "y"), ("v", "y"), ("y", "z")])
    number = {name: graph.page_number(name) for name in "wxyvz"}
    table = anchor_table(
        (number["w"], number["x"], "to x"),
        (number["w"], number["y"], "to y"),
        (number["v"], number["y"], "also y"),
        (number["y"], number["z"], "on to z"),
    )
    context = WebContext(BaseSet.from_graph(graph, read_anchors=lambda: table))
    found = find_similar_pages(context, "test", SimilarOptions(page=page), (pattern,))
    [one] = [one for one in found if one.page == other]
    assert one.witness_counts == {pattern: 1}
    [witness] = one.witnesses
    assert (witness.pattern, witness.page) == (pattern, {"co-citation": "w"}.get(pattern, "y"))
    assert (witness.page_anchor, witness.other_anchor) == words


def test_sites_are_witnesses_by_their_names() -> None:
    hubs = ["http://a.org/1", "http://a.org/2"]
    links = [(hub, target) for hub in hubs for target in ("http://x.org/", "http://y.org/")]
    asked = SimilarOptions(page="http://x.org/", vote="site")
    found = find_similar_pages(WebContext.from_any(links), "test", asked, ("co-citation",))
    assert found.pages[0].witness_counts == {"co-citation": 1}
    assert [witness.page for witness in found.pages[0].witnesses] == ["a.org"]


def test_witnesses_with_too_many_links_are_ignored() -> None:
    links = [("list", f"p{k}") for k in range(6)]
    found = find_similar_pages(
        WebContext.from_any(links),
        "test",
        SimilarOptions(page="p0", max_degree=5),
        ("co-citation",),
    )
    assert found.notes == ("co-citation: 1 page with too many links ignored (max_degree 5)",)
    assert not len(found)


ONE = SimilarPage(
    "http://y.org/",
    "Why",
    "captured",
    1.5,
    {"co-citation": 1.0, "coupling": 0.5},
    {"co-citation": 4, "coupling": 1},
    tuple(Witness("co-citation", f"http://{k}.org/") for k in "abcd"),
    ("word",),
)
FOUND = SimilarPages("combined", "http://x.org/", (ONE,), ("co-citation", "coupling"))


def test_a_row_per_page() -> None:
    [row] = FOUND.to_table().to_pylist()
    assert row == {
        "page": "http://y.org/",
        "title": "Why",
        "score": 1.5,
        "co-citation": 1.0,
        "coupling": 0.5,
        "witnesses": 5,
        "examples": "http://a.org/, http://b.org/, http://c.org/, word",
    }


def test_it_prints_as_one_line() -> None:
    assert repr(FOUND) == "<1 page similar to x.org/ by combined, first y.org/>"
    assert repr(SimilarPages("text", "", (), ("text",))) == "<text: no page given>"
    assert "http://y.org/" in FOUND._repr_html_()


def test_it_is_a_sequence_of_pages() -> None:
    assert list(FOUND) == [ONE] == FOUND[:3]
    assert FOUND[0] is FOUND[-1] is ONE
    assert (len(FOUND), FOUND[1:], ONE in FOUND) == (1, [], True)
    with pytest.raises(IndexError):
        FOUND[1]


def test_data_frames() -> None:
    assert FOUND.to_pandas()["page"].tolist() == FOUND.to_polars()["page"].to_list()


def test_nothing_is_an_empty_table_with_all_columns() -> None:
    empty = SimilarPages("combined", "x", (), ("co-citation", "coupling")).to_table()
    assert empty.column_names == FOUND.to_table().column_names
    assert len(empty) == 0
