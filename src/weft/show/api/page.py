"""Answers about pages: what a search finds, a page, its links, and what it is known for."""

import pyarrow as pa

from weft.core.documents import plain
from weft.gather.url import domain, host
from weft.graph.levels import load
from weft.graph.neighbours import neighbours
from weft.show.api.asks import Fame, Links, Page, Search, base_options
from weft.show.api.desk import Desk
from weft.show.api.files import File, table_file
from weft.show.api.shapes import (
    Alias,
    Found,
    Hit,
    KnownFor,
    Linked,
    PageFacts,
    PageLinks,
    Word,
)
from weft.store.search import Span
from weft.store.snippet import make_snippets

MOST_ALIASES = 50
MOST_ANCHORS = 20


def search(desk: Desk, ask: Search) -> Found | File:
    """Pages by their words, each with the piece of it that says most of the query."""
    span = Span.between(ask.since, ask.until)
    hits = desk.collection.search(ask.query, ask.top, skip=ask.offset, span=span)
    if ask.format != "json":
        return table_file(hits.to_table(), desk.file(ask.format), "search")
    named = desk.numbered(hits.numbers)
    rows = zip(named, hits.to_table().to_pylist(), hits.marked, strict=True)
    return Found(
        snapshot=desk.snapshot,
        query=ask.query,
        total=hits.total,
        offset=ask.offset,
        rows=[
            Hit(
                **name,
                place=ask.offset + k,
                score=row["score"],
                language=row["language"],
                time=row["time"] or 0,
                snippet=snippet.text,
                marks=list(snippet.marks),
            )
            for k, (name, row, snippet) in enumerate(rows, start=1)
        ],
    )


def page(desk: Desk, ask: Page) -> PageFacts:
    """A page: what is known of it, and how it begins."""
    collection = desk.collection
    number = collection.find(ask.url)
    row = collection.pages.slice(number, 1).to_pylist()[0]
    graph = load(collection)
    links = [
        int(rows.starts[number + 1] - rows.starts[number])
        for rows in (graph.inlinks, graph.outlinks)
    ]
    text = collection.texts([number], main=True)
    [beginning] = make_snippets(text, [row["language"]], frozenset())
    [name] = desk.numbered([number])
    return PageFacts(
        snapshot=desk.snapshot,
        **name,
        host=host(row["url"]),
        domain=domain(row["url"]),
        language=row["language"],
        time=row["time"],
        captures=row["captures"],
        inlinks=links[0],
        outlinks=links[1],
        aliases=_aliases(desk, number),
        beginning=beginning.text,
    )


def _aliases(desk: Desk, number: int) -> list[Alias]:
    every = desk.collection.aliases
    own = every.filter(pa.compute.equal(every["page"], number)).slice(0, MOST_ALIASES)
    return [Alias(url=row["url"], reason=str(row["reason"])) for row in own.to_pylist()]


def links(desk: Desk, ask: Links) -> PageLinks | File:
    """The pages that link to a page or that it links to, with what the links say."""
    collection = desk.collection
    number = collection.find(ask.url)
    table = neighbours(collection, number, ask.direction)
    if ask.format != "json":
        return table_file(table, desk.file(ask.format), f"links-{ask.direction}")
    each = table.group_by(["url", "title", "kind"], use_threads=False)
    pages = each.aggregate([("anchor", "list")])
    return PageLinks(
        snapshot=desk.snapshot,
        page=collection.pages["url"][number].as_py(),
        direction=ask.direction,
        total=len(pages),
        offset=ask.offset,
        rows=[_linked(**row) for row in pages.slice(ask.offset, ask.top).to_pylist()],
    )


def _linked(url: str, title: str, kind: str, anchor_list: list[str]) -> Linked:
    said = dict.fromkeys(filter(None, (" ".join(words.split()) for words in anchor_list)))
    few = list(said)[:MOST_ANCHORS]
    return Linked(page=url, title=title, kind=kind, links=len(anchor_list), anchors=few)


def known_for(desk: Desk, ask: Fame) -> KnownFor:
    """The words whose readers come upon a page most often."""
    base = base_options(ask)
    found = desk.workspace.known_for(ask.url, query=ask.query, base=base, least=ask.least)
    rows = found.to_table().slice(0, ask.top).to_pylist()
    words = [Word(**plain(row)) for row in rows]
    return KnownFor(snapshot=desk.snapshot, page=found.page, rows=words)
