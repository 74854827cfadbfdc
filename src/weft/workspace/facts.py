"""Facts about a collection for `weft info`: counts, size, languages, media types, problems."""

from collections import Counter
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.memory import format_bytes
from weft.core.text import pluralise
from weft.gather.url import applied_rules
from weft.graph.levels import group_pages, uncaptured_pages
from weft.graph.sessions import USAGE_COUNTS, SessionRules
from weft.graph.transitions import load_sessions
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
        "interrupted": sum(
            segment.pages + segment.requests
            for segment in find_staged_segments(workspace.folder, manifest)
        ),
        **_usage_facts(workspace),
        "problems": [row for entry in workspace.history for row in entry["problems"]],
        "history": list(workspace.history),
    }


def _usage_facts(workspace: Workspace) -> dict[str, Any]:
    """Counts, period and session rules of usage data; nothing where there is none."""
    if "sessions" not in workspace.counts:
        return {}
    times = load_sessions(workspace.collection).times
    rules = asdict(SessionRules(**workspace.collection.manifest.session_rules))
    counts = {name: workspace.counts.get(name, 0) for name in USAGE_COUNTS}
    return {"usage": {**counts, "visited": _capture_period(times), **rules}}


def format_non_numeric_facts(facts: dict[str, Any]) -> dict[str, str]:
    """The facts that are not plain numbers, as text; empty ones are omitted."""
    texts = {
        "size": format_bytes(facts["size"]),
        "languages": _format_top_counts(facts["languages"]),
        "types": _format_top_counts(facts["types"]),
        "captured": _format_period(facts["captured"]),
        "largest hosts": _format_top_counts(facts["largest hosts"]),
        "URL rules": _format_top_counts(facts["URL rules"]),
        "not folded": ", ".join(facts["not folded"]),
        "usage": _format_usage(facts.get("usage", {})),
    }
    return {name: text for name, text in texts.items() if text}


def _format_period(days: list[str]) -> str:
    """The first and the last day, or the only one."""
    return " to ".join(dict.fromkeys(days)) or "undated"


def _format_usage(usage: dict[str, Any]) -> str:
    if not usage:
        return ""
    counted = [name for name in USAGE_COUNTS if usage[name]]
    counts = [pluralise(usage[name], name.removesuffix("s")) for name in counted]
    period = _format_period(usage["visited"])
    paths = "paths completed" if usage["complete_paths"] else "paths not completed"
    cut = f"cut by {usage['rule']} of {usage['timeout']:,} s, {paths}"
    return f"{', '.join(counts)}; {period}; {cut}"


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
        if segment.input_digest or segment.inputs:  # links or requests, not captures
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
