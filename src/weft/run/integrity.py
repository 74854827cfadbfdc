"""Whether the files of a collection agree with each other, which no digest says.

Whoever makes a collection can make its digests as well. Commands check what
they follow, as they open a file; here all of it is read and compared.
"""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import Rows
from weft.core.errors import Damaged, Malformed
from weft.core.progress import track
from weft.gather.url import sort_key
from weft.graph.among import keys
from weft.graph.anchors import every_link
from weft.graph.hosts import groups_of, host_runs, read_hosts
from weft.graph.levels import LEVELS, link_digest, load, page_rows, with_own_links
from weft.graph.nofollow import read_marks
from weft.graph.rare import rare_links, rarest
from weft.graph.sample import read_rolls, rolled
from weft.run.snapshot import snapshot_counts
from weft.store import segment as segments
from weft.store.collection import Collection
from weft.store.index import worded
from weft.store.manifest import Segment
from weft.store.mapped import check_weights

BLOCK = 1 << 16
Check = Callable[[Collection], None]


def disagreements(collection: Collection) -> Iterator[str]:
    """What is wrong with which file, beyond its digest."""
    parts = [partial(_check_segment, part=part) for part in collection.manifest.segments]
    checks: list[Check] = [*parts, *CHECKS]
    for check in track(checks, "checks", len(checks)):
        try:
            check(collection)
        except Damaged as error:
            yield str(error)


def _check_segment(collection: Collection, part: Segment) -> None:
    """Read every table of a segment; its URLs ascend, and pages have as many links as they say."""
    folder = collection.segment_folder(part)
    segments.removed_rows(folder, part)
    if not _ascend(segments.read(folder, "urls.parquet")["key"]):
        raise Malformed(folder / "urls.parquet", "URLs are not in order, each once")
    pages = segments.read(folder, "pages.parquet")
    links = segments.read(folder, "links.parquet")
    if "links" in pages.column_names:
        counts = np.bincount(links["page"].to_numpy(), minlength=len(pages))
        if not np.array_equal(counts, pages["links"].to_numpy()):
            raise Malformed(folder / "links.parquet", "pages have other numbers of links")
    check_weights(folder / "links.parquet", links["weight"].to_numpy())


def _ascend(values: pa.ChunkedArray) -> bool:
    """Whether each is greater than the one before."""
    before, after = values.slice(0, max(len(values) - 1, 0)), values.slice(1)
    return all(pc.less(before, after).to_numpy())


def _check_pages(collection: Collection) -> None:
    """Pages are in the order of their keys, which are those of their URLs; and so are aliases."""
    for name, table in (("pages.arrow", collection.pages), ("aliases.arrow", collection.aliases)):
        path = collection.path(name)
        if not _ascend(table["key"]):
            raise Malformed(path, "URLs are not in order, each once")
        for start in range(0, len(table), BLOCK):
            some = table.slice(start, BLOCK).select(["key", "url"]).to_pydict()
            if [sort_key(url) for url in some["url"]] != some["key"]:
                raise Malformed(path, "a page is not where its URL belongs")


def _check_counts(collection: Collection) -> None:
    """The counts that `weft info` shows are those of the pages and links."""
    read_hosts(collection)  # refuses what cannot be counted
    found = snapshot_counts(collection.pages, collection.path("graph"))
    found |= {"links": load(collection).link_count, "folded": len(collection.aliases)}
    if found != collection.manifest.counts:
        raise Malformed(collection.folder / "collection.json", "it counts other pages or links")


def _check_hosts(collection: Collection) -> None:
    """Every page is on its host."""
    groups, names = groups_of(collection, "host")
    first, hosts = host_runs(collection.pages)
    begins = np.flatnonzero(np.diff(groups, prepend=-1))
    if not np.array_equal(begins, first) or names != hosts.combine_chunks():
        raise Malformed(collection.path("graph/hosts.arrow"), "a page is on another host")


def _check_graph(collection: Collection) -> None:
    """Links are the same both ways, none leads to its own page, those kept beside them are some."""
    for level in LEVELS:
        load(collection, level)
    rows = page_rows(collection, "out")
    if (rows.owners() == rows.ids).any():
        raise Malformed(collection.path("graph/out_ids.npy"), "a page links to itself")
    with_own_links(collection)
    if not np.isin(read_marks(collection).key, keys(rows)).all():
        raise Malformed(collection.path("graph/marked_links.npy"), "a link is not in the graph")
    if not np.array_equal(
        rare_links(collection).ids, rarest(rows, page_rows(collection, "in")).ids
    ):
        raise Malformed(collection.path("graph/rare_ids.npy"), "other links are the rarest")
    names = load(collection).names
    if not np.array_equal(read_rolls(collection), rolled(names)):
        raise Malformed(collection.path("graph/rolls.npy"), "hashes are not those of the URLs")


def _check_anchors(collection: Collection) -> None:
    """The links as they stand on pages are those of the graph, with the same anchors both ways."""
    graph = collection.path("graph")
    if not (graph / "anchors.arrow").exists():
        return
    digests = []
    for end in ("out", "in"):
        rows, anchors = every_link(collection, end)
        anchored = Rows(rows.starts, rows.ids, anchors.astype(np.float64))
        digests.append(link_digest(anchored, turned=end == "in"))
    if digests[0] != digests[1]:
        raise Malformed(graph / "in_link_anchors.npy", "anchors differ between the directions")
    rows, _ = every_link(collection, "out")
    if not np.array_equal(np.unique(keys(rows)), keys(page_rows(collection, "out"))):
        raise Malformed(graph / "out_link_ids.npy", "links differ from those of the graph")


def _check_words(collection: Collection) -> None:
    """The keywords of every page can be read, and their stems are in order."""
    words = collection.words(np.arange(len(collection), dtype=np.int32))
    if not _ascend(pa.chunked_array([words.stems])):
        raise Malformed(collection.path("words/stems.arrow"), "stems are not in order, each once")


def _check_index(collection: Collection) -> None:
    """Every page that has words is in the index, once."""
    wanted = np.flatnonzero(worded(collection.pages))
    found = collection.text_index.numbers()
    if not np.array_equal(np.sort(found), wanted):
        raise Malformed(collection.path("index"), "other pages are in the index")


CHECKS: tuple[Check, ...] = (
    _check_pages,
    _check_graph,
    _check_hosts,
    _check_counts,
    _check_anchors,
    _check_words,
    _check_index,
)
