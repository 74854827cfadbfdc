"""Handlers for topics: those of a query with their evidence, and those of a page."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from weft.core.errors import UnknownName
from weft.core.json import to_json_value
from weft.graph.baseset.baseset import BaseSet
from weft.report import topics_report
from weft.server.downloads import Download, table_download
from weft.server.params import (
    PageTopicsParams,
    TopicDetailParams,
    TopicDrawingParams,
    TopicParams,
    TopicReportParams,
    TopicRowsParams,
    TopicsParams,
    extract_base_options,
)
from weft.server.rankings import public_provenance, to_trace_schema
from weft.server.schemas.responses import Exclusion
from weft.server.schemas.topics import (
    BaseSetDetails,
    PageTopicsResponse,
    SearchResult,
    SetAsideTopic,
    SetAsideTopicRole,
    SupportingLink,
    TopicDetails,
    TopicEvidence,
    TopicOverlap,
    TopicResponse,
    TopicRole,
    TopicsResponse,
    TopicSummary,
    UncapturedPage,
)
from weft.server.session import Session, options_key
from weft.topics import Topic, Topics
from weft.topics.evidence import Evidence, EvidenceCollector, page_snippets, topic_overlaps
from weft.topics.topic import explain_no_topics

AnyTopicsParams = (
    TopicsParams
    | TopicParams
    | TopicRowsParams
    | TopicDrawingParams
    | PageTopicsParams
    | TopicReportParams
)


def get_topics(session: Session, params: TopicsParams) -> TopicsResponse | Download:
    """The topics of a query with their authorities, hubs and supporting links."""
    found = compute_topics(session, params)
    shown = replace(found, topics=found.topics[: params.topics])
    evidence = EvidenceCollector(shown)
    if params.format != "json":
        table = evidence.to_table(params.top)
        return table_download(table, session.temp_path(params.format), "topics")
    provenance = dict(found.provenance)
    return TopicsResponse(
        snapshot=session.snapshot_number,
        query=params.query,
        method=found.method,
        level=params.level,
        options=to_json_value(found.options),
        base=BaseSetDetails(
            **provenance["base"],
            notes=list(found.base.notes()),
            left_out=[Exclusion(**row) for row in provenance["left_out"]],
            options=to_json_value(provenance["base_options"]),
        ),
        total=len(found),
        results=_best_results(session, found, params.top),
        topics=describe_topics(session, evidence, range(1, len(shown) + 1), params),
        overlap=[TopicOverlap(**row) for row in topic_overlaps(shown).to_pylist()],
        set_aside=[
            SetAsideTopic(**summarise_topic(topic), reason=topic.reason)
            for topic in found.set_aside
        ],
        trace=to_trace_schema(found.trace),
        note="" if len(found) else explain_no_topics(found)[0],
        provenance=public_provenance(provenance),
    )


def _best_results(session: Session, found: Topics, top: int) -> list[SearchResult]:
    """The best search results, whatever their topic."""
    pages = found.best_results(top)
    refs = session.page_refs_in_base_set(found.base, pages)
    scores = found.base.text_score[pages].tolist()
    return [SearchResult(**ref, score=score) for ref, score in zip(refs, scores, strict=True)]


def write_topic_report(session: Session, params: TopicReportParams) -> Download:
    """The topics of a query as an HTML report."""
    path = session.temp_path("html")
    found = compute_topics(session, params)
    path.write_text(
        topics_report(session.collection, found, top=params.top, max_topics=params.topics), "utf-8"
    )
    return Download(path, "report.html")


def compute_topics(session: Session, params: AnyTopicsParams) -> Topics:
    """All topics of a query, cached."""
    base, options = extract_base_options(params), params.option_values
    key = (
        "topics",
        params.method_name,
        params.query,
        params.level,
        params.uncaptured,
        base,
        options_key(options),
    )
    return session.get_or_compute(
        key,
        lambda: session.workspace.topics(
            params.query,
            params.method_name,
            level=params.level,
            base=base,
            uncaptured=params.uncaptured,
            **options,
        ),
    )


def summarise_topic(topic: Topic) -> dict[str, Any]:
    """Label and size of a topic, as fields of `TopicSummary`."""
    return {
        "label": topic.name,
        "terms": list(topic.label),
        "title": topic.title,
        "pages": len(topic),
        "strength": to_json_value(float(topic.strength)),
        "facts": to_json_value(topic.facts),
    }


def describe_topics(
    session: Session,
    collector: EvidenceCollector,
    numbers: Sequence[int],
    params: TopicDetailParams,
) -> list[TopicDetails]:
    """Some topics with their best pages; titles and snippets are looked up at once."""
    by_role = collector.for_topics(params.top, numbers=numbers) if numbers else {}
    by_topic = {k: [evidence for role in by_role[k].values() for evidence in role] for k in numbers}
    refs = _resolve_page_refs(session, collector.base, [e for k in numbers for e in by_topic[k]])
    with_snippets = {"all": numbers, "first": numbers[:1], "none": numbers[:0]}[params.snippets]
    snippets = _snippets_by_page(
        session, collector.base, [e.page for k in with_snippets for e in by_topic[k]]
    )
    return [
        TopicDetails(
            **summarise_topic(collector.topics[k - 1]),
            topic=k,
            authorities=[_to_topic_evidence(e, refs, snippets) for e in by_role[k]["authority"]],
            hubs=[_to_topic_evidence(e, refs, snippets) for e in by_role[k]["hub"]],
            uncaptured=_uncaptured_pages(session, collector.base, collector.topics[k - 1]),
            subtopics=[
                TopicSummary(**summarise_topic(part)) for part in collector.topics[k - 1].subtopics
            ],
        )
        for k in numbers
    ]


def _uncaptured_pages(session: Session, base: BaseSet, topic: Topic) -> list[UncapturedPage]:
    """The pages that a topic links to and that were not captured."""
    refs = session.page_refs_in_base_set(base, topic.uncaptured)
    votes = topic.uncaptured_votes.tolist()
    return [UncapturedPage(**ref, votes=vote) for ref, vote in zip(refs, votes, strict=True)]


def _resolve_page_refs(
    session: Session, base: BaseSet, evidence: Sequence[Evidence]
) -> dict[str, dict[str, str]]:
    """Page, title and kind of all pages in the evidence and its links, by page."""
    linked = (link.page for item in evidence for link in item.links)
    pages = list(dict.fromkeys([*(item.page for item in evidence), *linked]))
    if base.level != "page":
        return dict(zip(pages, session.page_refs_by_name(pages, base.level), strict=True))
    names = base.graph.names
    indices = pc.index_in(pa.array(pages, names.type), names).to_numpy()
    return dict(zip(pages, session.collection.page_refs(base.page_numbers[indices]), strict=True))


def _snippets_by_page(session: Session, base: BaseSet, pages: Sequence[str]) -> dict[str, str]:
    distinct = list(dict.fromkeys(pages)) if base.level == "page" else []
    if not distinct:
        return {}
    return dict(zip(distinct, page_snippets(session.collection, base, distinct), strict=True))


def _to_topic_evidence(
    evidence: Evidence, page_refs: dict[str, dict[str, str]], snippets: dict[str, str]
) -> TopicEvidence:
    return TopicEvidence(
        **page_refs[evidence.page],
        place=evidence.place,
        score=evidence.score,
        count=evidence.count,
        sites=evidence.sites,
        anchors=list(evidence.anchors),
        links=[
            SupportingLink(
                **page_refs[link.page],
                contribution=link.contribution,
                anchors=list(link.anchors),
            )
            for link in evidence.links
        ],
        other_topics=list(evidence.other_topics),
        snippet=snippets.get(evidence.page, ""),
    )


def get_topic(session: Session, params: TopicParams) -> TopicResponse:
    """One topic with its best pages and their snippets."""
    found = compute_topics(session, params)
    topic_by_number(found, params.topic)
    [topic] = describe_topics(session, EvidenceCollector(found), [params.topic], params)
    return TopicResponse(snapshot=session.snapshot_number, topic=topic)


def topic_by_number(found: Topics, number: int) -> Topic:
    """A topic by its number, from 1."""
    if number > len(found):
        hint = f"there are {len(found)}" if len(found) else "there are none"
        raise UnknownName("topic", str(number), (), hint=hint)
    return found[number - 1]


def get_page_topics(session: Session, params: PageTopicsParams) -> PageTopicsResponse:
    """The topics of a page, as authority or as hub; or why it has none."""
    page = session.resolve_name(params.url, params.level)
    found = compute_topics(session, params)
    membership, topics = found.explain(page), (*found.topics, *found.set_aside)
    return PageTopicsResponse(
        snapshot=session.snapshot_number,
        page=page,
        origin=str(membership.origin or membership.absence_reason),
        unassigned_reason=membership.unassigned_reason,
        rows=[TopicRole(**_topic_role(e, topics[e.topic - 1])) for e in membership.evidence],
        set_aside=[
            SetAsideTopicRole(
                **_topic_role(e, topics[e.topic - 1]), reason=topics[e.topic - 1].reason
            )
            for e in membership.set_aside_evidence
        ],
    )


def _topic_role(evidence: Evidence, topic: Topic) -> dict[str, Any]:
    """The role of a page in a topic, as fields of `TopicRole`."""
    fields = ("topic", "role", "score", "place", "count", "sites")
    return {"label": topic.name, **{name: getattr(evidence, name) for name in fields}}
