"""The report on the structure of a collection, as an HTML page."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from weft.core.html import Markup, html_element, join_html
from weft.core.register import find_method
from weft.core.text import pluralise, shorten
from weft.report.html import (
    citation_mark,
    definition_list,
    html_document,
    html_table,
    page_header,
    reference_list,
)
from weft.report.plots import draw_plots
from weft.store.collection import Collection
from weft.structure.shape import Shape, format_fact

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
MAX_ROWS, MAX_CELL_CHARS = 20, 100


def structure_report(collection: Collection, shapes: Sequence[Shape]) -> str:
    """Write a report on some shapes of one view of a collection, as an HTML page.

    Each shape has its facts, plots, the first rows of a table, and notes. The
    page runs no script and loads nothing. The same shapes give the same page.
    """
    name = collection.folder.resolve().name
    title, version = f"Structure of {name}", shapes[0].provenance["weft"]
    return html_document(title, version, _render_parts(title, name, collection, shapes))


def _render_parts(
    title: str, collection_name: str, collection: Collection, shapes: Sequence[Shape]
) -> Iterator[Markup]:
    yield page_header(collection_name, title, _lead_sentence(collection, shapes[0].provenance))
    for shape in shapes:
        yield _render_shape(shape)
    yield html_element("section", html_element("h2", "Methods"), *_methods_with_citations(shapes))
    yield html_element(
        "footer",
        html_element("h2", "Provenance"),
        _provenance_list(collection_name, shapes[0].provenance),
    )


def _lead_sentence(collection: Collection, provenance: Mapping[str, Any]) -> str:
    counts, query = collection.manifest.counts, provenance["query"]
    size = pluralise(counts["captured"] + counts["listed"], "page")
    uncaptured = (
        f" and {pluralise(counts['uncaptured'], 'page')} linked, not captured"
        if counts["uncaptured"]
        else ""
    )
    around = f", around “{shorten(query, MAX_CELL_CHARS)}”" if query else ""
    return f"{size}{uncaptured}, as a graph of {provenance['level']}s{around}."


def _render_shape(shape: Shape) -> Markup:
    facts = [
        html_element(
            "tr", html_element("td", fact), html_element("td", _format_cell(value), class_="number")
        )
        for fact, value in shape.items()
    ]
    plots = [html_element("figure", plot, class_="drawn") for plot in draw_plots(shape).values()]
    notes = [html_element("li", f"{note[:1].upper()}{note[1:]}.") for note in shape.notes]
    return html_element(
        "section",
        html_element("h2", HEADINGS.get(shape.method, shape.method)),
        html_element("div", *plots, class_="drawings") if plots else "",
        html_element(
            "div",
            html_table(["fact", ""], facts, "small"),
            _first_rows_table(shape.to_table(SHOWN_TABLES.get(shape.method, ""))),
            class_="roles",
        ),
        html_element("ul", *notes) if notes else "",
        id=shape.method,
    )


def _first_rows_table(full_table: pa.Table) -> Markup:
    """The first rows of a table, and how many more there are."""
    shown = full_table.slice(0, MAX_ROWS)
    rows = [
        html_element("tr", *(html_element("td", _format_cell(value)) for value in row.values()))
        for row in shown.to_pylist()
    ]
    more = len(full_table) - len(shown)
    note = html_element("p", f"And {pluralise(more, 'row')} more.", class_="facts") if more else ""
    table = html_table(full_table.column_names, rows, "small wide")
    return html_element("div", table, note, class_="scroll")


def _format_cell(value: Any) -> str:
    if isinstance(value, str):
        return html_element("bdi", shorten(value, MAX_CELL_CHARS))
    return format_fact(value)


def _methods_with_citations(shapes: Sequence[Shape]) -> Iterator[Markup]:
    """The methods with their options, and the works cited by number."""
    works: dict[str, int] = {}
    items = []
    for shape in shapes:
        method = find_method("structure", shape.method)
        mark = citation_mark(works.setdefault(method.cites, len(works) + 1))
        summary = f"{method.summary[0].lower()}{method.summary[1:].removesuffix('.')}"
        parts = [f"{method.name}: {summary} ", mark, _format_options(shape.options), "."]
        items.append(html_element("li", join_html(parts)))
    yield html_element("ul", *items)
    yield reference_list(works)


def _format_options(options: Mapping[str, Any]) -> str:
    values = ", ".join(f"{name} {value}" for name, value in options.items())
    return f", with {values}" if values else ""


def _provenance_list(collection_name: str, provenance: Mapping[str, Any]) -> Markup:
    words = ["weft", "structure", collection_name, "--out", "report.html"]
    words += ["--level", provenance["level"]] if provenance["level"] != "page" else []
    words += ["--query", provenance["query"]] if provenance["query"] else []
    words += [word for pattern in provenance["exclude"] for word in ("--exclude", pattern)]
    words += ["--between", provenance["between"]] if provenance["between"] != "auto" else []
    return definition_list(
        {
            "collection": collection_name,
            "snapshot": str(provenance["snapshot"]),
            "digest": f"sha256:{provenance['digest']}",
            "version": f"Weft {provenance['weft']}",
            "repeat": html_element("code", shlex.join(words)),
        }
    )
