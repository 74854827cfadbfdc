"""From a query to named communities: the base set, the method, the names, where it comes from."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import weft.communities  # noqa: F401  registers its methods
from weft.communities import Communities, Community
from weft.communities.agreement import Agreement, agreement, labels_of
from weft.core.errors import BadParameter
from weft.core.methods import find
from weft.core.wording import count
from weft.gather.url import canonical, spellings
from weft.graph.webgraph import WebGraph
from weft.run.analyse import Seen, View, look, provenance
from weft.run.discover import languages, remark, story
from weft.run.level_words import with_words
from weft.run.remember import asked_of, recalled, remember
from weft.store.collection import Collection
from weft.topics.labels import labelled
from weft.topics.topic import Topic, Topics

NAMED = 200


def group(
    collection: Collection,
    view: View,
    method: str,
    options: Mapping[str, Any],
    *,
    cache: bool = True,
) -> Communities:
    """Find the communities of a part of a collection, name them, and say where they come from.

    With `cache` they are remembered in the collection's folder, and recalled
    from there while nothing that they depend on is another.
    """
    chosen = find("communities", method)
    options = chosen.checked(options)
    seen = _seen(collection, view)
    known = _recalled(collection, seen, method, options) if cache else None
    if known is not None:
        return known
    found = cast("Communities", chosen(seen.base, **options))
    told = _told(collection, seen)
    made = replace(named(found, languages(collection, seen)), provenance=told)
    if cache:
        remember(collection, question(collection, view, method, options), made)
    return made


def found_before(
    collection: Collection, view: View, method: str, options: Mapping[str, Any]
) -> Communities | None:
    """The communities that are remembered in the collection's folder, if they are."""
    return _recalled(collection, _seen(collection, view), method, options)


def _recalled(
    collection: Collection, seen: Seen, method: str, options: Mapping[str, Any]
) -> Communities | None:
    asked = question(collection, seen.view, method, options)
    known = cast("Communities | None", recalled(collection, asked, seen.base))
    if known is None:
        return None
    return replace(known, provenance={**_told(collection, seen), **known.provenance})


def question(
    collection: Collection, view: View, method: str, options: Mapping[str, Any]
) -> dict[str, Any]:
    """All that communities depend on."""
    return {"communities": method, **asked_of(collection, view, options)}


def _seen(collection: Collection, view: View) -> Seen:
    seen = look(collection, view)
    return replace(seen, base=with_words(collection, seen.base))


def _told(collection: Collection, seen: Seen) -> dict[str, Any]:
    told = provenance(collection, seen)
    return told | {"base": story(collection, seen), "note": remark(collection, seen.base)}


def named(found: Communities, languages: Sequence[str] = ()) -> Communities:
    """The same communities, the first of them with labels and titles.

    They are named as topics are: by the phrases of their hubs' titles and of
    the links into their centres that other communities do not use.
    """
    first = found.communities[:NAMED]
    topics = Topics(found.method, found.base, tuple(map(as_topic, first)), found.trace)
    labels = [(topic.label, topic.title) for topic in labelled(topics, languages)]
    called = [
        replace(community, label=label, title=title)
        for community, (label, title) in zip(first, labels, strict=True)
    ]
    rest = found.communities[NAMED:]
    note = (
        [f"only the first {NAMED} of {count(len(found), 'community')} have names"] if rest else []
    )
    return replace(found, communities=(*called, *rest), notes=(*found.notes, *note))


def as_topic(community: Community) -> Topic:
    """A community as those see it who name topics."""
    return Topic(community.members, community.authority, community.hub, community.strength)


def read_labels(path: Path) -> dict[str, str]:
    """The label of each page from a file of two columns, with tabs or commas between them."""
    lines = path.read_text("utf-8-sig").splitlines()
    tabs = bool(lines) and "\t" in lines[0]
    rows = [row for row in csv.reader(lines, delimiter="\t" if tabs else ",") if row]
    for number, row in enumerate(rows, start=1):
        if len(row) < 2:
            raise BadParameter(
                f"{path}: row {number} has no label", hint="a page and its label in each row"
            )
    return {row[0].strip(): row[1].strip() for row in rows}


def compare_with(found: Communities, given: Mapping[str, str]) -> Agreement:
    """How far communities agree with given labels of their pages, hosts or domains."""
    known = with_forms(found.graph, given)
    if not known:
        raise BadParameter(
            "none of the labelled pages is among those looked at",
            hint="pages are called as `weft links` shows them",
        )
    return agreement(found, labels_of(found.graph, known))


def with_forms(graph: WebGraph, given: Mapping[str, str]) -> dict[str, str]:
    """Labels under the names that a graph has for the pages; a scheme may be left out."""
    names = set(graph.pages)
    forms = ((page, form, label) for page, label in given.items() for form in _forms(page))
    found: dict[str, str] = {}
    done: set[str] = set()
    for page, form, label in forms:
        if page not in done and form in names:
            found[form] = label
            done.add(page)
    return found


def _forms(page: str) -> list[str]:
    """The names that a graph may have for a page: as given, in canonical form, with a scheme."""
    return [page, *map(canonical, spellings(page))]


def named_page(found: Communities, page: str) -> str:
    """A page under the name that the graph has for it."""
    forms = [form for form in _forms(page) if found.graph.number(form) >= 0]
    return forms[0] if forms else page
