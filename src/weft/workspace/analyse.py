"""Analyse part of a collection: select, look up the cache, run, label, record, store."""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import cache
from functools import cache as memoize
from typing import Any, cast

import numpy as np
import pyarrow.compute as pc

from weft import __version__
from weft.core.arrays import take_rows
from weft.core.errors import BadParameter, NotEnoughMemory, UnknownName, WeftError, did_you_mean
from weft.core.memoize import memoize_latest
from weft.core.memory import available_memory, format_bytes
from weft.core.register import Method, find_method, import_methods
from weft.core.text import join_with_and
from weft.gather.url import domain, host
from weft.graph.baseset.baseset import ROOT, BaseSet
from weft.graph.baseset.expand import drop_internal_links, whole_base_set
from weft.graph.baseset.stoplist import StopList, exclude_pages, read_stoplist, restrict_base_set
from weft.graph.levels import (
    HostRanges,
    add_self_links,
    check_level,
    encode_domains,
    group_pages,
    load_graph,
    pages_in_time,
)
from weft.graph.selection import (
    BASE_SET_WORDS,
    DEFAULT_SELECTION,
    EXPANSION_WORDS,
    SELECTION_WORDS,
    DropOrKeep,
    Level,
    Selection,
)
from weft.graph.transitions import Transitions, has_usage_data
from weft.graph.views import Dropped
from weft.graph.webgraph import WebGraph
from weft.groups.edited import apply_edits
from weft.groups.group import Group
from weft.groups.groups import Groups, drop_uncaptured
from weft.groups.labels import label_groups
from weft.groups.titles import WORD_PATTERN
from weft.similar.context import WebContext, build_web_context
from weft.store.collection import Collection
from weft.store.group_edits import read_group_edits
from weft.store.numbering import PAGE_KINDS
from weft.store.tags import select_tagged
from weft.store.term_weights import TermWeights, sum_term_weights
from weft.store.tokens import is_stop_word
from weft.workspace.result_cache import cache_groups, cache_key, load_base_set, load_cached_groups

GROUP_KINDS = ("topics", "communities")
PAGE_OPTIONS = {  # options that name pages, by kind
    "structure": {"home", "pages", "source", "targets"},
    "usage": {"page", "path", "source", "target"},
}
SEED_OPTIONS = {"bad", "seeds", "spam", "topic"}  # pages, or hosts for all their pages
LEVEL_OF_URL = {"host": host, "domain": domain}
COMMON_QUERY_SHARE = 1 / 4
MAX_TOPICS_TO_RANK_BY = 16
SAMPLED_HOSTS, MAX_SAMPLED_LINKS = 1000, 1 << 20
NO_TOPICS_HINT = (
    "name the pages of some, such as sports=http://www.example.com/, or rank by pagerank"
)


@dataclass(frozen=True, slots=True, eq=False)
class LoadedSelection:
    """A selection with its data: a base set, or the graph where that is enough."""

    collection: Collection
    selection: Selection
    data: Any
    dropped: tuple[Dropped, ...]

    @property
    def graph(self) -> WebGraph:
        """Its pages and links."""
        graph: WebGraph = self.data if isinstance(self.data, WebGraph) else self.data.graph
        return graph

    def provenance(self) -> dict[str, Any]:
        """Where a result comes from: collection, snapshot, digest, selection, version, time."""
        selection, collection = self.selection, self.collection
        return {
            "collection": str(collection.folder),
            "snapshot": collection.manifest.snapshot,
            "digest": collection.digest,
            "level": selection.level,
            "query": selection.query,
            "exclude": list(selection.exclude),
            "between": selection.between,
            "selection": asdict(selection),
            "left_out": [asdict(dropped) for dropped in self.dropped],
            "weft": __version__,
            "time": datetime.now(UTC).isoformat(timespec="seconds"),
        }


def find_registered(kind: str, name: str) -> Method:
    """A method by kind and name; the methods of the kind are imported."""
    import_methods(kind)
    return find_method(kind, name)


def split_options(
    method: Method | None, selection: Selection, given: Mapping[str, Any]
) -> tuple[Selection, dict[str, Any]]:
    """The selection with the words given for it, and the options of the method.

    A word that the method has as an option goes to the method.
    """
    own = {} if method is None else method.options
    words = {n: value for n, value in given.items() if n in SELECTION_WORDS and n not in own}
    options = {name: value for name, value in given.items() if name not in words}
    for name in options:
        if name not in own and (hint := did_you_mean(name, SELECTION_WORDS)):
            owner = method.name if method else "selection"
            raise BadParameter(f"{owner}: there is no option {name!r}", hint=hint)
    return selection.with_changes(**words), options


def analyse(  # noqa: PLR0913  how groups are found, beside what
    collection: Collection,
    method: Method,
    selection: Selection,
    options: Mapping[str, Any],
    *,
    uncaptured: DropOrKeep = "drop",
    edited: bool = True,
    cache: bool = True,
) -> Any:
    """Run a method on a selection; the result is labelled and has its provenance.

    Pages that were not captured are no members of groups, unless `uncaptured`
    is keep. Groups are `edited` as people changed them. With `cache`, groups are
    stored in the collection's folder and reused as long as the snapshot, the
    selection, the options and Weft are the same.
    """
    options = method.validate_options(options)
    options = resolve_page_options(collection, selection.level, method, options)
    selection = complete_selection(method.kind, selection)
    with smaller_level_suggested(collection, selection):
        loaded = load_selection(collection, selection, method.kind, method.input_type, cache=cache)
        if method.kind in GROUP_KINDS:
            found = _find_groups(loaded, method, options, uncaptured, cache=cache)
            return _with_edits(found, loaded, method) if edited else found
        result = method(loaded.data, **options)
        return replace(cast("Any", result), provenance=loaded.provenance())


@contextmanager
def smaller_level_suggested(collection: Collection, selection: Selection) -> Iterator[None]:
    """Say at which level a whole graph would fit where memory is not enough."""
    try:
        yield
    except NotEnoughMemory as error:
        counts, available, fits = collection.manifest.counts, available_memory(), list[str]()
        own_size = counts["hosts"] if selection.level == "host" else len(collection)
        for level in ("host", "domain"):
            size = counts[f"{level}s"]
            if size < own_size:
                needed = error.need.total(size, min(_estimate_host_links(collection), size**2))
                if needed <= available:
                    fits.append(f"--level {level} needs about {format_bytes(needed)}")
        hint = ", ".join(fits) or "take a part of the graph, such as that of a --query"
        raise NotEnoughMemory(str(error), need=error.need, hint=hint) from error


@memoize_latest
def _estimate_host_links(collection: Collection) -> int:
    """The number of links between hosts, by a sample of hosts; there are fewer between domains."""
    first = HostRanges.from_collection(collection).first_page
    group, names = group_pages(collection, "host")
    outlinks = load_graph(collection).outlinks
    step = max(1, len(names) // SAMPLED_HOSTS)
    counts = []
    for start, end in zip(first[:-1:step], first[1::step], strict=True):
        begin = int(outlinks.starts[start])
        ids = outlinks.ids[begin : min(int(outlinks.starts[end]), begin + MAX_SAMPLED_LINKS)]
        counts.append(len(np.unique(group[ids])))
    return int(sum(counts) * len(names) / max(len(counts), 1))


def _find_groups(
    loaded: LoadedSelection,
    method: Method,
    options: Mapping[str, Any],
    uncaptured: DropOrKeep,
    *,
    cache: bool,
) -> Groups:
    collection, base = loaded.collection, cast("BaseSet", loaded.data)
    key = _groups_key(loaded, method, options, uncaptured)
    cached = _look_up_groups(loaded, key, uncaptured) if cache else None
    if cached is not None:
        return cached
    # with `keep` uncaptured pages are pages like the others
    keeps = uncaptured == "keep"
    data = replace(base, graph=replace(base.graph, uncaptured=None)) if keeps else base
    found = cast("Groups", method(data, **options))
    found = replace(found, base=base) if keeps else drop_uncaptured(found)
    note = query_problem_note(collection, base)
    labelled = _add_site_share(label_groups(found))
    notes = (*([note] if note else []), *labelled.notes)
    origin = loaded.provenance() | {"uncaptured": uncaptured}
    result = replace(labelled, notes=notes, provenance=origin)
    if cache:
        cache_groups(collection, key, result)
    return result


def _with_edits(found: Groups, loaded: LoadedSelection, method: Method) -> Groups:
    """The groups with what people changed in those of the query."""
    selection, every = loaded.selection, read_group_edits(loaded.collection.folder)
    edits = every.in_force(method.kind, selection.query, selection.level)
    return apply_edits(found, edits) if edits else found


def cached_groups(
    collection: Collection,
    method: Method,
    selection: Selection,
    options: Mapping[str, Any],
    uncaptured: DropOrKeep = "drop",
) -> Groups | None:
    """The groups of a selection from the cache in the collection's folder, if they are there."""
    options = method.validate_options(options)
    options = resolve_page_options(collection, selection.level, method, options)
    selection = complete_selection(method.kind, selection)
    loaded = load_selection(collection, selection, method.kind, BaseSet, cache=True)
    key = _groups_key(loaded, method, options, uncaptured)
    found = _look_up_groups(loaded, key, uncaptured)
    return None if found is None else _with_edits(found, loaded, method)


def _groups_key(
    loaded: LoadedSelection, method: Method, options: Mapping[str, Any], uncaptured: DropOrKeep
) -> dict[str, Any]:
    asked = {"kind": method.kind, "method": method.name, "uncaptured": uncaptured}
    return cache_key(loaded.collection, loaded.selection, {**asked, "options": options})


def _look_up_groups(
    loaded: LoadedSelection, key: dict[str, Any], uncaptured: DropOrKeep
) -> Groups | None:
    cached = load_cached_groups(loaded.collection, key, loaded.data)
    if cached is None:
        return None
    origin = loaded.provenance() | {"uncaptured": uncaptured}
    return replace(cached, provenance={**origin, **cached.provenance})


def _add_site_share(groups: Groups) -> Groups:
    """Add to each topic the share of the base set's sites that it covers."""
    if groups.kind != "topics" or not len(groups):
        return groups
    site_count = len(encode_domains(groups.base.graph.names)[1])

    def add_share(group: Group) -> Group:
        if group.sites is None:
            return group
        share = round(group.sites.count / site_count, 4)
        return replace(group, sites=replace(group.sites, share=share))

    return replace(groups, groups=tuple(map(add_share, groups)))


def complete_selection(kind: str, selection: Selection) -> Selection:
    """The selection with the defaults of a kind; words without effect are refused."""
    check_level(selection.level)
    level = selection.level
    if selection.query and level != "page":
        raise BadParameter(
            f"a query finds pages, not {level}s", hint="omit the level, or the query"
        )
    if selection.has_dates and level != "page":
        raise BadParameter(f"dates select pages, not {level}s", hint="omit the level, or the dates")
    if selection.between != "auto" and level != "page":
        raise BadParameter(
            f"every link at the level of {level}s is between {level}s",
            hint=f"omit the level, or between={selection.between}",
        )
    reject_unused_words(selection, EXPANSION_WORDS if kind == "topics" else BASE_SET_WORDS)
    return selection.for_topics() if kind == "topics" else selection.for_rankings()


def reject_unused_words(
    selection: Selection, without_query: frozenset[str], default: Selection = DEFAULT_SELECTION
) -> None:
    """Refuse words without effect; those in `without_query` need a query."""
    if selection.level != "page":
        unused, where = BASE_SET_WORDS, f"at the level of {selection.level}s"
        hint = "omit the level, or that option"
    elif selection.pages:
        unused, where, hint = frozenset({"root_size", "roots"}), "beside pages", "omit one of them"
    elif selection.query:
        return
    else:
        unused, where, hint = without_query, "without a query", "add a query, or omit that"
    given = [name for name in selection.changed_words(default) if name in unused]
    if given:
        raise BadParameter(f"{join_with_and(given)} would change nothing {where}", hint=hint)


def load_selection(
    collection: Collection,
    selection: Selection,
    kind: str,
    input_type: type,
    *,
    cache: bool = False,
) -> LoadedSelection:
    """Load what a method of a kind takes; texts and anchors are read on first use.

    The selection is complete. A graph is loaded as such where a method takes
    one and the selection is a whole graph. Sessions and transitions are always
    those of all pages.
    """
    if kind == "usage" or input_type is Transitions:
        usage = _load_usage(collection, selection, input_type)
        return LoadedSelection(collection, selection, usage, ())
    needs_base_set = selection.has_base_set or (kind == "topics" and selection.level == "page")
    if not needs_base_set and input_type is WebGraph:
        graph, dropped = _load_whole_graph(collection, selection)
        return LoadedSelection(collection, selection, graph, dropped)
    if kind in ("similar", "suggest"):
        stoplist, tags = read_stoplist(selection.stoplist), collection.tags.digest()
        context = _load_web_context(collection, selection, stoplist, tags)
        return LoadedSelection(collection, selection, context, context.base.dropped)
    if needs_base_set:
        base = keep_tagged(collection, selection, load_base_set(collection, selection, cache=cache))
    else:
        base = _load_whole_base_set(collection, selection)
    base = replace(
        base, read_topics=memoize(lambda: _topics_to_rank_by(collection, selection, base))
    )
    data: Any = base
    if kind == "communities":
        data = attach_keywords(collection, base)
    elif input_type is WebGraph:
        data = base.graph
    return LoadedSelection(collection, selection, data, base.dropped)


def _load_usage(collection: Collection, selection: Selection, input_type: type) -> Any:
    """What a method on usage takes; a selection of pages is refused."""
    from weft.workspace.usage_data import NEEDS_NO_SESSIONS, load_usage_data  # noqa: PLC0415

    if selection.level != "page":
        raise BadParameter(f"visitors view pages, not {selection.level}s", hint="omit the level")
    default = DEFAULT_SELECTION.for_rankings()
    if given := selection.changed_words(default):
        raise BadParameter(
            f"{join_with_and(given)} would change nothing: all sessions count", hint="omit that"
        )
    if input_type not in NEEDS_NO_SESSIONS and not has_usage_data(collection):
        hint = f"add an access log: `weft add {collection.folder} access.log`"
        raise WeftError(f"{collection.folder} has no usage data", hint=hint)
    return load_usage_data(collection, input_type)


@memoize_latest
def _load_web_context(
    collection: Collection, selection: Selection, _stoplist: StopList, _tags: str
) -> WebContext:
    """The web around pages, kept for the next page, unless stop-list or tags have changed."""
    if selection.has_base_set:
        base = keep_tagged(collection, selection, load_base_set(collection, selection, cache=False))
    else:
        base = _load_whole_base_set(collection, selection)
    return build_web_context(collection, base)


def _load_whole_graph(
    collection: Collection, selection: Selection
) -> tuple[WebGraph, tuple[Dropped, ...]]:
    if selection.has_dates or selection.exclude or selection.has_tags:
        base = _load_whole_base_set(collection, selection)
        return base.graph, base.dropped
    if selection.level != "page":
        return load_graph(collection, selection.level), ()
    if selection.between in ("auto", "page"):
        return load_graph(collection), ()
    graph = add_self_links(collection) if selection.between == "any" else load_graph(collection)
    return drop_internal_links(graph, selection.between)


def _load_whole_base_set(collection: Collection, selection: Selection) -> BaseSet:
    if selection.level != "page":
        base = BaseSet.from_graph(load_graph(collection, selection.level))
    else:
        between = "page" if selection.between == "auto" else selection.between
        base = whole_base_set(collection, between=between, time_range=selection.time_range)
        if selection.has_dates:
            shown = pages_in_time(collection, selection.time_range)
            base = restrict_base_set(base, shown, "captured at another time, or not linked")
    remaining, _ = exclude_pages(keep_tagged(collection, selection, base), selection.exclude)
    return BaseSet.from_any(remaining)


def keep_tagged(collection: Collection, selection: Selection, base: BaseSet) -> BaseSet:
    """The base set with the pages that have the wanted tags, and none of the unwanted ones.

    A host, domain or entity stays if one of its pages does.
    """
    if not selection.has_tags:
        return base
    kept = select_tagged(collection.have_tag, selection.only_tag, selection.exclude_tag)
    if selection.level == "page":
        kept = kept[base.page_numbers]
    else:
        group, names = group_pages(collection, selection.level)
        kept = np.bincount(group[kept], minlength=len(names)) > 0
    return restrict_base_set(base, kept, "without the tags that are asked for")


def _topics_to_rank_by(
    collection: Collection, selection: Selection, base: BaseSet
) -> dict[str, list[str]]:
    """The topics of the whole collection, as pages by name, for methods that rank by topics."""
    whole = Selection(level=selection.level, exclude=selection.exclude, between=selection.between)
    topics: Groups = analyse(collection, find_registered("topics", "auto"), whole, {})
    members = pages_by_topic(topics, base)
    if not members:
        where = f"what {selection.query!r} finds" if len(topics) else "this collection"
        raise WeftError(f"there are no topics in {where} to rank by", hint=NO_TOPICS_HINT)
    return members


def pages_by_topic(
    topics: Groups, base: BaseSet, max_topics: int = MAX_TOPICS_TO_RANK_BY
) -> dict[str, list[str]]:
    """The members of each topic that are in a base set, by the topic's name.

    Only the `max_topics` topics with most pages there, since each costs a
    ranking of its own. Hubs and authorities count alike, as a directory lists
    both: from hubs a random surfer gets to the authorities. A name that occurs
    again gets a number.
    """
    names = topics.base.graph.names
    in_base = pc.is_in(names, value_set=base.graph.names).to_numpy(zero_copy_only=False)
    members = [names.take(topic.members[in_base[topic.members]]).to_pylist() for topic in topics]
    largest = sorted(range(len(members)), key=lambda k: -len(members[k]))[:max_topics]
    uses, members_by_name = Counter[str](), {}
    for k in largest:
        name = topics[k].name.replace("=", " ") or f"topic {k + 1}"
        uses[name] += 1
        if members[k]:
            members_by_name[name if uses[name] == 1 else f"{name} ({uses[name]})"] = members[k]
    return members_by_name


def query_problem_note(collection: Collection, base: BaseSet) -> str:
    """A note on a query that finds no page, only one, or has only stop words; else nothing.

    If it finds no page, the note names the main languages of the collection.
    """
    words = [word for term in base.query_terms for word in WORD_PATTERN.findall(term.lower())]
    root_pages = int(np.sum(base.origin == ROOT))
    if words and not root_pages and not base.absent:
        counts = collection.pages["language"].value_counts().to_pylist()
        ordered = sorted((-row["counts"], row["values"]) for row in counts if row["values"])
        languages = join_with_and([f"{name} ({-pages:,})" for pages, name in ordered[:3]])
        return f"the pages are in {languages}" if languages else ""
    captured = np.count_nonzero(collection.pages["kind"].to_numpy() == PAGE_KINDS["captured"])
    is_common = base.search_total > COMMON_QUERY_SHARE * captured
    stemmers = collection.text_index.stemmers if words and is_common else ()
    if any(all(is_stop_word(word, stemmer) for word in words) for stemmer in stemmers):
        return "all words of the query are common ones; add a rarer one"
    return "only one page is found; all others came in by links" if root_pages == 1 else ""


def resolve_page_options(
    collection: Collection, level: Level, method: Method, options: Mapping[str, Any]
) -> dict[str, Any]:
    """The options, with pages by the names that the collection has for them.

    Where a host stands for all its pages, a name without a slash is left alone.
    """
    resolved = dict(options)
    for name, value in options.items():
        if name in SEED_OPTIONS and method.kind != "structure":
            resolved[name] = [
                (
                    ("/" in page or level != "page")
                    and resolve_name_or_empty(collection, level, page)
                )
                or page
                for page in value
            ]
        elif name in PAGE_OPTIONS.get(method.kind, ()) and value:
            resolved[name] = (
                resolve_name(collection, level, value)
                if isinstance(value, str)
                else [resolve_name(collection, level, page) for page in value]
            )
    return resolved


def resolve_name(collection: Collection, level: Level, name_or_url: str) -> str:
    """The name that the collection has for a page, host or domain.

    A page is given by its URL, a host or domain by its name or by any URL on
    it. The scheme and `www.` of a URL may be omitted.
    """
    if level == "page":
        return collection.stored_url(name_or_url)
    if name := resolve_name_or_empty(collection, level, name_or_url):
        return name
    pages = load_graph(collection, level).pages
    raise UnknownName(level, name_or_url, pages, hint=f"a ranking at this level lists the {level}s")


def resolve_name_or_empty(collection: Collection, level: Level, name_or_url: str) -> str:
    """As `resolve_name`, but an empty string if there is none."""
    if level == "page":
        number = collection.page_number(name_or_url) if name_or_url else -1
        return str(collection.pages["url"][number]) if number >= 0 else ""
    graph = load_graph(collection, level)
    if level == "entity":
        page = -1 if graph.page_number(name_or_url) >= 0 else collection.page_number(name_or_url)
        group, labels = group_pages(collection, level)
        owner = str(labels[int(group[page])]) if page >= 0 else ""
    else:
        owner = LEVEL_OF_URL[level](name_or_url)
    return next((name for name in (name_or_url, owner) if graph.page_number(name) >= 0), "")


def attach_keywords(collection: Collection, base: BaseSet) -> BaseSet:
    """The base set with the term weights of its hosts or domains; pages have their own."""
    if base.level == "page":
        return base

    def read_keywords() -> TermWeights:
        group_of_page, names = group_pages(collection, base.level)
        page_weights = collection.term_weights(np.arange(len(group_of_page), dtype=np.int32))
        group_weights = sum_term_weights(page_weights, group_of_page, len(names))
        rows = take_rows(group_weights.matrix, base.page_numbers)
        return TermWeights(group_weights.stems, rows)

    return replace(base, read_term_weights=cache(read_keywords))
