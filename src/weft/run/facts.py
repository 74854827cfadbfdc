"""A collection in numbers."""

from collections import Counter
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pyarrow.compute as pc

from weft.gather.url import folded
from weft.graph.levels import groups
from weft.run.workspace import Workspace
from weft.store import segment as segments
from weft.store.numbering import KINDS
from weft.store.writer import waiting

MOST_RULED = 5_000


def facts(workspace: Workspace) -> dict[str, Any]:
    """What there is to know about a collection at a glance."""
    collection = workspace.collection
    manifest = collection.manifest
    pages = collection.pages
    counts = workspace.counts
    known = pages.filter(pc.not_equal(pages["kind"], KINDS["seen"]))
    return {
        "counts": counts,
        "domains": counts["domains"],
        "captures": counts["captures"],
        "snapshot": manifest.snapshot,
        "segments": len(manifest.segments),
        "size": _size(sum(file.size for file in collection.files().values())),
        "languages": _common(Counter(known["language"].to_pylist()), "unknown"),
        "types": _common(_types(workspace), "untyped"),
        "captured": _captured(known["time"].to_numpy()),
        "largest hosts": _largest_hosts(known),
        "URL rules": _common(_rules(workspace), "the parser's"),
        "not folded": ", ".join(rule for rule, on in manifest.policy.items() if not on),
        "interrupted": sum(part.pages for part in waiting(workspace.folder, manifest)),
        "problems": [row for note in workspace.history for row in note["problems"]],
        "history": list(workspace.history),
    }


def _types(workspace: Workspace) -> Counter[str]:
    """The media types of all captures, redirects and error pages among them."""
    found: Counter[str] = Counter()
    for part in workspace.collection.manifest.segments:
        if not part.origin:
            at = workspace.collection.segment_folder(part)
            mimes = segments.read(at, "pages.parquet", ["mime"])["mime"]
            found.update(
                {row["values"]: row["counts"] for row in pc.value_counts(mimes).to_pylist()}
            )
    return found


def _rules(workspace: Workspace) -> Counter[str]:
    """Which rules changed the URLs of captures, as far as the first few thousand show."""
    found: Counter[str] = Counter()
    policy, left = workspace.collection.policy, MOST_RULED
    for part in workspace.collection.manifest.segments:
        if not part.origin and left > 0:
            at = workspace.collection.segment_folder(part)
            column = segments.read(at, "pages.parquet", ["original"])["original"]
            written = column.filter(pc.not_equal(column, "")).slice(0, left).to_pylist()
            left -= len(written)
            for url in written:
                found.update(folded(url, policy) or [""])
    return found


def _common(counts: Counter[str], empty: str) -> str:
    return ", ".join(f"{name or empty} {count:,}" for name, count in counts.most_common(6))


def _largest_hosts(known: Any) -> str:
    if not len(known):
        return ""
    group, names = groups(known.combine_chunks(), "host")
    sizes = np.bincount(group)
    best = np.argsort(-sizes, kind="stable")[:5]
    return ", ".join(f"{names[int(k)].as_py()} {sizes[k]:,}" for k in best)


def _captured(times: Any) -> str:
    dated = times[times > 0]
    if not len(dated):
        return "undated"
    ends = [datetime.fromtimestamp(int(t), UTC) for t in (dated.min(), dated.max())]
    return " to ".join(f"{moment:%Y-%m-%d}" for moment in ends)


def _size(count: float) -> str:
    for unit in ("bytes", "kB", "MB"):
        if count < 1000:
            return f"{count:,.0f} {unit}"
        count /= 1000
    return f"{count:,.1f} GB"
