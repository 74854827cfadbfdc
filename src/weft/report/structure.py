"""The report on the structure of a collection, as an HTML page."""

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from weft.core.register import find_method
from weft.core.text import pluralise, shorten
from weft.report.render import number_citations, render_report
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
SHOWN_TABLES = {"degrees": "alternatives", "components": "largest", "distances": "distances"}
MAX_ROWS, MAX_QUERY_CHARS = 20, 100


def structure_report(collection: Collection, shapes: Sequence[Shape]) -> str:
    """Write a report on some shapes of one view of a collection, as an HTML page.

    Each shape has its facts, plots, the first rows of a table, and notes. The
    page runs no script and loads nothing. The same shapes give the same page.
    """
    name, provenance = collection.folder.resolve().name, shapes[0].provenance
    methods = [find_method("structure", shape.method) for shape in shapes]
    return render_report(
        "structure.html.j2",
        title=f"Structure of {name}",
        collection_name=name,
        lead=_lead_sentence(collection, provenance),
        version=provenance["weft"],
        shapes=shapes,
        headings=HEADINGS,
        shown_tables=SHOWN_TABLES,
        max_rows=MAX_ROWS,
        methods=list(zip(shapes, methods, strict=True)),
        works=number_citations(method.cites for method in methods),
        provenance={
            "collection": name,
            "snapshot": str(provenance["snapshot"]),
            "digest": f"sha256:{provenance['digest']}",
            "version": f"Weft {provenance['weft']}",
        },
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
    words += ["--level", provenance["level"]] if provenance["level"] != "page" else []
    words += ["--query", provenance["query"]] if provenance["query"] else []
    words += [word for pattern in provenance["exclude"] for word in ("--exclude", pattern)]
    words += ["--between", provenance["between"]] if provenance["between"] != "auto" else []
    return shlex.join(words)
