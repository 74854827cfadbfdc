"""Answers about the collection as a whole: its numbers, its hosts, its shape."""

from inspect import signature
from pathlib import PurePath

import numpy as np

from weft import __version__
from weft.core.arrays import Ids, Offsets, Rows
from weft.graph.hosts import groups_of
from weft.graph.levels import only_seen
from weft.run.facts import facts, in_words
from weft.run.workspace import USUAL, Workspace
from weft.show.api.asks import AtSomeLevel, ExportEdges, ExportPages, Nothing
from weft.show.api.asks import Hosts as HostsAsk
from weft.show.api.desk import Desk
from weft.show.api.files import File
from weft.show.api.shapes import (
    CollectionBrief,
    CollectionFacts,
    Commit,
    Defaults,
    Fact,
    Host,
    Hosts,
    LooseEnds,
    Trouble,
)

LARGEST, LAST = 10, 20


def brief(desk: Desk, _ask: Nothing) -> CollectionBrief:
    """The collection as its last commit tells of it."""
    workspace = desk.workspace
    return CollectionBrief(
        snapshot=desk.snapshot,
        name=workspace.folder.resolve().name,
        weft=__version__,
        counts=workspace.counts,
        problems=[Trouble(**row) for note in workspace.history for row in note["problems"]],
        history=[
            Commit(
                time=note["time"],
                inputs=[PurePath(given).name for given in note["inputs"]],
                pages=note["pages"],
            )
            for note in workspace.history[-LAST:]
        ],
        defaults=defaults(),
    )


def collection(desk: Desk, ask: Nothing) -> CollectionFacts:
    """The collection in numbers."""
    told = in_words(facts(desk.workspace))
    return CollectionFacts(
        **dict(brief(desk, ask)),
        facts=[Fact(name=name, value=words) for name, words in told.items()],
        hosts=hosts(desk, HostsAsk(top=LARGEST)).rows,
    )


def defaults() -> Defaults:
    """The methods that the workspace takes where none is named."""
    of = Workspace
    verbs = (of.rank, of.topics, of.communities, of.similar, of.suggest)
    usual = {verb.__name__: signature(verb).parameters["method"].default for verb in verbs}
    return Defaults(compare=list(USUAL), **usual)


def hosts(desk: Desk, ask: HostsAsk) -> Hosts:
    """The hosts, the one with most pages first, or with most pages that were only seen."""
    known, seen = desk.recall("hosts", lambda: _sizes(desk))
    order = np.lexsort((-seen, -known) if ask.by == "pages" else (-known, -seen))
    group, names = groups_of(desk.collection, "host")
    graph = desk.graph("page")
    return Hosts(
        snapshot=desk.snapshot,
        total=len(names),
        offset=ask.offset,
        rows=[
            Host(
                host=names[host].as_py(),
                pages=int(known[host]),
                seen=int(seen[host]),
                inlinks=_linked(graph.inlinks, group, host),
                outlinks=_linked(graph.outlinks, group, host),
            )
            for host in order[ask.offset : ask.offset + ask.top].tolist()
        ],
    )


def _sizes(desk: Desk) -> tuple[Offsets, Offsets]:
    """How many pages of each host are there, and how many more were only seen."""
    group, names = groups_of(desk.collection, "host")
    seen = only_seen(desk.collection)
    known, unread = (np.bincount(group[which], minlength=len(names)) for which in (~seen, seen))
    return known, unread


def _linked(rows: Rows, group: Ids, host: int) -> int:
    """How many other hosts are at the other end of a host's links; its pages stand together."""
    first, last = np.searchsorted(group, [host, host + 1])
    others = np.zeros(int(group[-1]) + 1, bool)
    others[group[rows.ids[rows.starts[first] : rows.starts[last]]]] = True
    others[host] = False
    return int(others.sum())


def ends(desk: Desk, ask: AtSomeLevel) -> LooseEnds:
    """How many nodes and links there are at a level, and how many nodes lack links."""
    graph = desk.graph(ask.level)
    unlinked, dangling = graph.indegrees() == 0, graph.outdegrees() == 0
    return LooseEnds(
        snapshot=desk.snapshot,
        level=ask.level,
        nodes=len(graph),
        links=graph.link_count,
        unlinked=int(unlinked.sum()),
        dangling=int(dangling.sum()),
        isolated=int((unlinked & dangling).sum()),
    )


def edges(desk: Desk, ask: ExportEdges) -> File:
    """All links as a file, as `weft export` writes them."""
    into = desk.file(ask.format)
    desk.workspace.export(into, "edges", ask.level, since=ask.since, until=ask.until)
    return File(into, f"{ask.level}-links{into.suffix}")


def pages(desk: Desk, ask: ExportPages) -> File:
    """All pages as a file, as `weft export` writes them."""
    into = desk.file(ask.format)
    desk.workspace.export(into, "pages", since=ask.since, until=ask.until)
    return File(into, f"pages{into.suffix}")
