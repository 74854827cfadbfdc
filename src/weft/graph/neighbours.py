"""The links of one page, with what they say."""

import pyarrow as pa

from weft.graph.anchors import anchor_texts, every_link
from weft.graph.levels import page_rows
from weft.graph.options import End
from weft.store.collection import Collection
from weft.store.numbering import KINDS

KIND_NAMES = pa.array(list(KINDS))


def neighbours(collection: Collection, number: int, end: End) -> pa.Table:
    """The pages at the other end of a page's links, by URL; every link with its own anchor."""
    if (collection.path("graph") / "anchors.arrow").exists():
        rows, said = every_link(collection, end)
        inside = slice(int(rows.starts[number]), int(rows.starts[number + 1]))
        others = rows.ids[inside]
        anchors = anchor_texts(collection).take(pa.array(said[inside]))
    else:
        others = page_rows(collection, end).row(number)
        anchors = pa.repeat("", len(others)).cast(pa.large_string())
    found = collection.pages.select(["url", "title", "kind"]).take(pa.array(others))
    kinds = KIND_NAMES.take(found["kind"].combine_chunks())
    return pa.table(
        {
            "direction": pa.repeat(end, len(others)),
            "url": found["url"],
            "anchor": anchors,
            "title": found["title"],
            "kind": kinds,
        }
    )
