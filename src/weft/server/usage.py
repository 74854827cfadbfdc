"""Handlers for usage: facts and tables of a method, and pictures."""

from typing import Annotated, Any

from pydantic import Field

from weft.core.errors import UnknownName
from weft.core.text import join_with_and
from weft.report.plots.svg import Frame
from weft.report.plots.usage import draw_usage_plots
from weft.server.downloads import Download
from weft.server.params import Params, PictureTitled, PictureWidth, UsageParams
from weft.server.session import Session, options_key
from weft.server.structure import ShapeResponse, respond_with_shape, shape_download
from weft.usage import Usage


class UsagePictureParams(Params):
    """A picture of a usage analysis."""

    picture: Annotated[
        str, Field(max_length=50, description="name of the picture; default: the first")
    ] = ""
    width: PictureWidth = 640
    titled: PictureTitled = True


def get_usage(session: Session, params: UsageParams) -> ShapeResponse | Download:
    """What visitors do: facts, and the first rows of the tables behind them."""
    found = compute_usage(session, params)
    if params.format != "json":
        return shape_download(session, found, params.table, params.format)
    document = found.to_document(params.table, offset=params.offset, top=params.top)
    return respond_with_shape(session, document, list(draw_usage_plots(found)))


def _titles(session: Session, found: Usage) -> dict[str, str]:
    """The titles of the pages that the plots name."""
    if "flow" not in found.tables:
        return {}
    flow = found.to_table("flow")
    names = sorted({*flow["from"].to_pylist(), *flow["to"].to_pylist()})
    return dict(zip(names, session.collection.titles_of(names), strict=True))


def compute_usage(session: Session, params: UsageParams | UsagePictureParams) -> Usage:
    """The result of a usage method, cached."""
    method, options = params.method_name, params.option_values
    key = ("usage", method, options_key(options))
    return session.get_or_compute(key, lambda: session.workspace.usage(method, **options))


def get_usage_svg(session: Session, params: UsagePictureParams) -> Download:
    """A picture of usage as SVG."""
    found = compute_usage(session, params)
    plots: dict[str, Any] = draw_usage_plots(
        found, Frame(params.width, params.titled), _titles(session, found)
    )
    name = params.picture or next(iter(plots), "")
    if name not in plots:
        raise UnknownName("picture", name, plots, hint=f"there is {join_with_and(list(plots))}")
    path = session.temp_path("svg")
    path.write_text(str(plots[name]), "utf-8")
    return Download(path, f"{name}.svg")
