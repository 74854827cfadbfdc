"""Build a snapshot from segments: numbered pages, the graph, the index, term weights."""

from collections.abc import Callable
from pathlib import Path

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
from weft.store.index import build_index
from weft.store.manifest import Segment
from weft.store.numbering import PAGE_KINDS, number_pages
from weft.store.term_weights import TermWeightWriter

MAX_ANCHORS_PER_PAGE = 200


def snapshot_builder(folder: Path) -> Callable[[Path, tuple[Segment, ...]], dict[str, int]]:
    """The function by which a commit builds a snapshot from the segments in `folder`."""

    def write_snapshot(target: Path, segments: tuple[Segment, ...]) -> dict[str, int]:
        numbering = number_pages(folder, segments, target)
        pages, aliases = numbering.pages, len(numbering.aliases)
        links = write_graph(folder, segments, numbering, target / "graph")
        write_rare_links(target / "graph")
        write_name_hashes(pages["url"], target / "graph")
        write_nofollow_links(folder, segments, numbering, target / "graph")
        del numbering
        write_hosts(pages, target / "graph")
        names = [segment.name for segment in segments]
        with TermWeightWriter(target / "term_weights", len(pages)) as weights:
            anchor_text = anchor_text_reader(target / "graph")
            build_index(folder, names, pages, anchor_text, target / "index", weights)
        return {**snapshot_counts(pages, target / "graph"), "links": links, "folded": aliases}

    return write_snapshot


def anchor_text_reader(graph: Path) -> Callable[[Ids], pa.Array]:
    """A function from page numbers to the distinct anchors of each page's in-links, by lines."""
    if not (graph / "anchors.arrow").exists():
        return lambda numbers: pa.repeat("", len(numbers))
    anchors = map_arrow_file(graph / "anchors.arrow")["anchor"].chunk(0)
    starts, anchor_of_link = (
        np.asarray(np.load(graph / f"in_link_{name}.npy", mmap_mode="r"))
        for name in ("starts", "anchors")
    )

    def read_anchor_text(numbers: Ids) -> pa.Array:
        spans = zip(starts[numbers].tolist(), starts[numbers + 1].tolist(), strict=True)
        codes = [np.unique(anchor_of_link[a:b])[:MAX_ANCHORS_PER_PAGE] for a, b in spans]
        offsets = pa.array(np.cumsum([0, *map(len, codes)], dtype=np.int32))
        every_code = pa.array(np.concatenate([anchor_of_link[:0], *codes]))
        texts = anchors.take(every_code).cast(pa.string())
        return pc.binary_join(pa.ListArray.from_arrays(offsets, texts), "\n")

    return read_anchor_text


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
