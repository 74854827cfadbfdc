"""Title and kind of the pages that a document names."""

from collections.abc import Iterable, Iterator

from weft.core.json import JsonObject
from weft.graph.selection import Level
from weft.store.collection import Collection


def page_refs(
    collection: Collection, pages: Iterable[str], level: Level = "page"
) -> list[dict[str, str]]:
    """URL, title and kind of pages, hosts or domains, given their names."""
    if level != "page":
        return [{"url": page, "title": "", "kind": level} for page in pages]
    return collection.page_refs([collection.find_page(page) for page in pages])


def add_page_refs(collection: Collection, document: JsonObject) -> JsonObject:
    """Add title and kind to every row of a document that names a page."""
    rows = [row for row in _rows(document) if "url" in row and "title" not in row]
    pages = list(dict.fromkeys(row["url"] for row in rows))
    refs = page_refs(collection, pages, document.get("level", "page"))
    ref_by_page = dict(zip(pages, refs, strict=True))
    for row in rows:
        completed = ref_by_page[row["url"]] | row
        row.clear()
        row.update(completed)
    return document


def _rows(document: JsonObject) -> Iterator[JsonObject]:
    """The objects in the lists of a document, at any depth."""
    for value in document.values():
        if isinstance(value, dict):
            yield from _rows(value)
        elif isinstance(value, list):
            for row in value:
                if isinstance(row, dict):
                    yield row
                    yield from _rows(row)
