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
    if name := named_if_any(collection, level, given):
        return name
    pages = load(collection, level).pages
    raise UnknownName(level, given, pages, hint=f"`weft rank --level {level}` lists them")


def named_if_any(collection: Collection, level: Level, given: str) -> str:
    """The same, or nothing where nothing is so called."""
    if level == "page":
        number = collection.number(given) if given else -1
        return str(collection.pages["url"][number]) if number >= 0 else ""
    graph = load(collection, level)
    names = (given, OWNERS[level](given))
    return next((name for name in names if graph.number(name) >= 0), "")
