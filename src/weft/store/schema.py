"""The format of a collection, and how pages become rows of its tables."""

import hashlib
from collections.abc import Iterable, Sequence

import pyarrow as pa

from weft.gather.page import Link, Page

COLLECTION_FORMAT = 5
READABLE_FORMATS = (COLLECTION_FORMAT,)
DICTIONARY_STRING = pa.dictionary(pa.int32(), pa.string())

# Incoming pages: URLs are still strings. A link refers to its page by row.
INCOMING_PAGES = pa.schema(
    {
        "url": pa.string(),
        "kind": pa.string(),
        "time": pa.int64(),
        "status": pa.int16(),
        "mime": pa.string(),
        "title": pa.string(),
        "text": pa.string(),
        "main": pa.list_(pa.int32()),
        "language": pa.string(),
        "robots": pa.string(),
        "canonical": pa.string(),
        "redirect": pa.string(),
        "reason": pa.string(),
        "original": pa.string(),
        "truncated": pa.bool_(),
        "capture": pa.uint64(),
    }
)
INCOMING_LINKS = pa.schema(
    {
        "page": pa.int32(),
        "target": DICTIONARY_STRING,
        "anchor": DICTIONARY_STRING,
        "before": pa.string(),
        "after": pa.string(),
        "rel": DICTIONARY_STRING,
        "element": DICTIONARY_STRING,
        "position": pa.int32(),
        "path": DICTIONARY_STRING,
        "weight": pa.float32(),
    }
)
URL_COLUMNS = ("url", "canonical", "redirect")


def capture_digest(url: str, time: int, body: bytes) -> int:
    """A 64-bit digest of a capture: captures with the same URL, time and bytes are one."""
    digest = hashlib.sha256(body)
    digest.update(f"\n{time}\n{url}".encode("utf-8", "surrogatepass"))
    return int.from_bytes(digest.digest()[:8], "little")


def body_for_digest(page: Page) -> bytes:
    """The bytes to digest for a page that came without a body: its text and links."""
    links = "\n".join(f"{link.target} {link.anchor}" for link in page.links)
    text = f"{page.title}\n{page.text}\n{page.redirect}\n{links}"
    return text.encode("utf-8", "surrogatepass")


def pages_to_tables(pages: Sequence[Page], captures: Sequence[int]) -> tuple[pa.Table, pa.Table]:
    """Turn pages and their links into a table of pages and a table of links."""
    names = [name for name in INCOMING_PAGES.names if name != "capture"]
    columns = {name: [getattr(page, name) for page in pages] for name in names}
    columns["capture"] = list(captures)
    arrays = [_to_arrow_array(columns[field.name], field.type) for field in INCOMING_PAGES]
    page_rows = [row for row, page in enumerate(pages) for _ in page.links]
    links = [link for page in pages for link in page.links]
    return pa.table(arrays, schema=INCOMING_PAGES), _links_to_table(page_rows, links)


def _links_to_table(page_rows: list[int], links: Iterable[Link]) -> pa.Table:
    rows = list(zip(*links, strict=True)) or [()] * len(Link._fields)
    columns = dict(zip(Link._fields, rows, strict=True))
    arrays = [pa.array(page_rows, pa.int32())]
    for field in list(INCOMING_LINKS)[1:]:
        data_type = pa.string() if field.type == DICTIONARY_STRING else field.type
        values = _to_arrow_array(columns[field.name], data_type)
        arrays.append(values.dictionary_encode() if field.type == DICTIONARY_STRING else values)
    return pa.table(arrays, schema=INCOMING_LINKS)


def _to_arrow_array(values: Sequence[object], data_type: pa.DataType) -> pa.Array:
    """A column; lone surrogates, which cannot be stored as UTF-8, become question marks."""
    try:
        return pa.array(values, data_type)
    except UnicodeEncodeError:
        encodable = [str(value).encode("utf-8", "replace").decode("utf-8") for value in values]
        return pa.array(encodable, data_type)
