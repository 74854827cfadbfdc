"""Answers about two: the links from one community to another, two methods on the same pages."""

from itertools import pairwise

import pyarrow as pa

from weft.communities import Communities, agreement
from weft.core.arrays import Ids
from weft.graph.webgraph import as_names
from weft.show.api.communities import chosen, grouped, names_of
from weft.show.api.desk import Desk
from weft.show.api.files import File, table_file
from weft.show.api.questions import Agreeing, GroupLinks
from weft.show.api.shapes import Named
from weft.show.api.surveyed import AgreementFound, CommunityLink, CommunityLinks


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
    rows = zip(*(each.tolist() for each in ends), _said(found, *ends), strict=True)
    return CommunityLinks(
        snapshot=desk.snapshot,
        community=ask.community,
        label=one.name,
        other=ask.other,
        other_label=other.name,
        total=len(source),
        offset=ask.offset,
        rows=[
            CommunityLink(source=Named(**names[a]), target=Named(**names[b]), anchors=words)
            for a, b, words in rows
        ],
    )


def _said(found: Communities, sources: Ids, targets: Ids) -> list[list[str]]:
    """What each link says, each thing once; one of hosts or domains is many, and says nothing."""
    if found.base.level != "page" or not len(sources):
        return [[] for _ in sources]
    ends, anchors = found.base.said(sources, targets)
    words = [" ".join(text.split()) for text in anchors.to_pylist()]
    each = (words[a:b] for a, b in pairwise(ends.tolist()))
    return [list(dict.fromkeys(filter(None, said))) for said in each]


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
