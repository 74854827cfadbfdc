"""Facts about a collection for `weft info`: counts, size, languages, media types, problems."""

from collections import Counter
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.gather.url import applied_rules
from weft.graph.levels import group_pages, uncaptured_pages
from weft.store import segment as segments
from weft.store.numbering import PAGE_KINDS
from weft.store.writer import find_staged_segments
from weft.workspace.workspace import Workspace

MAX_SAMPLED_URLS = 5_000
MAX_SHOWN_COUNTS, MAX_LARGEST_HOSTS = 6, 5


def collection_facts(workspace: Workspace) -> dict[str, Any]:
    """The facts that `weft info` shows; the size is in bytes."""
    collection = workspace.collection
    manifest = collection.manifest
    pages = collection.pages
    captured = pc.not_equal(pages["kind"], PAGE_KINDS["uncaptured"])
    types, rules = _count_types_and_url_rules(workspace)
    languages = pc.value_counts(pages["language"].filter(captured)).to_pylist()
    return {
        "counts": workspace.counts,
        "snapshot": manifest.snapshot,
        "segments": len(manifest.segments),
        "size": sum(file.size for file in collection.committed_files().values()),
        "languages": _sorted_counts(_to_counter(languages), "unknown"),
        "types": _sorted_counts(types, "untyped"),
        "captured": _capture_period(pages["time"].filter(captured).to_numpy()),
        "largest hosts": _largest_hosts(workspace),
        "URL rules": _sorted_counts(rules, "the parser's"),
        "not folded": [rule for rule, on in manifest.policy.items() if not on],
        "interrupted": sum(s.pages for s in find_staged_segments(workspace.folder, manifest)),
        "problems": [row for entry in workspace.history for row in entry["problems"]],
        "history": list(workspace.history),
    }


def format_non_numeric_facts(facts: dict[str, Any]) -> dict[str, str]:
    """The facts that are not plain numbers, as text; empty ones are omitted."""
    texts = {
        "size": _format_bytes(facts["size"]),
        "languages": _format_top_counts(facts["languages"]),
        "types": _format_top_counts(facts["types"]),
        "captured": " to ".join(facts["captured"]) or "undated",
        "largest hosts": _format_top_counts(facts["largest hosts"]),
        "URL rules": _format_top_counts(facts["URL rules"]),
        "not folded": ", ".join(facts["not folded"]),
    }
    return {name: text for name, text in texts.items() if text}


def _format_top_counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in [*counts.items()][:MAX_SHOWN_COUNTS])


def _count_types_and_url_rules(workspace: Workspace) -> tuple[Counter[str], Counter[str]]:
    """Count the media types of captures, and the rules that changed their URLs.

    Redirects and error pages count, removed rows do not. Of changed URLs, the
    first 5,000 are looked at.
    """
    types, rules = Counter[str](), Counter[str]()
    policy, remaining = workspace.collection.url_policy, MAX_SAMPLED_URLS
    for segment in workspace.collection.manifest.segments:
        if segment.input_digest:  # the links of a graph, not captures
            continue
        files = filter(None, ("pages.parquet", segment.removed))
        folder = workspace.collection.checked_segment_folder(segment, *files)
        rows = segments.read_table(folder, "pages.parquet", ["mime", "original"])
        kept = np.ones(len(rows), bool)
        kept[segments.read_removed_rows(folder, segment)] = False
        rows = rows.filter(pa.array(kept))
        types.update(_to_counter(pc.value_counts(rows["mime"]).to_pylist()))
        changed = rows["original"].filter(pc.not_equal(rows["original"], "")).slice(0, remaining)
        remaining -= len(changed)
        for url in changed.to_pylist():
            rules.update(applied_rules(url, policy) or [""])
    return types, rules


def _to_counter(rows: list[dict[str, Any]]) -> Counter[str]:
    return Counter({row["values"]: row["counts"] for row in rows})


def _sorted_counts(counts: Counter[str], empty_name: str) -> dict[str, int]:
    return {name or empty_name: count for name, count in counts.most_common()}


def _largest_hosts(workspace: Workspace) -> dict[str, int]:
    collection = workspace.collection
    group, names = group_pages(collection, "host")
    sizes = np.bincount(group[~uncaptured_pages(collection)], minlength=len(names))
    largest = np.argsort(-sizes, kind="stable")[:MAX_LARGEST_HOSTS]
    return {names[int(k)].as_py(): int(sizes[k]) for k in largest if sizes[k]}


def _capture_period(times: Any) -> list[str]:
    """The first and the last day of capture; empty if no page has a time."""
    dated = times[times > 0]
    ends = (dated.min(), dated.max()) if len(dated) else ()
    return [f"{datetime.fromtimestamp(int(moment), UTC):%Y-%m-%d}" for moment in ends]


def _format_bytes(size: float) -> str:
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:
            return f"{size:,.0f} {unit}"
        size /= 1000
    return f"{size:,.1f} GB"
