"""Leave out pages by their host or their URL."""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import Flags
from weft.core.errors import BadParameter
from weft.graph.baseset import BaseSet
from weft.graph.views import Dropped, subgraph
from weft.graph.webgraph import WebGraph

SCHEME = r"(?:[A-Za-z][A-Za-z0-9+.-]*://)?"


def matching(names: pa.Array, pattern: str) -> Flags:
    """Which names a pattern means.

    A bare host or domain stands for itself and all below it. With `*`, `?` or
    a slash it is a pattern of URLs, whose scheme may be left out.

    Examples
    --------
    >>> urls = pa.array(["http://ads.example/x", "http://www.ads.example/", "http://a.org/ads"])
    >>> matching(urls, "ads.example").tolist(), matching(urls, "*/ads").tolist()
    ([True, True, False], [False, False, True])
    """
    if not pattern.strip():
        raise BadParameter("an empty pattern means no page", hint="give a host or a URL with *")
    if re.search(r"[*?/]", pattern):
        wild = {"*": ".*", "?": "."}
        body = "".join(wild.get(sign) or re.escape(sign) for sign in pattern)
        expression = f"(?s)^{SCHEME}{body}$"
    else:
        place = re.escape(pattern.strip().lower().strip("."))
        expression = f"(?i)^{SCHEME}(?:[^/?#]*[.@])?{place}(?::[0-9]+)?(?:[/?#]|$)"
    found: Flags = pc.match_substring_regex(names, expression).to_numpy(zero_copy_only=False)
    return found.astype(bool)


def without(
    data: WebGraph | BaseSet, patterns: Sequence[str]
) -> tuple[WebGraph | BaseSet, tuple[Dropped, ...]]:
    """The same without the pages that patterns mean; what each left out is told.

    A page that several patterns mean counts for the first of them. The links
    of all are told together, at the last.
    """
    if not patterns:
        return data, ()
    graph = data if isinstance(data, WebGraph) else data.graph
    kept, told = np.ones(len(graph), bool), []
    for pattern in patterns:
        gone = kept & matching(graph.names, pattern)
        kept &= ~gone
        told.append(Dropped(f"without {pattern}", int(gone.sum()), 0))
    view, lost = subgraph(graph, kept)
    told[-1] = replace(told[-1], links=lost.links)
    if isinstance(data, WebGraph):
        return view, tuple(told)
    return _part(data, kept, view, tuple(told)), tuple(told)


def _part(base: BaseSet, kept: Flags, view: WebGraph, told: tuple[Dropped, ...]) -> BaseSet:
    """A base set with the chosen pages alone."""
    number = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
    via = base.via[kept]

    def texts() -> Sequence[str]:
        every = base.texts
        return [every[k] for k in np.flatnonzero(kept).tolist()] if len(every) else every

    def anchors() -> pa.Table:
        table = base.anchors
        ends = {side: number[table[side].to_numpy()] for side in ("source", "target")}
        for at, (side, numbers) in enumerate(ends.items()):
            table = table.set_column(at, side, pa.array(numbers, pa.int32()))
        return table.filter(pa.array((ends["source"] >= 0) & (ends["target"] >= 0)))

    return replace(
        base,
        graph=view,
        numbers=base.numbers[kept],
        origin=base.origin[kept],
        rank=base.rank[kept],
        via=np.where(via < 0, -1, number[via]).astype(np.int32),
        text_score=base.text_score[kept],
        dropped=(*base.dropped, *told),
        read_texts=texts,
        read_anchors=anchors,
    )
