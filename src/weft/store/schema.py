"""The tables of a collection, and how pages become rows of them."""

import hashlib
from collections.abc import Iterable, Sequence

import pyarrow as pa

from weft.gather.page import Link, Page

FORMAT = 4
READABLE = (3, FORMAT)  # 3 has the same files, with weights in single precision alone
NAMES = pa.dictionary(pa.int32(), pa.string())

# As pages come in: URLs are still words. A link names its page by row.
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
        "target": NAMES,
        "anchor": NAMES,
        "before": pa.string(),
        "after": pa.string(),
        "rel": NAMES,
        "element": NAMES,
        "position": pa.int32(),
        "path": NAMES,
        "weight": pa.float32(),
    }
)
URL_COLUMNS = ("url", "canonical", "redirect")


def capture_digest(url: str, time: int, body: bytes) -> int:
    """What makes two captures the same: URL, moment and bytes."""
    digest = hashlib.sha256(body)
    digest.update(f"\n{time}\n{url}".encode("utf-8", "surrogatepass"))
    return int.from_bytes(digest.digest()[:8], "little")


def page_body(page: Page) -> bytes:
    """The bytes that stand for a page that came without any."""
    links = "\n".join(f"{link.target} {link.anchor}" for link in page.links)
    words = f"{page.title}\n{page.text}\n{page.redirect}\n{links}"
    return words.encode("utf-8", "surrogatepass")


def tables(pages: Sequence[Page], captures: Sequence[int]) -> tuple[pa.Table, pa.Table]:
    """Pages and their links as rows."""
    names = [name for name in INCOMING_PAGES.names if name != "capture"]
    columns = {name: [getattr(page, name) for page in pages] for name in names}
    columns["capture"] = list(captures)
    arrays = [_array(columns[field.name], field.type) for field in INCOMING_PAGES]
    owners = [row for row, page in enumerate(pages) for _ in page.links]
    links = [link for page in pages for link in page.links]
    return pa.table(arrays, schema=INCOMING_PAGES), _link_table(owners, links)


def _link_table(owners: list[int], links: Iterable[Link]) -> pa.Table:
    rows = list(zip(*links, strict=True)) or [()] * len(Link._fields)
    columns = dict(zip(Link._fields, rows, strict=True))
    arrays = [pa.array(owners, pa.int32())]
    for field in list(INCOMING_LINKS)[1:]:
        kind = pa.string() if field.type == NAMES else field.type
        values = _array(columns[field.name], kind)
        arrays.append(values.dictionary_encode() if field.type == NAMES else values)
    return pa.table(arrays, schema=INCOMING_LINKS)


def _array(values: Sequence[object], kind: pa.DataType) -> pa.Array:
    """A column; lone surrogates, which cannot be stored as UTF-8, become question marks."""
    try:
        return pa.array(values, kind)
    except UnicodeEncodeError:
        return pa.array([str(v).encode("utf-8", "replace").decode("utf-8") for v in values], kind)
