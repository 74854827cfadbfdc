"""Build a snapshot from segments: numbered pages, the graph, the index, term weights."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import Ids
from weft.graph.build import write_graph
from weft.graph.levels import read_page_groups, write_hosts
from weft.graph.link_sample import write_name_hashes
from weft.graph.nofollow import write_nofollow_links
from weft.graph.rare_links import write_rare_links
from weft.store.arrow_files import map_arrow_file
from weft.store.index import PageTexts, build_index, iter_page_texts
from weft.store.manifest import Segment
from weft.store.numbering import PAGE_KINDS, number_pages
from weft.store.term_weights import TermWeightWriter
from weft.store.writer import CollectionWriter

MAX_ANCHORS_PER_PAGE = 200


def commit_snapshot(writer: CollectionWriter, entry: dict[str, Any]) -> None:
    """Build the next snapshot from all segments, and commit it with a history entry."""
    target = writer.begin_snapshot()
    writer.commit(write_snapshot(writer.folder / "segments", writer.segments, target), entry)


def write_snapshot(folder: Path, segments: tuple[Segment, ...], target: Path) -> dict[str, int]:
    """Number the pages of all segments, write their graph and index, and count them."""
    numbering = number_pages(folder, segments, target)
    pages, aliases = numbering.pages, len(numbering.aliases)
    graph = target / "graph"
    links = write_graph(folder, segments, numbering, graph)
    write_rare_links(graph)
    write_name_hashes(pages["url"], graph)
    write_nofollow_links(folder, segments, numbering, graph)
    del numbering
    write_hosts(pages, graph)
    with TermWeightWriter(target / "term_weights", len(pages)) as weights:
        anchors = InlinkAnchors(graph)
        texts = iter_page_texts(folder, [segment.name for segment in segments], pages)
        with_anchors = (PageTexts(*page_texts, anchors.of(page_texts[0])) for page_texts in texts)
        build_index(pages, with_anchors, target / "index", weights)
    return {**snapshot_counts(pages, graph), "links": links, "folded": aliases}


class InlinkAnchors:
    """The anchors of the links into each page of a graph."""

    def __init__(self, graph: Path) -> None:
        self.anchors = None
        if (graph / "anchors.arrow").exists():
            self.anchors = map_arrow_file(graph / "anchors.arrow")["anchor"].chunk(0)
            self.starts = np.load(graph / "in_link_starts.npy", mmap_mode="r")
            self.anchor_of_link = np.load(graph / "in_link_anchors.npy", mmap_mode="r")

    def of(self, numbers: Ids) -> pa.Array:
        """The distinct anchors of the links into each page, one a line."""
        if self.anchors is None:
            return pa.repeat("", len(numbers))
        spans = zip(self.starts[numbers].tolist(), self.starts[numbers + 1].tolist(), strict=True)
        codes = [np.unique(self.anchor_of_link[a:b])[:MAX_ANCHORS_PER_PAGE] for a, b in spans]
        offsets = pa.array(np.cumsum([0, *map(len, codes)], dtype=np.int32))
        every_code = pa.array(np.concatenate([self.anchor_of_link[:0], *codes]))
        texts = self.anchors.take(every_code).cast(pa.string())
        return pc.binary_join(pa.ListArray.from_arrays(offsets, texts), "\n")


def snapshot_counts(pages: pa.Table, graph: Path) -> dict[str, int]:
    """The number of pages of each kind, hosts, domains and captures.

    Hosts and domains that have only uncaptured pages do not count.
    """
    kinds = pages["kind"].to_numpy()
    captured = kinds != PAGE_KINDS["uncaptured"]
    counts = {name: int((kinds == code).sum()) for name, code in PAGE_KINDS.items()}
    for level in ("host", "domain"):
        group, _ = read_page_groups(graph, level)
        counts[f"{level}s"] = len(np.unique(group[captured]))
    counts["captures"] = int(pages["captures"].to_numpy().sum())
    return counts
