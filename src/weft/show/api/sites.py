"""The answer about two sites: what theirs has that mine lacks."""

from weft.core.documents import plain
from weft.show.api.desk import Desk, frozen
from weft.show.api.files import File
from weft.show.api.questions import Sites
from weft.show.api.rankings import told
from weft.show.api.shapes import Left
from weft.show.api.structure import names_of, rows_of, shape_file
from weft.show.api.surveyed import ShapeFound

ASKED = ("known", "keywords", "top", "threshold", "least")


def compare_sites(desk: Desk, ask: Sites) -> ShapeFound | File:
    """What their site has that mine lacks: terms, pages, concepts, links, and what matches."""
    asked = {name: getattr(ask, name) for name in ASKED}
    key = ("sites", ask.mine, ask.theirs, frozen(asked))
    shape = desk.recall(key, lambda: desk.workspace.compare_sites(ask.mine, ask.theirs, **asked))
    if ask.format != "json":
        return shape_file(desk, shape, ask.table, ask.format)
    most = ask.top * max(len(ask.keywords), 1)
    tables = rows_of(shape, ask.table, 0, most)
    return ShapeFound(
        snapshot=desk.snapshot,
        method=shape.method,
        level="page",
        query="",
        options=plain(shape.options),
        facts=plain(shape.facts),
        tables=tables,
        notes=list(shape.notes),
        names=names_of(desk, tables),
        pictures=[],
        left_out=[Left(**left) for left in shape.provenance["left_out"]],
        provenance=told(shape.provenance),
    )
