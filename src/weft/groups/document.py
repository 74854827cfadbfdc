"""The JSON of topics and communities, which command, API and report share."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from weft.core.json import to_json_value
from weft.groups.evidence import Evidence, EvidenceCollector, PageRefs, group_overlaps
from weft.groups.group import Group, Groups, Snippets, explain_no_groups


def groups_document(
    result: Groups,
    top: int,
    max_groups: int | None,
    snippets: Snippets,
    max_evidence: int | None,
) -> dict[str, Any]:
    """The result as one JSON document; the groups are listed under their kind."""
    base, shown = result.base, replace(result, groups=result.groups[:max_groups])
    numbers = range(1, len(shown) + 1)
    document = {
        "query": base.query,
        "method": result.method,
        "level": base.level,
        "options": dict(result.options),
        "facts": dict(result.facts),
        "notes": [*result.notes, *([] if len(result) else [explain_no_groups(result)[0]])],
        "base": base_document(result),
        "total": len(result),
        "results": _best_results(result, 2 * top),
        result.kind: group_documents(
            EvidenceCollector(shown), numbers, top, snippets, max_evidence
        ),
        "overlap": group_overlaps(shown) if result.kind == "topics" else [],
        "set_aside": [group.to_document() for group in result.set_aside],
        "bridge_pages": _bridge_pages(result, max_groups),
        "trace": result.trace.to_document(),
        "provenance": dict(result.provenance),
    }
    return to_json_value(document)  # type: ignore[no-any-return]


def base_document(result: Groups) -> dict[str, Any]:
    """The base set: its size, how it was built, and what was left out."""
    base = result.base
    return {
        **base.counts(),
        "notes": list(base.notes()),
        "left_out": [asdict(dropped) for dropped in base.dropped],
    }


def group_documents(
    collector: EvidenceCollector,
    numbers: Sequence[int],
    top: int,
    snippets: Snippets,
    max_evidence: int | None = None,
) -> list[dict[str, Any]]:
    """Some groups with their best pages; titles and snippets are looked up at once."""
    by_role = collector.for_groups(top, numbers=numbers) if numbers else {}
    by_group = {k: [e for pages in by_role[k].values() for e in pages] for k in numbers}
    refs = collector.page_refs([e for k in numbers for e in by_group[k]])
    with_snippets = {"all": numbers, "first": numbers[:1], "none": numbers[:0]}[snippets]
    texts = _snippets(collector, [e for k in with_snippets for e in by_group[k]])

    def page_documents(pages: list[Evidence]) -> list[dict[str, Any]]:
        return [
            {**page.to_document(refs), "snippet": texts.get(page.page_number, "")} for page in pages
        ]

    return [
        {
            "number": k,
            **group.to_document(),
            "authorities": page_documents(by_role[k]["authority"]),
            "hubs": page_documents(by_role[k]["hub"]),
            "uncaptured": _uncaptured_pages(collector.groups, group),
            "subgroups": [part.to_document() for part in group.subgroups],
            "micro_hubs": [asdict(hub) for hub in group.micro_hubs],
            "evidence": _evidence_rows(collector.groups, group, max_evidence),
        }
        for k, group in ((k, collector.groups[k - 1]) for k in numbers)
    ]


def _snippets(collector: EvidenceCollector, evidence: Sequence[Evidence]) -> dict[int, str]:
    numbers = list(dict.fromkeys(item.page_number for item in evidence))
    texts = collector.base.snippets(np.array(numbers, np.int32))
    return dict(zip(numbers, texts, strict=True))


def _best_results(result: Groups, top: int) -> list[dict[str, Any]]:
    """The best search results, whatever their group."""
    pages = result.best_results(top)
    scores = result.base.text_score[pages].tolist()
    refs = result.base.page_refs(pages)
    return [{**ref, "score": score} for ref, score in zip(refs, scores, strict=True)]


def _uncaptured_pages(result: Groups, group: Group) -> list[dict[str, Any]]:
    """The pages that a group links to and that were not captured."""
    refs, votes = result.base.page_refs(group.uncaptured), group.uncaptured_votes.tolist()
    return [{**ref, "votes": vote} for ref, vote in zip(refs, votes, strict=True)]


def _evidence_rows(result: Groups, group: Group, max_rows: int | None) -> list[dict[str, Any]]:
    """The evidence of a group by name: rows of pages, such as the two ends of a link."""
    found = []
    for name, rows in group.evidence.items():
        shown = rows[:max_rows]
        numbers = np.unique(shown)
        refs: PageRefs = dict(zip(numbers.tolist(), result.base.page_refs(numbers), strict=True))
        pages = [[refs[page] for page in np.atleast_1d(row).tolist()] for row in shown]
        found.append({"name": name, "total": len(rows), "rows": pages})
    return found


def _bridge_pages(result: Groups, max_pages: int | None) -> list[dict[str, Any]]:
    """The pages between groups, with the pages that link to them."""
    shown = result.bridge_pages[:max_pages]
    numbers = sorted({page for bridge in shown for page in (bridge.page, *bridge.archive_pages)})
    refs = result.base.page_refs(np.array(numbers, np.int32))
    ref_of = dict(zip(numbers, refs, strict=True))
    return [
        {
            **ref_of[bridge.page],
            result.kind: list(bridge.groups),
            "through": [ref_of[page] for page in bridge.archive_pages],
            "inlinks": bridge.inlinks,
            "pagerank": bridge.pagerank,
        }
        for bridge in shown
    ]
