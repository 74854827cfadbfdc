"""Build what readers open: numbered pages, the graph, the index."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import Ids
from weft.graph.build import build
from weft.graph.hosts import read_groups, write_groups
from weft.graph.nofollow import write_marks
from weft.graph.rare import write_rare
from weft.graph.sample import write_rolls
from weft.store.index import build_index
from weft.store.manifest import Segment
from weft.store.mapped import read_mapped
from weft.store.numbering import KINDS, number_pages
from weft.store.teller import Teller

MOST_ANCHORS = 200


def build_snapshot(folder: Path) -> Callable[[Path, tuple[Segment, ...]], dict[str, int]]:
    """How a commit turns the segments in `folder` into a snapshot."""

    def make(into: Path, parts: tuple[Segment, ...]) -> dict[str, int]:
        numbering = number_pages(folder, parts, into)
        pages, aliases = numbering.pages, len(numbering.aliases)
        links = build(folder, parts, numbering, into / "graph")
        write_rare(into / "graph")
        write_rolls(pages["url"], into / "graph")
        write_marks(folder, parts, numbering, into / "graph")
        del numbering
        write_groups(pages, into / "graph")
        names = [part.name for part in parts]
        with Teller(into / "words", len(pages)) as teller:
            build_index(folder, names, pages, anchor_text(into / "graph"), into / "index", teller)
        return {**snapshot_counts(pages, into / "graph"), "links": links, "folded": aliases}

    return make


def anchor_text(graph: Path) -> Callable[[Ids], pa.Array]:
    """For pages by their numbers, the texts of the links into each, each once."""
    if not (graph / "anchors.arrow").exists():
        return lambda numbers: pa.repeat("", len(numbers))
    words = read_mapped(graph / "anchors.arrow")["anchor"].chunk(0)
    starts, said = (
        np.asarray(np.load(graph / f"in_link_{name}.npy", mmap_mode="r"))
        for name in ("starts", "anchors")
    )

    def texts(numbers: Ids) -> pa.Array:
        spans = zip(starts[numbers].tolist(), starts[numbers + 1].tolist(), strict=True)
        codes = [np.unique(said[first:last])[:MOST_ANCHORS] for first, last in spans]
        ends = pa.array(np.cumsum([0, *map(len, codes)], dtype=np.int32))
        told = words.take(pa.array(np.concatenate([said[:0], *codes]))).cast(pa.string())
        return pc.binary_join(pa.ListArray.from_arrays(ends, told), "\n")

    return texts


def snapshot_counts(pages: pa.Table, graph: Path) -> dict[str, int]:
    """How many pages of each kind, hosts, domains and captures there are."""
    kinds = pages["kind"].to_numpy()
    known = kinds != KINDS["seen"]
    counts = {name: int((kinds == code).sum()) for name, code in KINDS.items()}
    for level in ("host", "domain"):
        group, _ = read_groups(graph, level)
        counts[f"{level}s"] = len(np.unique(group[known]))
    counts["captures"] = int(pages["captures"].to_numpy().sum())
    return counts
