"""The topics of a collection itself, for a ranking by topics that is given none."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc

from weft.core.errors import WeftError
from weft.core.methods import Method
from weft.graph.baseset import BaseSet
from weft.graph.options import USUAL
from weft.run.analyse import Seen

if TYPE_CHECKING:
    from weft.topics import Topics

MOST = 16
HINT = "name the pages of some, such as sports=http://www.example.com/, or rank by pagerank"
Sets = Mapping[str, list[str]]


def with_topics(
    method: Method, seen: Seen, options: Mapping[str, Any], discover: Callable[..., "Topics"]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The options of a method, with topics if it takes some and has none, and a word on those.

    They are the topics of the whole collection, whatever the query: the query
    says how much each counts.
    """
    if "topics" not in method.options or options.get("topics") or not len(seen.base):
        return dict(options), {}
    view = seen.view
    base = replace(USUAL, without=view.base.without, between=view.base.between)
    found = discover(level=view.level, base=base)
    sets = page_sets(found, seen.base)
    if not sets:
        where = f"what {view.query!r} finds" if len(found) else "this collection"
        raise WeftError(f"there are no topics in {where} to rank by", hint=HINT)
    used = {name: len(pages) for name, pages in sets.items()}
    told = {"method": found.method, "found": len(found), "used": used}
    pairs = [f"{name}={page}" for name, pages in sets.items() for page in pages]
    return {**options, "topics": pairs}, {"topics": told}


def page_sets(found: "Topics", base: BaseSet, most: int = MOST) -> Sets:
    """By its name, the members of each topic that are in a base set.

    Only the topics with most pages there count, for each costs a ranking of
    its own. Members are hubs and authorities alike, as a directory lists both:
    from hubs a reader gets to the authorities.
    """
    names = found.base.graph.names
    inside = pc.is_in(names, value_set=base.graph.names).to_numpy(zero_copy_only=False)
    sets = [names.take(topic.members[inside[topic.members]]).to_pylist() for topic in found]
    order = sorted(range(len(sets)), key=lambda k: -len(sets[k]))[:most]
    called, sets_by_name = Counter[str](), {}
    for k in order:
        name = found[k].name.replace("=", " ") or f"topic {k + 1}"
        called[name] += 1
        if sets[k]:
            sets_by_name[name if called[name] == 1 else f"{name} ({called[name]})"] = sets[k]
    return sets_by_name
