"""A report on the structure of a collection: one HTML page that needs nothing else."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from weft.core.markup import Markup, join, tag
from weft.core.methods import find, reference
from weft.core.wording import count, shortened
from weft.run.plots import plots
from weft.run.report.document import document
from weft.run.report.pieces import table
from weft.store.collection import Collection
from weft.structure.shape import Shape, said

PARTS = ("bow-tie", "degrees", "distances", "components", "reciprocity", "faloutsos")
MOST_ROWS, LONG = 20, 100
HEADS = {
    "bow-tie": "Bow-tie",
    "degrees": "Degrees",
    "distances": "Distances",
    "components": "Components",
    "reciprocity": "Answered links",
    "faloutsos": "Power laws as plots",
}
SHOWN = {"degrees": "rivals", "components": "largest", "distances": "distances"}


def structure_report(collection: Collection, shapes: Sequence[Shape]) -> str:
    """The report on some shapes of one view of a collection, as HTML.

    Each has its facts, its pictures, the first rows of a table, and what must be
    said beside it. The page holds no script and asks for nothing from
    elsewhere. The same shapes give the same characters.
    """
    name = collection.folder.resolve().name
    told = shapes[0].provenance
    title = f"Structure of {name}"
    return document(title, told["weft"], _parts(title, name, collection, shapes))


def _parts(
    title: str, name: str, collection: Collection, shapes: Sequence[Shape]
) -> Iterator[Markup]:
    told = shapes[0].provenance
    counts = collection.manifest.counts
    size = count(counts["fetched"] + counts["listed"], "page")
    seen = f" and {count(counts['seen'], 'page')} seen in links alone" if counts["seen"] else ""
    around = f", around “{shortened(told['query'], LONG)}”" if told["query"] else ""
    yield tag(
        "header",
        tag("p", f"Weft report · {name}", class_="above"),
        tag("h1", title),
        tag("p", f"{size}{seen}, as a graph of {told['level']}s{around}.", class_="lead"),
    )
    for shape in shapes:
        yield _chapter(shape)
    yield tag("section", tag("h2", "Methods"), *_methods(shapes))
    yield tag("footer", tag("h2", "Where it comes from"), _provenance(name, shapes))


def _chapter(shape: Shape) -> Markup:
    facts = [
        tag("tr", tag("td", fact), tag("td", _cell(value), class_="number"))
        for fact, value in shape.facts.items()
    ]
    drawn = [tag("figure", picture, class_="drawn") for picture in plots(shape).values()]
    notes = [tag("li", f"{note[:1].upper()}{note[1:]}.") for note in shape.notes]
    return tag(
        "section",
        tag("h2", HEADS.get(shape.method, shape.method)),
        tag("div", *drawn, class_="drawings") if drawn else "",
        tag(
            "div",
            table(["fact", ""], facts, "small"),
            _first_rows(shape.to_table(SHOWN.get(shape.method, ""))),
            class_="roles",
        ),
        tag("ul", *notes) if notes else "",
        id=shape.method,
    )


def _first_rows(rows: pa.Table) -> Markup:
    """The first rows of a table; a note where there are more."""
    shown = rows.slice(0, MOST_ROWS)
    lines = [
        tag("tr", *(tag("td", _cell(value)) for value in row.values())) for row in shown.to_pylist()
    ]
    more = len(rows) - len(shown)
    rest = tag("p", f"And {count(more, 'row')} more.", class_="facts") if more else ""
    return tag("div", table(rows.column_names, lines, "small wide"), rest, class_="scroll")


def _cell(value: Any) -> str:
    return tag("bdi", shortened(value, LONG)) if isinstance(value, str) else said(value)


def _methods(shapes: Sequence[Shape]) -> Iterator[Markup]:
    """What was done in prose, and the works cited by number."""
    works: dict[str, int] = {}
    sentences = []
    for shape in shapes:
        one = find("structure", shape.method)
        number = works.setdefault(one.cites, len(works) + 1)
        mark = tag("a", f"[{number}]", href=f"#work-{number}")
        words = f"{one.name}: {one.summary[0].lower()}{one.summary[1:].removesuffix('.')}"
        sentences.append(join([words, " ", mark, _options(shape.options), "."]))
    yield tag("ul", *(tag("li", sentence) for sentence in sentences))
    yield tag(
        "ol",
        *(tag("li", reference(key), id=f"work-{number}") for key, number in works.items()),
        class_="works",
    )


def _options(options: Mapping[str, Any]) -> str:
    spelled = ", ".join(f"{name} {value}" for name, value in options.items())
    return f", with {spelled}" if spelled else ""


def _provenance(name: str, shapes: Sequence[Shape]) -> Markup:
    told = shapes[0].provenance
    words = ["weft", "structure", name, "--out", "report.html"]
    words += ["--level", told["level"]] if told["level"] != "page" else []
    words += ["--query", told["query"]] if told["query"] else []
    words += [word for one in told["without"] for word in ("--without", one)]
    words += ["--between", told["between"]] if told["between"] != "auto" else []
    facts = {
        "collection": name,
        "snapshot": told["snapshot"],
        "digest": f"sha256:{told['digest']}",
        "version": f"Weft {told['weft']}",
        "repeat": tag("code", shlex.join(words)),
    }
    return tag("dl", *(join([tag("dt", key), tag("dd", fact)]) for key, fact in facts.items()))
