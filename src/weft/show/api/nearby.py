"""Answers about a page among the others: which are like it, and which links it lacks."""

from collections.abc import Iterable, Sequence

from weft.core.documents import plain
from weft.graph.options import Level
from weft.show.api.desk import Desk
from weft.show.api.files import File, table_file
from weft.show.api.questions import Missing, Nearby
from weft.show.api.rankings import told
from weft.show.api.surveyed import Alike, SimilarFound, Suggested, SuggestionsFound, Witness
from weft.suggest import Suggestion
from weft.suggest import Witness as FoundWitness


def similar(desk: Desk, ask: Nearby) -> SimilarFound | File:
    """The pages most like a page, and those that tie them."""
    page = desk.named(ask.url, ask.level)
    found = desk.workspace.similar(
        page, ask.method_name, level=ask.level, top=ask.top, **ask.chosen
    )
    if ask.format != "json":
        return table_file(found.to_table(), desk.file(ask.format), "similar")
    sites = ask.chosen.get("vote") == "site"
    ties = _witnesses(desk, [one.witnesses for one in found], "domain" if sites else ask.level)
    return SimilarFound(
        snapshot=desk.snapshot,
        page=page,
        method=found.method,
        level=ask.level,
        options=plain(found.options),
        parts=list(found.parts),
        notes=list(found.notes),
        rows=[
            Alike(
                page=one.page,
                title=one.title,
                kind=one.kind if ask.level == "page" else ask.level,
                place=place,
                score=one.score,
                parts=dict(one.parts),
                shared=dict(one.shared),
                witnesses=its,
                words=list(one.words),
            )
            for place, (one, its) in enumerate(zip(found, ties, strict=True), start=1)
        ],
        provenance=told(found.provenance),
    )


def suggest(desk: Desk, ask: Missing) -> SuggestionsFound | File:
    """The links that a page lacks, to others and from others, each with its reason."""
    page = desk.named(ask.url, ask.level)
    found = desk.workspace.suggest(
        page, ask.method_name, level=ask.level, top=ask.top, **ask.chosen
    )
    if ask.format != "json":
        return table_file(found.to_table(), desk.file(ask.format), "suggest")
    return SuggestionsFound(
        snapshot=desk.snapshot,
        page=page,
        method=found.method,
        level=ask.level,
        options=plain(found.options),
        to=_suggested(desk, found.to, ask.level),
        from_=_suggested(desk, found.from_, ask.level),
        notes=list(found.notes),
        provenance=told(found.provenance),
    )


def _suggested(desk: Desk, links: Sequence[Suggestion], level: Level) -> list[Suggested]:
    ties = _witnesses(desk, [one.witnesses for one in links], level)
    return [
        Suggested(
            page=one.page,
            title=one.title,
            kind=one.kind if level == "page" else level,
            place=place,
            score=one.score,
            scores=dict(one.scores),
            between=one.between,
            peers=one.peers,
            reason=one.reason,
            witnesses=its,
            words=list(one.words),
            anchor=one.anchor,
            anchor_from=one.anchor_from,
        )
        for place, (one, its) in enumerate(zip(links, ties, strict=True), start=1)
    ]


def _witnesses(
    desk: Desk, each: Iterable[Sequence[FoundWitness]], level: Level
) -> list[list[Witness]]:
    """Witnesses with their titles, those of all pages looked up at once."""
    groups = [list(some) for some in each]
    pages = list(dict.fromkeys(tie.page for some in groups for tie in some))
    names = dict(zip(pages, desk.names(pages, level), strict=True))
    return [
        [
            Witness(**names[tie.page], pattern=tie.pattern, anchor=tie.anchor, other=tie.other)
            for tie in some
        ]
        for some in groups
    ]
