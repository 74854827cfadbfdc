"""Handlers for topics and communities: their pages, sites and links, and those of a page."""

from dataclasses import asdict
from typing import Annotated, Literal

import numpy as np
import pyarrow as pa
from pydantic import Field

from weft.communities import compare_partitions
from weft.core.arrays import CSR, Offsets, link_positions, round_significant
from weft.graph.levels import encode_domains
from weft.graph.webgraph import to_name_array
from weft.groups import Groups
from weft.groups.comparison import compare_groups
from weft.groups.evidence import EvidenceCollector
from weft.groups.group import Role
from weft.groups.groups import group_documents
from weft.report import topics_report
from weft.server.downloads import Download, table_download
from weft.server.params import (
    CommunitiesParams,
    CommunityMethod,
    GroupDetailParams,
    GroupNumber,
    GroupsParams,
    LevelParam,
    Offset,
    Params,
    QueryText,
    TableFormat,
    Top,
    TopicMethod,
    TopicsParams,
    TopPages,
    Url,
)
from weft.server.schemas.groups import (
    AgreementResponse,
    CommunitiesResponse,
    GroupDetails,
    GroupEditSchema,
    GroupEditsResponse,
    GroupLink,
    GroupLinksResponse,
    GroupMember,
    GroupMembersResponse,
    GroupPairSchema,
    GroupResponse,
    GroupsComparisonResponse,
    GroupSite,
    GroupSitesResponse,
    LinkedGroup,
    LinkMatrix,
    MembershipResponse,
    TopicsResponse,
)
from weft.server.schemas.responses import PageRef
from weft.server.session import Session, compute_groups, groups_key
from weft.similar.context import WebContext
from weft.store.group_edits import read_group_edits
from weft.workspace.analyse import cached_groups, find_registered


class GroupComparisonParams(GroupsParams):
    """The method whose topics are compared with those of this one."""

    other: Annotated[TopicMethod, Field(description="method to compare with")] = "hits"
    format: TableFormat = "json"


class GroupEditsParams(Params):
    """The topics or communities of a query."""

    kind: Annotated[Literal["topics", "communities"], Field(description="kind of groups")] = (
        "topics"
    )
    query: QueryText = ""
    level: LevelParam = "page"


class GroupParams(GroupDetailParams):
    """One topic or community."""

    number: GroupNumber = 1


class GroupRowsParams(GroupsParams):
    """A slice of the rows of a group."""

    number: GroupNumber = 1
    offset: Offset = 0
    top: Top = 50
    format: TableFormat = "json"


class GroupMembersParams(GroupRowsParams):
    """A slice of the pages of a group, ordered by a score."""

    by: Annotated[Role, Field(description="score that orders the pages")] = "authority"


class GroupLinksParams(GroupRowsParams):
    """A slice of the links between two groups."""

    other: Annotated[GroupNumber, Field(description="number of the target group, from 1")] = 1


class TopicReportParams(GroupsParams):
    """The length of a report."""

    top: TopPages = 10
    topics: Annotated[int, Field(ge=1, le=100, description="number of topics")] = 10


class MembershipParams(GroupsParams):
    """A page, and whether its groups may be computed."""

    url: Url
    cached_only: Annotated[bool, Field(description="use only groups that were computed before")] = (
        False
    )


class AgreementParams(GroupsParams):
    """The method to compare with."""

    other: Annotated[CommunityMethod, Field(description="another method, with default options")]


MATRIX_SIZE = 30
LIST_EVIDENCE_ROWS, DETAIL_EVIDENCE_ROWS = 5, 50
MAX_LINKED_GROUPS = 20
NOT_COMPUTED_REASON = "not computed yet: cached_only=false computes the communities"


def get_topics(session: Session, params: TopicsParams) -> TopicsResponse | Download:
    """The topics of a query with their authorities, hubs and supporting links."""
    found = compute_groups(session, params)
    if params.format != "json":
        table = EvidenceCollector(found).to_table(params.top, params.topics)
        return table_download(table, session.temp_path(params.format), "topics")
    document = found.to_document(params.top, params.topics, params.snippets)
    return session.respond(TopicsResponse, document)


def get_communities(session: Session, params: CommunitiesParams) -> CommunitiesResponse | Download:
    """Communities of pages, each with its authorities, hubs and links."""
    found = compute_groups(session, params)
    if params.table:
        found.to_table(params.table)  # an unknown table is an error in any format
    if params.format != "json":
        name = params.table or found.default_table
        table = found.to_table(params.table)
        return table_download(table, session.temp_path(params.format), f"{found.method}-{name}")
    document = found.to_document(params.top, params.communities, "none", LIST_EVIDENCE_ROWS)
    cells = session.get_or_compute(
        ("cells", groups_key(params)), lambda: found.link_matrix(MATRIX_SIZE)
    )
    matrix = LinkMatrix(
        numbers=list(range(1, len(cells) + 1)),
        labels=[group.name for group in found[:MATRIX_SIZE]],
        cells=cells.tolist(),
    )
    return session.respond(
        CommunitiesResponse,
        document,
        matrix=matrix,
        assigned_pages=int(np.count_nonzero(found.group_of_page >= 0)),
        overlapping=found.is_overlapping,
    )


def _load_cached(session: Session, params: GroupsParams) -> Groups | None:
    """The groups of a selection if they were computed before, else None."""
    if groups_key(params) in session.cache:
        return compute_groups(session, params)
    method = find_registered(params.method_kind, params.method_name)
    stored = cached_groups(
        session.collection, method, params.selection, params.option_values, params.uncaptured
    )
    if stored is None:
        return None
    return session.get_or_compute(groups_key(params), lambda: stored)


def write_topic_report(session: Session, params: TopicReportParams) -> Download:
    """The topics of a query as an HTML report."""
    path = session.temp_path("html")
    found = compute_groups(session, params)
    path.write_text(
        topics_report(session.collection, found, top=params.top, max_topics=params.topics), "utf-8"
    )
    return Download(path, "report.html")


def get_group(session: Session, params: GroupParams) -> GroupResponse:
    """One group with its best pages, their evidence and snippets."""
    found = compute_groups(session, params)
    found.find(params.number)
    collector, numbers = EvidenceCollector(found), [params.number]
    [document] = group_documents(
        collector, numbers, params.top, params.snippets, DETAIL_EVIDENCE_ROWS
    )
    return GroupResponse(
        snapshot=session.snapshot_number,
        group=GroupDetails(**document),
        linked_groups=_linked_groups(found, params.number),
    )


def _linked_groups(found: Groups, number: int) -> list[LinkedGroup]:
    """The groups with most links to one or from it; a page counts in its first one."""
    members, graph, group_of_page = found[number - 1].members, found.base.graph, found.group_of_page

    def count_links_by_group(links: CSR) -> Offsets:
        positions, _ = link_positions(links, members)
        other_ends = group_of_page[np.asarray(links.ids[positions])]
        return np.bincount(other_ends[other_ends >= 0], minlength=len(found)).astype(np.int64)

    links_to, links_from = map(count_links_by_group, (graph.outlinks, graph.inlinks))
    total = links_to + links_from
    total[number - 1] = 0
    most_linked = np.argsort(-total, kind="stable")[:MAX_LINKED_GROUPS]
    return [
        LinkedGroup(
            number=k + 1,
            label=found[k].name,
            links_to=int(links_to[k]),
            links_from=int(links_from[k]),
        )
        for k in most_linked[total[most_linked] > 0].tolist()
    ]


def get_group_members(
    session: Session, params: GroupMembersParams
) -> GroupMembersResponse | Download:
    """All pages of a group ordered by a score, then by the other one."""
    found = compute_groups(session, params)
    group, base = found.find(params.number), found.base
    pages = group.members_by_score(params.by)
    if params.format != "json":
        return _group_download(session, params, found.members_table(params.number, params.by))
    shown = pages[params.offset : params.offset + params.top]
    scores = (group.scores_of(role, shown).tolist() for role in ("authority", "hub"))
    return GroupMembersResponse(
        snapshot=session.snapshot_number,
        number=params.number,
        label=group.name,
        by=params.by,
        total=len(group),
        offset=params.offset,
        rows=[
            GroupMember(**ref, place=place, authority=authority, hub=hub)
            for place, (ref, authority, hub) in enumerate(
                zip(base.page_refs(shown), *scores, strict=True), start=params.offset + 1
            )
        ],
    )


def get_group_sites(session: Session, params: GroupRowsParams) -> GroupSitesResponse | Download:
    """All sites of a group, in descending order of pages."""
    found = compute_groups(session, params)
    group, base = found.find(params.number), found.base
    best_score = round_significant(np.maximum(group.authority, group.hub))
    by_score = group.members[np.lexsort((-round_significant(group.authority), -best_score))]
    site_of_member, sites = encode_domains(base.graph.names.take(pa.array(by_score)))
    pages = np.bincount(site_of_member, minlength=len(sites))
    order = np.argsort(-pages, kind="stable")
    if params.format != "json":
        columns = {"site": [sites[k] for k in order.tolist()], "pages": pages[order]}
        return _group_download(session, params, pa.table(columns))
    best = by_score[np.unique(site_of_member, return_index=True)[1]]
    shown = order[params.offset : params.offset + params.top]
    return GroupSitesResponse(
        snapshot=session.snapshot_number,
        number=params.number,
        label=group.name,
        pages=len(group),
        total=len(sites),
        offset=params.offset,
        rows=[
            GroupSite(site=sites[site], pages=int(pages[site]), best=PageRef(**ref))
            for site, ref in zip(shown.tolist(), base.page_refs(best[shown]), strict=True)
        ],
    )


def _group_download(session: Session, params: GroupRowsParams, table: pa.Table) -> Download:
    content = "pages" if isinstance(params, GroupMembersParams) else "sites"
    name = f"{params.method_kind}-{params.number}-{content}"
    return table_download(table, session.temp_path(params.format), name)


def get_membership(session: Session, params: MembershipParams) -> MembershipResponse:
    """The groups of a page with its roles and links there; or why it has none."""
    page = session.resolve_name(params.url, params.selection.level)
    found = (_load_cached if params.cached_only else compute_groups)(session, params)
    if found is None:
        return MembershipResponse(
            snapshot=session.snapshot_number,
            page=page,
            level=params.selection.level,
            computed=False,
            origin="",
            numbers=[],
            roles=[],
            set_aside=[],
            unassigned_reason=NOT_COMPUTED_REASON,
            links_in=0,
            links_out=0,
            links_elsewhere=[],
        )
    document = found.explain(page).to_document()
    document["links_elsewhere"] = document["links_elsewhere"][:MAX_LINKED_GROUPS]
    return MembershipResponse(snapshot=session.snapshot_number, computed=True, **document)


def get_group_links(session: Session, params: GroupLinksParams) -> GroupLinksResponse | Download:
    """The links from one group to another, or inside one: a cell of the matrix."""
    found = compute_groups(session, params)
    group, other = found.find(params.number), found.find(params.other)
    source, target = found.links_between(params.number, params.other)
    total = len(source)
    if params.format != "json":
        names = to_name_array(found.base.pages)
        columns = {"source": names.take(pa.array(source)), "target": names.take(pa.array(target))}
        name = f"links-{params.number}-{params.other}"
        return table_download(pa.table(columns), session.temp_path(params.format), name)
    shown = slice(params.offset, params.offset + params.top)
    source, target = source[shown], target[shown]
    ends = found.base.page_refs(source), found.base.page_refs(target)
    anchor_texts = WebContext.from_any(found.base).anchor_texts(source, target)
    return GroupLinksResponse(
        snapshot=session.snapshot_number,
        number=params.number,
        label=group.name,
        other=params.other,
        other_label=other.name,
        total=total,
        offset=params.offset,
        rows=[
            GroupLink(source=PageRef(**a), target=PageRef(**b), anchors=list(texts))
            for a, b, texts in zip(*ends, anchor_texts, strict=True)
        ],
    )


def compare_topics(
    session: Session, params: GroupComparisonParams
) -> GroupsComparisonResponse | Download:
    """The topics of two methods side by side: which match, and which one lacks."""
    found = compare_groups(
        compute_groups(session, params), compute_groups(session, params, params.other)
    )
    if params.format != "json":
        return table_download(found.to_table(), session.temp_path(params.format), "comparison")
    return GroupsComparisonResponse(
        snapshot=session.snapshot_number,
        method=found.first.method,
        other=found.other.method,
        level=params.selection.level,
        both=found.both,
        only_first=found.only_first,
        only_other=found.only_other,
        pairs=[GroupPairSchema(**asdict(pair)) for pair in found.pairs],
    )


def get_group_edits(session: Session, params: GroupEditsParams) -> GroupEditsResponse:
    """What people changed in the topics or communities of a query."""
    edits = read_group_edits(session.workspace.folder).in_force(
        params.kind, params.query, params.level
    )
    return GroupEditsResponse(
        snapshot=session.snapshot_number,
        rows=[
            GroupEditSchema(
                number=edit.number,
                action=edit.action,
                pages=list(edit.pages),
                label=edit.label,
                into=list(edit.into),
                by=edit.by,
                time=edit.time,
            )
            for edit in edits
        ],
    )


def get_partition_agreement(session: Session, params: AgreementParams) -> AgreementResponse:
    """Agreement of the communities of two methods: mutual information, Rand index, purity."""
    found = compute_groups(session, params)
    other = compute_groups(session, params, params.other)
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
