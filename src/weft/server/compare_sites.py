"""Handler for the comparison of two sites."""

from weft.core.json import to_json_value
from weft.server.downloads import Download
from weft.server.params import CompareSitesParams
from weft.server.rankings import public_provenance
from weft.server.schemas.responses import Exclusion
from weft.server.schemas.structure import ShapeResponse
from weft.server.session import Session, options_key
from weft.server.structure import resolve_titles, shape_download, slice_tables

COMPARISON_OPTIONS = ("known", "keywords", "top", "threshold", "min_terms")


def compare_sites(session: Session, params: CompareSitesParams) -> ShapeResponse | Download:
    """Compare two sites: terms, pages, concepts and links that mine lacks, and matches."""
    options = {name: getattr(params, name) for name in COMPARISON_OPTIONS}
    key = ("sites", params.mine, params.theirs, options_key(options))
    shape = session.get_or_compute(
        key, lambda: session.workspace.compare_sites(params.mine, params.theirs, **options)
    )
    if params.format != "json":
        return shape_download(session, shape, params.table, params.format)
    max_rows = params.top * max(len(params.keywords), 1)
    tables = slice_tables(shape, params.table, 0, max_rows)
    return ShapeResponse(
        snapshot=session.snapshot_number,
        method=shape.method,
        level="page",
        query="",
        options=to_json_value(shape.options),
        facts=to_json_value(shape.facts),
        tables=tables,
        notes=list(shape.notes),
        names=resolve_titles(session, tables),
        pictures=[],
        left_out=[Exclusion(**row) for row in shape.provenance["left_out"]],
        provenance=public_provenance(shape.provenance),
    )
