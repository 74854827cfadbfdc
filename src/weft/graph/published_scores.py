"""Scores of pages that came with a graph, such as the ranks that Common Crawl publishes."""

from collections.abc import Mapping

import numpy as np

from weft.core.arrays import Floats
from weft.store import segment as segments
from weft.store.collection import Collection


def read_published_scores(collection: Collection) -> Mapping[str, Floats]:
    """The published scores of all pages by name, NaN for none; empty if no graph has any.

    A page has those of the graph that it is listed in, of several that with the
    smallest digest.
    """
    scores = dict[str, Floats]()
    segment, row = (collection.pages[name].to_numpy() for name in ("segment", "row"))
    for number, part in enumerate(collection.manifest.segments):
        if not part.input_digest:
            continue
        folder = collection.checked_segment_folder(part, "pages.parquet")
        table = segments.read_table(folder, "pages.parquet", segments.PUBLISHED_SCORES)
        own = np.flatnonzero(segment == number) if table.num_columns else ()
        for name in table.column_names:
            values = scores.setdefault(name, np.full(len(collection), np.nan))
            values[own] = table[name].to_numpy()[row[own]]
    return scores
