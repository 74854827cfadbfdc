"""A collection in numbers."""

from collections import Counter
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.gather.url import folded
from weft.graph.hosts import groups_of
from weft.graph.levels import only_seen
from weft.run.workspace import Workspace
from weft.store import segment as segments
from weft.store.numbering import KINDS
from weft.store.writer import waiting

MOST_RULED = 5_000
MOST_TOLD = 6


def facts(workspace: Workspace) -> dict[str, Any]:
    """What there is to know about a collection at a glance; its size is in bytes."""
    collection = workspace.collection
    manifest = collection.manifest
    pages = collection.pages
    known = pc.not_equal(pages["kind"], KINDS["seen"])
    types, rules = _captures(workspace)
    spoken = pc.value_counts(pages["language"].filter(known)).to_pylist()
    return {
        "counts": workspace.counts,
        "snapshot": manifest.snapshot,
        "segments": len(manifest.segments),
        "size": sum(file.size for file in collection.files().values()),
        "languages": _common(_counted(spoken), "unknown"),
        "types": _common(types, "untyped"),
        "captured": _captured(pages["time"].filter(known).to_numpy()),
        "largest hosts": _largest_hosts(workspace),
        "URL rules": _common(rules, "the parser's"),
        "not folded": [rule for rule, on in manifest.policy.items() if not on],
        "interrupted": sum(part.pages for part in waiting(workspace.folder, manifest)),
        "problems": [row for note in workspace.history for row in note["problems"]],
        "history": list(workspace.history),
    }


def in_words(found: dict[str, Any]) -> dict[str, str]:
    """Those facts that are no plain numbers, for people to read; none that is empty."""
    told = {
        "size": _size(found["size"]),
        "languages": _most(found["languages"]),
        "types": _most(found["types"]),
        "captured": " to ".join(found["captured"]) or "undated",
        "largest hosts": _most(found["largest hosts"]),
        "URL rules": _most(found["URL rules"]),
        "not folded": ", ".join(found["not folded"]),
    }
    return {name: words for name, words in told.items() if words}


def _most(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in [*counts.items()][:MOST_TOLD])


def _captures(workspace: Workspace) -> tuple[Counter[str], Counter[str]]:
    """The media types of the captures that were not removed, and which rules changed their URLs.

    Redirects and error pages are among them. Of changed URLs the first few
    thousand are looked at.
    """
    types, rules = Counter[str](), Counter[str]()
    policy, left = workspace.collection.policy, MOST_RULED
    for part in workspace.collection.manifest.segments:
        if part.origin:
            continue
        needed = filter(None, ("pages.parquet", part.removed))
        at = workspace.collection.segment_folder(part, *needed)
        rows = segments.read(at, "pages.parquet", ["mime", "original"])
        live = np.ones(len(rows), bool)
        live[segments.removed_rows(at, part)] = False
        rows = rows.filter(pa.array(live))
        types.update(_counted(pc.value_counts(rows["mime"]).to_pylist()))
        written = rows["original"].filter(pc.not_equal(rows["original"], "")).slice(0, left)
        left -= len(written)
        for url in written.to_pylist():
            rules.update(folded(url, policy) or [""])
    return types, rules


def _counted(rows: list[dict[str, Any]]) -> Counter[str]:
    return Counter({row["values"]: row["counts"] for row in rows})


def _common(counts: Counter[str], empty: str) -> dict[str, int]:
    return {name or empty: count for name, count in counts.most_common()}


def _largest_hosts(workspace: Workspace) -> dict[str, int]:
    collection = workspace.collection
    group, names = groups_of(collection, "host")
    sizes = np.bincount(group[~only_seen(collection)], minlength=len(names))
    best = np.argsort(-sizes, kind="stable")[:5]
    return {names[int(k)].as_py(): int(sizes[k]) for k in best if sizes[k]}


def _captured(times: Any) -> list[str]:
    """The first and the last day; none where no page has a time."""
    dated = times[times > 0]
    ends = (dated.min(), dated.max()) if len(dated) else ()
    return [f"{datetime.fromtimestamp(int(moment), UTC):%Y-%m-%d}" for moment in ends]


def _size(count: float) -> str:
    for unit in ("bytes", "kB", "MB"):
        if count < 1000:
            return f"{count:,.0f} {unit}"
        count /= 1000
    return f"{count:,.1f} GB"
