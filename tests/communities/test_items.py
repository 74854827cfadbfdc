"""Items that pages share: words, links, and lists that count once for each site."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from weft.communities.items import items_of, joined, listed, of_rows, once
from weft.core.arrays import Rows
from weft.graph.baseset import BLOCKS, BaseSet
from weft.graph.webgraph import WebGraph

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
    base = BaseSet.whole(WebGraph.from_arrays(PAGES, *ends))
    return replace(base, read_blocks=lambda: pa.Table.from_pylist(rows, schema=BLOCKS))


def shared(base: BaseSet, kind: str) -> dict[str, set[str]]:
    [found] = items_of(base, [kind])
    ends = found.back.starts
    return {
        found.called(k): {base.pages[p] for p in found.back.ids[ends[k] : ends[k + 1]]}
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


def test_links_are_items_both_ways() -> None:
    base = base_of([(0, 3, ""), (1, 3, ""), (1, 4, "")])
    assert shared(base, "outlinks")["http://x.org/"] == {"http://hub.org/1", "http://hub.org/2"}
    assert shared(base, "inlinks")["http://hub.org/2"] == {"http://x.org/", "http://y.org/"}
    assert shared(base, "lists") == {}


def test_words_are_items() -> None:
    texts = ["jaguar cat", "jaguar car", "jaguar cat"]
    base = BaseSet.whole(WebGraph.from_arrays(["a", "b", "c"], [0], [1]), read_texts=lambda: texts)
    assert shared(base, "text")["cat"] == {"a", "c"}


def test_worth_falls_with_frequency() -> None:
    rows = Rows(np.array([0, 3, 5, 6, 6]), np.array([0, 1, 2, 0, 1, 0], np.int32))
    items = of_rows("kind", rows, 3)
    assert items.frequency.tolist() == [3, 2, 1]
    assert items.worth(9) == pytest.approx([1 / np.log(3), 1 / np.log(2), 0.0])
    assert items.worth(2)[0] == 0


def test_kinds_are_joined_one_after_the_other() -> None:
    one = of_rows("one", Rows(np.array([0, 1, 2]), np.array([1, 0], np.int32)), 2)
    two = of_rows("two", Rows(np.array([0, 0, 2]), np.array([0, 1], np.int32)), 2)
    rows, back = joined([one, two], 2)
    assert rows.starts.tolist() == [0, 1, 4]
    assert rows.ids.tolist() == [1, 0, 2, 3]
    assert back.starts.tolist() == [0, 1, 2, 3, 4]
    assert back.ids.tolist() == [1, 0, 1, 1]


def test_nothing_has_no_items() -> None:
    for kind in ("text", "outlinks", "inlinks", "lists"):
        assert shared(BaseSet.of([]), kind) == {}
    assert listed(pa.chunked_array([], pa.string()))[0].tolist() == []
    none = np.zeros(0, np.int64)
    assert once(none, none, none).tolist() == []
