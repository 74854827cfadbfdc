"""Absorption rate: how likely users with a need reach a page (after Bloodhound)."""

from typing import Any

import numpy as np
import pyarrow as pa

from weft.core.arrays import Floats, Ids
from weft.core.params import InformationNeed, ScentFloor, ScentSource, ScentTargets, ShareGoingOn
from weft.core.register import Dimensions, method
from weft.usage.scent import (
    NO_PAGES,
    Absorption,
    ScentBasis,
    ScentData,
    ScentFlow,
    Top,
    absorb,
    path_tables,
    scent_notes,
    smell_links,
)
from weft.usage.usage import Usage

TASK_SCHEMA = pa.schema(
    {
        "target": pa.string(),
        "title": pa.string(),
        "success": pa.float64(),
        "clicks on the shortest path": pa.int32(),
        "weakest link from": pa.string(),
        "weakest link to": pa.string(),
        "its probability": pa.float64(),
    }
)
WRONG_SCHEMA = pa.schema(
    {"page": pa.string(), "title": pa.string(), "share": pa.float64(), "dead end": pa.bool_()}
)


@method(
    "usage",
    "absorption",
    cites="chi2003",
    dimensions=Dimensions(
        model="Markov model",
        metric="information scent",
        algorithm="spreading activation",
        scope="multiple pages",
        applications=("adaptive web sites",),
        data="links, content and usage",
    ),
)
def absorption(
    data: ScentData,
    *,
    need: InformationNeed = "",
    source: ScentSource = "",
    target: ScentTargets = NO_PAGES,
    alpha: ShareGoingOn = 0.85,
    floor: ScentFloor = 0.01,
    basis: ScentBasis = "auto",
    top: Top = 20,
) -> Usage:
    """Measure how likely users with a need reach a page.

    Users follow links by their scent, as in `scent`, and stop at the first
    target. `success` is the share of users who reach one; the others leave on
    some wrong page, or on the source already. For each target the weakest link
    on the shortest path is given: the one that the smallest share of users
    follows. Several targets share the users.

    Examples
    --------
    >>> links = [("a", "b", "python tutorial"), ("a", "c", "cooking"), ("c", "b", "python")]
    >>> found = absorption(links, need="python", source="a", target=["b"], alpha=0.5)
    >>> round(found["success"], 3), found["most common wrong page"]
    (0.496, 'c')
    """
    wanted = data.stem_need(need) if need.strip() else {}
    followed = smell_links(data, wanted, floor, basis)
    probability = followed.probability
    flow = ScentFlow(data.graph, probability, alpha)
    start, targets = data.start_vector(source), data.graph.page_numbers(dict.fromkeys(target))
    users = max(float(start.sum()), 1e-300)
    found = absorb(flow, start, targets)
    success, left = float(found.arrived.sum()) / users, leaving_shares(flow, found, targets) / users
    wrong = _wrong_pages(data, left, max(top, 2))
    lost = wrong["page"].to_pylist()
    begun = data.graph.pages[int(start.argmax())] if source else ""
    facts: dict[str, Any] = {
        "success": success,
        "clicks to success": found.clicks / float(found.arrived.sum()) if success else None,
        "most common wrong page": next((page for page in lost if page != begun), None),
        "alpha": alpha,
        "converged": found.converged,
    }
    tables = {
        "targets": _task_table(data, probability, start, targets, found.arrived / users),
        "wrong pages": wrong.slice(0, top),
        **path_tables(data, probability, start, targets),
    }
    smells = float(followed.scent.max(initial=0.0)) > floor
    notes = scent_notes(data, need, source, smells=smells)
    return Usage("absorption", facts, tables, notes if target else (*notes, "no target was given"))


def leaving_shares(flow: ScentFlow, found: Absorption, targets: Ids) -> Floats:
    """How many users leave on each page that is no target: a share, or all on a dead end."""
    followed = np.bincount(flow.graph.outlinks.row_ids(), flow.probability, len(flow.graph))
    left: Floats = found.visits * (1 - flow.alpha * followed)
    left[targets] = 0.0
    return left


def _wrong_pages(data: ScentData, left: Floats, top: int) -> pa.Table:
    order = np.argsort(-left.round(12), kind="stable")[:top].astype(np.int32)
    order = order[left[order] > 1e-12]
    columns = {
        "page": data.names(order),
        "title": data.titles(order),
        "share": left[order],
        "dead end": np.diff(data.graph.outlinks.starts)[order] == 0,
    }
    return pa.table(columns, WRONG_SCHEMA)


def _task_table(
    data: ScentData, probability: Floats, start: Floats, targets: Ids, success: Floats
) -> pa.Table:
    titles, rows = data.titles(targets), list[dict[str, Any]]()
    for at, (page, title) in enumerate(zip(targets.tolist(), titles, strict=True)):
        alone = np.array([page], np.int32)
        path = path_tables(data, probability, start, alone).get("shortest path")
        steps = [] if path is None else path.to_pylist()
        weakest = min(steps, key=lambda step: step["probability"], default=None)
        rows.append(
            {
                "target": data.graph.pages[page],
                "title": title,
                "success": float(success[at]),
                "clicks on the shortest path": len(steps) if steps else None,
                "weakest link from": weakest["page"] if weakest else "",
                "weakest link to": weakest["link to"] if weakest else "",
                "its probability": weakest["probability"] if weakest else None,
            }
        )
    rows.sort(key=lambda row: -round(row["success"], 12))
    return pa.Table.from_pylist(rows, schema=TASK_SCHEMA)
