"""The report on the structure of a collection, as an HTML page."""

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from weft.core.text import pluralise, shorten
from weft.graph.selection import DEFAULT_SELECTION
from weft.report.render import render_fact_sheets, selection_words
from weft.store.collection import Collection
from weft.structure.shape import Shape

HEADINGS = {
    "bow-tie": "Bow-tie",
    "degrees": "Degrees",
    "distances": "Distances",
    "components": "Components",
    "reciprocity": "Reciprocal links",
    "faloutsos": "Power-law plots",
}
REPORTED_METHODS = tuple(HEADINGS)
SHOWN_TABLES = {
    "degrees": ("alternatives",),
    "components": ("largest",),
    "distances": ("distances",),
}
MAX_ROWS, MAX_QUERY_CHARS = 20, 100


def structure_report(collection: Collection, shapes: Sequence[Shape]) -> str:
    """Write a report on some shapes of one view of a collection, as an HTML page.

    Each shape has its facts, plots, the first rows of a table, and notes. The
    page runs no script and loads nothing. The same shapes give the same page.
    """
    name, provenance = collection.folder.resolve().name, shapes[0].provenance
    return render_fact_sheets(
        collection,
        "structure",
        shapes,
        title=f"Structure of {name}",
        lead=_lead_sentence(collection, provenance),
        headings=HEADINGS,
        shown_tables=SHOWN_TABLES,
        max_rows=MAX_ROWS,
        command=_reproduction_command(name, provenance),
    )


def _lead_sentence(collection: Collection, provenance: Mapping[str, Any]) -> str:
    counts, query = collection.manifest.counts, provenance["query"]
    size = pluralise(counts["captured"] + counts["listed"], "page")
    uncaptured = (
        f" and {pluralise(counts['uncaptured'], 'page')} linked, not captured"
        if counts["uncaptured"]
        else ""
    )
    around = f", around “{shorten(query, MAX_QUERY_CHARS)}”" if query else ""
    return f"{size}{uncaptured}, as a graph of {provenance['level']}s{around}."


def _reproduction_command(collection_name: str, provenance: Mapping[str, Any]) -> str:
    """The command that writes the same report on the same collection."""
    words = ["weft", "structure", collection_name, "--out", "report.html"]
    words += selection_words(provenance["selection"], DEFAULT_SELECTION.for_rankings())
    return shlex.join(words)
