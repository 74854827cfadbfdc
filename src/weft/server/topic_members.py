"""Handlers for the members of a topic: all its pages, all its sites."""

import numpy as np
import pyarrow as pa

from weft.core.arrays import Floats, Ids
from weft.graph.sites import encode_domains
from weft.rank.ranking import round_significant
from weft.server.downloads import Download, table_download
from weft.server.params import TopicMembersParams, TopicRowsParams
from weft.server.schemas.responses import PageRef
from weft.server.schemas.topics import (
    TopicMember,
    TopicMembersResponse,
    TopicSite,
    TopicSitesResponse,
)
from weft.server.session import Session
from weft.server.topics import compute_topics, topic_by_number
from weft.topics import Topic, Topics


def get_topic_members(
    session: Session, params: TopicMembersParams
) -> TopicMembersResponse | Download:
    """All pages of a topic ordered by a score, those without one last."""
    found = compute_topics(session, params)
    topic = topic_by_number(found, params.topic)
    scores = topic.authority, topic.hub
    order = _order_by_scores(*(scores if params.by == "authority" else scores[::-1]))
    if params.format != "json":
        return _topic_download(session, params, _members_table(found, topic, order))
    shown = order[params.offset : params.offset + params.top]
    refs = session.page_refs_in_base_set(found.base, topic.members[shown])
    rows = zip(refs, topic.authority[shown].tolist(), topic.hub[shown].tolist(), strict=True)
    return TopicMembersResponse(
        snapshot=session.snapshot_number,
        topic=params.topic,
        label=topic.name,
        by=params.by,
        total=len(topic),
        offset=params.offset,
        rows=[
            TopicMember(**ref, place=place, authority=authority, hub=hub)
            for place, (ref, authority, hub) in enumerate(rows, start=params.offset + 1)
        ],
    )


def get_topic_sites(session: Session, params: TopicRowsParams) -> TopicSitesResponse | Download:
    """All sites of a topic, in descending order of pages."""
    found = compute_topics(session, params)
    topic = topic_by_number(found, params.topic)
    site_of_member, sites = encode_domains(found.base.graph.names.take(pa.array(topic.members)))
    pages = np.bincount(site_of_member, minlength=len(sites))
    order = np.argsort(-pages, kind="stable")
    if params.format != "json":
        columns = {"site": [sites[k] for k in order.tolist()], "pages": pages[order]}
        return _topic_download(session, params, pa.table(columns))
    by_score = _order_by_scores(np.maximum(topic.authority, topic.hub), topic.authority)
    best = by_score[np.unique(site_of_member[by_score], return_index=True)[1]]
    shown = order[params.offset : params.offset + params.top]
    refs = session.page_refs_in_base_set(found.base, topic.members[best[shown]])
    return TopicSitesResponse(
        snapshot=session.snapshot_number,
        topic=params.topic,
        label=topic.name,
        pages=len(topic),
        total=len(sites),
        offset=params.offset,
        rows=[
            TopicSite(site=sites[site], pages=int(pages[site]), best=PageRef(**ref))
            for site, ref in zip(shown.tolist(), refs, strict=True)
        ],
    )


def _order_by_scores(primary: Floats, secondary: Floats) -> Ids:
    """Members in descending order of a score; those without it by the secondary one."""
    first = round_significant(primary)
    second = np.where(first > 0, 0.0, round_significant(secondary))
    return np.lexsort((-second, -first)).astype(np.int32)


def _members_table(found: Topics, topic: Topic, order: Ids) -> pa.Table:
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


def _topic_download(session: Session, params: TopicRowsParams, table: pa.Table) -> Download:
    content = "pages" if isinstance(params, TopicMembersParams) else "sites"
    name = f"topic-{params.topic}-{content}"
    return table_download(table, session.temp_path(params.format), name)
