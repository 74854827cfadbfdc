"""Rankings as they were published with a graph, to compare with those of methods."""

import numpy as np
import pyarrow as pa

from weft.core.errors import BadParameter, WeftError
from weft.engine import CLOSED_FORM
from weft.graph.baseset.baseset import BaseSet
from weft.graph.published_scores import read_published_scores
from weft.graph.selection import Selection
from weft.graph.webgraph import ArrowNames
from weft.rank.ranking import Ranking
from weft.store.collection import Collection
from weft.store.segment import PUBLISHED_SCORES
from weft.workspace.analyse import complete_selection, load_selection

PUBLISHED_RANKINGS = {f"published-{name}": name for name in PUBLISHED_SCORES}


def rank_as_published(collection: Collection, name: str, selection: Selection) -> Ranking:
    """The pages of a selection that have a published score, ordered by it."""
    score = PUBLISHED_RANKINGS[name]
    if selection.level != "page":
        raise BadParameter(
            f"ranks were published for pages, not for {selection.level}s", hint="omit the level"
        )
    published = read_published_scores(collection)
    if score not in published:
        raise WeftError(
            f"{collection.folder} has no published {score}",
            hint="add a Common Crawl graph with its ranks: --vertices FILE --ranks FILE",
        )
    pages = np.arange(len(collection), dtype=np.int32)
    if selection.changed_words(Selection()):
        complete = complete_selection("rank", selection)
        pages = load_selection(collection, complete, "rank", BaseSet).data.page_numbers
    pages = pages[~np.isnan(published[score][pages])]
    names = collection.pages["url"].combine_chunks().take(pa.array(pages))
    return Ranking(name, ArrowNames(names), {score: published[score][pages]}, CLOSED_FORM)
