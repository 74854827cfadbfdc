"""The links of one page, with what they say."""

import numpy as np
import pyarrow as pa

from weft.graph.build import read_rows
from weft.graph.options import End
from weft.store.collection import Collection
from weft.store.mapped import read_mapped
from weft.store.numbering import KINDS

KIND_NAMES = pa.array(list(KINDS))


def neighbours(collection: Collection, number: int, end: End) -> pa.Table:
    """The pages at the other end of a page's links, by URL; every link with its own anchor."""
    folder = collection.path("graph")
    anchored = (folder / "anchors.arrow").exists()
    if anchored:
        names = ("link_starts", "link_ids", "link_anchors")
        starts, ids, said = (np.load(folder / f"{end}_{n}.npy", mmap_mode="r") for n in names)
        inside = slice(int(starts[number]), int(starts[number + 1]))
        others = np.array(ids[inside])
        words = read_mapped(folder / "anchors.arrow")["anchor"].chunk(0)
        anchors = words.take(pa.array(np.array(said[inside])))
    else:
        others = read_rows(folder, end).row(number)
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
