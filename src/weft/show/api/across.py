"""Answers about two: the links from one community to another, two methods on the same pages."""

import pyarrow as pa

from weft.communities import agreement
from weft.graph.webgraph import as_names
from weft.show.api.communities import chosen, grouped, names_of
from weft.show.api.desk import Desk
from weft.show.api.files import File, table_file
from weft.show.api.questions import Agreeing, GroupLinks
from weft.show.api.shapes import Named
from weft.show.api.surveyed import AgreementFound, CommunityLink, CommunityLinks
from weft.suggest.around import Around


def links(desk: Desk, ask: GroupLinks) -> CommunityLinks | File:
    """The links from one community to another, or inside one: what a cell of the matrix counts."""
    found = grouped(desk, ask)
    one, other = chosen(found, ask.community), chosen(found, ask.other)
    source, target = found.links(ask.community, ask.other)
    if ask.format != "json":
        named = as_names(found.base.pages)
        pages = {"source": named.take(pa.array(source)), "target": named.take(pa.array(target))}
        name = f"links-{ask.community}-{ask.other}"
        return table_file(pa.table(pages), desk.file(ask.format), name)
    shown = slice(ask.offset, ask.offset + ask.top)
    ends = source[shown], target[shown]
    names = names_of(desk, found, ends)
    said = Around.of(found.base).said(*ends)
    rows = zip(*(each.tolist() for each in ends), said, strict=True)
    return CommunityLinks(
        snapshot=desk.snapshot,
        community=ask.community,
        label=one.name,
        other=ask.other,
        other_label=other.name,
        total=len(source),
        offset=ask.offset,
        rows=[
            CommunityLink(source=Named(**names[a]), target=Named(**names[b]), anchors=list(words))
            for a, b, words in rows
        ],
    )


def agree(desk: Desk, ask: Agreeing) -> AgreementFound:
    """How far the communities of two methods agree, by mutual information and Rand index."""
    found, other = grouped(desk, ask), grouped(desk, ask, ask.other)
    told = agreement(found, other)
    return AgreementFound(
        snapshot=desk.snapshot,
        method=found.method,
        other=other.method,
        communities=len(found),
        other_communities=len(other),
        nmi=told.nmi,
        ari=told.ari,
        purity=told.purity,
        pages=told.pages,
        of=told.of,
    )
