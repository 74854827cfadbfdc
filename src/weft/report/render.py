"""Reports from templates: Jinja2 with autoescape, the style, and the filters that templates use."""

from base64 import b64encode
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined

from weft.core.html import WEB_URL, Markup
from weft.core.register import format_citation
from weft.core.text import CONTROL_CHARS, pluralise, shorten, strip_scheme, text_direction
from weft.groups.evidence import Evidence
from weft.groups.group import Group
from weft.groups.titles import PLACEHOLDER_TITLE
from weft.report.pictures import hub_authority_curves
from weft.report.plots import draw_plots
from weft.structure.shape import format_fact

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
        "page_title": page_title,
        "pluralise": pluralise,
        "plots": draw_plots,
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


def page_title(evidence: Evidence) -> str:
    """The title of a page, empty if it is a placeholder such as *Untitled*."""
    is_placeholder = PLACEHOLDER_TITLE.fullmatch(evidence.title)
    return "" if is_placeholder else shorten(evidence.title, MAX_TITLE_CHARS)
