"""Topics of the whole collection, for ranking methods that are given none."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc

from weft.core.errors import WeftError
from weft.core.register import Method
from weft.graph.baseset.baseset import BaseSet
from weft.graph.baseset.options import DEFAULT_OPTIONS
from weft.workspace.analyse import LoadedSelection

if TYPE_CHECKING:
    from weft.topics import Topics

MAX_TOPICS = 16
NO_TOPICS_HINT = (
    "name the pages of some, such as sports=http://www.example.com/, or rank by pagerank"
)
PagesByTopic = Mapping[str, list[str]]


def add_topics_option(
    method: Method,
    loaded: LoadedSelection,
    options: Mapping[str, Any],
    find_topics: Callable[..., "Topics"],
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Fill the option `topics` of a method that takes it; the options, and the provenance.

    The topics are those of the whole collection, whatever the query: the query
    only weighs them.
    """
    if "topics" not in method.options or options.get("topics") or not len(loaded.base):
        return dict(options), {}
    selection, own = loaded.selection, loaded.selection.base_options
    base_options = replace(DEFAULT_OPTIONS, exclude=own.exclude, between=own.between)
    topics = find_topics(level=selection.level, base=base_options)
    members = pages_by_topic(topics, loaded.base)
    if not members:
        where = f"what {selection.query!r} finds" if len(topics) else "this collection"
        raise WeftError(f"there are no topics in {where} to rank by", hint=NO_TOPICS_HINT)
    used = {name: len(pages) for name, pages in members.items()}
    summary = {"method": topics.method, "found": len(topics), "used": used}
    pairs = [f"{name}={page}" for name, pages in members.items() for page in pages]
    return {**options, "topics": pairs}, {"topics": summary}


def pages_by_topic(topics: "Topics", base: BaseSet, max_topics: int = MAX_TOPICS) -> PagesByTopic:
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
