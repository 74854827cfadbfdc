"""Handler for the comparison of two sites."""

from weft.server.downloads import Download
from weft.server.params import CompareSitesParams
from weft.server.schemas.structure import ShapeResponse
from weft.server.session import Session, options_key
from weft.server.structure import respond_with_shape, shape_download

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
    return respond_with_shape(session, shape.to_document(params.table, top=max_rows))
