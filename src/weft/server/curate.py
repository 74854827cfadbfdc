"""Handlers that read tags, entities, candidates, proposals, and what tags changed."""

from collections import Counter
from dataclasses import asdict
from typing import Annotated

import numpy as np
import pyarrow.compute as pc
from pydantic import Field

from weft.graph.levels import uncaptured_pages
from weft.graph.selection import Level, Selection
from weft.server.downloads import Download, table_download
from weft.server.params import (
    MAX_PATTERNS,
    ClassifyMethod,
    Offset,
    Params,
    PatternText,
    QueryText,
    RankMethod,
    TableFormat,
    Top,
)
from weft.server.schemas.curate import (
    CandidateSchema,
    CandidatesResponse,
    EntitiesResponse,
    EntitySchema,
    FacetSchema,
    NeighbourSchema,
    PlaceChangeSchema,
    ProposalSchema,
    ProposalsResponse,
    TagEffectResponse,
    TagSchema,
    TagsResponse,
    TopicSizeSchema,
    ValueCount,
)
from weft.server.session import Session
from weft.store.arrow_files import SortedColumn
from weft.store.entities import entity_codes
from weft.store.tags import Tags
from weft.workspace.curate import (
    ProposalOrder,
    Shown,
    learn_facet,
    list_candidates,
    list_proposals,
    measure_tag_effect,
)

LEFT_OUT = ["decision=out"]
Facet = Annotated[
    str, Field(max_length=40, pattern=r"^[a-z][a-z0-9_-]{0,39}$", description="name of a facet")
]


class TagsParams(Params):
    """A slice of the tags, of one facet or of all."""

    facet: Annotated[
        str,
        Field(
            max_length=40,
            pattern=r"^([a-z][a-z0-9_-]{0,39})?$",
            description="only of this facet",
        ),
    ] = ""
    offset: Offset = 0
    top: Top = 50
    format: TableFormat = "json"


class EntitiesParams(Params):
    """All entities, as JSON or as a file."""

    format: TableFormat = "json"


class CandidatesParams(Params):
    """Which pages, hosts, domains or entities to decide on, and a slice of them."""

    facet: Facet = "decision"
    level: Annotated[Level, Field(description="pages, hosts, domains or entities")] = "page"
    show: Annotated[
        Shown, Field(description="those without a value or undecided; with one; all")
    ] = "open"
    offset: Offset = 0
    top: Top = 50


class ProposalsParams(Params):
    """The facet to learn, and a slice of the proposals."""

    facet: Facet = "decision"
    method: Annotated[ClassifyMethod, Field(description="classifier")] = "auto"
    order: Annotated[
        ProposalOrder, Field(description="most certain first, or what would teach most")
    ] = "certainty"
    offset: Annotated[int, Field(ge=0, le=10_000, description="number of rows to skip")] = 0
    top: Annotated[int, Field(ge=1, le=100, description="number of rows")] = 20


class TagEffectParams(Params):
    """The tags whose effect is measured: those after the first batches."""

    since: Annotated[int, Field(ge=0, le=10**9, description="number of batches before")] = 0
    method: Annotated[RankMethod, Field(description="method of the ranking")] = "pagerank"
    exclude_tag: Annotated[
        list[PatternText],
        Field(max_length=MAX_PATTERNS, description="leave out pages with this tag, FACET=VALUE"),
    ] = LEFT_OUT
    query: Annotated[QueryText, Field(description="compare the topics of this query too")] = ""
    top: Annotated[int, Field(ge=1, le=50, description="number of leading pages")] = 10


def get_tags(session: Session, params: TagsParams) -> TagsResponse | Download:
    """Facets with the counts of their values, and the tags in force, newest first."""
    state = session.collection.tags
    if params.format != "json":
        table = state.to_table()
        if params.facet:
            table = table.filter(pc.field("facet") == params.facet)
        return table_download(table, session.temp_path(params.format), "tags")
    tags = [tag for tag in state.in_force().values() if params.facet in ("", tag.facet)]
    rows = tags[::-1][params.offset : params.offset + params.top]
    return TagsResponse(
        snapshot=session.snapshot_number,
        batches=len(state.batches),
        facets=[_describe_facet(session, state, facet) for facet in state.facets()],
        total=len(tags),
        offset=params.offset,
        rows=[TagSchema(**tag.to_row()) for tag in rows],
    )


def _describe_facet(session: Session, state: Tags, facet: str) -> FacetSchema:
    values = session.collection.tag_values(facet)
    captured = ~uncaptured_pages(session.collection)
    tags = Counter(tag.value for tag in state.in_force().values() if tag.facet == facet)
    codes = values.codes[captured & (values.codes >= 0)]
    pages = dict(zip(values.values, np.bincount(codes, minlength=len(values.values)), strict=True))
    counts = [
        ValueCount(value=value, tags=tags[value], pages=int(pages[value])) for value in sorted(tags)
    ]
    return FacetSchema(facet=facet, values=counts)


def get_entities(session: Session, params: EntitiesParams) -> EntitiesResponse | Download:
    """Entities with their prefixes and the number of their captured pages."""
    rules = session.workspace.entities
    if params.format != "json":
        return table_download(rules.to_table(), session.temp_path(params.format), "entities")
    codes = entity_codes(rules, SortedColumn(session.collection.pages["key"]))
    codes = codes[~uncaptured_pages(session.collection) & (codes >= 0)]
    counts = np.bincount(codes, minlength=len(rules.entities)).tolist()
    return EntitiesResponse(
        snapshot=session.snapshot_number,
        version=rules.version,
        default=rules.default,
        rows=[
            EntitySchema(name=entity.name, prefixes=list(entity.prefixes), pages=pages)
            for entity, pages in zip(rules.entities, counts, strict=True)
        ],
    )


def get_candidates(session: Session, params: CandidatesParams) -> CandidatesResponse:
    """Pages, hosts, domains or entities to decide on, most linked first."""
    batches = len(session.collection.tags.batches)
    rows = slice(params.offset, params.offset + params.top)
    total, found = list_candidates(
        session.collection, params.facet, params.level, params.show, rows=rows
    )
    refs = session.page_refs_by_name((row.name for row in found), params.level)
    return CandidatesResponse(
        snapshot=session.snapshot_number,
        level=params.level,
        facet=params.facet,
        batches=batches,
        total=total,
        offset=params.offset,
        rows=[
            CandidateSchema(
                **ref,
                scope=row.scope,
                target=row.target,
                inlinks=row.inlinks,
                value=row.value,
                tags=[TagSchema(**tag.to_row()) for tag in row.tags],
            )
            for ref, row in zip(refs, found, strict=True)
        ],
    )


def get_proposals(session: Session, params: ProposalsParams) -> ProposalsResponse:
    """What a classifier that learns from the tags proposes for other pages, with reasons."""
    batches = len(session.collection.tags.batches)
    found = session.get_or_compute(
        ("proposals", params.facet, params.method),
        lambda: learn_facet(session.collection, params.facet, params.method),
    )
    rows = slice(params.offset, params.offset + params.top)

    def ref(page: str) -> dict[str, str]:
        return session.page_refs_by_name([page])[0]

    return ProposalsResponse(
        snapshot=session.snapshot_number,
        method=params.method,
        facet=params.facet,
        order=params.order,
        batches=batches,
        examples=found.labelled.class_sizes,
        accuracy=found.estimate.accuracy if found.estimate else None,
        total=len(found),
        offset=params.offset,
        rows=[
            ProposalSchema(
                **ref(row.page),
                inlinks=row.inlinks,
                tags=[TagSchema(**tag.to_row()) for tag in row.tags],
                value=row.value,
                certainty=row.certainty,
                words=list(row.words),
                neighbours=[
                    NeighbourSchema(
                        **ref(other.page), direction=other.direction, is_example=other.is_example
                    )
                    for other in row.neighbours
                ],
                anchors=list(row.anchors),
            )
            for row in list_proposals(session.collection, found, params.order, rows=rows)
        ],
    )


def get_tag_effect(session: Session, params: TagEffectParams) -> TagEffectResponse:
    """What the tags after the first batches changed in a ranking and in topics."""
    selection = Selection(exclude_tag=tuple(params.exclude_tag), query=params.query)
    found = measure_tag_effect(
        session.collection, params.since, selection, params.method, params.top
    )
    refs = session.page_refs_by_name(change.page for change in found.places)
    return TagEffectResponse(
        snapshot=session.snapshot_number,
        since=found.since,
        method=found.method,
        before=found.before,
        after=found.after,
        places=[
            PlaceChangeSchema(**ref, before=change.before, after=change.after)
            for ref, change in zip(refs, found.places, strict=True)
        ],
        topics_before=[TopicSizeSchema(**asdict(topic)) for topic in found.topics_before],
        topics_after=[TopicSizeSchema(**asdict(topic)) for topic in found.topics_after],
    )
