"""Reports from templates: Jinja2 with autoescape, the style, and the filters that templates use."""

from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined

from weft.core.arrays import Floats
from weft.core.fact_sheet import FactSheet, format_fact
from weft.core.html import WEB_URL, Markup
from weft.core.register import find_method, format_citation
from weft.core.text import (
    CONTROL_CHARS,
    join_pages,
    pluralise,
    shorten,
    strip_scheme,
    text_direction,
)
from weft.graph.selection import Selection
from weft.groups.group import Group
from weft.groups.titles import PLACEHOLDER_TITLE
from weft.report.plots import draw_plots
from weft.report.plots.usage import draw_usage_plots
from weft.store.collection import Collection
from weft.usage.usage import Usage

REM_PIXELS = 16.0
ROW_HEIGHT, LINK_SPREAD = 3 * REM_PIXELS, 34.0
MIN_STROKE_WIDTH, MAX_STROKE_WIDTH = 0.8, 4.5


class Curve(NamedTuple):
    """A curve as an SVG path, from x = 0 to x = 100, and its width in em."""

    path: str
    width: float
    opacity: float


def hub_authority_curves(weights: Floats) -> list[Curve]:
    """A curve for each link from a hub (row) to an authority (column) of positive weight.

    The stronger both ends, the thicker the curve; the strongest are last, on
    top. The links of a page are spread over its row in the order of their other
    ends, so that few of them cross.
    """
    links = [(int(hub), int(authority)) for hub, authority in np.argwhere(weights > 0)]
    hub_targets = [np.flatnonzero(row > 0).tolist() for row in weights]
    authority_sources = [np.flatnonzero(column > 0).tolist() for column in weights.T]
    curves = []
    for hub, authority in sorted(links, key=lambda link: weights[link]):
        left = _curve_end(hub, authority, hub_targets[hub])
        right = _curve_end(authority, hub, authority_sources[authority])
        weight = float(weights[hub, authority])
        width = MIN_STROKE_WIDTH + (MAX_STROKE_WIDTH - MIN_STROKE_WIDTH) * weight
        path = f"M0 {left:.1f}C45 {left:.1f} 55 {right:.1f} 100 {right:.1f}"
        curves.append(Curve(path, width / REM_PIXELS, 0.3 + 0.5 * weight))
    return curves


def _curve_end(row: int, other: int, neighbours: list[int]) -> float:
    """The y at which the curve to another page meets the row of this one."""
    share = (neighbours.index(other) + 0.5) / len(neighbours)
    return (row + 0.5) * ROW_HEIGHT + LINK_SPREAD * (share - 0.5)


TOPIC_COLOUR_COUNT = 10
MAX_TITLE_CHARS = 160


@cache
def template_environment() -> Environment:
    """The templates of this folder: what they print is escaped, a missing value is an error."""
    environment = Environment(
        loader=PackageLoader("weft.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.tests["web_url"] = lambda page: WEB_URL.fullmatch(page) is not None
    environment.filters |= {
        "citation": format_citation,
        "curves": hub_authority_curves,
        "direction": text_direction,
        "fact": format_fact,
        "join_pages": join_pages,
        "page_title": page_title,
        "pluralise": pluralise,
        "plots": lambda sheet: (
            draw_usage_plots(sheet) if isinstance(sheet, Usage) else draw_plots(sheet)
        ),
        "representative_titles": representative_titles,
        "shorten": shorten,
        "stability": format_stability,
        "strength": format_strength,
        "strip_scheme": strip_scheme,
        "topic_colour": topic_colour_class,
        "topic_name": topic_name,
    }
    return environment


def render_report(template: str, **values: object) -> str:
    """Render a template as an HTML page that runs no script and loads nothing.

    Its content security policy allows the style of reports, by its hash, and
    nothing else. Control characters are left out.
    """
    style = (files("weft.report") / "style.css").read_text("utf-8")
    page = (
        template_environment()
        .get_template(template)
        .render(
            style=Markup(style),
            style_digest=b64encode(sha256(style.encode()).digest()).decode(),
            **values,
        )
    )
    return CONTROL_CHARS.sub("", page).encode("utf-8", "replace").decode("utf-8")


def render_fact_sheets(
    collection: Collection, kind: str, sheets: Sequence[FactSheet], **values: object
) -> str:
    """Render results that are facts and tables, of methods of one kind, as an HTML page.

    `values` are title, lead, headings of the methods, the tables to show of each, how many rows
    of these, and the command that writes the page again.
    """
    name, provenance = collection.folder.resolve().name, sheets[0].provenance
    methods = [find_method(kind, sheet.method) for sheet in sheets]
    return render_report(
        "fact_sheets.html.j2",
        collection_name=name,
        version=provenance["weft"],
        sheets=sheets,
        methods=list(zip(sheets, methods, strict=True)),
        works=number_citations(method.cites for method in methods),
        provenance={
            "collection": name,
            "snapshot": str(provenance["snapshot"]),
            "digest": f"sha256:{provenance['digest']}",
            "version": f"Weft {provenance['weft']}",
        },
        **values,
    )


def selection_words(selection: Mapping[str, Any], default: Selection) -> list[str]:
    """The options of a command for what differs from the default selection."""
    words = []
    for name, usual in asdict(default).items():
        if (value := selection[name]) != usual:
            values = value if isinstance(value, list | tuple) else [value]
            words += [
                word for item in values for word in (f"--{name.replace('_', '-')}", str(item))
            ]
    return words


def number_citations(keys: Iterable[str]) -> dict[str, int]:
    """Number works from 1 by their keys, in the order in which they are first cited."""
    return {key: number for number, key in enumerate(dict.fromkeys(filter(None, keys)), start=1)}


def topic_colour_class(number: int) -> str:
    """The CSS class of the colour of a topic; colours repeat after ten topics."""
    return f"t{(number - 1) % TOPIC_COLOUR_COUNT + 1}" if number else ""


def topic_name(topic: Group) -> str:
    """The name of a topic."""
    return shorten(topic.name, MAX_TITLE_CHARS) or "(no label)"


def representative_titles(topic: Group) -> str:
    """The titles of two representative pages of a topic, unless they are its name."""
    return shorten(topic.title, MAX_TITLE_CHARS) if topic.title != topic.name else ""


def format_stability(topic: Group) -> str:
    """The stability of a topic, where known."""
    return topic.stability.description if topic.stability else ""


def format_strength(topic: Group) -> str:
    """The strength of a topic, to three digits."""
    return f"{topic.strength:,.0f}" if topic.strength >= 100 else f"{topic.strength:.3g}"


def page_title(title: str) -> str:
    """The title of a page, empty if it is a placeholder such as *Untitled*."""
    return "" if PLACEHOLDER_TITLE.fullmatch(title) else shorten(title, MAX_TITLE_CHARS)
