"""What a collection calls the page, host or domain that somebody means."""

from weft.core.errors import UnknownName
from weft.gather.url import domain, host
from weft.graph.levels import load
from weft.graph.options import Level
from weft.store.collection import Collection

OWNERS = {"host": host, "domain": domain}


def named(collection: Collection, level: Level, given: str) -> str:
    """The name of a page by its URL; of a host or domain by its name, or by a URL of it.

    Of URLs, scheme and `www.` may be left out.
    """
    if level == "page":
        return collection.url(given)
    graph = load(collection, level)
    for name in (given, OWNERS[level](given)):
        if graph.number(name) >= 0:
            return name
    raise UnknownName(level, given, graph.pages, hint=f"`weft rank --level {level}` lists them")
