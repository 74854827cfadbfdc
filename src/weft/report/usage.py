"""The report on the usage of a collection, as an HTML page."""

import shlex
from collections.abc import Sequence

from weft.core.text import pluralise
from weft.report.render import render_fact_sheets
from weft.store.collection import Collection
from weft.usage.usage import Usage

HEADINGS = {
    "overview": "Visits",
    "sessions": "Sessions",
    "paths": "Paths",
    "index-pages": "Proposed index pages",
}
REPORTED_METHODS = tuple(HEADINGS)
SHOWN_TABLES = {
    "overview": (
        "pages",
        "entries",
        "exits",
        "clicks",
        "referrers",
        "dead ends",
        "unused links",
        "reached from outside only",
    ),
}
MAX_ROWS = 12


def usage_report(collection: Collection, parts: Sequence[Usage]) -> str:
    """Write a report on what visitors do, as an HTML page.

    Each part has its facts, plots, the first rows of its tables, and notes. The
    page runs no script and loads nothing.
    """
    name, first = collection.folder.resolve().name, parts[0]
    sessions = pluralise(first.get("sessions", 0), "session")
    return render_fact_sheets(
        collection,
        "usage",
        parts,
        title=f"Usage of {name}",
        lead=f"{sessions} of {pluralise(first.get('visitors', 0), 'visitor')}.",
        headings=HEADINGS,
        shown_tables=SHOWN_TABLES,
        max_rows=MAX_ROWS,
        command=shlex.join(["weft", "usage", name, "--out", "usage.html"]),
    )
