"""Handlers for communities: their members and links, those of a page, agreement of methods."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
import pyarrow as pa

from weft.communities import AgoraCommunities, Communities, Community, compare_partitions
from weft.core.arrays import CSR, Ids, Offsets
from weft.core.errors import UnknownName
from weft.core.json import to_json_value
from weft.graph.views import link_positions
from weft.graph.webgraph import to_name_array
from weft.server.downloads import Download, table_download
from weft.server.params import (
    AgreementParams,
    CommunitiesParams,
    CommunityDrawingParams,
    CommunityLinksParams,
    CommunityParams,
    CommunityViewParams,
    PageCommunitiesParams,
)
from weft.server.rankings import public_provenance
from weft.server.schemas.communities import (
    AgreementResponse,
    BridgePage,
    CommunitiesResponse,
    CommunityEvidence,
    CommunityLink,
    CommunityLinksResponse,
    CommunityMatrix,
    CommunityMember,
    CommunityResponse,
    CommunityRoleSchema,
    CommunitySchema,
    LinkedCommunity,
    OutsideLinks,
    PageCommunitiesResponse,
)
from weft.server.schemas.responses import BaseSetSize, Exclusion, PageRef
from weft.server.session import Session, options_key
from weft.similar.context import WebContext
from weft.workspace.analyse import Selection
from weft.workspace.communities import cached_communities

COMMUNITY_VIEW_FIELDS = tuple(CommunityViewParams.model_fields)
MATRIX_SIZE = 30
LIST_EVIDENCE_ROWS, DETAIL_ROWS = 5, 50
MAX_LINKED_COMMUNITIES = 20
NEIGHBOUR_FIELDS = ("linked_from", "links_to")
NOT_COMPUTED_REASON = "not computed yet: cached_only=false computes the communities"
NOT_IN_GRAPH_REASON = "in no community: the page is not in the graph"
AnyCommunitiesParams = (
    CommunitiesParams
    | CommunityParams
    | PageCommunitiesParams
    | CommunityDrawingParams
    | CommunityLinksParams
    | AgreementParams
)
PageRefsByNumber = Mapping[int, dict[str, str]]


def get_communities(session: Session, params: CommunitiesParams) -> CommunitiesResponse | Download:
    """Communities of pages, each with its centres, hubs and links."""
    found = compute_communities(session, params)
    if params.format != "json":
        table = found.to_table(params.table) if params.table else found.to_table()
        name = params.table or ("agora" if isinstance(found, AgoraCommunities) else "communities")
        return table_download(table, session.temp_path(params.format), f"{found.method}-{name}")
    shown = found.communities[: params.communities]
    bridges = (
        found.bridge_pages[: params.communities] if isinstance(found, AgoraCommunities) else ()
    )
    pages = [ids for c in shown for ids in _pages_to_resolve(c, params.top, LIST_EVIDENCE_ROWS)]
    pages += [np.array([bridge.page, *bridge.archive_pages], np.int32) for bridge in bridges]
    page_refs = resolve_page_refs(session, found, pages)
    provenance = dict(found.provenance)
    cells = session.get_or_compute(
        ("cells", _cache_key(params)), lambda: found.link_matrix(MATRIX_SIZE)
    )
    return CommunitiesResponse(
        snapshot=session.snapshot_number,
        method=found.method,
        level=params.level,
        query=params.query,
        options=to_json_value(found.options),
        facts=to_json_value(found.facts),
        notes=[note for note in (provenance["note"], *found.notes) if note],
        base=BaseSetSize(**provenance["base"]),
        left_out=[Exclusion(**row) for row in provenance["left_out"]],
        total=len(found),
        assigned_pages=int(np.count_nonzero(found.labels >= 0)),
        overlapping=found.is_overlapping,
        communities=[
            _to_community_schema(number, community, params.top, LIST_EVIDENCE_ROWS, page_refs)
            for number, community in enumerate(shown, start=1)
        ],
        matrix=CommunityMatrix(
            communities=list(range(1, len(cells) + 1)),
            labels=[community.name for community in found.communities[:MATRIX_SIZE]],
            cells=cells.tolist(),
        ),
        bridge_pages=[
            BridgePage(
                **page_refs[bridge.page],
                communities=list(bridge.communities),
                through=[PageRef(**page_refs[page]) for page in bridge.archive_pages],
                inlinks=bridge.inlinks,
                pagerank=bridge.pagerank,
            )
            for bridge in bridges
        ],
        provenance=public_provenance(provenance),
    )


def compute_communities(
    session: Session, params: AnyCommunitiesParams, other_method: str = ""
) -> Communities:
    """All communities of a view, cached; another method runs with its default options."""
    view = {name: getattr(params, name) for name in COMMUNITY_VIEW_FIELDS}
    method, options = (
        (other_method, {}) if other_method else (params.method_name, params.option_values)
    )
    return session.get_or_compute(
        _cache_key(params, other_method),
        lambda: session.workspace.communities(method=method, **view, **options),
    )


def load_cached_communities(session: Session, params: AnyCommunitiesParams) -> Communities | None:
    """The communities of a view if they were computed before, else None."""
    if _cache_key(params) not in session.cache:
        view = Selection.from_options(params.level, params.query, params.exclude, params.between)
        stored = cached_communities(
            session.collection,
            view,
            params.method_name,
            params.option_values,
            params.uncaptured,
        )
        if stored is None:
            return None
        session.get_or_compute(_cache_key(params), lambda: stored)
    return compute_communities(session, params)


def _cache_key(params: AnyCommunitiesParams, other_method: str = "") -> Hashable:
    view = {name: getattr(params, name) for name in COMMUNITY_VIEW_FIELDS}
    options = {} if other_method else params.option_values
    return (
        "communities",
        other_method or params.method_name,
        options_key(view),
        options_key(options),
    )


def community_by_number(found: Communities, number: int) -> Community:
    """A community by its number, from 1."""
    if number > len(found):
        hint = f"there are {len(found)}" if len(found) else "there are none"
        raise UnknownName("community", str(number), (), hint=hint)
    return found[number - 1]


def _pages_to_resolve(community: Community, top: int, max_evidence: int) -> list[Ids]:
    return [
        community.centres(top),
        community.hubs(top),
        *(rows[:max_evidence].ravel() for rows in community.evidence.values()),
    ]


def resolve_page_refs(
    session: Session, found: Communities, pages: Iterable[Ids]
) -> PageRefsByNumber:
    """Page, title and kind of pages, looked up at once, by their numbers in the base set."""
    numbers = np.unique(np.concatenate([np.zeros(0, np.int32), *pages]))
    return dict(
        zip(numbers.tolist(), session.page_refs_in_base_set(found.base, numbers), strict=True)
    )


def _to_community_schema(
    number: int, community: Community, top: int, max_evidence: int, page_refs: PageRefsByNumber
) -> CommunitySchema:
    return CommunitySchema(
        community=number,
        label=community.name,
        terms=list(community.label),
        title=community.title,
        pages=len(community),
        internal_links=community.internal_links,
        outgoing_links=community.outgoing_links,
        incoming_links=community.incoming_links,
        strength=to_json_value(float(community.strength)),
        facts=to_json_value(community.facts),
        centres=_to_community_members(community, community.centres(top), page_refs),
        hubs=_to_community_members(community, community.hubs(top), page_refs),
        evidence=[
            CommunityEvidence(
                name=name,
                total=len(rows),
                rows=[
                    [PageRef(**page_refs[page]) for page in np.atleast_1d(row).tolist()]
                    for row in rows[:max_evidence]
                ],
            )
            for name, rows in community.evidence.items()
        ],
    )


def _to_community_members(
    community: Community, pages: Ids, page_refs: PageRefsByNumber
) -> list[CommunityMember]:
    positions = np.searchsorted(community.members, pages)
    authority, hub = community.authority[positions].tolist(), community.hub[positions].tolist()
    return [
        CommunityMember(**page_refs[page], authority=a, hub=h)
        for page, a, h in zip(pages.tolist(), authority, hub, strict=True)
    ]


def get_community(session: Session, params: CommunityParams) -> CommunityResponse | Download:
    """One community with its members, best centres first."""
    found = compute_communities(session, params)
    community = community_by_number(found, params.community)
    if params.format != "json":
        alone = Communities(found.method, found.base, (community,), found.trace)
        table = alone.to_table("members").drop_columns(["community"])
        return table_download(
            table, session.temp_path(params.format), f"community-{params.community}"
        )
    pages = community.members_by_score()[params.offset : params.offset + params.top]
    page_refs = resolve_page_refs(
        session, found, [pages, *_pages_to_resolve(community, DETAIL_ROWS, DETAIL_ROWS)]
    )
    return CommunityResponse(
        snapshot=session.snapshot_number,
        community=_to_community_schema(
            params.community, community, DETAIL_ROWS, DETAIL_ROWS, page_refs
        ),
        linked_communities=_linked_communities(found, params.community),
        total=len(community),
        offset=params.offset,
        rows=_to_community_members(community, pages, page_refs),
    )


def _linked_communities(found: Communities, number: int) -> list[LinkedCommunity]:
    """The communities with most links to one or from it; a page counts in its first one."""
    members = found[number - 1].members

    def count_links_by_community(links: CSR) -> Offsets:
        positions, _ = link_positions(links, members)
        other_ends = found.labels[np.asarray(links.ids[positions])]
        return np.bincount(other_ends[other_ends >= 0], minlength=len(found)).astype(np.int64)

    links_to = count_links_by_community(found.graph.outlinks)
    links_from = count_links_by_community(found.graph.inlinks)
    total = links_to + links_from
    total[number - 1] = 0
    most_linked = np.argsort(-total, kind="stable")[:MAX_LINKED_COMMUNITIES]
    return [
        LinkedCommunity(
            community=k + 1,
            label=found[k].name,
            links_to=int(links_to[k]),
            links_from=int(links_from[k]),
        )
        for k in most_linked[total[most_linked] > 0].tolist()
    ]


def get_page_communities(
    session: Session, params: PageCommunitiesParams
) -> PageCommunitiesResponse:
    """The communities of a page with its role and links there; or why it has none."""
    page = session.resolve_name(params.url, params.level)
    found = (
        load_cached_communities(session, params)
        if params.cached_only
        else compute_communities(session, params)
    )
    common: dict[str, Any] = {
        "snapshot": session.snapshot_number,
        "page": page,
        "level": params.level,
    }
    if found is None or found.graph.page_number(page) < 0:
        return PageCommunitiesResponse(
            **common,
            computed=found is not None,
            links_in=0,
            links_out=0,
            rows=[],
            other_communities=[],
            unassigned_reason=NOT_COMPUTED_REASON if found is None else NOT_IN_GRAPH_REASON,
        )
    membership = found.explain(page)
    return PageCommunitiesResponse(
        **common,
        computed=True,
        links_in=membership.links_in,
        links_out=membership.links_out,
        rows=[
            CommunityRoleSchema(
                **asdict(role)
                | {
                    field: session.page_refs_by_name(getattr(role, field), params.level)
                    for field in NEIGHBOUR_FIELDS
                }
            )
            for role in membership.roles
        ],
        other_communities=[
            OutsideLinks(community=k, label=found[k - 1].name, links=links)
            for k, links in membership.links_elsewhere[:MAX_LINKED_COMMUNITIES]
        ],
        unassigned_reason=membership.unassigned_reason,
    )


def get_links_between_communities(
    session: Session, params: CommunityLinksParams
) -> CommunityLinksResponse | Download:
    """The links from one community to another, or inside one: a cell of the matrix."""
    found = compute_communities(session, params)
    community = community_by_number(found, params.community)
    other = community_by_number(found, params.other)
    source, target = found.links_between(params.community, params.other)
    total = len(source)
    if params.format != "json":
        names = to_name_array(found.base.pages)
        columns = {"source": names.take(pa.array(source)), "target": names.take(pa.array(target))}
        name = f"links-{params.community}-{params.other}"
        return table_download(pa.table(columns), session.temp_path(params.format), name)
    shown = slice(params.offset, params.offset + params.top)
    source, target = source[shown], target[shown]
    page_refs = resolve_page_refs(session, found, (source, target))
    anchor_texts = WebContext.from_any(found.base).anchor_texts(source, target)
    return CommunityLinksResponse(
        snapshot=session.snapshot_number,
        community=params.community,
        label=community.name,
        other=params.other,
        other_label=other.name,
        total=total,
        offset=params.offset,
        rows=[
            CommunityLink(
                source=PageRef(**page_refs[a]), target=PageRef(**page_refs[b]), anchors=list(texts)
            )
            for a, b, texts in zip(source.tolist(), target.tolist(), anchor_texts, strict=True)
        ],
    )


def get_partition_agreement(session: Session, params: AgreementParams) -> AgreementResponse:
    """Agreement of the communities of two methods: mutual information, Rand index, purity."""
    found = compute_communities(session, params)
    other = compute_communities(session, params, params.other)
    agreement = compare_partitions(found, other)
    return AgreementResponse(
        snapshot=session.snapshot_number,
        method=found.method,
        other=other.method,
        communities=len(found),
        other_communities=len(other),
        nmi=agreement.nmi,
        ari=agreement.ari,
        purity=agreement.purity,
        compared_pages=agreement.compared_pages,
        total_pages=agreement.total_pages,
    )
