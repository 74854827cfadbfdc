"""All pages of a topic, and all its sites: what the numbers beside its name count."""

import numpy as np
import pyarrow as pa

from weft.core.arrays import Floats, Ids
from weft.graph.owners import owners
from weft.rank.ranking import rounded
from weft.show.api.asks import Members, TopicPart
from weft.show.api.desk import Desk
from weft.show.api.files import File, table_file
from weft.show.api.findings import TopicMember, TopicMembers, TopicSite, TopicSites
from weft.show.api.shapes import Named
from weft.show.api.topics import chosen, discovered
from weft.topics import Topic, Topics


def members(desk: Desk, ask: Members) -> TopicMembers | File:
    """All pages of a topic in the order of a score, those that score nothing last."""
    found = discovered(desk, ask)
    topic = chosen(found, ask.topic)
    first, second = topic.authority, topic.hub
    order = _best(first, second) if ask.by == "authority" else _best(second, first)
    if ask.format != "json":
        return _file(desk, ask, _table(found, topic, order))
    shown = order[ask.offset : ask.offset + ask.top]
    names = desk.inside(found.base, topic.members[shown])
    scores = zip(first[shown].tolist(), second[shown].tolist(), strict=True)
    return TopicMembers(
        snapshot=desk.snapshot,
        topic=ask.topic,
        label=topic.name,
        by=ask.by,
        total=len(topic),
        offset=ask.offset,
        rows=[
            TopicMember(**name, place=place, authority=authority, hub=hub)
            for place, (name, (authority, hub)) in enumerate(
                zip(names, scores, strict=True), start=ask.offset + 1
            )
        ],
    )


def sites(desk: Desk, ask: TopicPart) -> TopicSites | File:
    """All sites of a topic, the one with most of its pages first."""
    found = discovered(desk, ask)
    topic = chosen(found, ask.topic)
    owner, known = owners(found.base.graph.names.take(pa.array(topic.members)))
    pages = np.bincount(owner, minlength=len(known))
    order = np.argsort(-pages, kind="stable")
    if ask.format != "json":
        columns = {"site": [known[k] for k in order.tolist()], "pages": pages[order]}
        return _file(desk, ask, pa.table(columns))
    best = _best(np.maximum(topic.authority, topic.hub), topic.authority)
    lead = best[np.unique(owner[best], return_index=True)[1]]
    shown = order[ask.offset : ask.offset + ask.top]
    names = desk.inside(found.base, topic.members[lead[shown]])
    return TopicSites(
        snapshot=desk.snapshot,
        topic=ask.topic,
        label=topic.name,
        pages=len(topic),
        total=len(known),
        offset=ask.offset,
        rows=[
            TopicSite(site=known[site], pages=int(pages[site]), best=Named(**name))
            for site, name in zip(shown.tolist(), names, strict=True)
        ],
    )


def _best(first: Floats, second: Floats) -> Ids:
    """Members from the best to the least by a score; those without one by another."""
    scored = rounded(first)
    return np.lexsort((np.where(scored > 0, 0.0, -rounded(second)), -scored)).astype(np.int32)


def _table(found: Topics, topic: Topic, order: Ids) -> pa.Table:
    titles = found.base.titles
    pages = topic.members[order]
    return pa.table(
        {
            "page": found.base.graph.names.take(pa.array(pages)),
            "title": [titles[page] for page in pages.tolist()]
            if len(titles)
            else [""] * len(pages),
            "authority": topic.authority[order],
            "hub": topic.hub[order],
        }
    )


def _file(desk: Desk, ask: TopicPart, table: pa.Table) -> File:
    what = "pages" if isinstance(ask, Members) else "sites"
    return table_file(table, desk.file(ask.format), f"topic-{ask.topic}-{what}")
