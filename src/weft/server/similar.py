"""Handlers for similar pages and suggested links."""

from collections.abc import Iterable, Sequence

from weft.core.json import to_json_value
from weft.graph.baseset.options import Level
from weft.server.downloads import Download, table_download
from weft.server.params import SimilarPagesParams, SuggestedLinksParams
from weft.server.rankings import public_provenance
from weft.server.schemas.similar import (
    SimilarPage,
    SimilarPagesResponse,
    SuggestedLink,
    SuggestedLinksResponse,
    WitnessSchema,
)
from weft.server.session import Session
from weft.similar import Suggestion, Witness


def find_similar_pages(
    session: Session, params: SimilarPagesParams
) -> SimilarPagesResponse | Download:
    """The most similar pages, with the witnesses linked with both."""
    page = session.resolve_name(params.url, params.level)
    found = session.workspace.similar(
        page, params.method_name, level=params.level, top=params.top, **params.option_values
    )
    if params.format != "json":
        return table_download(found.to_table(), session.temp_path(params.format), "similar")
    sites = params.option_values.get("vote") == "site"
    witnesses = _resolve_witnesses(
        session, [similar.witnesses for similar in found], "domain" if sites else params.level
    )
    return SimilarPagesResponse(
        snapshot=session.snapshot_number,
        page=page,
        method=found.method,
        level=params.level,
        options=to_json_value(found.options),
        contribution_names=list(found.contribution_names),
        notes=list(found.notes),
        rows=[
            SimilarPage(
                page=similar.page,
                title=similar.title,
                kind=similar.kind if params.level == "page" else params.level,
                place=place,
                score=similar.score,
                contributions=dict(similar.contributions),
                witness_counts=dict(similar.witness_counts),
                witnesses=own_witnesses,
                shared_words=list(similar.shared_words),
            )
            for place, (similar, own_witnesses) in enumerate(
                zip(found, witnesses, strict=True), start=1
            )
        ],
        provenance=public_provenance(found.provenance),
    )


def suggest_links(
    session: Session, params: SuggestedLinksParams
) -> SuggestedLinksResponse | Download:
    """Links that a page lacks, to others and from others, each with a reason."""
    page = session.resolve_name(params.url, params.level)
    found = session.workspace.suggest(
        page, params.method_name, level=params.level, top=params.top, **params.option_values
    )
    if params.format != "json":
        return table_download(found.to_table(), session.temp_path(params.format), "suggest")
    return SuggestedLinksResponse(
        snapshot=session.snapshot_number,
        page=page,
        method=found.method,
        level=params.level,
        options=to_json_value(found.options),
        to=_to_suggested_links(session, found.to, params.level),
        from_=_to_suggested_links(session, found.from_, params.level),
        notes=list(found.notes),
        provenance=public_provenance(found.provenance),
    )


def _to_suggested_links(
    session: Session, suggestions: Sequence[Suggestion], level: Level
) -> list[SuggestedLink]:
    witnesses = _resolve_witnesses(session, [link.witnesses for link in suggestions], level)
    return [
        SuggestedLink(
            page=link.page,
            title=link.title,
            kind=link.kind if level == "page" else level,
            place=place,
            score=link.score,
            scores=dict(link.scores),
            intermediate_count=link.intermediate_count,
            peer_count=link.peer_count,
            reason=link.reason,
            witnesses=own_witnesses,
            shared_words=list(link.shared_words),
            anchor=link.anchor,
            anchor_source=link.anchor_source,
        )
        for place, (link, own_witnesses) in enumerate(
            zip(suggestions, witnesses, strict=True), start=1
        )
    ]


def _resolve_witnesses(
    session: Session, witness_lists: Iterable[Sequence[Witness]], level: Level
) -> list[list[WitnessSchema]]:
    """Witnesses with title and kind, those of all pages looked up at once."""
    lists = [list(witnesses) for witnesses in witness_lists]
    pages = list(dict.fromkeys(witness.page for witnesses in lists for witness in witnesses))
    refs = dict(zip(pages, session.page_refs_by_name(pages, level), strict=True))
    return [
        [
            WitnessSchema(
                **refs[witness.page],
                pattern=witness.pattern,
                page_anchor=witness.page_anchor,
                other_anchor=witness.other_anchor,
            )
            for witness in witnesses
        ]
        for witnesses in lists
    ]
