"""Answers to look at: parts of the graph with a place for each node."""

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from weft.communities import Communities, Community
from weft.core.arrays import Flags, Floats, Ids, Offsets, Rows
from weft.core.wording import count
from weft.engine.layout import layout
from weft.gather.url import domain, domain_of_host
from weft.graph.filters import Links, links_of
from weft.graph.webgraph import WebGraph
from weft.rank.ranking import best_first, rounded
from weft.show.api.asks import Around, Map, TopicMap
from weft.show.api.communities import chosen, grouped
from weft.show.api.desk import Desk
from weft.show.api.files import File, graph_file
from weft.show.api.questions import GroupMap
from weft.show.api.shapes import Drawing, Group, Line, Node
from weft.show.api.topics import chosen as one_topic
from weft.show.api.topics import discovered
from weft.topics import Topic, Topics

MOST_LINKS = 6_000
MOST_GROUPS = 30
DIGITS = 6


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """What is to be drawn: which nodes of a graph, their scores and groups, and what it shows."""

    graph: WebGraph
    nodes: Ids
    authority: Floats
    hub: Floats
    group: list[str]
    shows: str
    all_nodes: int
    labels: dict[str, str] = field(default_factory=dict)


def around(desk: Desk, ask: Around) -> Drawing | File:
    """A page with the pages that link to it and those it links to."""
    graph = desk.graph("page")
    number = desk.collection.find(ask.url)
    ends = [
        np.asarray(rows.ids[rows.starts[number] : rows.starts[number + 1]])
        for rows in (graph.inlinks, graph.outlinks)
    ]
    near = np.union1d(*ends)
    both = np.isin(near, ends[0]) & np.isin(near, ends[1])
    kept = near[best_first(np.where(both, 1e9, 0) + _many(graph.inlinks, near))][: ask.nodes - 1]
    nodes = np.sort(np.append(kept, number)).astype(np.int32)
    group = ["page" if node == number else _side(node, ends[0], ends[1]) for node in nodes.tolist()]
    labels = {
        "page": "the page",
        "in": "links to it",
        "out": "linked from it",
        "both": "both ways",
    }
    into, out = (_share(_many(rows, nodes)) for rows in (graph.inlinks, graph.outlinks))
    shows = "the page and its neighbours"
    picture = Picture(graph, nodes, into, out, group, shows, len(near) + 1, labels)
    return drawn(desk, picture, ask.format)


def _many(rows: Rows, nodes: Ids) -> Offsets:
    """How many links some nodes have."""
    counts: Offsets = rows.starts[nodes + 1] - rows.starts[nodes]
    return counts


def _side(node: int, into: Ids, out: Ids) -> str:
    sides = [name for name, ends in (("in", into), ("out", out)) if node in ends]
    return sides[0] if len(sides) == 1 else "both"


def level(desk: Desk, ask: Map) -> Drawing | File:
    """The most linked nodes of the whole graph at a level."""
    graph = desk.graph(ask.level)
    degrees = graph.indegrees(), graph.outdegrees()
    best = best_first(np.add(*degrees) if ask.level != "page" else degrees[0])
    nodes = np.sort(best[: ask.nodes])
    domains = _domains(graph, nodes)
    into, out = (_share(degree[nodes]) for degree in degrees)
    shows = f"the {ask.level}s with most links"
    picture = Picture(graph, nodes, into, out, domains, shows, len(graph))
    return drawn(desk, picture, ask.format)


def _domains(graph: WebGraph, nodes: Ids) -> list[str]:
    """The domain of each node: colours tell sites apart."""
    names = [graph.pages[node] for node in nodes.tolist()]
    if graph.level == "domain":
        return names
    return [domain(name) if graph.level == "page" else domain_of_host(name) for name in names]


def topic(desk: Desk, ask: TopicMap) -> Drawing | File:
    """The authorities and hubs of a topic, or of all topics together."""
    found = discovered(desk, ask)
    if ask.topic:
        one = one_topic(found, ask.topic)
        shows = f"topic {ask.topic}, {one.name or 'without words'}"
        picture = _one(found.base.graph, one, ask.nodes, shows)
    else:
        picture = _all(found, ask)
    return drawn(desk, picture, ask.format)


def _one(graph: WebGraph, part: Topic | Community, nodes: int, shows: str) -> Picture:
    """The best authorities and hubs of a topic or community."""
    authority, hub = _share(rounded(part.authority)), _share(rounded(part.hub))
    best = np.sort(_alternating(authority, hub, nodes))
    group = [
        "authority" if a >= h else "hub"
        for a, h in zip(authority[best].tolist(), hub[best].tolist(), strict=True)
    ]
    first = "authorities" if isinstance(part, Topic) else "centres"
    return Picture(
        graph,
        part.members[best],
        authority[best],
        hub[best],
        group,
        shows,
        len(part),
        {"authority": first, "hub": "hubs"},
    )


def _all(found: Topics, ask: TopicMap) -> Picture:
    """Every topic with an equal share of the nodes; a page is in the topic it scores best in."""
    n = len(found.base)
    authority, hub, home = np.zeros(n), np.zeros(n), np.zeros(n, np.int32)
    each = max(2, ask.nodes // max(len(found), 1))
    for number, one in enumerate(found.topics[: ask.nodes // 2], start=1):
        scores = _share(rounded(one.authority)), _share(rounded(one.hub))
        best = _alternating(*scores, each)
        pages, score = one.members[best], np.maximum(*scores)[best]
        better = score > np.maximum(authority, hub)[pages]
        home[pages[better]] = number
        authority[pages[better]] = scores[0][best][better]
        hub[pages[better]] = scores[1][best][better]
    nodes = np.flatnonzero(home).astype(np.int32)
    members = [one.members for one in found]
    every = len(np.unique(np.concatenate(members))) if members else 0
    return Picture(
        found.base.graph,
        nodes,
        authority[nodes],
        hub[nodes],
        [str(number) for number in home[nodes].tolist()],
        "all topics",
        every,
        {str(k): one.name for k, one in enumerate(found, start=1)},
    )


def community(desk: Desk, ask: GroupMap) -> Drawing | File:
    """The centres and hubs of a community, or of all communities together."""
    found = grouped(desk, ask)
    if ask.community:
        one = chosen(found, ask.community)
        shows = f"community {ask.community}, {one.name or 'without words'}"
        picture = _one(found.graph, one, ask.nodes, shows)
    else:
        picture = _groups(found, ask.nodes)
    return drawn(desk, picture, ask.format)


def _groups(found: Communities, most: int) -> Picture:
    """Of the first communities more nodes the larger they are; a page is in its first one."""
    n, first = len(found.base), found.communities[:MOST_GROUPS]
    authority, hub, home = np.zeros(n), np.zeros(n), np.zeros(n, np.int32)
    sizes = np.sqrt([len(one) for one in first])
    shares = np.maximum(most * sizes / max(sizes.sum(), 1.0), 2).astype(np.int64)
    for number, (one, share) in enumerate(zip(first, shares.tolist(), strict=True), start=1):
        scores = _share(rounded(one.authority)), _share(rounded(one.hub))
        best = _alternating(*scores, len(one))
        best = best[home[one.members[best]] == 0][: min(share, most - np.count_nonzero(home))]
        pages = one.members[best]
        home[pages], authority[pages], hub[pages] = number, scores[0][best], scores[1][best]
    nodes = np.flatnonzero(home).astype(np.int32)
    some = f"the first {len(first)} of {len(found):,}" if len(first) < len(found) else "all"
    return Picture(
        found.graph,
        nodes,
        authority[nodes],
        hub[nodes],
        [str(number) for number in home[nodes].tolist()],
        f"{some} communities",
        int(np.count_nonzero(found.labels >= 0)),
        {str(number): one.name for number, one in enumerate(first, start=1)},
    )


def _alternating(authority: Floats, hub: Floats, k: int) -> Ids:
    """The best authority, the best hub, the second authority, and so on; without repeats."""
    orders = np.column_stack([best_first(authority), best_first(hub)])
    live = np.column_stack([authority[orders[:, 0]] > 0, hub[orders[:, 1]] > 0])
    turns = orders[live]
    _, first = np.unique(turns, return_index=True)
    return turns[np.sort(first)][:k].astype(np.int32)


def _share(values: Floats | Ids | Offsets) -> Floats:
    """Values as parts of the largest."""
    return np.asarray(values, np.float64) / max(float(np.max(values, initial=0)), 1e-300)


def drawn(desk: Desk, picture: Picture, form: str) -> Drawing | File:
    """A picture with places, links and a caption that says what was left out; or a file of it."""
    graph, nodes = picture.graph, picture.nodes
    every = links_of(graph.outlinks, nodes)
    shown = every[_heaviest(every)]
    places = layout(len(nodes), shown.source, shown.target)
    names = desk.names([graph.pages[int(node)] for node in nodes], graph.level)
    if form != "json":
        part = every.graph(graph.names.take(pa.array(nodes)), graph.level)
        return graph_file(part, desk.file(form), "map", _about(picture, names, places))
    rows = zip(names, places.tolist(), picture.group, strict=True)
    return Drawing(
        snapshot=desk.snapshot,
        level=graph.level,
        caption=caption(picture, len(every), len(shown)),
        nodes=[
            Node(
                **name,
                x=x,
                y=y,
                authority=round(float(picture.authority[k]), DIGITS),
                hub=round(float(picture.hub[k]), DIGITS),
                group=group,
            )
            for k, (name, (x, y), group) in enumerate(rows)
        ],
        links=[
            Line(source=s, target=t, weight=w)
            for s, t, w in zip(
                shown.source.tolist(), shown.target.tolist(), shown.weight.tolist(), strict=True
            )
        ],
        groups=[
            Group(group=name, label=picture.labels.get(name, name), nodes=times)
            for name, times in Counter(picture.group).most_common()
        ],
        all_nodes=picture.all_nodes,
        all_links=len(every),
    )


def _about(picture: Picture, names: list[dict[str, str]], places: Floats) -> pa.Table:
    """What is drawn of each node, for programs that draw it themselves."""
    return pa.table(
        {
            "title": [name["title"] for name in names],
            "kind": [name["kind"] for name in names],
            "group": [picture.labels.get(group, group) for group in picture.group],
            "authority": picture.authority,
            "hub": picture.hub,
            "x": places[:, 0],
            "y": places[:, 1],
        }
    )


def _heaviest(links: Links) -> Flags:
    """The links that are drawn where there are too many: the heaviest, equals in their order."""
    kept = np.zeros(len(links), bool)
    kept[best_first(links.weight.astype(np.float64))[:MOST_LINKS]] = True
    return kept


def caption(picture: Picture, links: int, shown: int) -> str:
    """What is drawn, and what was left out."""
    left = picture.all_nodes - len(picture.nodes)
    nodes = count(len(picture.nodes), picture.graph.level)
    of = f"{nodes} of {picture.all_nodes:,}" if left else nodes
    lines = f"{shown:,} of {links:,} links" if shown < links else count(links, "link")
    return f"{picture.shows}: {of}, and {lines} among them"
