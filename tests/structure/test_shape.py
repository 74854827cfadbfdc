"""Shape: facts, tables, notes, and dropping pages that were not captured."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from weft.core.errors import UnknownName
from weft.core.fact_sheet import LazyTables
from weft.graph.webgraph import WebGraph
from weft.structure.shape import Shape, apply_uncaptured_option

BOTH = Shape(
    "counts",
    {"pages": 12_000, "share": 0.25, "a core": False, "largest": None},
    {"sizes": pa.table({"size": [1, 2]}), "others": pa.table({"x": [3]})},
    notes=("a tenth was looked at",),
)


def test_it_prints_as_one_line_of_facts() -> None:
    assert repr(BOTH) == "<counts: pages 12,000, share 0.25, a core no, largest not known>"


def test_tables_by_name_the_first_being_the_main_one() -> None:
    assert BOTH.to_table().column_names == ["size"]
    assert BOTH.to_pandas("others")["x"].tolist() == [3]
    assert BOTH.to_polars()["size"].to_list() == [1, 2]


def test_it_reads_like_a_mapping_of_facts() -> None:
    assert BOTH["pages"] == 12_000
    assert list(BOTH) == list(BOTH.keys()) == ["pages", "share", "a core", "largest"]
    assert (len(BOTH), "share" in BOTH, "shares" in BOTH) == (4, True, False)
    assert dict(BOTH) == dict(BOTH.items()) == BOTH.facts
    assert (BOTH.get("share"), BOTH.get("shares", 0)) == (0.25, 0)


def test_a_shape_without_facts_is_still_a_result() -> None:
    assert Shape("counts", {}, {})


def test_unknown_names_are_refused() -> None:
    with pytest.raises(UnknownName, match="no table"):
        BOTH.to_table("size")
    with pytest.raises(UnknownName, match="no fact"):
        BOTH["shar"]


def test_a_card_has_the_notes_too() -> None:
    assert "a tenth was looked at" in BOTH._repr_html_()


def test_a_lazy_table_is_computed_once_on_access() -> None:
    made: list[int] = []

    def make() -> pa.Table:
        made.append(1)
        return pa.table({"x": [3]})

    shape = Shape("counts", {}, LazyTables(sizes=pa.table({"size": [1]}), others=make))
    assert (list(shape.tables), len(shape.tables)) == (["sizes", "others"], 2)
    assert shape.to_table().column_names == ["size"]
    assert not made
    assert [shape.to_table("others")["x"].to_pylist() for _ in range(2)] == [[3], [3]]
    assert made == [1]


def test_uncaptured_pages_are_dropped_or_kept() -> None:
    graph = WebGraph.from_links([("a", "b"), ("b", "c"), ("a", "c")])
    assert apply_uncaptured_option(graph, "drop") == (graph, ())
    crawl = WebGraph(
        graph.pages, graph.outlinks, graph.inlinks, uncaptured=np.array([False, False, True])
    )
    kept, [note] = apply_uncaptured_option(crawl, "drop")
    assert list(kept.pages) == ["a", "b"]
    assert kept.link_count == 1
    assert note.startswith("1 page linked, not captured, dropped with 2 links")
    same, [note] = apply_uncaptured_option(crawl, "keep")
    assert same is crawl
    assert note.startswith("1 page not captured, kept")


def test_uncaptured_pages_are_dropped_once_and_weights_too() -> None:
    graph = WebGraph.from_links([("a", "b"), ("a", "b"), ("b", "c")])
    crawl = replace(graph, uncaptured=np.array([False, False, True]))
    kept, _ = apply_uncaptured_option(crawl, "drop")
    assert apply_uncaptured_option(crawl, "drop")[0] is kept
    assert kept.outlinks.weights is None
    assert kept.inlinks.ids.tolist() == [0]
