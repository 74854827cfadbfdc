"""Tag pages, hosts, domains, entities and patterns; what there is to tag; what tags changed."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.errors import UnknownName, WeftError
from weft.core.memoize import memoize_latest
from weft.gather.url import canonical_host
from weft.graph.levels import load_graph, read_hosts, tag_values
from weft.graph.selection import Level, Selection
from weft.store.collection import Collection
from weft.store.entities import Entities, read_entities
from weft.store.tags import (
    DECISION,
    UNDECIDED,
    Scope,
    Tag,
    append_merged,
    append_tags,
    parse_facet_value,
    read_tags,
    read_tags_csv,
    select_tagged,
    target_name,
)
from weft.workspace.analyse import analyse, find_registered
from weft.workspace.classify import classify_by_tags, is_captured

if TYPE_CHECKING:
    from weft.classify.classes import Classes, Neighbour
    from weft.groups.groups import Groups
    from weft.rank.ranking import Ranking

Conflicts = list[tuple[Tag, Tag]]
Shown = Literal["open", "decided", "all"]
ProposalOrder = Literal["certainty", "teaching"]
WITHOUT_OUT = Selection(exclude_tag=("decision=out",))
MAX_NEIGHBOURS, MAX_TOPICS = 3, 10


def find_target(
    collection: Collection, target: str, scope: Scope | None = None
) -> tuple[Scope, str]:
    """What a text stands for, with its name in the collection.

    A text with `*` is a pattern; then it may be the name of an entity, the URL of
    a page, or a host or domain. A host that is a whole domain stands for that.
    """
    text = target.strip()
    if scope == "pattern" or (scope is None and "*" in text):
        return "pattern", text
    if scope in (None, "entity"):
        names = [entity.name for entity in read_entities(collection.folder).entities]
        if text in names:
            return "entity", text
        if scope == "entity":
            raise UnknownName("entity", text, names)
    if scope in (None, "page") and collection.page_number(text) >= 0 and not _is_host(text):
        return "page", collection.stored_url(text)
    if scope == "page":
        return "page", collection.stored_url(text)
    return _find_host(collection, canonical_host(text), scope)


def _is_host(text: str) -> bool:
    return "/" not in text


def _find_host(collection: Collection, name: str, scope: Scope | None) -> tuple[Scope, str]:
    hosts, domains = (table[0] for table in read_hosts(collection))
    if scope != "host" and pc.index(domains, name).as_py() >= 0:
        return "domain", name
    if scope != "domain" and pc.index(hosts, name).as_py() >= 0:
        return "host", name
    if collection.page_number(name) >= 0:
        return "page", collection.stored_url(name)
    known = [*hosts.to_pylist(), *domains.to_pylist()]
    raise UnknownName(scope or "page, host or domain", name, known)


def set_tags(
    collection: Collection, targets: Iterable[str], facet: str, value: str, **more: Any
) -> int:
    """Tag some targets as one batch; the number of the tags."""
    scope = more.pop("scope", None)
    found = [find_target(collection, target, scope) for target in targets]
    tags = [Tag(kind, name, facet, value, **more) for kind, name in dict.fromkeys(found)]
    append_tags(collection.folder, tags)
    return len(tags)


def import_tags(
    collection: Collection, source: Path, *, keep_ours: bool = True
) -> tuple[int, Conflicts]:
    """Add the tags of a CSV file or of another collection; how many are new, and conflicts."""
    if source.is_dir():  # of any format: tags are in a file of their own
        theirs = list(read_tags(source).in_force().values())
        if not theirs:
            raise WeftError(f"{source} has no tags", hint="name a CSV file or a collection")
    else:
        theirs = read_tags_csv(source)
    return add_tags_of_others(collection, theirs, keep_ours=keep_ours)


def add_tags_of_others(
    collection: Collection, theirs: Iterable[Tag], *, keep_ours: bool = True
) -> tuple[int, Conflicts]:
    """Add tags, with the URLs that the collection has for their pages."""
    tags = list(theirs)
    numbers = collection.page_numbers([tag.target for tag in tags])
    urls = collection.pages["url"].take(pa.array(numbers, mask=numbers < 0)).to_pylist()
    resolved = [_resolve(tag, url) for tag, url in zip(tags, urls, strict=True)]
    return append_merged(collection.folder, resolved, keep_ours=keep_ours)


def _resolve(tag: Tag, url: str | None) -> Tag:
    """A tag with the URL that the collection has for its page, or the name of its host."""
    if tag.scope == "page":
        return replace(tag, target=url) if url else tag
    return replace(tag, target=target_name(tag)) if tag.scope in ("host", "domain") else tag


@dataclass(frozen=True, slots=True)
class Candidate:
    """A page, host, domain or entity to decide on, with its value of a facet and its own tags.

    The value may be that of a tag on what covers it, or that most of its pages
    have. A tag on it has this scope and target.
    """

    name: str
    scope: Scope
    target: str
    inlinks: int
    value: str
    tags: tuple[Tag, ...]


@dataclass(frozen=True, slots=True)
class Proposal:
    """The most probable value of a facet for a page, with reasons.

    These are words of the page, pages linked with it that have the value, and
    anchor texts of links to it.
    """

    page: str
    inlinks: int
    tags: tuple[Tag, ...]
    value: str
    certainty: float
    words: tuple[str, ...]
    neighbours: "tuple[Neighbour, ...]"
    anchors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlaceChange:
    """The place of a page in a ranking before and after; None where it is not in it."""

    page: str
    before: int | None
    after: int | None


@dataclass(frozen=True, slots=True)
class TopicSize:
    """A topic by its label, with the number of its pages."""

    label: str
    pages: int


@dataclass(frozen=True, slots=True)
class TagEffect:
    """What tags changed: captured pages of a selection, leading pages, topics of its query.

    `before` and `after` are numbers of pages; `places` are of all pages that are
    or were among the first.
    """

    since: int
    method: str
    before: int
    after: int
    places: tuple[PlaceChange, ...]
    topics_before: tuple[TopicSize, ...]
    topics_after: tuple[TopicSize, ...]


def list_candidates(
    collection: Collection,
    facet: str = DECISION,
    level: Level = "page",
    show: Shown = "open",
    *,
    rows: slice = slice(None),
) -> tuple[int, list[Candidate]]:
    """How many there are to decide on at a level, and some of them, most linked first.

    Open are those without a value of the facet, and those that are undecided.
    Pages are captured ones. In-links of a host, domain or entity are from others.
    """
    graph = load_graph(collection, level)
    inlinks = np.diff(graph.inlinks.starts)
    values = tag_values(collection, level, facet)
    has_value = (values.codes >= 0) & ~values.have(UNDECIDED)
    is_candidate = is_captured(collection) if level == "page" else np.ones(len(graph), bool)
    if show != "all":
        is_candidate = is_candidate & (has_value if show == "decided" else ~has_value)
    numbers = np.flatnonzero(is_candidate)
    chosen = numbers[np.argsort(-inlinks[numbers], kind="stable")][rows].tolist()
    own, entities = _tags_by_target(collection), read_entities(collection.folder)
    found = []
    for k in chosen:
        name = graph.pages[k]
        key = _taggable(entities, level, name)
        tags = tuple(own.get(key, ()))
        found.append(Candidate(name, *key, int(inlinks[k]), values.of(k), tags))
    return len(numbers), found


def _taggable(entities: Entities, level: Level, name: str) -> tuple[Scope, str]:
    """The scope and target of a tag on a node of a level; pages of no entity have defaults."""
    if level != "entity" or any(entity.name == name for entity in entities.entities):
        return level, name
    if "/" in name:  # a folder of a shared host
        return "pattern", f"*://{name}/*"
    return ("host" if entities.default == "host" else "domain"), name


def _tags_by_target(collection: Collection) -> dict[tuple[Scope, str], list[Tag]]:
    found: dict[tuple[Scope, str], list[Tag]] = {}
    for tag in collection.tags.in_force().values():
        found.setdefault((tag.scope, tag.target), []).append(tag)
    return found


def learn_facet(collection: Collection, facet: str = DECISION, method: str = "auto") -> "Classes":
    """Learn the values of a facet from the pages that have one; the classes of the others."""
    return classify_by_tags(collection, find_registered("classify", method), facet, {})


def list_proposals(
    collection: Collection,
    found: "Classes",
    order: ProposalOrder = "certainty",
    *,
    rows: slice,
) -> list[Proposal]:
    """Some of the proposed values, most certain first, or first those that would teach most."""
    pages = found.next_to_tag(rows.stop)[rows] if order == "teaching" else found[rows]
    pages = [page for page in pages if page.certainty > 0]  # all values of the others are rejected
    inlinks = np.diff(load_graph(collection).inlinks.starts)
    own = _tags_by_target(collection)
    return [
        Proposal(
            page.page,
            int(inlinks[collection.page_number(page.page)]),
            tuple(own.get(("page", page.page), ())),
            page.class_,
            page.certainty,
            tuple(found.reasons(page.page)),
            tuple(found.neighbours(page.page, MAX_NEIGHBOURS)),
            tuple(found.anchors(page.page)),
        )
        for page in pages
    ]


def measure_tag_effect(
    collection: Collection,
    since: int,
    selection: Selection = WITHOUT_OUT,
    method: str = "pagerank",
    top: int = 10,
) -> TagEffect:
    """What the tags after the first batches changed, in a selection that depends on tags.

    The topics are those of its query; without one there are none.
    """
    before = _measure_before(collection, since, selection, method)
    after = _measure(collection, selection, method)
    leading = dict.fromkeys(
        page.page for measured in (before, after) for page in measured.ranking[:top]
    )
    return TagEffect(
        since,
        method,
        before.pages,
        after.pages,
        tuple(
            PlaceChange(page, _place(before.ranking, page), _place(after.ranking, page))
            for page in leading
        ),
        before.topics,
        after.topics,
    )


def _place(ranking: "Ranking", page: str) -> int | None:
    return ranking[page].place if page in ranking else None


class _Measured(NamedTuple):
    """A selection: its captured pages, its ranking, the topics of its query."""

    pages: int
    ranking: "Ranking"
    topics: tuple[TopicSize, ...]


@memoize_latest
def _measure_before(
    collection: Collection, batches: int, selection: Selection, method: str
) -> _Measured:
    """Measure a selection with the tags of the first batches, which stay as they are."""
    return _measure(replace(collection, tag_batches=batches), selection, method)


def _measure(collection: Collection, selection: Selection, method: str) -> _Measured:
    known = collection.tags.facets()
    selection = replace(
        selection,
        only_tag=tuple(tag for tag in selection.only_tag if parse_facet_value(tag)[0] in known),
        exclude_tag=tuple(
            tag for tag in selection.exclude_tag if parse_facet_value(tag)[0] in known
        ),
    )
    kept = is_captured(collection)
    if selection.has_tags:
        kept &= select_tagged(collection.have_tag, selection.only_tag, selection.exclude_tag)
    whole = replace(selection, query="")
    ranking = cast("Ranking", analyse(collection, find_registered("rank", method), whole, {}))
    sizes = list[TopicSize]()
    if selection.query:
        registered = find_registered("topics", "auto")
        found = cast("Groups", analyse(collection, registered, selection, {}))
        sizes = [TopicSize(topic.name, len(topic.members)) for topic in found[:MAX_TOPICS]]
    return _Measured(int(kept.sum()), ranking, tuple(sizes))
