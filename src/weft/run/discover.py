"""From a query to labelled topics: the base set, the method, the names, where it comes from."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, cast

import numpy as np
import pyarrow as pa

import weft.topics  # noqa: F401  registers its methods
from weft.core.methods import find
from weft.core.wording import count, listed
from weft.graph.baseset import ROOT, BaseSet
from weft.graph.expand import expand
from weft.graph.options import PER_DOMAIN, BaseOptions
from weft.graph.owners import owners
from weft.graph.stoplist import read_stoplist
from weft.run.analyse import Seen, View, look, provenance, refuse_idle
from weft.run.remember import asked_of, recalled, remember
from weft.store.collection import Collection
from weft.store.numbering import KINDS
from weft.store.query import parse
from weft.store.snippet import make_snippets, wanted_stems
from weft.store.stopwords import is_stop
from weft.topics.labels import labelled
from weft.topics.phrases import WORD
from weft.topics.topic import Topic, Topics

COMMON, FETCHED = 1 / 4, KINDS["fetched"]
GROWING = frozenset({"root", "steps", "inlinks", "sampling", "selective", "seed"})


def discover(
    collection: Collection,
    view: View,
    base: BaseOptions,
    method: str,
    options: Mapping[str, Any],
    *,
    cache: bool = True,
) -> Topics:
    """Find the topics of a part of a collection, name them, and say where they come from.

    With `cache` they are remembered in the collection's folder, and recalled
    from there while nothing that they depend on is another.
    """
    chosen, base = find("topics", method), base.capped(PER_DOMAIN)
    options = chosen.checked(options)
    seen = gathered(collection, view, base)
    asked = question(collection, view, base, method, options)
    told = provenance(collection, seen)
    told |= {"base_options": asdict(base), "base": story(collection, seen)}
    told["note"] = remark(collection, seen.base)
    known: Topics | None = recalled(collection, asked, seen.base) if cache else None
    if known is not None:
        return replace(known, provenance={**told, **known.provenance})
    found = cast("Topics", chosen(seen.base, **options))
    named = with_share(labelled(found, languages(collection, seen)))
    made = replace(named, provenance=told)
    if cache:
        remember(collection, asked, made)
    return made


def question(
    collection: Collection,
    view: View,
    base: BaseOptions,
    method: str,
    options: Mapping[str, Any],
) -> dict[str, Any]:
    """All that the topics of a query depend on."""
    return {
        "topics": method,
        "base": asdict(base),
        "stoplist": asdict(read_stoplist(base.stoplist)),
        **asked_of(collection, view, options),
    }


def with_share(topics: Topics) -> Topics:
    """The same topics, which also know on what share of the base set's sites they are."""
    every = len(owners(topics.base.graph.names)[1]) if topics.topics else 0

    def told(topic: Topic) -> Topic:
        share = round(topic.facts["sites"] / every, 4)
        return replace(topic, facts={**topic.facts, "share of sites": share})

    knowing = (told(topic) if "sites" in topic.facts else topic for topic in topics)
    return replace(topics, topics=tuple(knowing))


def gathered(collection: Collection, view: View, base: BaseOptions) -> Seen:
    """The base set of a query, or of the whole collection at some level."""
    refuse_idle(view, GROWING)
    if view.level == "page":
        return Seen(view, expand(collection, view.query, base))
    return look(collection, view)


def languages(collection: Collection, seen: Seen) -> Sequence[str]:
    """The language of each page of a base set; hosts and domains have none."""
    return _column(collection, seen.base, "language") if seen.view.level == "page" else ()


def story(collection: Collection, seen: Seen) -> dict[str, int]:
    """How large a base set is: pages found, those that are roots, all, links, only seen ones."""
    base, unread = seen.base, 0
    if seen.view.level == "page":
        unread = _column(collection, base, "kind").count(KINDS["seen"])
    return {
        "found": base.found,
        "root": int(np.sum(base.origin == ROOT)),
        "pages": len(base),
        "links": base.graph.link_count,
        "seen": unread,
    }


def remark(collection: Collection, base: BaseSet) -> str:
    """What is odd about a query, if anything is: its words are too common, or hardly any fits."""
    words = [word for term in base.terms for word in WORD.findall(term.lower())]
    found = int(np.sum(base.origin == ROOT))
    if words and not found and not base.absent:
        spoken = collection.pages["language"].value_counts().to_pylist()
        known = sorted((-each["counts"], each["values"]) for each in spoken if each["values"])
        most = listed([f"{language} ({-pages:,})" for pages, language in known[:3]])
        return f"the pages are in {most}" if most else ""
    many = base.found > COMMON * np.count_nonzero(collection.pages["kind"].to_numpy() == FETCHED)
    families = collection.text_index.families if words and many else ()
    if any(all(is_stop(word, name) for word in words) for name in families):
        return "all words of the query are common ones; a rarer one would say more"
    return "only one page is found; all others came in by links" if found == 1 else ""


def why_none(found: Topics) -> tuple[str, str]:
    """Why there is no topic, and what may help."""
    base = found.base
    if base.absent and not len(base):
        return f"all {count(len(base.absent), 'page')} that were met are left out", "let some in"
    if not len(base):
        what = f"no page is found by {base.query}" if base.query else "there are no pages"
        return what, "try fewer or other words" if base.query else "weft add puts some in"
    if not base.graph.link_count:
        what = "no topic: the pages have no links between them that count"
        return what, "--between page counts links inside a site too"
    what = f"no topic: no group of pages is large and dense enough for {found.method}"
    return what, f"see `weft methods {found.method}` for what --option can change"


def snippets(collection: Collection, base: BaseSet, pages: Sequence[str]) -> list[str]:
    """Of some pages of a base set the piece that says most of the query, or how they begin."""
    numbers = base.numbers[base.graph.numbers(pages)].tolist()
    query = parse(base.query) if base.query else None
    wanted = wanted_stems(query, collection.text_index) if query else frozenset[str]()
    spoken = collection.pages["language"].take(pa.array(numbers, pa.int64())).to_pylist()
    made = make_snippets(collection.texts(numbers, main=True), spoken, wanted)
    return [snippet.text for snippet in made]


def _column(collection: Collection, base: BaseSet, name: str) -> list[Any]:
    values: list[Any] = collection.pages[name].take(pa.array(base.numbers)).to_pylist()
    return values
